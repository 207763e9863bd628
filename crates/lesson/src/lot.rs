//! The lot: in which sessions reminders are left out, so that it can be counted what they change.

use std::fmt;
use std::str::FromStr;

use lessons_text::digest;
use serde::{Deserialize, Serialize};

use crate::id::{Layer, QualifiedId};
use crate::lesson::{Lesson, Mode, Quality, Severity};

/// The tag of a lesson about security.
const SECURITY: &str = "security";

/// The lot of one home. It needs no state: parallel hooks, sub-agents and a session that goes on later draw the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lot {
    /// Random bytes of this home, without which somebody could choose a session id by its lot.
    pub salt: [u8; 16],
    /// The share of sessions that get no reminders.
    pub share: Share,
}

impl Lot {
    /// Whether a session gets no reminders.
    pub fn leaves_out(&self, session_id: &str) -> bool {
        let [first, ..] = digest::of_parts_joined(&[&self.salt, session_id.as_bytes()]);
        first < u8::try_from(256 / u16::from(self.share.of())).unwrap_or(u8::MAX)
    }

    /// The name of the series that this salt began: what was drawn by another salt is another series.
    pub fn series(&self) -> String {
        digest::hex_of(&self.salt, 8)
    }
}

/// One session of how many gets no reminders, from one of two to one of sixteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share(u8);

impl Share {
    /// One session of `of`. `None` below two and above sixteen.
    pub fn one_of(of: u8) -> Option<Self> {
        (2..=16).contains(&of).then_some(Self(of))
    }

    /// One session of how many.
    pub fn of(self) -> u8 {
        self.0
    }
}

impl Default for Share {
    fn default() -> Self {
        Self(4)
    }
}

/// A text that is no share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a share is 1/2 to 1/16")]
pub struct NoShare;

impl FromStr for Share {
    type Err = NoShare;

    fn from_str(text: &str) -> Result<Self, NoShare> {
        text.strip_prefix("1/").and_then(|of| of.parse().ok()).and_then(Self::one_of).ok_or(NoShare)
    }
}

lessons_text::serde_as_text!(Share);

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1/{}", self.0)
    }
}

/// Whether a session without reminders leaves a lesson out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum InLot {
    /// It does.
    #[default]
    Yes,
    /// It does not: the lesson refuses calls, much is at stake, or it is a project's own, whose other readers were not asked.
    Never,
}

impl InLot {
    /// Whether a lesson may be left out.
    pub fn of(id: &QualifiedId, lesson: &Lesson) -> Self {
        let is_at_stake = lesson.effective_severity() >= Severity::High
            || lesson.quality == Quality::Critical
            || lesson.tags.iter().any(|tag| tag.rsplit(':').next() == Some(SECURITY));
        let is_a_projects = matches!(id.layer, Layer::Project(_));
        if lesson.mode != Mode::Advise || is_at_stake || is_a_projects { Self::Never } else { Self::Yes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_draws_the_same_always_and_one_of_four_is_left_out() {
        let lot = Lot { salt: *b"0123456789abcdef", share: Share::default() };
        let left_out = (0..4000).filter(|n| lot.leaves_out(&format!("session-{n}"))).count();
        assert!((900..1100).contains(&left_out), "{left_out}");
        assert_eq!(lot.leaves_out("session-1"), lot.leaves_out("session-1"));
        let half = Lot { share: Share::one_of(2).unwrap(), ..lot };
        let left_out = (0..4000).filter(|n| half.leaves_out(&format!("session-{n}"))).count();
        assert!((1880..2120).contains(&left_out), "{left_out}");
    }

    #[test]
    fn a_share_is_one_of_two_to_sixteen() {
        for (text, is_share) in
            [("1/4", true), ("1/2", true), ("1/16", true), ("1/1", false), ("1/17", false), ("2/4", false)]
        {
            assert_eq!(
                text.parse::<Share>().map(|share| share.to_string()).is_ok_and(|said| said == text),
                is_share,
                "{text}"
            );
        }
    }
}
