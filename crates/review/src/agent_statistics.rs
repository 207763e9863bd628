//! What agents have learned, in numbers: the last lines of `lessons stats`, and `learning` with `--json`.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use lessons_client::Client;
use lessons_context::{Context, Result};
use lessons_ledger::{Candidate, CandidateStatus, Counts, Database};
use lessons_lesson::{Lesson, MAIN};
use lessons_scanner::run::finding::SOURCE;
use lessons_scanner::run::intake_marks::OUT_OF_DOMAIN;
use lessons_store::{capture, load};
use lessons_text::{counted, listed};
use serde::Serialize;

use crate::lookup;

/// The most keywords that are named.
const MOST_KEYWORDS: usize = 10;

/// What agents have learned. It counts the user's own active lessons and all candidates; nothing of it needs telemetry.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentStatistics {
    /// The number of lessons.
    total_lessons: usize,
    /// The number of lessons for each agent that they name; those for every agent count as `main`'s.
    lessons_by_agent: BTreeMap<String, usize>,
    /// The number of lessons for each phase that they name.
    lessons_by_phase: BTreeMap<String, usize>,
    /// The words that stand in most rules and mistakes, the most frequent first.
    most_common_keywords: Vec<String>,
    /// The mean length of a rule, in characters.
    average_lesson_length: usize,
    /// The day of the oldest lesson.
    oldest_lesson: Option<String>,
    /// The day of the newest lesson.
    newest_lesson: Option<String>,
    /// The number of reminders and blocked calls for each agent type.
    told_by_agent: BTreeMap<String, usize>,
    /// What hooks did, for each client.
    pub told_by_client: BTreeMap<Client, Counts>,
    /// The number of candidates for each week in which they were first seen, by the week's first day.
    captures_by_week: BTreeMap<String, usize>,
    /// The number of candidates outside of an agent's domain, by the agent that wrote them down.
    out_of_domain_by_agent: BTreeMap<String, usize>,
    /// The share of tags that became lessons, from 0 to 1.
    promoted_share: PromotedShare,
}

/// The share of tags that became lessons; `None` where there are no such tags.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PromotedShare {
    with_worth: Option<f64>,
    without_worth: Option<f64>,
}

impl PromotedShare {
    fn of(candidates: &[Candidate], promoted: &HashSet<String>) -> Self {
        let tags = candidates.iter().filter(|it| it.finding.source == SOURCE);
        let (with, without): (Vec<_>, Vec<_>) = tags.partition(|it| it.finding.insight.worth.is_some());
        let share = |tags: &[&Candidate]| {
            let taken = tags.iter().filter(|candidate| promoted.contains(&candidate.id)).count();
            #[allow(clippy::cast_precision_loss, reason = "nobody has 2^52 candidates")]
            (!tags.is_empty()).then(|| taken as f64 / tags.len() as f64)
        };
        Self { with_worth: share(&with), without_worth: share(&without) }
    }
}

impl AgentStatistics {
    /// The statistics of the store and the database, with days of the reader's zone.
    pub fn of(context: &Context) -> Result<Self> {
        let zone = context.local.zone();
        let graph = load::lessons(&context.home)?;
        let lessons: Vec<&Lesson> = graph.active().collect();
        let mut statistics = Self::of_lessons(&lessons, zone);
        if let Some(database) = Database::existing(&context.home)? {
            statistics.told_by_agent = database.told_by_agent()?;
            statistics.told_by_client = database.counts_by_client()?;
            let candidates = database.candidates(&CandidateStatus::ALL)?;
            let promoted = lookup::promoted_candidates(context)?;
            statistics.promoted_share = PromotedShare::of(&candidates, &promoted);
            for candidate in &candidates {
                *statistics.captures_by_week.entry(week_of(candidate.first_seen, zone)).or_default() += 1;
                if candidate.finding.marks.iter().any(|mark| mark.name == OUT_OF_DOMAIN) {
                    let first = database.sightings(&candidate.id)?.pop().and_then(|seen| seen.agent_type);
                    let agent = first.unwrap_or_else(|| MAIN.to_owned());
                    *statistics.out_of_domain_by_agent.entry(agent).or_default() += 1;
                }
            }
        }
        Ok(statistics)
    }

    fn of_lessons(lessons: &[&Lesson], zone: &TimeZone) -> Self {
        let mut statistics = Self { total_lessons: lessons.len(), ..Self::default() };
        let mut keywords: BTreeMap<String, usize> = BTreeMap::new();
        let (mut characters, main) = (0, [MAIN.to_owned()]);
        for lesson in lessons {
            let agents = lesson.scope.agents.as_slice();
            for agent in if agents.is_empty() { &main } else { agents } {
                *statistics.lessons_by_agent.entry(agent.clone()).or_default() += 1;
            }
            if let Some(phase) = &lesson.phase {
                *statistics.lessons_by_phase.entry(phase.clone()).or_default() += 1;
            }
            let text = format!("{} {}", lesson.rule, lesson.mistake.as_deref().unwrap_or_default());
            for word in capture::words(&text) {
                *keywords.entry(word).or_default() += 1;
            }
            characters += lesson.rule.chars().count();
        }
        let mut keywords: Vec<(String, usize)> = keywords.into_iter().collect();
        keywords.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        statistics.most_common_keywords =
            keywords.into_iter().take(MOST_KEYWORDS).map(|(word, _)| word).collect();
        statistics.average_lesson_length = characters.checked_div(lessons.len()).unwrap_or_default();
        let days = || lessons.iter().map(|lesson| day_of(&lesson.created_at, zone));
        (statistics.oldest_lesson, statistics.newest_lesson) = (days().min(), days().max());
        statistics
    }
}

