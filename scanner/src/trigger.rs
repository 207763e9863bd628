//! The triggers that a tag proposes. A person reviews them, and can change every part before anything is in force.

pub(crate) mod operands;

use lessons_ledger::candidates::Proposal;
use lessons_pattern::MAX_PATTERN_CHARS;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use crate::tag::Tag;
use crate::trial::{fired_advice, fires};

/// The proposal of a tag. All lists may be empty.
///
/// `trigger:` is literal text. Of a command, the start that says what it does is kept, and the
/// operands are not: they are what it was about that day (`tests/`), not what the mistake is about
/// (`pytest`). Which part of a call it is looked for in follows from `tool:`: what an
/// editing tool puts in, the paths of a reading one, else the command. `path:` is a glob. With
/// neither, a `tool:` alone is a trigger. `unless:` is literal text too, and keeps all its words:
/// shortened, it would silence more than its writer meant.
pub fn propose(tag: &Tag) -> Proposal {
    let kind = literal_kind(&tag.tools);
    let mut proposal = Proposal::default();
    if let Some(text) = tag.trigger.as_deref().map(unquoted) {
        let kept = match kind {
            TriggerKind::CommandPattern => operands::without_operands(text).0,
            _ => text.to_owned(),
        };
        proposal.triggers.extend(literal_trigger(kind, &kept));
    }
    if let Some(path) = tag.path.as_deref().map(unquoted) {
        let glob = Trigger::new(TriggerKind::FileGlob, path);
        // A command has no path: there the two are alternatives.
        if proposal.triggers.is_empty() || kind == TriggerKind::CommandPattern {
            proposal.triggers.push(glob);
        } else {
            proposal.also.push(glob);
        }
    }
    if tag.trigger.is_none() && tag.path.is_none() {
        proposal.triggers.extend(tag.tools.iter().map(|tool| Trigger::new(TriggerKind::Tool, tool)));
    }
    if let Some(text) = tag.unless.as_deref().map(unquoted) {
        proposal.unless.extend(literal_trigger(kind, text));
    } else if kind == TriggerKind::CommandPattern
        && let Some(trigger) = tag.trigger.as_deref().map(unquoted)
    {
        proposal.unless.extend(option_of_fix(trigger, &tag.fix));
        keep_quiet_on(&tag.fix, &mut proposal);
    }
    // What would be told at the very command that its fix advises is told at the start of a session instead.
    if fired_advice(&proposal, &tag.fix).is_empty() { proposal } else { Proposal::default() }
}

/// Keeps a proposal quiet on the commands that the fix advises: on those that a compound command runs first.
///
/// For the trigger `git push` and a fix with `git pull --rebase && git push` it is `git pull`.
fn keep_quiet_on(fix: &str, proposal: &mut Proposal) {
    for advised in fired_advice(proposal, fix) {
        let parts = advised.split("&&").flat_map(|part| part.split(';')).map(str::trim);
        let first = parts.take_while(|part| fires(proposal, part) == Some(false)).last();
        let start = first.map(|first| operands::without_operands(first).0);
        proposal.unless.extend(start.and_then(|start| literal_trigger(TriggerKind::CommandPattern, &start)));
    }
}

/// The option by which a command in the fix differs from the trigger: a lesson must not fire on its own fix.
///
/// For the trigger `git stash` and a fix with `git stash -u` it is `-u`.
fn option_of_fix(trigger: &str, fix: &str) -> Option<Trigger> {
    let (kept, _) = operands::without_operands(trigger);
    let start: Vec<&str> = kept.split_whitespace().take_while(|word| !operands::is_option(word)).collect();
    let commands = fix.split('`').skip(1).step_by(2).map(|span| span.split_whitespace().collect::<Vec<_>>());
    let mut same = commands.filter(|words| !start.is_empty() && words.starts_with(&start));
    let is_new =
        |word: &&&str| operands::is_option(word) && !trigger.split_whitespace().any(|own| own == **word);
    let added = same.find_map(|words| words.iter().find(is_new).copied())?;
    let name = added.split_once('=').map_or(added, |(name, _)| name);
    Some(Trigger::new(TriggerKind::CommandPattern, format!(r"(?:^|\s){}", literal(name))))
}

