//! The inspection of a text that a tool brought: what in it is suspicious, and what of that is withheld.
//!
//! A text is suspicious where it raises block-level rules, and where it is like an incident. It is withheld only where
//! three rules stand close together or the incident is critical, and of the project's own files only what a person
//! confirmed: whoever works on texts about attacks must be able to read them. What a person retired is not suspicious.

use std::ops::Range;

use lessons_incident::finding::{Cluster, clusters};
use lessons_incident::index::Match;
use lessons_incident::{
    IncidentId, IncidentIndex, IncidentType, Pattern, Rule, Severity, Standing, sentence,
};

/// Whom a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Somebody else: a page, a server, another program.
    Foreign,
    /// The project in which the session works.
    Project,
}

/// What is done about a suspicious part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// It passes, and the model is warned.
    Warn,
    /// It is withheld.
    Withhold,
}

/// A suspicious part of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspicion {
    /// The incident that it is, or that it is like.
    pub id: IncidentId,
    /// The severity: its own, or that of the incident if it is higher.
    pub severity: Severity,
    /// The rules that it raises.
    pub rules: Vec<Rule>,
    /// The incident that it is like, with the time at which that was last seen, in seconds since 1970.
    pub like: Option<(IncidentId, u64)>,
    /// The ranges of its sentences, in bytes of the text: ascending and apart.
    pub sentences: Vec<Range<usize>>,
    /// What is done about it.
    pub measure: Measure,
}

impl Suspicion {
    fn of_match(found: &Match<'_>, owner: Owner) -> Self {
        let row = found.row;
        Self {
            id: row.id,
            severity: row.severity,
            rules: Vec::new(),
            like: Some((row.id, row.last_seen)),
            sentences: found.likeness.passages.clone(),
            measure: measure(row.severity, row.standing, owner),
        }
    }

    fn of_cluster(cluster: Cluster, pattern: &Pattern, owner: Owner) -> Self {
        let severity = cluster.severity();
        Self {
            id: pattern.id(IncidentType::InjectionBlocked),
            severity,
            rules: cluster.rules.into_iter().collect(),
            like: None,
            sentences: cluster.sentences,
            measure: measure(severity, Standing::Active, owner),
        }
    }

    /// Adds what a cluster in the same place says.
    fn absorb(&mut self, cluster: Self) {
        self.severity = self.severity.max(cluster.severity);
        self.rules = cluster.rules;
        self.sentences = sentence::joined([std::mem::take(&mut self.sentences), cluster.sentences].concat());
        if cluster.measure == Measure::Withhold {
            self.measure = Measure::Withhold;
        }
    }
}

fn measure(severity: Severity, standing: Standing, owner: Owner) -> Measure {
    let is_held = match owner {
        Owner::Foreign => severity == Severity::Critical,
        Owner::Project => standing == Standing::Confirmed,
    };
    if is_held { Measure::Withhold } else { Measure::Warn }
}

/// What a text is like, and the rules that it raises. To find that takes time that grows with the text; to [judge](Self::judge)
/// it takes time only for what was found.
pub struct Inspection<'i> {
    matches: Vec<Match<'i>>,
    clusters: Vec<Cluster>,
}

impl<'i> Inspection<'i> {
    /// Looks at a text.
    pub fn of(index: &'i IncidentIndex, text: &str) -> Self {
        Self { matches: index.all_matches(text), clusters: clusters(text) }
    }

    /// The suspicious parts of the text that was looked at, the most severe first.
    pub fn judge(self, text: &str, owner: Owner) -> Vec<Suspicion> {
        let (known, retired): (Vec<_>, Vec<_>) =
            self.matches.into_iter().partition(|found| found.row.is_in_force());
        let retired: Vec<Range<usize>> =
            retired.into_iter().flat_map(|found| found.likeness.passages).collect();
        let mut found: Vec<Suspicion> = known.iter().map(|found| Suspicion::of_match(found, owner)).collect();
        for cluster in self.clusters {
            if cluster.sentences.iter().all(|sentence| meets_any(sentence, &retired)) {
                continue;
            }
            let pattern = Pattern::of_parts(text, &cluster.sentences);
            let suspicion = Suspicion::of_cluster(cluster, &pattern, owner);
            let overlaps = |sentence: &Range<usize>| meets_any(sentence, &suspicion.sentences);
            match found.iter_mut().find(|other| other.sentences.iter().any(overlaps)) {
                Some(other) => other.absorb(suspicion),
                None => found.push(suspicion),
            }
        }
        found.sort_by_key(|suspicion| std::cmp::Reverse(suspicion.severity));
        found
    }
}

/// The suspicious parts of a text, the most severe first.
pub fn inspect(index: &IncidentIndex, text: &str, owner: Owner) -> Vec<Suspicion> {
    Inspection::of(index, text).judge(text, owner)
}

/// Whether a range overlaps any of the others.
fn meets_any(range: &Range<usize>, others: &[Range<usize>]) -> bool {
    others.iter().any(|other| range.start < other.end && other.start < range.end)
}

#[cfg(test)]
#[path = "inspection/tests.rs"]
mod tests;
