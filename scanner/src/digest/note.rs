//! What is noted of a session: the events from which the items of a digest are made.

use serde::{Deserialize, Serialize};

/// A line of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The transcript. Not stored with each event, which is stored with its transcript.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The session.
    pub session: String,
    /// The number of the line.
    pub line: u64,
    /// The id of the line.
    pub uuid: String,
    /// The root of the project, or the client's name for its folder. Stored with each event.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub project: String,
    /// When it happened, in milliseconds since 1970. Stored with each event.
    #[serde(default, skip_serializing_if = "lessons_lesson::lesson::is_default")]
    pub time: u64,
}

/// An event with the lines that show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NotedEvent {
    pub(super) note: Note,
    pub(super) places: Vec<Place>,
    /// The id of the call that it is about.
    pub(super) call: Option<String>,
}

/// An event. All texts are without secrets, neutral, on one line, and cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Note {
    /// A person typed something.
    Prompt {
        text: String,
        /// What prompts share that say the same.
        key: String,
        /// What stood before it.
        before: Option<Before>,
    },
    /// A person refused a call.
    Refusal { call: String, said: Option<String> },
    /// Lines were added to a file that is there to be remembered.
    Memory { file: String, lines: Vec<String> },
    /// A call failed.
    Failure(Failure),
}

/// What stood before a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Before {
    pub(super) how: HowBefore,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum HowBefore {
    /// A call.
    Called,
    /// A call that was refused.
    Refused,
    /// An interruption, of this call.
    Stopped,
    /// A question of the assistant, which the prompt answers.
    Asked,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Failure {
    pub(super) tool: String,
    /// What failures share that are of one kind.
    pub(super) key: String,
    pub(super) call: ShownCall,
    pub(super) line: String,
    /// A later call that worked.
    pub(super) worked: Option<ShownCall>,
    /// Whether the error is about the call, and not about what it worked on.
    pub(super) is_about_call: bool,
}

/// A call on one line, without and with the folders that it went to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShownCall {
    pub(super) id: String,
    pub(super) short: String,
    pub(super) whole: String,
}
