//! The trial of a proposal: it has to fire on the command that failed, and to keep quiet on the one that worked and on
//! those that its rule advises.
//!
//! A proposal that does not is worth nothing as it stands: it would tell a mistake where there is none. Its triggers
//! are dropped, and what is left is a lesson for the start of a session. The index decides what a lesson does once it
//! is in force; to build one for each signal would take too long, and two commands need no index.

use lessons_ledger::Proposal;
use lessons_lesson::advised;
use lessons_pattern::{Trigger, TriggerKind};
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::util::syntax;

/// The proposal, without its triggers where it fails the trial. Proposals that look at other things than commands are
/// not tried.
pub(crate) fn tried(proposal: Proposal, failed: &str, worked: &str) -> Proposal {
    match (fires(&proposal, failed), fires(&proposal, worked)) {
        (Some(true), Some(false)) | (None, _) | (_, None) => proposal,
        _ => Proposal::default(),
    }
}

/// The commands that a rule advises and on which a proposal fires all the same. It is there to stop `stopped`.
pub(crate) fn fired_advice(proposal: &Proposal, rule: &str, stopped: &str) -> Vec<String> {
    advised::fired_advice(rule, &[stopped.to_owned()], |command| fires(proposal, command) == Some(true))
}

/// Whether a proposal fires on a command. `None` where it looks at something else.
pub(crate) fn fires(proposal: &Proposal, command: &str) -> Option<bool> {
    let Proposal { triggers, also, unless } = proposal;
    let is_of_commands = |trigger: &Trigger| trigger.kind == TriggerKind::CommandPattern;
    if triggers.is_empty() || ![triggers, also, unless].into_iter().flatten().all(is_of_commands) {
        return None;
    }
    let matches = |trigger: &Trigger| matches(&trigger.pattern, command);
    Some(triggers.iter().any(matches) && also.iter().all(matches) && !unless.iter().any(matches))
}

/// Whether a pattern matches. `\b` and `\s` of ASCII are those of JavaScript, as far as commands go.
pub(crate) fn matches(pattern: &str, command: &str) -> bool {
    let ascii = syntax::Config::new().unicode(false).utf8(false);
    // A pattern is tried on one command, and this engine is made in a tenth of the time of others.
    let engine = PikeVM::builder().syntax(ascii).build(pattern);
    engine.is_ok_and(|engine| engine.is_match(&mut engine.create_cache(), command.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(pattern: &str, unless: &str) -> Proposal {
        let trigger = |pattern: &str| Trigger::new(TriggerKind::CommandPattern, pattern);
        let unless = (!unless.is_empty()).then(|| trigger(unless));
        Proposal {
            triggers: vec![trigger(pattern)],
            unless: unless.into_iter().collect(),
            ..Proposal::default()
        }
    }

    #[test]
    fn what_fires_on_the_way_out_loses_its_triggers() {
        let kept = on(r"\bgit\s+stash\b", r"(?:^|\s)-u\b");
        assert_eq!(tried(kept.clone(), "git stash", "git stash -u"), kept);
        assert_eq!(tried(on(r"\bgit\s+stash\b", ""), "git stash", "git stash -u"), Proposal::default());
        assert_eq!(tried(on(r"\bgit\s+pop\b", ""), "git stash", "git stash -u"), Proposal::default());
    }

    #[test]
    fn a_rule_is_tried_on_the_commands_that_it_advises() {
        let rule = "never `git stash`; use `git stash -u`";
        let stash = r"\bgit\s+stash\b";
        assert_eq!(fired_advice(&on(stash, ""), rule, "git stash"), ["git stash -u"]);
        assert!(fired_advice(&on(stash, r"(?:^|\s)-u\b"), rule, "git stash").is_empty());
    }

    #[test]
    fn what_looks_at_no_command_is_not_tried() {
        let glob = Proposal {
            triggers: vec![Trigger::new(TriggerKind::FileGlob, "**/*.md")],
            ..Proposal::default()
        };
        assert_eq!(tried(glob.clone(), "a", "b"), glob);
    }
}
