//! What this project decides differently from a case, and the sentence that says so.

/// A case, or parts of one.
pub(crate) struct Overruled {
    /// The case.
    pub(crate) id: &'static str,
    /// The fields of the expected outcome that are meant. Empty: the whole case.
    pub(crate) parts: &'static [&'static str],
    /// The sentence, word by word.
    pub(crate) sentence: &'static str,
}

const fn whole(id: &'static str, sentence: &'static str) -> Overruled {
    Overruled { id, parts: &[], sentence }
}

const fn parts(id: &'static str, parts: &'static [&'static str], sentence: &'static str) -> Overruled {
    Overruled { id, parts, sentence }
}

// From the design, section 10, "Leave room for it in names, schema and events; do not build it before it is asked for."
const OTHER_AGENTS: &str = "Other agents (Codex, Gemini, opencode, Cursor) and an MCP server.";
const PACKS: &str = "Signed, versioned packs and stores shared by many machines.";
const INCIDENTS: &str = "Incidents (injection blocked, trust violation, contradiction, reported by the user, false \
                         memory) with severities, and a check of a text against them.";
// From the design, section 5.
const LIMITS: &str = "Limits: 200,000 lessons, a manifest of 512 MiB, 32 triggers a lesson, patterns of 1000 characters; \
                      beyond, the builder refuses by name.";
// From the design, section 7.
const PROPOSED: &str = "`trigger:` is literal text, not a pattern: escaped, white space as `\\s+`, bounded by words, \
                        program and subcommand kept (`git stash` must not become `git`), later operands proposed for \
                        removal.";
const SIGHTING: &str =
    "its session is the first that had it, and recurrence counts sessions that share no line.";
const ECHO: &str = "one whose text also appears in an earlier tool result, user message or injected lesson of that \
                    session is marked `echo`.";
// From the design, section 8.
const TAG_SETS_NOTHING: &str = "A tag can never set mode, priority, scope or status; `quality:`, `agent:` and tags are \
                                proposals (`severity:data-loss` proposes high and bump).";
// From the design, section 4.
const DEFAULTS: &str = "Defaults: mode advise, when tool, priority 5, confidence 1, severity medium, quality valuable, \
                        summary = the first 120 characters of the rule.";
const MINIMUM: &str = "compiled only at or above the configured minimum";
const AS_WRITTEN: &str = "Patterns mean what a JavaScript regular expression without flags means, in its linear part (no \
                          look-around, no back-references; one leading `(?i)` allowed)";
// From the issue about capture.
const INTAKE: &str = "They flag a candidate and warn on `add`; only an empty or oversized field, a placeholder, or no \
                      working trigger refuses.";
// From the issue about the graph.
const UPSERT: &str = "upsert on the same normalised rule";
// From the issue about the gate and acceptance.
const BROAD: &str = "A pattern that matches (nearly) everything (`.*`, `.`, `^`, `\\w`, `(?:)`; or over 1 % of the calls of the past) is \
                     said at `add`, `edit`, `promote`, `validate`; it may not block or bump.";
const REPEATED: &str = "a repeated field in a tag (voids it)";
// From the issue about capture.
const WORDING: &str = "heur-01 is: wording alone proves nothing";
// From the design, section 6.
const ORDER: &str = "Order: layer (user, project, seed), then priority descending, then relevance (inverse fanout of \
                     the trigger, stored by the builder), then newest, then id.";
// From the issue about words. The least budget, 256 bytes, holds what the cases leave out or cut.
const SHORTER: &str = "A reminder takes at most 60 % of today's bytes.";
const NOTHING_AT_ALL: &str = "Print one JSON object, or nothing at all.";
const START: &str = "`startup` and `clear` (the client gives a new session id): tell the protocol and the `session` \
                     lessons, together at most 1500 + 4096 bytes; start the scanner detached.";
const NO_PLACEHOLDERS: &str = "No placeholders (an imported `{command}` becomes \"this command\").";
// From the design, section 3.
const VARIABLES: &str = "`LESSONS_<KEY>` (upper case, `_`) counts only for a `lessons` that a person typed.";
const GUARD: &str = "The recursion guard stops spawning, never answers.";
// From the design, section 5.
const NO_MANIFEST: &str =
    "A missing or damaged manifest: the hook says nothing, exits 0, and `lessons doctor` says why.";
const INDEX_IS_READ: &str = "Hooks never look at the manifest; a valid index is the truth";

// From the design, section 4.
const GLOBS: &str =
    "`file_path`, `notebook_path`, `path`: relative to the project, and absolute; dotfiles included";
const GLOBSET: &str = "`file_glob` is globset's syntax (`literal_separator`, `backslash_escape`, case-sensitive), dotfiles \
                       included; `!` in front and `!(…) +(…) @(…)` are refused with the way to say it (`unless`, two \
                       globs), and rewritten or named by an import.";
const CHARACTERS: &str = "counted in Unicode characters";
const KEYWORDS: &str = "its tokens are a contiguous run in the tokens of the path or command (`cat` does not fire on \
                        `category.ts`)";
const UNKNOWN_FIELDS: &str = "Unknown fields survive a round trip.";
const RULE: &str = "string, 1 to 2000 chars";
const TOPICS: &str = "A topic is `{summary}`, not empty; without one given, the first `tool:` or `lang:` tag names it, \
                      else `general`.";
// From the design, section 9.
const ALONE: &str = "`lessons` alone prints status: told, refused, passed today; waiting for review; what changed \
                     since you last looked.";
// From the design, section 2.
const ONE_BINARY: &str = "`hooks.json` and one small binary per event";
// From the design, section 10.
const LATER_HOOKS: &str = "Hooks at sub-agent start, prompt, failure and session end.";

/// All of it.
pub(crate) const OVERRULED: &[Overruled] = &[
    whole("norm-codex-shell", OTHER_AGENTS),
    whole("norm-codex-read_file", OTHER_AGENTS),
    whole("norm-codex-apply_patch", OTHER_AGENTS),
    whole("norm-codex-write_file", OTHER_AGENTS),
    whole("norm-gemini-run_shell_command", OTHER_AGENTS),
    whole("norm-gemini-write_file", OTHER_AGENTS),
    whole("norm-gemini-find_files", OTHER_AGENTS),
    whole("match-26", AS_WRITTEN),
    parts("guard-02", &["reason"], NO_PLACEHOLDERS),
    parts("select-03", &["dropped", "injected"], SHORTER),
    parts("select-07", &["context_not_contains", "injected"], SHORTER),
    parts("select-08", &["context_not_contains", "injected"], SHORTER),
    parts("select-09", &["dropped", "injected"], SHORTER),
    whole("select-10", VARIABLES),
    parts("output-01", &["stdout_text"], NOTHING_AT_ALL),
    parts("reset-03", &["stdout_text"], START),
    parts("start-01", &["stdout_order", "stdout_contains"], ORDER),
    whole("start-03", NO_MANIFEST),
    // What a tag proposes, and what it is worth.
    parts("tag-01", &["confidence", "priority"], TAG_SETS_NOTHING),
    parts("tag-02", &["confidence", "priority"], TAG_SETS_NOTHING),
    parts("tag-02", &["commandPatterns"], PROPOSED),
    parts("tag-16", &["confidence"], DEFAULTS),
    parts("tag-18", &["priority"], TAG_SETS_NOTHING),
    parts("tag-19", &["confidence"], DEFAULTS),
    parts("tag-19", &["commandPatterns"], PROPOSED),
    whole("tag-21", REPEATED),
    whole("heur-01", WORDING),
    // What a person may record.
    whole("add-05", UPSERT),
    parts("add-01", &["confidence"], DEFAULTS),
    whole("add-03", INTAKE),
    whole("add-09", INTAKE),
    whole("add-10", INTAKE),
    parts("add-15", &["status"], MINIMUM),
    parts("add-16", &["commandPatterns"], AS_WRITTEN),
    // Hostile input.
    whole("ADV-063", LIMITS),
    whole("ADV-065", INTAKE),
    parts("ADV-027", &["no candidate"], ECHO),
    parts("ADV-164", &["one session"], SIGHTING),
    parts("ADV-167", &["told"], GUARD),
    // A manifest that cannot be read, beside an index that can.
    parts("ADV-106", &["trace"], INDEX_IS_READ),
    parts("ADV-107", &["trace"], INDEX_IS_READ),
    parts("ADV-117", &["silent"], INDEX_IS_READ),
    parts("ADV-122", &["silent"], INDEX_IS_READ),
    whole("ADV-137", GLOBSET),
    whole("ADV-158", PACKS),
    whole("ADV-159", PACKS),
    whole("ADV-160", PACKS),
    whole("ADV-163", INCIDENTS),
    // A lessons graph.
    whole("glob-0134", GLOBS),
    whole("glob-0042", GLOBSET),
    whole("glob-0043", GLOBSET),
    whole("glob-0047", GLOBSET),
    whole("glob-0074", GLOBSET),
    whole("glob-0105", GLOBSET),
    whole("glob-0163", GLOBSET),
    whole("glob-0187", GLOBSET),
    whole("regex-0271", AS_WRITTEN),
    whole("regex-0272", AS_WRITTEN),
    whole("regex-0273", AS_WRITTEN),
    whole("regex-0274", AS_WRITTEN),
    whole("regex-0275", AS_WRITTEN),
    whole("regex-0276", AS_WRITTEN),
    whole("regex-0283", AS_WRITTEN),
    whole("regex-0327", CHARACTERS),
    whole("regex-class-0360", BROAD),
    whole("regex-class-0365", AS_WRITTEN),
    whole("keyword-0423", KEYWORDS),
    whole("keyword-0431", KEYWORDS),
    whole("validate-0536", UNKNOWN_FIELDS),
    whole("add-0590", TOPICS),
    whole("add-0593", TOPICS),
    whole("misc-0700", ALONE),
    whole("hook-0707", ONE_BINARY),
    whole("hook-0717", LATER_HOOKS),
    whole("hook-0721", RULE),
];

#[test]
fn every_entry_names_a_case_and_quotes_a_sentence() {
    let known: Vec<String> = ["recall.json", "capture.json", "adversarial.json", "graph.json"]
        .iter()
        .flat_map(|file| crate::cases::load(file))
        .map(|case| case.input.id)
        .collect();
    for entry in OVERRULED {
        assert!(known.iter().any(|id| id == entry.id), "{} is no case", entry.id);
        assert!(entry.sentence.len() > 20, "{}", entry.id);
    }
}
