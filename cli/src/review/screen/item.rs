//! A candidate on the screen: its status, the lesson that it would become, and the trial of that lesson.

use lessons_lesson::{Lesson, Mode};
use lessons_review::Acceptance;

use crate::args::Fields;
use crate::review::Decision;
use crate::review::candidate_details::CandidateDetails;
use crate::ui::rows::Rows;

/// The status of a candidate on this screen. A decision is named by its word: `promoted`, `merged` or `rejected`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemStatus {
    /// It waits for a decision.
    Waits,
    /// The person skipped it.
    Skipped,
    /// A decision about it is being saved.
    Saving(&'static str),
    /// A decision about it is saved.
    Decided(&'static str),
    /// A decision about it is being undone. Until that is done, it takes no other.
    Undoing(&'static str),
}

impl ItemStatus {
    /// Whether a decision about it can be made.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Waits | Self::Skipped)
    }

    /// The decision about it that stands.
    pub(crate) fn decision(self) -> Option<&'static str> {
        match self {
            Self::Saving(done) | Self::Decided(done) => Some(done),
            Self::Waits | Self::Skipped | Self::Undoing(_) => None,
        }
    }

    /// The status in a word; `None` for a candidate that waits.
    pub(crate) fn word(self) -> Option<&'static str> {
        if self == Self::Skipped { Some("skipped") } else { self.decision() }
    }
}

/// The lesson that a person made of a proposal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edit {
    /// The fields as the person left them.
    pub(crate) fields: Fields,
    /// The lesson with these fields.
    pub(crate) lesson: Lesson,
    /// Where it holds, in words.
    pub(crate) place: String,
}

/// The trial of a candidate's lesson on the past sessions.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Trial {
    /// None was asked for.
    #[default]
    Unasked,
    /// It is running.
    Running,
    /// What came of it: the calls at which it would have fired, and warnings.
    Done(Rows),
}

/// A candidate on the screen.
#[derive(Debug, Clone)]
pub(crate) struct ReviewItem {
    /// Everything that is known about the candidate.
    pub(crate) details: CandidateDetails,
    /// What the person made of it; `None` while it is as proposed.
    pub(crate) edit: Option<Box<Edit>>,
    /// Its status.
    pub(crate) status: ItemStatus,
    /// The trial of its lesson.
    pub(crate) trial: Trial,
    /// Why the last decision about it could not be saved or undone.
    pub(crate) failure: Option<String>,
}

impl ReviewItem {
    /// An item that waits for a decision, as it is proposed.
    pub(crate) fn new(details: CandidateDetails) -> Self {
        Self { details, edit: None, status: ItemStatus::Waits, trial: Trial::Unasked, failure: None }
    }

    /// The candidate's id.
    pub(crate) fn id(&self) -> &str {
        &self.details.candidate.id
    }

    /// The lesson that it would become now.
    pub(crate) fn lesson(&self) -> &Lesson {
        self.edit.as_ref().map_or(&self.details.lesson, |edit| &edit.lesson)
    }

    /// Where that lesson holds, in words.
    pub(crate) fn place(&self) -> &str {
        self.edit.as_ref().map_or(&self.details.place, |edit| &edit.place)
    }

    /// Whether the person is asked what the lesson does, before it is promoted as a mere reminder.
    pub(crate) fn asks_for_mode(&self) -> bool {
        self.details.asks_for_mode(self.lesson()).is_some()
    }

    /// The lesson that is tried: before the person is asked, with the mode that is proposed.
    pub(crate) fn tried_lesson(&self) -> Lesson {
        let mode = if self.asks_for_mode() { Mode::Bump } else { self.lesson().mode };
        Lesson { mode, ..self.lesson().clone() }
    }

    /// Lets the lesson block the call once.
    pub(crate) fn bump(&mut self) {
        let Self { details, edit, .. } = self;
        let edit = edit.get_or_insert_with(|| {
            let (lesson, place) = (details.lesson.clone(), details.place.clone());
            Box::new(Edit { fields: Fields::default(), lesson, place })
        });
        (edit.fields.mode, edit.lesson.mode) = (Some(Mode::Bump), Mode::Bump);
    }

    /// The acceptance of all its flags for this reason; `None` if it has no flags.
    pub(crate) fn acceptance(&self, reason: &str) -> Option<Acceptance> {
        let mut flags: Vec<String> =
            self.details.candidate.finding.flags.iter().map(|flag| flag.name.clone()).collect();
        flags.dedup();
        (!flags.is_empty()).then(|| Acceptance { flags, reason: reason.to_owned() })
    }

    /// The decision to promote it as it is now.
    pub(crate) fn promotion(&self, accept: Option<Acceptance>) -> Decision {
        let fields = self.edit.as_ref().map(|edit| edit.fields.clone()).unwrap_or_default();
        Decision::Promote { candidate: self.id().to_owned(), fields: Box::new(fields), accept }
    }
}

/// A side effect of a key. A number is the position of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// Carry a decision out.
    Decide(usize, Decision),
    /// Undo the decision about a candidate.
    TakeBack(usize),
    /// Try a lesson on the past sessions, and find the warnings of the decision that would save it, if one is given.
    Try(usize, Box<Lesson>, Option<Decision>),
    /// Let the person edit the lesson in their editor.
    Edit(usize),
    /// Find the strongest items that nobody has read.
    FindUnread,
    /// Make the unread item with this id a candidate, of which the person writes a lesson.
    Write(String),
    /// Suspend the program (`SIGTSTP`) until the shell resumes it.
    Suspend,
    /// Repaint the whole screen.
    Redraw,
    /// Leave the screen.
    Quit,
}

/// The result of an effect. An error says why, for the person.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EffectResult {
    /// A decision was saved; the text is one line for the person.
    Decided(usize, Result<String, String>),
    /// A decision was undone.
    TakenBack(usize, Result<(), String>),
    /// Unread items were found: their ids, each with its text.
    Unread(Result<Vec<(String, String)>, String>),
    /// A lesson was tried.
    Tried(usize, Box<Lesson>, Rows),
}
