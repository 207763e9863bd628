//! How to read the page: what is counted, what is left out, and where the numbers come from.

use crate::statistics::summary::LookedAt;
use lessons_replay::tally::FEWEST_SESSIONS;
use maud::{Markup, html};

use crate::page::Report;
use crate::page::wording::{counted, date, day};

/// The notes at the end of the page.
pub(crate) fn notes(report: &Report<'_>) -> Markup {
    let summary = report.summary;
    html! {
        h2 { "How to read this" }
        ul {
            li {
                "Shares count sessions, not calls, and a session counts once for each lesson. Of fewer than " (FEWEST_SESSIONS)
                " sessions no share is said: “not enough data” is an answer."
            }
            li { "A lesson whose text, trigger or mode you change begins anew." }
            li { "Proposals go by numbers alone and are wrong at times. You decide." }
            @if let Some(left_out) = left_out(&summary.looked_at) { li { (left_out) } }
        }
        p {
            "Made on " (date(day(summary.as_of, report.zone))) ", on this machine, from your own sessions; a week begins on Monday at 0:00 "
            "UTC. The page holds no script, loads nothing and sends nothing. " code { "lessons effect" } " shows the same in the terminal."
        }
    }
}

fn left_out(looked_at: &LookedAt) -> Option<String> {
    let mut parts = Vec::new();
    if looked_at.forks > 0 {
        parts.push(format!("{} that are copies of others", counted(looked_at.forks, "session")));
    }
    if looked_at.events_lost > 0 {
        parts.push(format!("{} whose events are lost", counted(looked_at.events_lost, "session")));
    }
    (!parts.is_empty()).then(|| format!("Left out: {}.", parts.join(", and ")))
}
