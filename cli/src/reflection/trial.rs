//! The lessons that a model proposes when a person asks it to reflect: what may be proposed, and the trial of each.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use lessons_context::error::Refused;
use lessons_ledger::candidates::{Doubt, Finding, Proposal, Reason};
use lessons_ledger::database::Database;
use lessons_ledger::reflection::{ReflectedFinding, SOURCE, UnexplainedSignals};
use lessons_lesson::flags;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::Lesson;
use lessons_manifest_builder::examples;
use lessons_manifest_builder::patterns::Patterns;
use lessons_replay::history::History;
use lessons_replay::report::Replay;
use lessons_scanner::detect::Detector;
use lessons_store::load;
use lessons_text::neutral::line;
use serde::Deserialize;

use crate::app::App;
use crate::args::Fields;
use crate::trials::{self, MachineFacts};
use crate::{change, fields, own_advice};

/// The number of digits by which a signal is named.
pub(crate) const KEY_DIGITS: usize = 8;
/// The most candidates that models may propose in 24 hours.
pub(crate) const MOST_A_DAY: usize = 5;
/// A day in milliseconds.
const DAY: u64 = 24 * 3600 * 1000;
/// The most signals that one lesson may explain.
const MOST_EXPLAINED: usize = 12;
/// A lesson about failures may fire at one call that went well in this many.
const ONE_WENT_WELL_IN: usize = 4;
/// The points of a candidate that a model wrote, in hundredths of certainty: fewer than of anything that was seen.
const POINTS: u8 = 10;

/// A lesson as a model writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposedLesson {
    /// The signals that it explains, each the start of a key.
    explains: Vec<String>,
    /// The mistake.
    mistake: String,
    /// What to do instead.
    rule: String,
    /// The reason.
    #[serde(default)]
    why: Option<String>,
    /// Triggers as `KIND=PATTERN`, of which any must match.
    trigger: Vec<String>,
    /// Triggers that must match too.
    #[serde(default)]
    also: Vec<String>,
    /// Triggers that must not match.
    #[serde(default)]
    unless: Vec<String>,
    /// Calls that were wrong: a command, or a call as JSON.
    fails: Vec<String>,
    /// Calls that are right.
    works: Vec<String>,
}

/// Returns how many candidates may still be proposed today.
pub(crate) fn left_today(app: &App, database: &Database) -> Result<usize> {
    let proposed = database.reflected_since(app.now_ms().saturating_sub(DAY))?;
    Ok(MOST_A_DAY.saturating_sub(proposed))
}

/// What the trial of proposed lessons needs.
pub(crate) struct Reflection<'a> {
    /// The context of the command.
    pub(crate) app: &'a App,
    /// The signals that may be explained.
    pub(crate) signals: Vec<UnexplainedSignals>,
    /// The calls of the past.
    pub(crate) history: &'a History,
}

