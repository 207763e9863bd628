//! What a person reads when a lesson may not refuse calls yet: what is missing, and what to type.

use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::{Lesson, Mode};
use lessons_text::wording::counted;

use super::way::{self, Way};
use super::{Missing, fire_alike};
use crate::app::{App, Coded};

/// The most lessons that a refusal names.
const MOST_NAMED: usize = 5;

/// Lessons that may not refuse calls yet.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) way: Way,
    /// One at least.
    pub(super) unproved: Vec<Unproved>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Unproved {
    id: LessonId,
    saved: Saved,
    missing: Missing,
}

/// How it is saved at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Saved {
    /// Not at all, or it fires at other calls.
    Otherwise,
    /// It refuses already, at fewer calls.
    Refusing,
    /// As it would be, but that it does not refuse: its hits can be looked at.
    AsItIs,
}

impl Unproved {
    pub(super) fn new(lesson: &Lesson, before: Option<&Lesson>, missing: Missing) -> Self {
        let saved = match before {
            Some(before) if before.mode == Mode::Block => Saved::Refusing,
            Some(before) if fire_alike(&Lesson { mode: Mode::Block, ..before.clone() }, lesson) => {
                Saved::AsItIs
            }
            Some(_) | None => Saved::Otherwise,
        };
        Self { id: lesson.id.clone(), saved, missing }
    }

    /// What is missing.
    fn state(&self) -> String {
        let id = &self.id;
        match &self.missing {
            Missing::Untried(why) => format!("{id} would refuse calls: {why}."),
            Missing::Looks { proof, calls } => format!(
                "{id} would have refused {} of the past ({calls} in all), and nobody has said yet whether that is \
                 right: {} of {} looked at.",
                counted(proof.hits, "different call"),
                proof.labelled(),
                proof.needed(),
            ),
            Missing::Wrong(proof) => format!(
                "{id} would be wrong too often: of {} that you have looked at, {} should not be refused, and one in \
                 twenty may be.",
                counted(proof.labelled(), "different call"),
                proof.wrong,
            ),
        }
    }

    /// What to type, one line after the other, and what for. Nothing where only a reason helps.
    fn steps(&self, app: &App, way: Way) -> Option<(&'static str, Vec<String>)> {
        let id = &self.id;
        let narrow = || format!("lessons edit {id} --unless 'cmd=PATTERN'");
        let look = || [format!("lessons replay {id} --label"), format!("lessons edit {id} --mode block")];
        let then_look = |first: Vec<String>| first.into_iter().chain(look()).collect();
        Some(match (&self.missing, way, self.saved) {
            (Missing::Untried(_), Way::Import, _) => {
                ("To have it as advice", vec![way::again(app, way::Mode::With, &["--as-advice"])])
            }
            (Missing::Untried(_), ..) => return None,
            (Missing::Wrong(_), _, Saved::AsItIs | Saved::Refusing) => {
                ("Narrow it first, for example", vec![narrow()])
            }
            (_, Way::Typed | Way::Merge, Saved::AsItIs) => ("Look at them, then switch it on", look().into()),
            (_, Way::Typed, _) => {
                let first = way::again(app, way::Mode::Without, &["--mode", "advise"]);
                ("Save it as advice, look at them, then switch it on", then_look(vec![first]))
            }
            (_, Way::Merge, _) | (_, Way::Import, Saved::Refusing) => {
                let first =
                    vec![format!("lessons edit {id} --mode advise"), way::again(app, way::Mode::With, &[])];
                ("Let it advise meanwhile, look at them, then switch it on", then_look(first))
            }
            (_, Way::Import, _) => {
                let first = way::again(app, way::Mode::With, &["--as-advice"]);
                ("Take it in as advice, look at them, then switch it on", then_look(vec![first]))
            }
            (_, Way::Decisions, _) => (
                "Decide for \"mode\": \"advise\", look at them in a terminal, then switch it on",
                look().into(),
            ),
            (_, Way::Screen, _) => {
                ("Let it advise for now (e), and afterwards, in a terminal", look().into())
            }
        })
    }
}

impl Refusal {
    /// All of it, under the name by which programs know it.
    pub(super) fn coded(&self, app: &App) -> Coded {
        let mut lines: Vec<String> =
            self.way.nothing().map(|nothing| format!("{nothing}:")).into_iter().collect();
        lines.extend(self.unproved.iter().take(MOST_NAMED).map(Unproved::state));
        if let more @ 1.. = self.unproved.len().saturating_sub(MOST_NAMED) {
            lines.push(format!("and {more} more."));
        }
        // What to do is the same for all of them; it is said of the first for which there is something to do.
        let steps = self.unproved.iter().find_map(|unproved| unproved.steps(app, self.way));
        let force = self.way.force();
        match steps {
            Some((what, steps)) => {
                if let Some(last) = lines.last_mut() {
                    *last = format!("{last} {what}:");
                }
                lines.extend(steps.into_iter().map(|step| format!("  {step}")));
                lines.push(format!("or say why it should refuse without that: {force}"));
            }
            None => {
                if let Some(last) = lines.last_mut() {
                    *last = format!("{last} If it should all the same, say why: {force}");
                }
            }
        }
        Coded::refused("UNPROVEN_BLOCK", lines.join("\n"))
    }
}