/// The kind of trigger for literal text of these tools.
fn literal_kind(tools: &[String]) -> TriggerKind {
    let all = |names: &[&str]| !tools.is_empty() && tools.iter().all(|tool| names.contains(&tool.as_str()));
    if all(&["Edit", "Write", "MultiEdit", "NotebookEdit"]) {
        TriggerKind::ContentPattern
    } else if all(&["Read", "Glob", "Grep", "LS"]) {
        TriggerKind::PathPattern
    } else {
        TriggerKind::CommandPattern
    }
}

fn literal_trigger(kind: TriggerKind, text: &str) -> Option<Trigger> {
    let pattern = literal(text);
    // A pattern that no lesson may have is no proposal.
    (!pattern.is_empty() && pattern.chars().count() <= MAX_PATTERN_CHARS).then(|| Trigger::new(kind, pattern))
}

/// A pattern that matches `text` as it stands: special characters escaped, white space as `\s+`, and
/// bounded by words where it begins or ends with one, so that `git st` does not match `git stash`.
pub fn literal(text: &str) -> String {
    let text = text.trim();
    // `\b` of a JavaScript expression knows only ASCII words.
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len() + 8);
    if text.starts_with(is_word) {
        out.push_str(r"\b");
    }
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            out.push_str(r"\s+");
        }
        for c in word.chars() {
            if matches!(c, '\\' | '^' | '$' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|')
            {
                out.push('\\');
            }
            out.push(c);
        }
    }
    if text.ends_with(is_word) {
        out.push_str(r"\b");
    }
    out
}

