//! What a text or a lesson is like, by the settings and decisions of a person, and the refusal of lessons that are like a
//! critical incident.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use lessons_context::{Context, Result, refused_as, text_of};
use lessons_decide::inspection::inspect;
use lessons_decide::{Measure, Owner, Suspicion};
use lessons_home::files;
use lessons_incident::index::{MOST_BYTES, MOST_MATCHES, Match};
use lessons_incident::{IncidentId, IncidentIndex, IncidentType, Severity, SourceKind, finding};
use lessons_ledger::incidents::IncidentRules;
use lessons_ledger::{Database, KnownIncident};
use lessons_lesson::{Lesson, LessonId, Status};
use lessons_store::config::IncidentSettings;
use lessons_store::{ConfigFile, DecidedIncidents, Graph, Warning, accepted};
use lessons_text::neutral::line;
use serde::Serialize;

use crate::contradiction;

/// The flag that a person accepts so that a lesson which is like a critical incident is taken all the same.
pub const FLAG: &str = "incident";
/// The code of a warning or finding about a lesson that is like an incident.
pub const INCIDENT_MATCH: &str = "INCIDENT_MATCH";

/// Lessons that a person accepts although they are like a critical incident, each with the reason.
pub type AcceptedIncidents = BTreeMap<LessonId, String>;

/// The incidents that hooks check texts against.
pub struct IncidentChecker<'a> {
    context: &'a Context,
    index: IncidentIndex,
    /// What the database and `decisions.json` know, read when something matches.
    known: OnceCell<BTreeMap<IncidentId, KnownIncident>>,
}

/// An incident that a text is like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Matched {
    /// The id of the incident.
    pub id: IncidentId,
    /// What the incident was.
    #[serde(rename = "type")]
    pub incident_type: IncidentType,
    /// How bad it was.
    pub severity: Severity,
    /// How like it the text is, from 0 to 1.
    pub similarity: f64,
    /// Where it came from, in words.
    pub source: String,
}

impl Matched {
    fn of(found: &Match<'_>) -> Self {
        let row = found.row;
        Self {
            id: row.id,
            incident_type: row.kind,
            severity: row.severity,
            similarity: (found.likeness.similarity * 100.0).round() / 100.0,
            source: line(&row.source),
        }
    }

    /// The incident in a few words.
    pub fn words(&self) -> String {
        format!("incident {} ({}, {})", self.id, self.severity, self.incident_type)
    }

    /// The match as a warning.
    fn warning(&self) -> String {
        format!(
            "[{}] {}: like incident {} from {} (similarity {:.2})",
            self.severity, self.incident_type, self.id, self.source, self.similarity
        )
    }
}

impl<'a> IncidentChecker<'a> {
    /// The checker with the incidents in force. `None` where incidents are switched off, and without a readable index,
    /// of which `doctor` tells.
    pub fn of(context: &'a Context) -> Option<Self> {
        let bytes = files::read(&context.home.incident_index(), MOST_BYTES).ok()??;
        Some(Self { context, index: IncidentIndex::read(&bytes)?, known: OnceCell::new() })
    }

    /// The checker with the incidents of an index that is not published yet.
    pub fn with(context: &'a Context, index: IncidentIndex) -> Self {
        Self { context, index, known: OnceCell::new() }
    }

    /// The critical incident that a lesson is like, if there is one.
    pub fn critical(&self, lesson: &Lesson) -> Option<Matched> {
        self.about(lesson).into_iter().find(|matched| matched.severity == Severity::Critical)
    }

    /// The checker, if any incident is in force.
    pub fn in_force(context: &'a Context) -> Option<Self> {
        Self::of(context).filter(|checker| checker.number() > 0)
    }

    /// The number of incidents in force.
    pub fn number(&self) -> usize {
        self.index.rows().iter().filter(|row| row.is_in_force()).count()
    }

