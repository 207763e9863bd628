//! Events: a record of what was told and refused, one line per event, never text of a call.
//!
//! `events/<date>.jsonl` is only ever appended to, with one write of at most [`MAX_LINE`] bytes, so that
//! parallel hooks never mix their lines. The scanner reads the lines by offset and removes old files. Beyond
//! [`MAX_FILE`] bytes a day an event is dropped, and counted by one byte in `<date>.dropped`.
//!
//! **Version.** Every line contains `"v":1`. A field is only ever added; a reader skips lines of a
//! version that it does not know.

mod file;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::claims::session_hash;
use lessons_client::Client;
use lessons_lesson::{Payload, QualifiedId};

/// The longest line, in bytes, its newline included. Writes up to this size are atomic.
pub const MAX_LINE: usize = 512;
/// The most bytes of events a day.
pub const MAX_FILE: u64 = 8 << 20;
/// The most characters that are kept of a tool-use id or an agent type.
const MAX_NAME: usize = 48;

lessons_text::named! {
    /// The outcome of a call.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Outcome {
        /// Lessons were told.
        Told = "told",
        /// The call was refused.
        Refused = "refused",
        /// The call had been refused by a bump, was made again and passed.
        Passed = "passed",
        /// The user was asked about a command of `lessons`.
        Asked = "asked",
        /// The payload was too large to be read completely.
        Overflow = "overflow",
        /// Accepted lessons that should refuse calls were not in force when a session started; without lessons: nothing was.
        Lost = "lost",
        /// A command of `lessons` that an agent ran in its shell showed it lessons.
        Shown = "shown",
        /// Lessons were left out by lot.
        Held = "held",
    }
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The version of the line.
    pub v: u8,
    /// The time, in milliseconds since 1970.
    pub t: u64,
    /// The hash of the session id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The id of the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// The agent's type, `main` for the main thread.
    pub agent: String,
    /// The client that made the call.
    #[serde(default, skip_serializing_if = "lessons_lesson::lesson::is_default")]
    pub client: Client,
    /// The outcome of the call.
    pub outcome: Outcome,
    /// The ids of the lessons, as many as fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<String>,
    /// The number of lessons that did not fit into the line.
    #[serde(default, skip_serializing_if = "lessons_lesson::lesson::is_default")]
    pub more: u32,
    /// The series of the lot that the session drew: see [`lessons_lesson::lot::Lot::series`]. Empty where nothing was drawn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lot: String,
    /// The cost of the call, in microseconds: the CPU time of the hook's process since its start
    /// (`CLOCK_PROCESS_CPUTIME_ID`), in every hook alike. Time that a hook waits is not in it.
    pub us: u64,
}

/// A name from a payload, shortened and without unsafe characters.
pub fn name(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '/'))
        .take(MAX_NAME)
        .collect()
}

impl Event {
    /// What happened with these lessons at time `t`, in milliseconds since 1970; at no call that is known, in Claude Code.
    pub fn new(outcome: Outcome, lessons: Vec<String>, t: u64) -> Self {
        let (session, call, agent, client, more, lot, us) = Default::default();
        Self { v: 1, t, session, call, agent, client, outcome, lessons, more, lot, us }
    }

    /// The event of a payload's call at time `t`, with its cost in microseconds.
    pub fn of(payload: &Payload, outcome: Outcome, lessons: &[QualifiedId], t: u64, us: u64) -> Self {
        Self {
            session: payload.session_id.as_deref().map(session_hash).unwrap_or_default(),
            call: payload.tool_use_id.as_deref().map(name).unwrap_or_default(),
            agent: name(payload.agent()),
            us,
            ..Self::new(outcome, lessons.iter().map(ToString::to_string).collect(), t)
        }
    }

    /// The line, with its newline. Lessons that do not fit are counted in `more`.
    pub fn line(&self) -> String {
        let mut event = Cow::Borrowed(self);
        loop {
            // Plain data cannot fail.
            let line = serde_json::to_string(&event).unwrap_or_default() + "\n";
            if line.len() <= MAX_LINE || event.lessons.is_empty() {
                return line;
            }
            event.to_mut().lessons.pop();
            event.to_mut().more += 1;
        }
    }
}

/// The name of the event file for a time in milliseconds since 1970.
pub fn file_name(ms: u64) -> String {
    format!("{}.jsonl", day(ms))
}

/// The name of the file that counts the events dropped on that day.
pub fn dropped_name(ms: u64) -> String {
    format!("{}.dropped", day(ms))
}

/// The UTC day of a time in milliseconds since 1970, as `2026-11-20`.
///
/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
pub fn day(ms: u64) -> String {
    let days = ms / 86_400_000 + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        Event {
            session: "0011223344556677".into(),
            call: "toolu_1".into(),
            agent: "main".into(),
            us: 170,
            ..Event::new(Outcome::Told, vec!["user/git-stash".into()], 1_795_188_000_000)
        }
    }

    #[test]
    fn the_golden_line_is_this() {
        let line = r#"{"v":1,"t":1795188000000,"session":"0011223344556677","call":"toolu_1","agent":"main","outcome":"told","lessons":["user/git-stash"],"us":170}"#;
        assert_eq!(event().line().trim_end(), line);
        assert_eq!(serde_json::from_str::<Event>(line).unwrap(), event());
    }

    #[test]
    fn only_another_client_is_named() {
        for client in Client::ALL {
            let event = Event { client, ..event() };
            assert_eq!(event.line().contains("client"), client != Client::ClaudeCode);
            assert_eq!(serde_json::from_str::<Event>(&event.line()).unwrap(), event);
        }
    }

    #[test]
    fn a_line_never_exceeds_its_limit() {
        let mut event = event();
        event.lessons = (0..40).map(|n| format!("user/{}{n}", "long-".repeat(15))).collect();
        event.call = name(&"x".repeat(1000));
        let line = event.line();
        assert!(line.len() <= MAX_LINE);
        let read: Event = serde_json::from_str(&line).unwrap();
        assert_eq!(read.lessons.len() + read.more as usize, 40);
    }

    #[test]
    fn days_are_counted_as_a_calendar_counts_them() {
        for (ms, expected) in [
            (0, "1970-01-01"),
            (951_782_400_000, "2000-02-29"),
            (1_795_132_800_000, "2026-11-20"),
            (1_795_219_199_999, "2026-11-20"),
            (4_107_542_400_000, "2100-03-01"),
        ] {
            assert_eq!(day(ms), expected);
        }
    }
}
