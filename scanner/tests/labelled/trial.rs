//! The trial of what is proposed: a lesson fires on the call that failed, and not on the one that worked.

use lessons_ledger::candidates::{Candidate, Proposal};
use lessons_pattern::trigger::TriggerKind;
use regex_automata::meta::Regex;

/// The longest command that is quoted whole in the evidence, in characters.
const QUOTED: usize = 200;

/// The command after a label in the evidence, where it is quoted whole.
fn quoted<'c>(candidate: &'c Candidate, label: &str) -> Option<&'c str> {
    let line = candidate.finding.evidence.iter().find_map(|line| line.strip_prefix(label))?;
    Some(line.trim()).filter(|command| command.chars().count() < QUOTED && !command.contains("[REDACTED"))
}

/// Whether a pattern matches. `\b` and `\s` of ASCII are those of JavaScript, as far as these texts go.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let ascii = regex_automata::util::syntax::Config::new().unicode(false).utf8(false);
    Regex::builder().syntax(ascii).build(pattern).unwrap().is_match(text.as_bytes())
}

/// Whether the triggers on commands fire on a command. `None` where there are others.
fn fires(proposal: &Proposal, command: &str) -> Option<bool> {
    let all = || proposal.triggers.iter().chain(&proposal.also).chain(&proposal.unless);
    if proposal.triggers.is_empty() || all().any(|trigger| trigger.kind != TriggerKind::CommandPattern) {
        return None;
    }
    let matches = |pattern: &str| matches(pattern, command);
    Some(
        proposal.triggers.iter().any(|trigger| matches(&trigger.pattern))
            && proposal.also.iter().all(|trigger| matches(&trigger.pattern))
            && !proposal.unless.iter().any(|trigger| matches(&trigger.pattern)),
    )
}

/// The candidates that fire on the call that worked, or not on the one that failed, with the command.
pub(crate) fn failures<'c>(candidates: impl Iterator<Item = &'c Candidate>) -> (usize, Vec<String>) {
    let (mut tried, mut failures) = (0, Vec::new());
    for candidate in candidates {
        let proposal = &candidate.finding.proposal;
        for (label, should_fire) in [("failed:", true), ("corrected:", true), ("worked:", false)] {
            let Some(command) = quoted(candidate, label) else { continue };
            let Some(fired) = fires(proposal, command.trim_matches('`')) else { continue };
            tried += 1;
            if fired != should_fire {
                failures.push(format!("{label} {command}: {proposal:?}"));
            }
        }
    }
    (tried, failures)
}
