//! Conduct: what a model did after a refusal, and before anything was told.

use serde::Serialize;

/// What the model did after refused calls, in calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AfterRefusal {
    /// It made the call another way.
    pub changed: u64,
    /// It made the call again unchanged.
    pub overruled: u64,
    /// It did neither.
    pub given_up: u64,
    /// The sessions of these calls.
    pub sessions: u64,
}

impl AfterRefusal {
    /// The refused calls.
    pub fn calls(&self) -> u64 {
        self.changed + self.overruled + self.given_up
    }
}

/// First chances before anything was told, by one model, in sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Untold {
    /// The model.
    pub model: String,
    /// It got them right: an `unless` kept the lesson quiet.
    pub right: u64,
    /// It made the mistake.
    pub wrong: u64,
}
