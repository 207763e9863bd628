//! What the sessions that the lot drew say of all lessons together, and in which words a comparison is told.

use std::fmt;

use lessons_client::Client;
use lessons_lesson::Share;
use lessons_replay::Tally;
use serde::Serialize;

use super::comparison::{Comparison, Difference, Drawn, DrawnRow, LOOKS_TOGETHER, Pooled, TwoArms};
use crate::episodes::{Arm, Episode, Revision};

/// An effect below this is not worth a reminder, in shares of sessions.
const USEFUL: f64 = 0.1;
/// From this many standard errors on, a difference at calls that no reminder can reach is a fault of the measurement.
const BROKEN: f64 = 3.3;

/// What a comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Finding {
    /// Too few sessions, or none with each draw.
    #[default]
    NotEnough,
    /// The first matching calls differ between the draws, before anything could be told: nothing else is said.
    Broken,
    /// Fewer mistakes where lessons were told.
    Helps,
    /// More.
    DoesHarm,
    /// Ten points fewer are not possible.
    NoUsefulEffect,
    /// None of these yet.
    Open,
}

impl Finding {
    /// What a comparison says, if the measurement works.
    pub(super) fn of(comparison: &Comparison) -> Self {
        match comparison.difference {
            None => Self::NotEnough,
            Some(Difference { interval, .. }) if interval.low > 0.0 => Self::Helps,
            Some(Difference { interval, .. }) if interval.high < 0.0 => Self::DoesHarm,
            Some(Difference { interval, .. }) if interval.high < USEFUL => Self::NoUsefulEffect,
            Some(_) => Self::Open,
        }
    }
}

/// What reminders change, all lessons together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The share of sessions without reminders. `None` while nothing is measured.
    pub share: Option<Share>,
    /// What can be said.
    pub finding: Finding,
    /// Sessions with the mistake again.
    pub again: Comparison,
    /// Lessons in sessions of which a later matching call, or one of the three after it, went wrong.
    pub failed: TwoArms,
    /// Those in which the user refused or corrected a matching call.
    pub corrected: TwoArms,
    /// What telling took where it was drawn, in fresh input tokens.
    pub cost: u64,
    /// What was paid for each repeat that telling avoided, in fresh input tokens. `None` unless lessons help.
    pub cost_per_repeat: Option<u64>,
    /// The time of the first session of the series, in milliseconds since 1970.
    pub since: Option<u64>,
    /// Sessions of earlier series, which do not count: the salt of the lot was another one.
    pub of_other_series: u64,
}

/// A revision of a lesson, and what followed in a session in which it came up.
type Row = (Revision, Episode);

/// The rows that the lot drew, of the newest series, in the order of time.
pub(super) struct DrawnEpisodes<'e> {
    rows: Vec<&'e Row>,
    of_other_series: u64,
}

/// Whether the mistake came again.
fn came_again(episode: &Episode) -> bool {
    episode.again > 0
}

impl<'e> DrawnEpisodes<'e> {
    /// Those among all rows, which come in the order of time.
    pub(super) fn among(all: &'e [Row]) -> Self {
        let drawn = all.iter().filter(|(_, episode)| !episode.lot.is_empty());
        let newest = drawn.clone().next_back().map(|(_, episode)| &episode.lot);
        let (mut rows, others): (Vec<_>, Vec<_>) =
            drawn.partition(|(_, episode)| Some(&episode.lot) == newest);
        rows.retain(|(_, episode)| matches!(episode.arm, Arm::Told | Arm::Held));
        Self { rows, of_other_series: others.len() as u64 }
    }