    /// The incidents that a text is like, the most severe first. A rule that was put away says nothing against a text.
    pub fn matches(&self, text: &str) -> Vec<Matched> {
        let found = self.index.all_matches(text);
        let counts = |found: &&Match<'_>| {
            found.row.is_in_force() && found.row.kind != IncidentType::ContradictionPattern
        };
        found.iter().filter(counts).take(MOST_MATCHES).map(Matched::of).collect()
    }

    /// The worst incident that a text is like, or the worst orders that it gives, in words that follow "a text".
    pub fn worst(&self, text: &str) -> Option<(Severity, String)> {
        let like = self.matches(text).into_iter().next();
        let like = like.map(|matched| (matched.severity, format!("like {}", matched.words())));
        let orders =
            inspect(&self.index, text, Owner::Foreign).into_iter().find(|part| !part.rules.is_empty());
        let orders = orders.map(|part| {
            let words =
                format!("that gives orders to an agent ({}, {})", part.severity, finding::names(&part.rules));
            (part.severity, words)
        });
        // Of two that are as bad the one that a person can decide about.
        orders.into_iter().chain(like).max_by_key(|(severity, _)| *severity)
    }

    /// The incidents that a lesson is like. One that came from the lesson itself is none, and the rule of a lesson
    /// counts only against a rule that says the same, not against one that forbids it.
    pub fn about(&self, lesson: &Lesson) -> Vec<Matched> {
        let found = self.index.all_matches(&text_of(lesson));
        let counts = |matched: &Matched| match self.known().get(&matched.id) {
            None => matched.incident_type != IncidentType::ContradictionPattern,
            Some(known) => {
                let incident = &known.incident;
                let is_own = incident.source_ids.iter().any(|id| is_source(lesson, id));
                let is_rule = incident.source_kind == SourceKind::Store;
                let is_opposite =
                    is_rule && contradiction::are_opposite(incident.pattern.text(), &lesson.rule);
                !is_own && !is_opposite
            }
        };
        let in_force = found.iter().filter(|found| found.row.is_in_force());
        in_force.map(Matched::of).filter(counts).take(MOST_MATCHES).collect()
    }

    /// Warnings about a lesson that is like an incident.
    pub fn warnings(&self, lesson: &Lesson) -> Vec<Warning> {
        let warning = |matched: &Matched| {
            let message =
                format!("it is like {}; `lessons incidents` says where that came from", matched.words());
            Warning::coded(INCIDENT_MATCH, format!("{message} ({INCIDENT_MATCH})"))
        };
        self.about(lesson).iter().map(warning).collect()
    }

    fn known(&self) -> &BTreeMap<IncidentId, KnownIncident> {
        self.known.get_or_init(|| {
            // Without them every match counts.
            let known = known(self.context).unwrap_or_default();
            known.into_iter().map(|known| (known.incident.id, known)).collect()
        })
    }
}

/// Whether an id of an incident's sources is the lesson's own, or that of a candidate that it was made of.
fn is_source(lesson: &Lesson, id: &str) -> bool {
    id.strip_prefix("user/").is_some_and(|id| id == lesson.id.as_str())
        || lesson.evidence.iter().any(|entry| entry.strip_prefix("candidate:") == Some(id))
}

/// Warnings about a lesson that is about to be saved.
pub fn warnings(context: &Context, lesson: &Lesson) -> Vec<Warning> {
    IncidentChecker::of(context).map(|checker| checker.warnings(lesson)).unwrap_or_default()
}

/// Refuses a change that brings a lesson into force that is like a critical incident, unless a person accepts it. The
/// reason becomes evidence of the lesson.
pub fn require_acceptance(
    context: &Context,
    before: &Graph,
    after: &mut Graph,
    accepted: &AcceptedIncidents,
) -> Result<()> {
    let is_active = |lesson: &&Lesson| lesson.status == Status::Active;
    let is_new = |lesson: &&Lesson| {
        let known = before.get(&lesson.id).filter(is_active);
        known.is_none_or(|known| text_of(known) != text_of(lesson))
    };
    let changed: Vec<Lesson> = after.lessons().filter(is_active).filter(is_new).cloned().collect();
    if changed.is_empty() {
        return Ok(());
    }
    let Some(checker) = IncidentChecker::in_force(context) else {
        return Ok(());
    };
    let mut refused = Vec::new();
    for mut lesson in changed {
        let Some(matched) = checker.critical(&lesson) else { continue };
        match accepted.get(&lesson.id) {
            Some(reason) => {
                let entry = format!("accepted:{FLAG}: {reason}");
                if !lesson.evidence.contains(&entry) {
                    lesson.evidence.push(entry);
                    after.put(&lesson)?;
                }
            }
            None => refused.push(format!("user/{} is like {}", lesson.id, matched.words())),
        }
    }
    if refused.is_empty() {
        return Ok(());
    }
    let all = refused.join("; ");
    refused_as(
        "INCIDENT",
        format!(
            "{all}. Nothing was saved. If it is right all the same, give the same command --accept {FLAG} --reason TEXT"
        ),
    )
}

