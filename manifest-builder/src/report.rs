//! The report of a build, for people and for programs.

use std::fmt;

use lessons_lesson::QualifiedId;
use lessons_text::counted;
use serde::Serialize;

/// The reason why a lesson is left out of the manifest, or is in it with a warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reason {
    /// Put away or replaced.
    #[error("it is not active")]
    Inactive,
    /// Switched off by the user.
    #[error("it is switched off; `lessons on {id}` switches it on")]
    Off {
        /// The lesson.
        id: String,
    },
    /// Below `minimum.priority` or `minimum.confidence`.
    #[error(
        "its {what}, {value}, is below {minimum}, the setting `minimum.{what}`; raise it with `lessons edit`, or lower the \
         setting in config.toml"
    )]
    BelowMinimum {
        /// Priority or confidence.
        what: &'static str,
        /// What it is.
        value: String,
        /// What it has to be.
        minimum: String,
    },
    /// A field or a pattern is wrong.
    #[error("{text}")]
    Flaw {
        /// The fault, and the way to fix it.
        text: String,
    },
    /// One of the lesson's own examples fails.
    #[error("{text}")]
    Example {
        /// The example and its result.
        text: String,
    },
    /// Scoped to projects that are not on this machine.
    #[error("none of its projects is known on this machine: {projects}")]
    UnknownProject {
        /// The keys.
        projects: String,
    },
    /// The lesson was added or changed without a command, so only its accepted copy is in force.
    #[error(
        "it was changed outside of `lessons` and is not accepted yet; `lessons accept` shows and accepts it"
    )]
    NotAccepted,
    /// Gone from the store without a person's command.
    #[error(
        "it is gone from lessons.json and stays in force until you accept that; `lessons accept` shows and accepts it"
    )]
    NotAcceptedAsGone,
    /// Switched on by the rule for a colleague, and like a text that gave the agent orders.
    #[error("it is like {incident}, so it is withheld; `lessons incidents` shows what is known of that")]
    Withheld {
        /// The incident.
        incident: String,
    },
    /// Too many lessons.
    #[error("the manifest is full: it holds at most {limit} lessons")]
    Full {
        /// The limit.
        limit: usize,
    },
}

impl Reason {
    /// Whether the lesson itself cannot be compiled, so that nobody chose to leave it out.
    pub fn is_defect(&self) -> bool {
        matches!(self, Self::Flaw { .. } | Self::Example { .. } | Self::Full { .. })
    }

    /// Whether a person should act on it. An inactive lesson is inactive on purpose.
    pub fn is_finding(&self) -> bool {
        !matches!(self, Self::Inactive | Self::Off { .. } | Self::BelowMinimum { .. })
    }
}

/// A lesson with a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Noted {
    /// The lesson.
    pub id: QualifiedId,
    /// The reason for the note.
    #[serde(flatten)]
    pub reason: Reason,
}

/// The report of a build.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// Lessons in the manifest.
    pub compiled: usize,
    /// How many of them are the user's own.
    pub user: usize,
    /// How many come from trusted project stores.
    pub project: usize,
    /// How many come from colleagues whose lessons are taken automatically.
    pub peers: usize,
    /// How many are seeds.
    pub seeds: usize,
    /// Distinct triggers.
    pub triggers: usize,
    /// Triggers for which no text is known that every match must hold: they are tried at every call.
    pub always_tried: usize,
    /// The lessons that were left out, with the reasons.
    pub left_out: Vec<Noted>,
    /// The lessons that are in the manifest with a warning.
    pub warnings: Vec<Noted>,
}

impl Report {
    /// The notes on which a person should act.
    pub fn findings(&self) -> impl Iterator<Item = &Noted> {
        self.left_out.iter().chain(&self.warnings).filter(|noted| noted.reason.is_finding())
    }
}

/// The number of lessons in force, in a sentence.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { user, project, peers, seeds, .. } = self;
        let peers = if *peers == 0 { String::new() } else { format!("{peers} from peers, ") };
        let all = counted(self.compiled, "lesson");
        write!(
            f,
            "{all} in force: {user} of your own, {project} from projects you trust, {peers}{seeds} built in."
        )
    }
}
