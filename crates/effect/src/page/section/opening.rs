//! Was it worth it? A sentence, and four numbers.

use crate::statistics::conduct::AfterRefusal;
use crate::statistics::summary::{AfterTelling, Summary};
use lessons_replay::tally::FEWEST_SESSIONS;
use maud::{Markup, html};

use super::empty;
use crate::page::Report;
use crate::page::wording::{counted, number};

/// What followed, over all lessons.
struct Totals {
    told: AfterTelling,
    refused: AfterRefusal,
    cost: u64,
}

impl Totals {
    fn of(summary: &Summary) -> Self {
        let mut totals = Self { told: AfterTelling::default(), refused: AfterRefusal::default(), cost: 0 };
        for lesson in &summary.lessons {
            totals.told.followed += lesson.followed.followed;
            totals.told.not_followed += lesson.followed.not_followed;
            totals.told.no_chance += lesson.followed.no_chance;
            totals.refused.changed += lesson.refused.changed;
            totals.refused.overruled += lesson.refused.overruled;
            totals.refused.given_up += lesson.refused.given_up;
            totals.cost += lesson.cost;
        }
        totals
    }

    /// Next chances after a reminder.
    fn chances(&self) -> u64 {
        self.told.followed + self.told.not_followed
    }
}

/// The heading, the sentence below it and the numbers.
pub(crate) fn opening(report: &Report<'_>) -> Markup {
    if empty::is_empty(report) {
        return empty::heading();
    }
    let totals = Totals::of(report.summary);
    html! {
        h1 { (headline(&totals)) }
        p.lead {
            "This page says what happened, not what lessons caused: some of it would have gone right without them. "
            a href="#help" { "Which lessons help?" } " says what it takes to know more."
        }
        (numbers(report, &totals))
    }
}

fn headline(totals: &Totals) -> Markup {
    let (chances, blocked) = (totals.chances(), totals.refused.calls());
    if chances >= FEWEST_SESSIONS {
        html! {
            "After a reminder, the agent got it right at the next chance "
            em { (number(totals.told.followed)) " of " (number(chances)) } " times."
        }
    } else if blocked >= FEWEST_SESSIONS {
        html! { "Of " (counted(blocked, "blocked call")) ", " em { (number(totals.refused.changed)) } " were made another way." }
    } else {
        html! { "It is too early to say what lessons do here." }
    }
}

fn numbers(report: &Report<'_>, totals: &Totals) -> Markup {
    let AfterRefusal { changed, overruled, given_up, .. } = totals.refused;
    let activity = report.activity;
    let calls = report.summary.looked_at.calls;
    html! {
        dl.numbers {
            div {
                dt { "times right at the next chance after a reminder; " (number(totals.told.no_chance)) " times there was none" }
                dd { (number(totals.told.followed)) small { " of " (number(totals.chances())) } }
            }
            div {
                dt { "blocked calls were made another way; " (number(overruled)) " made again, " (number(given_up)) " given up" }
                dd { (number(changed)) small { " of " (number(totals.refused.calls())) } }
            }
            div {
                dt { "calls got a reminder; blocked: " (number(activity.blocked)) }
                dd {
                    (number(activity.reminders))
                    // Sessions of today are counted later than what hooks said in them.
                    @if calls >= activity.reminders { small { " of " (number(calls)) } }
                }
            }
            div {
                dt { (price(report.summary, totals.cost)) }
                dd { (number(totals.cost)) small { " tokens" } }
            }
        }
    }
}

/// What goes with the tokens: from when on they pay off, where that is known.
fn price(summary: &Summary, cost: u64) -> String {
    match summary.mending {
        Some(mending) if mending.tokens > 0 => format!(
            "spent on lessons; {} avoided would pay for them",
            counted(cost.div_ceil(mending.tokens), "repeat")
        ),
        _ => "spent on lessons, as fresh input tokens".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_says_nothing_of_fewer_than_twelve() {
        let mut totals = Totals { told: AfterTelling::default(), refused: AfterRefusal::default(), cost: 0 };
        (totals.told.followed, totals.told.not_followed) = (9, 2);
        assert_eq!(headline(&totals).into_string(), "It is too early to say what lessons do here.");
        totals.refused.changed = 12;
        assert_eq!(
            headline(&totals).into_string(),
            "Of 12 blocked calls, <em>12</em> were made another way."
        );
        totals.told.followed = 10;
        assert!(headline(&totals).into_string().ends_with("<em>10 of 12</em> times."));
    }
}
