//! Compiled lessons, wherever they are kept.
//!
//! There are two places: the manifest, which a person can read, and the index beside it, which is
//! used in place. Both answer the same questions, and [`crate::matching`] asks no others, so a call
//! gets the same answer from either.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::QualifiedId;
use crate::lesson::{Mode, Subject, When};
use crate::matching::Views;

/// The settings that hooks act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Off: nothing is told and nothing refused by lessons.
    pub enabled: bool,
    /// Until when everything is off, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_until: Option<u64>,
    /// The most lessons told at one call.
    pub budget_lessons: usize,
    /// The most bytes of text at one call.
    pub budget_bytes: usize,
    /// What counts as having been told before.
    pub dedup_scope: DedupScope,
    /// Claims of lessons with at least this priority are forgotten at compaction.
    pub compaction_threshold: u8,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            off_until: None,
            budget_lessons: 3,
            budget_bytes: 4096,
            dedup_scope: DedupScope::Context,
            compaction_threshold: 7,
        }
    }
}

/// How far a claim reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DedupScope {
    /// The main thread and each sub-agent for itself: what one is told does not reach the others.
    #[default]
    Context,
    /// The session, sub-agents included.
    Session,
}

/// When, where and how a lesson fires. Triggers are positions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Its id with its layer.
    pub id: QualifiedId,
    /// What the hook does.
    pub mode: Mode,
    /// When it is told.
    pub when: When,
    /// Its rank, 1 to 10.
    pub priority: u8,
    /// When it was recorded, RFC 3339. Newer ones come first among equals.
    pub created_at: String,
    /// Any of these must match.
    pub triggers: Vec<u32>,
    /// All of these must match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<u32>,
    /// None of these may match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<u32>,
    /// Only these tools. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Only in projects at or below one of these roots. `None`: everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<Vec<String>>,
    /// Only for these agent types. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// What command patterns look at.
    pub subject: Subject,
    /// Until when it is off, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_until: Option<u64>,
}

impl Terms {
    /// Whether the lesson is switched off now.
    pub fn is_off(&self, clock: &dyn Clock) -> bool {
        self.off_until.is_some_and(|until| clock.now() < until)
    }
}

/// What a lesson says, ready to be told; see [`crate::render::lesson`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts<'a> {
    /// The full text.
    pub full: Cow<'a, str>,
    /// The short text.
    pub brief: Cow<'a, str>,
}

/// The time. It is asked for only where a lesson, or all of them, are switched off for a while.
pub trait Clock {
    /// Milliseconds since 1970.
    fn now(&self) -> u64;
}

/// A time that is known.
impl Clock for u64 {
    fn now(&self) -> u64 {
        *self
    }
}

/// Where compiled lessons are kept.
///
/// Lessons and triggers are known by position. What is asked for lies within what was handed out
/// before, so a position that is not there means damage.
pub trait Lessons {
    /// What reading can run into.
    type Damage;

    /// The settings.
    fn settings(&self) -> &Settings;

    /// The positions of lessons that a call could match: ascending, each once, and all that do match
    /// among them. What comes of triggers that are tried for this goes to `tried`, and so does that no other
    /// trigger of theirs matches, where that is known.
    fn candidates(&self, views: &Views<'_>, tried: &mut Outcomes) -> Result<Vec<u32>, Self::Damage>;

    /// When, where and how a lesson fires.
    fn terms(&self, lesson: u32) -> Result<Cow<'_, Terms>, Self::Damage>;

    /// What it says.
    fn texts(&self, lesson: u32) -> Result<Texts<'_>, Self::Damage>;

    /// How many lessons have a trigger among theirs, if it matches a call: relevance is the inverse. `subject` says
    /// what a command pattern looks at.
    fn tries(&self, trigger: u32, views: &Views<'_>, subject: Subject) -> Result<Option<u32>, Self::Damage>;
}

/// What came of the triggers that were tried on a call: of one that matches, how many lessons have it.
#[derive(Debug, Default)]
pub struct Outcomes {
    tried: BTreeMap<(u32, Subject), Option<u32>>,
    others: Others,
}

/// What is known of triggers that lessons fire by and that were not tried.
#[derive(Debug, Default, PartialEq, Eq)]
enum Others {
    /// Nothing.
    #[default]
    Open,
    /// None of them matches.
    RuledOut,
}

impl Outcomes {
    /// Notes that no trigger matches that lessons fire by, but those that were tried on a text of the call. It says
    /// nothing about triggers that must match as well, or must not.
    pub fn rule_out_others(&mut self) {
        self.others = Others::RuledOut;
    }

    /// Whether a trigger that lessons fire by may match.
    pub fn may_match(&self, trigger: u32) -> bool {
        let was_tried = || Subject::ALL.iter().any(|subject| self.tried.contains_key(&(trigger, *subject)));
        self.others == Others::Open || was_tried()
    }

    /// What came of a trigger, tried on this text, if it was tried.
    pub fn get(&self, trigger: u32, subject: Subject) -> Option<Option<u32>> {
        self.tried.get(&(trigger, subject)).copied()
    }

    /// Adds what came of one.
    pub fn add(&mut self, trigger: u32, subject: Subject, outcome: Option<u32>) {
        self.tried.insert((trigger, subject), outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_tried_may_match_until_it_is_ruled_out() {
        let mut outcomes = Outcomes::default();
        outcomes.add(2, Subject::Executable, None);
        assert!(outcomes.may_match(1) && outcomes.may_match(2));
        outcomes.rule_out_others();
        // What was tried on one text may match on the other.
        assert!(!outcomes.may_match(1) && outcomes.may_match(2));
        assert_eq!(
            (outcomes.get(2, Subject::Executable), outcomes.get(2, Subject::Command)),
            (Some(None), None)
        );
    }
}
