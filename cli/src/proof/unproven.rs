//! The message about lessons that may not block yet: what is missing, and the commands that provide it.

use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::{Lesson, Mode};
use lessons_text::wording::counted;

use super::origin::{ChangeOrigin, ModeFlag, retyped_command};
use super::{ProofGap, fire_alike};
use crate::app::{App, Coded};

/// The most lessons that the message names.
const MAX_NAMED: usize = 5;

/// Lessons of one change that may not block yet.
#[derive(Debug)]
pub(super) struct UnprovenBlocks {
    pub(super) origin: ChangeOrigin,
    /// The lessons; never empty.
    pub(super) lessons: Vec<UnprovenLesson>,
}

/// A lesson that may not block yet.
#[derive(Debug)]
pub(super) struct UnprovenLesson {
    id: LessonId,
    saved: SavedState,
    gap: ProofGap,
}

/// The lesson as it is saved at present, compared with the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SavedState {
    /// It is not saved, or it fires at other calls.
    Otherwise,
    /// It blocks already, at fewer calls.
    Blocking,
    /// It fires at the same calls and does not block: its hits can be labelled.
    Advising,
}

impl UnprovenLesson {
    pub(super) fn new(lesson: &Lesson, before: Option<&Lesson>, gap: ProofGap) -> Self {
        let saved = match before {
            Some(before) if before.mode == Mode::Block => SavedState::Blocking,
            Some(before) if fire_alike(&Lesson { mode: Mode::Block, ..before.clone() }, lesson) => {
                SavedState::Advising
            }
            Some(_) | None => SavedState::Otherwise,
        };
        Self { id: lesson.id.clone(), saved, gap }
    }

    /// The gap in a sentence.
    fn gap_in_words(&self) -> String {
        let id = &self.id;
        match &self.gap {
            ProofGap::NoReplay(why) => format!("{id} would refuse calls: {why}."),
            ProofGap::Unlabelled { proof, calls } => format!(
                "{id} would have refused {} of the past ({calls} in all), and nobody has said yet whether that is \
                 right: {} of {} looked at.",
                counted(proof.hits, "different call"),
                proof.labelled(),
                proof.needed(),
            ),
            ProofGap::TooManyWrong(proof) => format!(
                "{id} would be wrong too often: of {} that you have looked at, {} should not be refused, and one in \
                 twenty may be.",
                counted(proof.labelled(), "different call"),
                proof.wrong,
            ),
        }
    }

    /// The commands that close the gap, and a heading for them; `None` if only a reason helps.
    fn remedy(&self, app: &App, origin: ChangeOrigin) -> Option<(&'static str, Vec<String>)> {
        let id = &self.id;
        let narrow = || format!("lessons edit {id} --unless 'cmd=PATTERN'");
        let label = || [format!("lessons replay {id} --label"), format!("lessons edit {id} --mode block")];
        let then_label = |first: Vec<String>| first.into_iter().chain(label()).collect();
        Some(match (&self.gap, origin, self.saved) {
            (ProofGap::NoReplay(_), ChangeOrigin::Import, _) => {
                ("To have it as advice", vec![retyped_command(app, ModeFlag::Kept, &["--as-advice"])])
            }
            (ProofGap::NoReplay(_), ..) => return None,
            (ProofGap::TooManyWrong(_), _, SavedState::Advising | SavedState::Blocking) => {
                ("Narrow it first, for example", vec![narrow()])
            }
            (_, ChangeOrigin::Command | ChangeOrigin::Merge, SavedState::Advising) => {
                ("Look at them, then switch it on", label().into())
            }
            (_, ChangeOrigin::Command, _) => {
                let first = retyped_command(app, ModeFlag::Dropped, &["--mode", "advise"]);
                ("Save it as advice, look at them, then switch it on", then_label(vec![first]))
            }
            (_, ChangeOrigin::Merge, _) | (_, ChangeOrigin::Import, SavedState::Blocking) => {
                let first = vec![
                    format!("lessons edit {id} --mode advise"),
                    retyped_command(app, ModeFlag::Kept, &[]),
                ];
                ("Let it advise meanwhile, look at them, then switch it on", then_label(first))
            }
            (_, ChangeOrigin::Import, _) => {
                let first = retyped_command(app, ModeFlag::Kept, &["--as-advice"]);
                ("Take it in as advice, look at them, then switch it on", then_label(vec![first]))
            }
            (_, ChangeOrigin::Decisions, _) => (
                "Decide for \"mode\": \"advise\", look at them in a terminal, then switch it on",
                label().into(),
            ),
            (_, ChangeOrigin::Screen, _) => {
                ("Let it advise for now (e), and afterwards, in a terminal", label().into())
            }
        })
    }
}

impl UnprovenBlocks {
    /// The message as an error with its code.
    pub(super) fn coded(&self, app: &App) -> Coded {
        let mut lines: Vec<String> =
            self.origin.dropped_statement().map(|statement| format!("{statement}:")).into_iter().collect();
        lines.extend(self.lessons.iter().take(MAX_NAMED).map(UnprovenLesson::gap_in_words));
        if let more @ 1.. = self.lessons.len().saturating_sub(MAX_NAMED) {
            lines.push(format!("and {more} more."));
        }
        // The commands are alike for all lessons, so they are shown for the first that has any.
        let remedy = self.lessons.iter().find_map(|unproven| unproven.remedy(app, self.origin));
        let syntax = self.origin.reason_syntax();
        match remedy {
            Some((what, steps)) => {
                if let Some(last) = lines.last_mut() {
                    *last = format!("{last} {what}:");
                }
                lines.extend(steps.into_iter().map(|step| format!("  {step}")));
                lines.push(format!("or say why it should refuse without that: {syntax}"));
            }
            None => {
                if let Some(last) = lines.last_mut() {
                    *last = format!("{last} If it should all the same, say why: {syntax}");
                }
            }
        }
        Coded::refused("UNPROVEN_BLOCK", lines.join("\n"))
    }
}