/// The text without one pair of quotes or backticks around it.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    ['`', '"', '\'']
        .into_iter()
        .find_map(|mark| {
            let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
            (!inner.contains(mark) && !inner.trim().is_empty()).then(|| inner.trim())
        })
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(tool: &str, trigger: &str) -> Tag {
        Tag {
            tools: tool.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            trigger: (!trigger.is_empty()).then(|| trigger.to_owned()),
            ..Tag::default()
        }
    }

    fn proposed(tool: &str, trigger: &str) -> Vec<String> {
        propose(&tag(tool, trigger)).triggers.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn program_and_subcommand_are_kept_and_later_operands_proposed_for_removal() {
        assert_eq!(proposed("Bash", "git stash"), [r"cmd=\bgit\s+stash\b"]);
        let proposal = propose(&tag("Bash", "pytest tests/"));
        assert_eq!(proposal.triggers, [Trigger::new(TriggerKind::CommandPattern, r"\bpytest\b")]);
    }

    #[test]
    fn a_literal_is_bounded_only_where_a_word_stands() {
        assert_eq!(proposed("Bash", "./run.sh --x"), [r"cmd=\./run\.sh\s+--x\b"]);
        assert_eq!(literal("a+b  (c)"), r"\ba\+b\s+\(c\)");
        assert_eq!(literal("é"), "é");
        assert_eq!(literal("  "), "");
    }

    #[test]
    fn quotes_around_the_whole_trigger_are_not_part_of_it() {
        assert_eq!(proposed("", "`git stash`"), [r"cmd=\bgit\s+stash\b"]);
        assert_eq!(literal(unquoted("`a` or `b`")), r"`a`\s+or\s+`b`");
        assert_eq!(unquoted("``"), "``");
    }

    #[test]
    fn the_tool_decides_where_the_literal_is_looked_for() {
        assert_eq!(proposed("Edit, Write", "fetch("), [r"content=\bfetch\("]);
        assert_eq!(proposed("Read", "src/gen files"), [r"path=\bsrc/gen\s+files\b"]);
        assert_eq!(proposed("Bash, Edit", "tsc"), [r"cmd=\btsc\b"]);
    }

    #[test]
    fn a_path_is_a_glob_beside_a_command_and_a_condition_on_an_edit() {
        let mut edit = tag("Edit", "fetch(");
        edit.path = Some("*.ts".into());
        let proposal = propose(&edit);
        assert_eq!(proposal.also, [Trigger::new(TriggerKind::FileGlob, "*.ts")]);
        assert_eq!(proposal.triggers.len(), 1);

        let mut bash = tag("Bash", "tsc");
        bash.path = Some("*.ts".into());
        assert_eq!(propose(&bash).triggers.len(), 2);

        let mut alone = tag("Edit", "");
        alone.path = Some("`*.ts`".into());
        assert_eq!(propose(&alone).triggers, [Trigger::new(TriggerKind::FileGlob, "*.ts")]);
    }

    #[test]
    fn a_tool_alone_is_a_trigger() {
        assert_eq!(proposed("WebFetch", ""), ["tool=WebFetch"]);
        assert!(proposed("", "").is_empty());
    }

    #[test]
    fn unless_keeps_all_its_words() {
        let mut pytest = tag("Bash", "pytest");
        pytest.unless = Some("-p no:cacheprovider".into());
        let unless = propose(&pytest).unless;
        assert_eq!(unless, [Trigger::new(TriggerKind::CommandPattern, r"-p\s+no:cacheprovider\b")]);
    }

    #[test]
    fn a_lesson_keeps_quiet_on_its_own_fix() {
        let mut stash = tag("Bash", "git stash");
        stash.fix = "use `git stash -u` where new files matter".into();
        assert_eq!(propose(&stash).unless, [Trigger::new(TriggerKind::CommandPattern, r"(?:^|\s)-u\b")]);
        for fix in ["use `git stash`", "commit first with `git commit -a`", "use git stash -u"] {
            stash.fix = fix.into();
            assert!(propose(&stash).unless.is_empty(), "{fix}");
        }
        let mut push = tag("Bash", "git push --force");
        push.fix = "`git push --force-with-lease=main` looks first".into();
        assert_eq!(propose(&push).unless[0].pattern, r"(?:^|\s)--force-with-lease\b");
    }

    #[test]
    fn a_pattern_that_no_lesson_may_have_is_not_proposed() {
        assert!(proposed("Bash", &".".repeat(501)).is_empty());
        assert_eq!(proposed("Bash", &".".repeat(500)).len(), 1);
    }

    #[test]
    fn a_proposal_keeps_quiet_on_what_its_fix_advises() {
        let unless = |trigger: &str, fix: &str| -> Vec<String> {
            let tag = Tag { fix: fix.into(), ..tag("Bash", trigger) };
            propose(&tag).unless.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            unless("git push", "run `git pull --rebase && git push`"),
            [r"cmd=\bgit\s+pull\s+--rebase\b"]
        );
        assert_eq!(unless("git stash", "use `git stash -u`"), [r"cmd=(?:^|\s)-u\b"]);
        assert!(unless("git push", "run `git fetch` before `git push`").is_empty());
        assert!(unless("git push", "run `git push` once more").is_empty(), "nothing tells the two apart");
    }

    proptest::proptest! {
        #[test]
        fn a_literal_matches_the_text_it_was_made_from(text in "[ -~é]{0,40}") {
            let pattern = literal(&text);
            // `\b` and `\s` of ASCII are those of JavaScript, as far as this text goes.
            let ascii = regex_automata::util::syntax::Config::new().unicode(false).utf8(false);
            let regex = regex_automata::meta::Regex::builder().syntax(ascii).build(&pattern).unwrap();
            proptest::prop_assert!(regex.is_match(text.trim()), "{pattern}");
        }

        #[test]
        fn what_is_kept_and_what_is_removed_make_up_the_trigger(text in "[a-z.$|&'/ -]{0,40}") {
            let (kept, removed) = operands::without_operands(&text);
            let words: Vec<&str> =
                kept.split_whitespace().chain(removed.iter().map(String::as_str)).collect();
            proptest::prop_assert_eq!(words, text.split_whitespace().collect::<Vec<_>>());
        }
    }
}