impl fmt::Display for AgentStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(oldest), Some(newest)) = (&self.oldest_lesson, &self.newest_lesson) else { return Ok(()) };
        let in_words = |counts: &BTreeMap<String, usize>| {
            listed(counts.iter().map(|(name, number)| format!("{name} {number}")))
        };
        let until = if newest == oldest { String::new() } else { format!(" to {newest}") };
        let (lessons, length) = (counted(self.total_lessons, "lesson"), self.average_lesson_length);
        writeln!(f, "{lessons} of yours, recorded {oldest}{until}, {length} characters on average")?;
        write!(f, "  By agent: {}", in_words(&self.lessons_by_agent))?;
        if !self.lessons_by_phase.is_empty() {
            write!(f, "; by phase: {}", in_words(&self.lessons_by_phase))?;
        }
        writeln!(f, "\n  Most common words: {}", self.most_common_keywords.join(", "))
    }
}

/// The day of a time that is recorded as text, which may be a day already.
fn day_of(text: &str, zone: &TimeZone) -> String {
    let day = |time: Timestamp| time.to_zoned(zone.clone()).date().to_string();
    text.parse().map_or_else(|_| text.chars().take(10).collect(), day)
}

/// The Monday of the week of a time in milliseconds since 1970.
fn week_of(time: u64, zone: &TimeZone) -> String {
    let monday = || {
        let day = Timestamp::from_millisecond(time.cast_signed()).ok()?.to_zoned(zone.clone()).date();
        day.checked_sub(i64::from(day.weekday().to_monday_zero_offset()).days()).ok()
    };
    monday().map(|day| day.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use jiff::tz::offset;
    use lessons_lesson::id::{LessonId, TopicId};

    use super::*;

    fn lesson(rule: &str, agents: &[&str], phase: Option<&str>, created_at: &str) -> Lesson {
        let mut lesson =
            Lesson::new(LessonId::new("a").unwrap(), rule, TopicId::new("t").unwrap(), created_at);
        lesson.scope.agents = agents.iter().map(ToString::to_string).collect();
        lesson.phase = phase.map(ToOwned::to_owned);
        lesson
    }

    #[test]
    fn three_agents_and_two_phases_are_counted_apart() {
        let lessons = [
            lesson("Read schema before migration", &["dba"], Some("plan"), "2026-11-02T10:00:00Z"),
            lesson("Search schema first", &["Explore", "dba"], Some("execute"), "2026-11-01"),
            lesson("Run migration twice", &[], Some("execute"), "2026-11-20"),
        ];
        let statistics = AgentStatistics::of_lessons(&lessons.iter().collect::<Vec<_>>(), &TimeZone::UTC);
        let counts = |pairs: &[(&str, usize)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect();
        assert_eq!(statistics.total_lessons, 3);
        assert_eq!(statistics.lessons_by_agent, counts(&[("dba", 2), ("Explore", 1), ("main", 1)]));
        assert_eq!(statistics.lessons_by_phase, counts(&[("plan", 1), ("execute", 2)]));
        assert_eq!(
            statistics.to_string(),
            "3 lessons of yours, recorded 2026-11-01 to 2026-11-20, 22 characters on average\n  \
             By agent: Explore 1, dba 2, main 1; by phase: execute 2, plan 1\n  \
             Most common words: migration, schema, before, first, read, run, search, twice\n"
        );
        assert_eq!(AgentStatistics::of_lessons(&[], &TimeZone::UTC).to_string(), "");
    }

    #[test]
    fn a_week_begins_on_monday() {
        let week = |time| week_of(time, &TimeZone::UTC);
        assert_eq!(week(0), "1969-12-29");
        assert_eq!(week(1_795_531_187_141), "2026-11-23");
        assert_eq!(week(1_795_392_000_000 - 1), "2026-11-16");
    }

    #[test]
    fn days_and_weeks_are_those_of_the_persons_zone() {
        let ahead = TimeZone::fixed(offset(9));
        assert_eq!(week_of(1_795_392_000_000 - 1, &ahead), "2026-11-23", "Sunday night in UTC");
        assert_eq!(day_of("2026-11-22T23:59:59.999Z", &ahead), "2026-11-23");
        assert_eq!(day_of("2026-11-22", &ahead), "2026-11-22", "a day has no zone");
    }
}
