//! Findings: the block-level rules that a text raises, close together.
//!
//! One rule alone is a reason to warn, because texts about such attacks raise it too. Three different ones within
//! [`NEAR`] characters are hardly ever an accident.

use std::collections::BTreeSet;
use std::ops::Range;

use lessons_lesson::flags::{self, Evidence, Occurrence};
use lessons_text::listed;

use crate::kind::Severity;
use crate::sentence;

/// The distance within which rules count together, in characters.
pub const NEAR: usize = 4000;
/// The number of different rules that make a cluster critical.
pub const CRITICAL_RULES: usize = 3;

lessons_text::named! {
    /// A block-level rule: a flag that records an incident. All other flags are advice.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[allow(missing_docs, reason = "the flags have their meanings with them")]
    pub enum Rule {
        Exfiltration = "exfiltration",
        ClaimsApproval = "claims-approval",
        HidesFromUser = "hides-from-user",
        OverridesInstructions = "overrides-instructions",
        ImitatesMarkup = "imitates-markup",
        EncodedPayload = "encoded-payload",
    }
}

/// The names of rules, as a sentence lists them.
pub fn names(rules: &[Rule]) -> String {
    listed(rules.iter().map(|rule| rule.name()))
}

/// Rules that a text raises close together: an incident, if it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The different rules, each of them one finding.
    pub rules: BTreeSet<Rule>,
    /// The ranges of the sentences that raise them, in bytes of the text: ascending and apart.
    pub sentences: Vec<Range<usize>>,
}

impl Cluster {
    /// The severity: critical from [`CRITICAL_RULES`] rules on, else high.
    pub fn severity(&self) -> Severity {
        if self.rules.len() >= CRITICAL_RULES { Severity::Critical } else { Severity::High }
    }
}

/// A place that raises a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Raised {
    rule: Rule,
    range: Range<usize>,
    /// The position of its start, in characters.
    position: usize,
    evidence: Evidence,
}

/// The clusters of findings in `text`, in the order of the text. Ordinary texts have none.
pub fn clusters(text: &str) -> Vec<Cluster> {
    let raised = raised(text);
    let is_critical = in_critical_windows(&raised);
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    for (at, one) in raised.iter().enumerate() {
        let is_near = one.position <= from + NEAR;
        match groups.last_mut() {
            Some(group) if is_near && is_critical[group.start] == is_critical[at] => group.end = at + 1,
            _ => groups.push(at..at + 1),
        }
        // A critical window may overlap the next one; other places belong to the first.
        let is_first = groups.last().is_some_and(|group| group.start == at);
        if is_first || is_critical[at] {
            from = one.position;
        }
    }
    let cluster = |group: &[Raised]| Cluster {
        rules: group.iter().map(|one| one.rule).collect(),
        sentences: sentence::joined(group.iter().map(|one| sentence::around(text, &one.range)).collect()),
    };
    groups.into_iter().map(|group| cluster(&raised[group])).collect()
}

/// The different block-level rules that a text raises anywhere.
pub fn rules(text: &str) -> BTreeSet<Rule> {
    clusters(text).into_iter().flat_map(|cluster| cluster.rules).collect()
}

/// The places that raise a rule, ascending, without those that count only beside others and have none near.
fn raised(text: &str) -> Vec<Raised> {
    let names = Rule::ALL.map(Rule::name);
    let mut found = flags::occurrences(text, &names);
    found.sort_by_key(|found| found.range.start);
    let mut raised = Vec::with_capacity(found.len());
    let (mut at, mut position) = (0, 0);
    for Occurrence { flag, range, evidence } in found {
        let Some(rule) = Rule::named(flag.name) else { continue };
        position += text.get(at..range.start).map_or(0, |between| between.chars().count());
        at = range.start;
        raised.push(Raised { rule, range, position, evidence });
    }
    let sure: Vec<usize> =
        raised.iter().filter(|one| one.evidence == Evidence::Alone).map(|one| one.position).collect();
    let is_near_another = |one: &Raised| {
        let next = sure.partition_point(|&other| other < one.position);
        let near = |other: Option<&usize>| other.is_some_and(|&other| other.abs_diff(one.position) <= NEAR);
        near(sure.get(next)) || near(next.checked_sub(1).and_then(|before| sure.get(before)))
    };
    raised.retain(|one| one.evidence == Evidence::Alone || is_near_another(one));
    raised
}

/// Whether each place is in a window of [`NEAR`] characters with at least [`CRITICAL_RULES`] different rules.
fn in_critical_windows(raised: &[Raised]) -> Vec<bool> {
    let mut marks = vec![false; raised.len()];
    // The number of places of each rule in the window, which ends with `last`.
    let mut counts = [0_usize; Rule::ALL.len()];
    let (mut first, mut marked) = (0, 0);
    for (last, one) in raised.iter().enumerate() {
        counts[one.rule as usize] += 1;
        while raised[first].position + NEAR < one.position {
            counts[raised[first].rule as usize] -= 1;
            first += 1;
        }
        if counts.iter().filter(|&&count| count > 0).count() >= CRITICAL_RULES {
            marks[first.max(marked)..=last].fill(true);
            marked = last + 1;
        }
    }
    marks
}

#[cfg(test)]
#[path = "finding/tests.rs"]
mod tests;
