//! What the nightly report says of incidents: new ones, those that a limit left out, and days that stand out.

use std::collections::BTreeMap;

use anyhow::Result;
use lessons_incident_check::{check, memory, record};
use lessons_ledger::incidents::IncidentDay;
use lessons_text::{counted, line};

use crate::app::App;

/// The number of days before, of which the mean is taken.
const DAYS: u64 = 14;
/// A day stands out if its number is more than so many times the mean, and at least [`FEWEST`].
const TIMES: u64 = 3;
const FEWEST: u64 = 3;

/// Publishes what the scan found, and returns the counts of the day in a sentence. Days that stand out, and files with
/// instructions for the agent that are like an incident, become warnings. `None` where there is nothing to say.
pub(super) fn step(app: &App, warnings: &mut Vec<String>) -> Result<Option<String>> {
    if !check::settings(app).enabled {
        return Ok(None);
    }
    let database = app.database()?;
    record::publish(app, &app.lock()?, &database)?;
    record::publish_notices(app);
    warnings.extend(memory::look_at_all(app)?.iter().map(|held| line(&held.words())));
    let today = IncidentDay::of(app.now_ms());
    let days = database.incident_days(today.saturating_sub(DAYS))?;
    warnings.extend(standing_out(&days, today));
    let of_today = || days.iter().filter(|day| day.day == today);
    let seen: u64 = of_today().map(|day| day.seen).sum();
    let left_out: u64 = of_today().map(|day| day.left_out).sum();
    let excess =
        if left_out > 0 { format!(", {left_out} of them left out: too many at once") } else { String::new() };
    Ok((seen > 0)
        .then(|| format!("{} today{excess}. `lessons incidents` lists them", counted(seen, "incident"))))
}

/// The sources and types whose number of today is far above the mean of the days before, in sentences.
fn standing_out(days: &[IncidentDay], today: u64) -> Vec<String> {
    let mut numbers: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for day in days {
        for key in [("source", day.source.as_str()), ("type", day.incident_type.as_str())] {
            let (now, before) = numbers.entry(key).or_default();
            *if day.day == today { now } else { before } += day.seen;
        }
    }
    // `before` is a sum of so many days, so both sides are multiplied by their number.
    numbers.retain(|_, (now, before)| *now >= FEWEST && *now * DAYS > *before * TIMES);
    let sentence = |((noun, name), (now, before)): ((&str, &str), (u64, u64))| {
        #[allow(clippy::cast_precision_loss, reason = "the numbers are those of a few days")]
        let mean = before as f64 / DAYS as f64;
        let (now, name) = (counted(now, "incident"), line(name));
        format!("{now} of {noun} {name} today, against {mean:.1} a day before")
    };
    numbers.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: u64, source: &str, seen: u64) -> IncidentDay {
        let incident_type = "injection_blocked".to_owned();
        IncidentDay { day, incident_type, source: source.to_owned(), seen, left_out: 0 }
    }

    #[test]
    fn a_day_stands_out_above_three_times_the_mean_and_with_at_least_three() {
        let text = |days: &[IncidentDay]| standing_out(days, 20);
        assert_eq!(text(&[day(20, "a.example", 2)]), [] as [&str; 0]);
        assert_eq!(
            text(&[day(20, "a.example", 3)]),
            [
                "3 incidents of source a.example today, against 0.0 a day before",
                "3 incidents of type injection_blocked today, against 0.0 a day before"
            ]
        );
        let steady: Vec<_> = (6..20).map(|n| day(n, "a.example", 1)).collect();
        assert_eq!(
            text(&[&steady[..], &[day(20, "a.example", 3)]].concat()),
            [] as [&str; 0],
            "three times is not above"
        );
        assert_eq!(text(&[&steady[..], &[day(20, "a.example", 4)]].concat()).len(), 2);
    }
}