impl Reflection<'_> {
    /// Tries a lesson: on the calls that it names itself, and on the calls of the past. The error says for the model why
    /// it does not become a candidate.
    pub(crate) fn tried(&self, proposed: &ProposedLesson) -> Result<ReflectedFinding> {
        let explained = self.explained(proposed)?;
        let lesson = self.lesson(proposed)?;
        holds_its_examples(&lesson)?;
        if let Some(advised) = own_advice::fired(&lesson).first() {
            bail!(Refused(format!("it would fire on `{}`, which its own rule advises", line(advised))));
        }
        self.fits_the_past(&lesson, &explained)?;
        Ok(ReflectedFinding {
            finding: finding(&lesson, &explained),
            explains: explained.iter().map(|signals| signals.key.clone()).collect(),
        })
    }

    /// The signals that a lesson explains.
    fn explained(&self, proposed: &ProposedLesson) -> Result<Vec<&UnexplainedSignals>> {
        let ids: BTreeSet<&String> = proposed.explains.iter().collect();
        if ids.is_empty() || ids.len() > MOST_EXPLAINED {
            bail!(Refused(format!("`explains` names 1 to {MOST_EXPLAINED} of the signals that were shown")));
        }
        let find = |id: &String| {
            let known = self.signals.iter().find(|signals| signals.key.get(..KEY_DIGITS) == Some(id));
            known.ok_or_else(|| {
                let id: String = line(id).chars().take(2 * KEY_DIGITS).collect();
                Refused(format!("`{id}` is no signal of this project that waits for an explanation"))
            })
        };
        ids.into_iter().map(|id| Ok(find(id)?)).collect()
    }

    /// The lesson, cleaned and checked as one that a person types.
    fn lesson(&self, proposed: &ProposedLesson) -> Result<Lesson> {
        let ProposedLesson { mistake, rule, why, trigger, also, unless, fails, works, .. } = proposed.clone();
        for (name, list) in [("trigger", &trigger), ("fails", &fails), ("works", &works)] {
            if list.is_empty() {
                bail!(Refused(format!(
                    "`{name}` is empty: a lesson is tried on what it should and should not match"
                )));
            }
        }
        let topic = fields::topic_of_tags(&[])?;
        let mut lesson = Lesson::new(change::placeholder_id()?, rule.trim(), topic, self.app.now_text());
        let typed = Fields {
            mistake: Some(mistake),
            rationale: why,
            trigger,
            also,
            unless,
            fires: fails,
            quiet: works,
            ..Fields::default()
        };
        fields::apply(&typed, &mut lesson, &|_| Ok(String::new()))?;
        let graph = load::lessons(&self.app.home)?;
        change::vetted(&mut lesson, &graph, None)?;
        change::refuse_duplicate(&graph, &lesson)?;
        Ok(lesson)
    }

    /// Refuses what fires too often, and what is said to be a failure and went well.
    fn fits_the_past(&self, lesson: &Lesson, explained: &[&UnexplainedSignals]) -> Result<()> {
        let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
        let trial = trials::trial(self.app, &id, lesson)?;
        let replay = Replay::of(&trial, self.history, &MachineFacts::of(self.app).context());
        let share = replay.share;
        if share.is_too_broad() {
            bail!(Refused(format!("its trigger is too broad: it {share}")));
        }
        let fails = |signals: &&UnexplainedSignals| {
            Detector::named(&signals.detector).is_some_and(Detector::sees_failures)
        };
        let went_well =
            replay.fired.calls - (replay.fired.failed + replay.fired.stopped).min(replay.fired.calls);
        if explained.iter().all(fails) {
            if replay.fired.calls == 0 {
                bail!(Refused("its trigger matches no past call, so not the one that failed".into()));
            }
            if went_well * ONE_WENT_WELL_IN > replay.fired.calls {
                bail!(Refused(format!(
                    "its trigger matches {} past calls, and {went_well} of them went well; use \
                     `also` and `unless` to exclude the wrong ones",
                    replay.fired.calls
                )));
            }
        }
        Ok(())
    }
}

/// Refuses a lesson that does not fire on its wrong calls, or that fires on its right ones.
fn holds_its_examples(lesson: &Lesson) -> Result<()> {
    let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
    match examples::try_lesson(&id, lesson, &Patterns::default()) {
        Ok(failing) => match failing.first() {
            Some(failing) => bail!(Refused(failing.to_string())),
            None => Ok(()),
        },
        Err(why) => bail!(Refused(why)),
    }
}

/// The content of the candidate.
fn finding(lesson: &Lesson, explained: &[&UnexplainedSignals]) -> Finding {
    let texts = [Some(&lesson.rule), lesson.mistake.as_ref(), lesson.rationale.as_ref()];
    let raised = texts.into_iter().flatten().flat_map(|text| flags::flags(text));
    let mut doubts: Vec<Doubt> = Vec::new();
    for flag in raised {
        let doubt = Doubt { name: flag.name.into(), meaning: flag.meaning.into() };
        if !doubts.contains(&doubt) {
            doubts.push(doubt);
        }
    }
    let mut evidence: Vec<String> = Vec::new();
    for seen in explained.iter().flat_map(|signals| &signals.finding.evidence) {
        if !evidence.contains(seen) {
            evidence.push(seen.clone());
        }
    }
    Finding {
        source: SOURCE.into(),
        mistake: lesson.mistake.clone().unwrap_or_default(),
        fix: lesson.rule.clone(),
        why: lesson.rationale.clone(),
        proposal: Proposal {
            triggers: lesson.triggers.clone(),
            also: lesson.also.clone(),
            unless: lesson.unless.clone(),
        },
        flags: doubts,
        evidence,
        basis: vec![Reason {
            points: POINTS,
            because: "a model wrote it when you asked it to reflect".into(),
        }],
        ..Finding::default()
    }
}