/// The answer about one text: incidents that it is like, and orders that it gives.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextCheck {
    /// Whether nothing critical was found.
    pub safe: bool,
    /// What was found, a sentence each.
    pub warnings: Vec<String>,
    /// The worst severity among what was found.
    pub highest_severity: &'static str,
    /// The number of incidents that the text is like.
    pub matched_count: usize,
    /// These incidents.
    pub matched: Vec<Matched>,
}

impl TextCheck {
    /// The answer for incidents that a text is like.
    pub fn of(matched: Vec<Matched>) -> Self {
        Self {
            safe: !matched.iter().any(|it| it.severity == Severity::Critical),
            warnings: matched.iter().map(Matched::warning).collect(),
            highest_severity: matched.iter().map(|it| it.severity).max().map_or("none", Severity::name),
            matched_count: matched.len(),
            matched,
        }
    }
}

/// The longest piece of a text that is checked at once, in bytes, and how far the next piece reaches back into it: farther
/// than any window of a pattern.
const PIECE: usize = 256 << 10;
const OVERLAP: usize = 16 << 10;

/// Checks a text of any length as the hook after a tool would, piece by piece. Of `owner` it depends what is withheld.
pub fn check_text(checker: &IncidentChecker<'_>, text: &str, owner: Owner) -> TextCheck {
    let mut matched: Vec<Matched> = Vec::new();
    let mut orders: BTreeMap<IncidentId, Suspicion> = BTreeMap::new();
    let mut safe = true;
    let mut start = 0;
    loop {
        let end = text.floor_char_boundary((start + PIECE).min(text.len()));
        let piece = text.get(start..end).unwrap_or_default();
        for found in checker.matches(piece) {
            match matched.iter_mut().find(|known| known.id == found.id) {
                Some(known) if known.similarity >= found.similarity => {}
                Some(known) => *known = found,
                None => matched.push(found),
            }
        }
        for suspicion in inspect(&checker.index, piece, owner) {
            safe &= suspicion.measure == Measure::Warn;
            if suspicion.like.is_none() {
                orders.insert(suspicion.id, suspicion);
            }
        }
        if end >= text.len() {
            break;
        }
        start = text.floor_char_boundary(end - OVERLAP);
    }
    matched.sort_by(|a, b| b.severity.cmp(&a.severity).then(b.similarity.total_cmp(&a.similarity)));
    matched.truncate(MOST_MATCHES);
    let severities = matched.iter().map(|it| it.severity).chain(orders.values().map(|it| it.severity));
    let highest_severity = severities.max().map_or("none", Severity::name);
    let mut check = TextCheck { safe, highest_severity, ..TextCheck::of(matched) };
    check.warnings.extend(orders.values().take(MOST_MATCHES).map(orders_warning));
    check
}

/// The warning about a part of a text that gives orders and is like nothing that is known.
fn orders_warning(orders: &Suspicion) -> String {
    format!(
        "[{}] {}: gives orders ({})",
        orders.severity,
        IncidentType::InjectionBlocked,
        finding::names(&orders.rules)
    )
}

/// The settings about incidents, as a person accepted them. Settings that cannot be read are at their defaults.
pub fn settings(context: &Context) -> IncidentSettings {
    let file =
        ConfigFile::read(&context.home.config()).unwrap_or_else(|_| ConfigFile::empty(context.home.config()));
    let file = match accepted::settings(&context.home) {
        Ok(Some(accepted)) => file.with_accepted(&accepted),
        Ok(None) | Err(_) => file,
    };
    context.settings_of(file).0.incidents
}

/// How incidents are recorded; `None` where they are switched off.
pub fn rules(context: &Context) -> Option<IncidentRules> {
    let IncidentSettings { enabled, similarity, minimum_trust, .. } = settings(context);
    enabled.then_some(IncidentRules { similarity, minimum_trust })
}

/// Every incident, the newest first.
pub fn known(context: &Context) -> Result<Vec<KnownIncident>> {
    let file = DecidedIncidents::read(&context.home)?;
    Ok(Database::open(&context.home)?.known_incidents(&file)?)
}