    /// All rows, each with whether the outcome came.
    fn rows(&self, came: fn(&Episode) -> bool) -> Vec<DrawnRow<'e>> {
        self.rows_of(|_| true, came)
    }

    fn rows_of(&self, is_wanted: impl Fn(&Row) -> bool, came: fn(&Episode) -> bool) -> Vec<DrawnRow<'e>> {
        let wanted = self.rows.iter().filter(|row| is_wanted(row));
        let row = |(revision, episode): &&'e Row| DrawnRow {
            session: &episode.session,
            revision: revision.id.0,
            drawn: if episode.arm == Arm::Told { Drawn::Told } else { Drawn::Held },
            came: came(episode),
        };
        wanted.map(row).collect()
    }

    /// The comparison for one revision of a lesson.
    pub(super) fn of_revision(&self, lesson: &str, hash: &str) -> Comparison {
        let is_own = |(revision, _): &Row| revision.lesson == lesson && revision.hash == hash;
        Comparison::of_lesson(&self.rows_of(is_own, came_again))
    }

    /// The comparison for all lessons together in the sessions of one client.
    pub(super) fn of_client(&self, client: Client) -> Comparison {
        Comparison::together(&self.rows_of(|(_, episode)| episode.client == client, came_again))
    }

    /// What they say of all lessons together.
    pub(super) fn answer(&self, share: Option<Share>) -> Answer {
        let again = Comparison::together(&self.rows(came_again));
        let arms = |came: fn(&Episode) -> bool| TwoArms::of(&self.rows(came));
        let cost = self.rows.iter().map(|(_, episode)| episode.cost).sum();
        let finding = if self.is_broken(again.sessions) { Finding::Broken } else { Finding::of(&again) };
        let told = TwoArms::of(&self.rows(|_| true)).told.n;
        Answer {
            share,
            finding,
            again,
            failed: arms(|episode| episode.has_failed_later),
            corrected: arms(|episode| episode.is_corrected),
            cost,
            cost_per_repeat: again
                .difference
                .filter(|_| finding == Finding::Helps)
                .map(|it| per_repeat(cost, told, it.points)),
            since: self.rows.first().map(|(_, episode)| episode.first),
            of_other_series: self.of_other_series,
        }
    }

    /// Whether the first matching calls differ between the draws. They are made before anything can be told.
    fn is_broken(&self, sessions: u64) -> bool {
        let first = Pooled::of(&self.rows(|episode| episode.has_failed_first));
        sessions >= LOOKS_TOGETHER[0]
            && first.is_some_and(|it| it.difference.abs() >= BROKEN * it.error && it.difference != 0.0)
    }
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "neither tokens nor sessions reach 2^52, and the difference is above 0"
)]
fn per_repeat(cost: u64, told: u64, points: f64) -> u64 {
    (cost as f64 / (told as f64 * points).max(1.0)).round() as u64
}

impl Answer {
    /// What can be said in one line, or what is missing for it.
    pub fn headline(&self) -> String {
        let Comparison { sessions, next, .. } = self.again;
        match self.finding {
            Finding::Broken => {
                "the measurement is broken: the first calls differ before anything could be told".to_owned()
            }
            Finding::NotEnough if sessions == 0 && self.share.is_none() => {
                "whether reminders change anything is not measured".to_owned()
            }
            Finding::NotEnough => {
                let TwoArms { held, told } = self.again.arms;
                let needed = next.unwrap_or(sessions.max(LOOKS_TOGETHER[0]));
                format!("{sessions} of {needed} sessions; {} told and {} left out by lot", told.n, held.n)
            }
            Finding::Helps => format!("{}   they help", self.again),
            Finding::DoesHarm => format!("{}   they do harm", self.again),
            Finding::NoUsefulEffect => format!("{}   no useful effect", self.again),
            Finding::Open => self.again.to_string(),
        }
    }

    /// The command to go on with.
    pub fn next_step(&self) -> &'static str {
        match (self.finding, self.share) {
            (Finding::NotEnough | Finding::Open, None) => "lessons measure on",
            (Finding::NotEnough | Finding::Open, Some(_)) => "lessons effect",
            (Finding::Broken, _) => "lessons doctor",
            (Finding::Helps, _) => "lessons measure off",
            (Finding::DoesHarm | Finding::NoUsefulEffect, _) => "lessons review",
        }
    }
}

/// A share in percent, and what it is of.
fn percent(tally: Tally) -> String {
    let of = tally.n.max(1);
    format!("{} %", (tally.k * 100 + of / 2) / of)
}

