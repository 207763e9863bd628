//! What a witness of an answer has seen, and what each of it means in words.

use lessons_core::compiled::{Settings, Terms};
use lessons_core::id::QualifiedId;
use lessons_core::manifest::Manifest;
use lessons_core::matching::{Match, Quiet};
use lessons_core::neutral::line;
use lessons_core::project::Place;
use lessons_core::trigger::Trigger;
use lessons_core::witness::{Fate, Witness};

use crate::messages;

/// A lesson that matched.
pub(super) struct Matched {
    pub(super) found: Match,
    pub(super) fate: Option<Fate>,
}

/// What was seen of an answer.
pub(super) struct Watching<'w> {
    /// The lesson whose silence is asked about.
    wanted: Option<&'w QualifiedId>,
    /// What keeps it quiet.
    pub(super) quiet: Option<(Terms, Quiet)>,
    /// What matched, in the order of rank.
    pub(super) matched: Vec<Matched>,
}

impl<'w> Watching<'w> {
    pub(super) fn new(wanted: Option<&'w QualifiedId>) -> Self {
        Self { wanted, quiet: None, matched: Vec::new() }
    }
}

impl Witness for Watching<'_> {
    fn quiet(&mut self, _: u32, terms: &Terms, why: Quiet) {
        if self.wanted == Some(&terms.id) {
            self.quiet = Some((terms.clone(), why));
        }
    }

    fn matched(&mut self, found: &Match, _: usize) {
        self.matched.push(Matched { found: found.clone(), fate: None });
    }

    fn fate(&mut self, lesson: &QualifiedId, fate: Fate) {
        if let Some(matched) = self.matched.iter_mut().find(|matched| matched.found.id == *lesson) {
            matched.fate = Some(fate);
        }
    }
}

/// A word for programs and a sentence for people.
pub(super) type Message = (&'static str, String);

/// A trigger of a manifest as it is typed.
pub(super) fn trigger(manifest: &Manifest, position: u32) -> String {
    let shown = |entry: &lessons_core::manifest::TriggerEntry| {
        line(&Trigger::new(entry.kind, entry.pattern.as_str()).to_string())
    };
    manifest.triggers.get(position as usize).map(shown).unwrap_or_default()
}

/// What keeps a lesson quiet.
pub(super) fn of_quiet(
    manifest: &Manifest,
    terms: &Terms,
    why: Quiet,
    agent: &str,
    place: &Place<'_>,
) -> Message {
    let names = |names: &[String]| line(&names.join(", "));
    match why {
        Quiet::AtStart => ("atStart", "it is told when a session starts, not at calls".into()),
        Quiet::Off => {
            let until = terms.off_until.map(messages::time).unwrap_or_default();
            ("off", format!("it is switched off until {until}; `lessons on {}` switches it on", terms.id))
        }
        Quiet::Tool => ("tool", format!("it is only for these tools: {}", names(&terms.tools))),
        Quiet::Agent => {
            let agent = line(agent);
            (
                "agent",
                format!("it is only for these agents: {}; this call is by {agent}", names(&terms.agents)),
            )
        }
        Quiet::NoTrigger => ("trigger", "none of its triggers matches".into()),
        Quiet::Also(position) => {
            ("also", format!("`{}` must match as well, and does not", trigger(manifest, position)))
        }
        Quiet::Unless(position) => {
            ("unless", format!("`{}` matches too, which keeps it quiet", trigger(manifest, position)))
        }
        Quiet::Scope => {
            let here = place.roots().map_or("no project", |roots| roots.root.as_str());
            let roots = terms.roots.as_deref().unwrap_or_default();
            ("scope", format!("it is only for projects at {}; this call is in {}", names(roots), line(here)))
        }
    }
}

/// What became of a lesson that matches.
pub(super) fn of_fate(fate: Option<Fate>, settings: &Settings) -> Message {
    let Some(fate) = fate else { return ("matched", "it matches".into()) };
    match fate {
        Fate::Told => ("told", "the model is told".into()),
        Fate::ToldBriefly => {
            ("toldBriefly", "the model is told in a line: the whole text does not fit any more".into())
        }
        Fate::Refuses => ("refuses", "it refuses the call".into()),
        Fate::Passes => {
            ("passes", "it refused this very call before, and lets it pass now that it is made again".into())
        }
        Fate::Settled => ("settled", "it refused before in this session, and that is settled".into()),
        Fate::OffForSession => ("offForSession", "it is switched off for this session".into()),
        Fate::Taken => ("claimed", "it was told before in this session, and is told once".into()),
        Fate::NoPlace => (
            "budget",
            format!("others come first, and budget.lessons allows {} at a call", settings.budget_lessons),
        ),
        Fate::NoRoom { needed, left } => (
            "budget",
            format!(
                "it needs {needed} bytes and {left} are left of the {} that budget.bytes allows",
                settings.budget_bytes
            ),
        ),
        Fate::Silenced => {
            ("silenced", "advice is silenced by LESSONS_ENABLED, or this lesson is in LESSONS_SEEN".into())
        }
        Fate::Refusal => {
            ("refusal", "another lesson refuses the call, and a refusal carries no advice".into())
        }
        Fate::Question => (
            "question",
            "only a person may allow this call: it is asked about, and nothing else is said".into(),
        ),
    }
}
