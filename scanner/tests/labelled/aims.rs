//! What proposals are aimed at: they fire on a call like the mistake, and keep quiet on one as it should be.

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use crate::measure::Outcome;
use crate::script::Label;
use crate::shapes::tune;
use crate::trial::matches;

/// A mistake, the kind of its trigger, what is like it, and what is as it should be.
const AIMS: [(&str, TriggerKind, &str, &str); 2] = [
    ("uv-not-pip", TriggerKind::CommandPattern, "pip install duckdb", "uv pip install duckdb"),
    ("no-unasked-apply", TriggerKind::CommandPattern, "terraform apply -auto-approve", "terraform plan"),
];

fn fires(proposal: &Proposal, kind: TriggerKind, text: &str) -> bool {
    let any = |triggers: &[Trigger]| {
        triggers.iter().filter(|trigger| trigger.kind == kind).any(|trigger| matches(&trigger.pattern, text))
    };
    any(&proposal.triggers) && !any(&proposal.unless)
}

#[test]
fn a_proposal_fires_on_a_call_like_the_mistake_only() {
    let outcome = Outcome::of(&tune());
    for (name, kind, wrong, right) in AIMS {
        let label = Label::Mistake(name.to_owned());
        let of_it: Vec<&Proposal> = outcome
            .judged
            .iter()
            .filter(|judged| judged.labels.contains(&label))
            .map(|judged| &judged.candidate.finding.proposal)
            .collect();
        assert!(of_it.iter().any(|proposal| fires(proposal, kind, wrong)), "{name}: {of_it:?}");
        assert!(!of_it.iter().any(|proposal| fires(proposal, kind, right)), "{name}: {of_it:?}");
    }
}