/// A difference in points, rounded.
#[allow(clippy::cast_possible_truncation, reason = "it lies between -200 and 200")]
fn points(share: f64) -> i64 {
    (share * 100.0).round() as i64
}

impl fmt::Display for Comparison {
    /// `50 % → 18 %   31 points fewer (17 to 45)`, as of the last look; before it, the sessions that there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Difference { points: difference, interval }) = self.difference else {
            return write!(f, "{} of {} sessions", self.sessions, self.next.unwrap_or(self.sessions));
        };
        write!(f, "{} → {}   ", percent(self.arms.held), percent(self.arms.told))?;
        let (low, high) = (points(interval.low), points(interval.high));
        if interval.low > 0.0 {
            write!(f, "{} points fewer ({low} to {high})", points(difference))?;
        } else if interval.high < 0.0 {
            write!(f, "{} points more ({} to {})", -points(difference), -high, -low)?;
        } else {
            let sign =
                |points: i64| if points < 0 { format!("−{}", -points) } else { format!("+{points}") };
            write!(f, "{} to {} points possible", sign(low), sign(high))?;
        }
        let as_of = self.as_of.unwrap_or(self.sessions);
        write!(f, ", as of {as_of} sessions")?;
        self.next.map_or(Ok(()), |next| write!(f, "; next look at {next}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episodes::RevisionId;

    /// Sessions in turn: one of four is left out.
    fn rows(
        sessions: usize,
        came: impl Fn(usize, Drawn) -> bool,
        failed: impl Fn(Drawn) -> bool,
    ) -> Vec<(Revision, Episode)> {
        let revision = Revision {
            id: RevisionId(1),
            lesson: "user/a".into(),
            hash: "h".into(),
            since: 0,
            counts_from: 0,
        };
        let row = |number: usize| {
            let (arm, drawn) =
                if number.is_multiple_of(4) { (Arm::Held, Drawn::Held) } else { (Arm::Told, Drawn::Told) };
            let episode = Episode {
                arm,
                session: number.to_string(),
                first: number as u64,
                lot: "0011".into(),
                again: u64::from(came(number, drawn)),
                cost: if drawn == Drawn::Told { 100 } else { 0 },
                has_failed_first: failed(drawn),
                ..Episode::default()
            };
            (revision.clone(), episode)
        };
        (0..sessions).map(row).collect()
    }

    fn answer(rows: &[(Revision, Episode)]) -> Answer {
        DrawnEpisodes::among(rows).answer(Share::one_of(4))
    }

    #[test]
    fn what_helps_is_told_with_its_interval_and_what_each_repeat_cost() {
        let rows = rows(61, |number, drawn| drawn == Drawn::Held || number.is_multiple_of(5), |_| false);
        let answer = answer(&rows);
        assert_eq!(answer.finding, Finding::Helps);
        insta::assert_snapshot!(answer.headline(), @"100 % → 20 %   80 points fewer (66 to 94), as of 61 sessions; next look at 91   they help");
        insta::assert_snapshot!(format!("{:?}", answer.cost_per_repeat), @"Some(125)");
    }

    #[test]
    fn of_few_sessions_only_their_number_is_said() {
        assert_eq!(
            answer(&rows(7, |_, _| true, |_| false)).headline(),
            "7 of 61 sessions; 5 told and 2 left out by lot"
        );
        assert_eq!(Answer::default().headline(), "whether reminders change anything is not measured");
    }

    #[test]
    fn a_difference_before_anything_was_told_takes_every_verdict_away() {
        let broken = answer(&rows(61, |_, drawn| drawn == Drawn::Held, |drawn| drawn == Drawn::Held));
        assert_eq!((broken.finding, broken.cost_per_repeat), (Finding::Broken, None));
    }

    #[test]
    fn another_salt_begins_a_new_series() {
        let mut rows = rows(61, |_, drawn| drawn == Drawn::Held, |_| false);
        rows[..50].iter_mut().for_each(|(_, episode)| episode.lot = "other".into());
        let answer = answer(&rows);
        assert_eq!(
            (answer.finding, answer.again.sessions, answer.of_other_series),
            (Finding::NotEnough, 11, 50)
        );
    }
}
