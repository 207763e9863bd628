//! The signs by which a pasted line, a telling line of an error, a masked failure, and a file of memory are known.
//!
//! They are about what programs write, never about what people say: what a prompt means is left to its reader.

use std::sync::LazyLock;

use regex_automata::meta::Regex;

/// A pattern that is compiled when it is first asked.
pub(super) struct Sign(LazyLock<Option<Regex>>);

impl Sign {
    const fn new(compile: fn() -> Option<Regex>) -> Self {
        Self(LazyLock::new(compile))
    }

    /// Whether a text holds the sign.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

macro_rules! signs {
    ($($(#[$about:meta])+ $name:ident = $pattern:expr;)+) => {
        $($(#[$about])+ pub(super) static $name: Sign = Sign::new(|| Regex::new($pattern).ok());)+
    };
}

signs! {
    /// A line that nobody types: of a stack trace, a log, a difference, a table, JSON or markup.
    PASTED_LINE = concat!(
        r#"^[ \t]*(at [^ ]+.*[:(][0-9]+|File ".*", line [0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:"#,
        r#"|\[?[0-9]{2}:[0-9]{2}:[0-9]{2}|[{}\[\]();,]+[ \t]*$|[+-]{3} |@@ |\$ |> |\||"[A-Za-z0-9_$-]+":"#,
        r"|<[A-Za-z/!][^>]*>[ \t]*$|(ERROR|WARN|INFO|DEBUG)[^A-Za-z0-9_]|Traceback)",
    );
    /// What a pasted line says of an error.
    PASTED_ERROR = "(?i)error|exception|not found|denied|cannot|failed|refus";
    /// A line of an error that tells more than those around it.
    TELLING = concat!(
        "(?i)not found|no matches|denied|fatal|invalid|unknown|unrecogni|no such|cannot|can.t|failed|refus|unexpected",
        "|blocked|required|unable|does not exist|error|not allowed|must ",
    );
    /// A result of a successful call that begins as the complaint of a shell or a service.
    MASKED = concat!(
        r"^(\(eval\):[0-9]+:|(/bin/)?(ba|z)?sh: |.*command not found|.*unknown option|.*unrecognized option|.*no matches found",
        "|.*unexpected argument|.*illegal option",
        r#"|\{[ \t\r\n]*"success":[ \t]*false)"#,
    );
    /// A failure that says nothing of its call: it was cancelled with others.
    CANCELLED = r"Cancelled: parallel tool call|Sibling tool call errored|Request was aborted|\[Request interrupted";
    /// A command that may fail because the work is not finished.
    WORK = concat!(
        "(^|[^A-Za-z0-9_])(test|tests|jest|vitest|pytest|rspec|lint|eslint|tsc|build|clippy|typecheck|check|vet)",
        "($|[^A-Za-z0-9_])",
    );
    /// An error that is about the call and not about what it worked on.
    ABOUT_CALL = concat!(
        "(?i)not found|couldn.t find|could not find|no matches|unknown|unrecogni|usage:|usage error|no such|not a git",
        "|syntax error|traceback|permission denied|cannot find module|no module named|is not recognized|missing script",
        "|invalid option|failed to spawn|timed out|not allowed|are ignored|unexpected argument|is not a number",
    );
    /// A file that is there to be remembered.
    MEMORY_FILE = concat!(
        r"(?i)(^|/)((CLAUDE|AGENTS|GEMINI|MEMORY|LESSONS|LEARNINGS|GOTCHAS)(\.local)?\.md|\.cursorrules|copilot-instructions\.md)$",
        r"|(^|/)(tasks/lessons|tasks/todo-lessons|memory/[^/]+|\.learnings/[^/]+)\.md$|(^|/)\.cursor/rules/.+",
        r"|(^|/)\.claude/([^/]+|(agents|commands|rules|skills|hooks|memory|docs|projects/[^/]+/memory)/.+)\.(md|txt)$",
    );
    /// A line that its writer set off.
    EMPHASIS = r"[❌⚠🚫❗⛔]|![ \t]*$|\*\*[^*]+\*\*|(^|[^A-Za-z])(NEVER|ALWAYS|MUST|NOT|ONLY|IMPORTANT|CRITICAL|WARNING)($|[^A-Za-z])";
    /// A line of Markdown that is no sentence and no point of a list.
    NO_RULE = r#"^(#|\||```|<|[-*]?[ \t]*\[[^\]]*\]\(|[-=*_]{3,}|"|\{)"#;
    /// A refused edit whose whole result is the reason, as editors write it, and not an error of the client.
    CLIENT_ERROR = concat!(
        r"^[ \t\r\n]*(<tool_use_error>|Error|E[A-Z]{4,}|Permission|File |String |Found |No |Interrupted|Cancelled|API|BLOCKED",
        r"|Blocked|Hook|The user|\[|\{)",
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_knows_a_sample() {
        for (sign, sample, other) in [
            (&PASTED_LINE, "  at main (app.js:12)", "do it at noon"),
            (&PASTED_ERROR, "Access DENIED", "fine"),
            (&TELLING, "fatal: not a repository", "done"),
            (&MASKED, "zsh: no matches found: *.x", "ok"),
            (&CANCELLED, "Sibling tool call errored", "x"),
            (&WORK, "npm run test", "npm run attest"),
            (&ABOUT_CALL, "Unknown flag", "assertion is false"),
            (&MEMORY_FILE, "/p/CLAUDE.md", "/p/README.md"),
            (&EMPHASIS, "- NEVER push", "- push later"),
            (&NO_RULE, "# Heading", "- a point"),
            (&CLIENT_ERROR, "File has not been read yet", "use the other one please"),
        ] {
            assert!(sign.is_in(sample), "{sample}");
            assert!(!sign.is_in(other), "{other}");
        }
    }
}
