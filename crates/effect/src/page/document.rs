//! The document around the sections.

use lessons_replay::tally::FEWEST_SESSIONS;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::sections::{Section, sections};
use super::wording::{counted, date, day, number, span};
use super::{GENERATOR, PageInput};
use crate::statistics::summary::{LookedAt, Totals};

/// The only style sheet. It stands in the page, which loads nothing.
const STYLE: &str = include_str!("style.css");
/// What a browser may do with the page: apply the styles in it. A lesson's text could neither run nor load anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The whole document.
pub(super) fn document(input: &PageInput<'_>) -> Markup {
    let is_empty = input.summary.looked_at.sessions == 0;
    let sections = if is_empty { Vec::new() } else { sections(input) };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                (PreEscaped(GENERATOR))
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="referrer" content="no-referrer";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Lessons: what they did" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p { b { "Lessons" } " " (looked_at(input)) }
                    @if is_empty { (nothing_yet()) } @else { (lead(&input.summary.totals())) (contents(&sections)) }
                }
                main { @for section in &sections { (section.markup()) } }
                footer { (notes(input)) }
            }
        }
    }
}

impl Section {
    fn markup(&self) -> Markup {
        let title = format!("{}-title", self.id);
        html! {
            section id=(self.id) aria-labelledby=(title) { h2 id=(title) { (self.title) } (self.body) }
        }
    }
}

fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Questions" {
            ul { @for section in sections { li { a href={ "#" (section.id) } { (section.title) } } } }
        }
    }
}

/// The heading, and what the page cannot say.
fn lead(totals: &Totals) -> Markup {
    html! {
        h1 { (headline(totals)) }
        p.lead {
            "This page says what happened, not what lessons caused: some of it would have gone right without them. "
            a href="#help" { "Which lessons help?" } " says what it takes to know more."
        }
    }
}

fn headline(totals: &Totals) -> Markup {
    let Totals { followed, chances, blocked, changed, .. } = *totals;
    if chances >= FEWEST_SESSIONS {
        html! {
            "After a reminder, the agent got it right at the next chance "
            em { (number(followed)) " of " (number(chances)) } " times."
        }
    } else if blocked >= FEWEST_SESSIONS {
        html! { "Of " (counted(blocked, "blocked call")) ", " em { (number(changed)) } " were made another way." }
    } else {
        html! { "It is too early to say what lessons do here." }
    }
}

fn nothing_yet() -> Markup {
    html! {
        h1 { "Nothing has happened yet." }
        p.lead {
            "This page fills by itself as you work with Claude Code. A session counts once it has been quiet for an hour and a "
            "scan has read it. " code { "lessons scan" } " reads your sessions now, " code { "lessons schedule install" }
            " does it every night and keeps the newest page."
        }
    }
}

/// The time and the sessions that the page is about.
fn looked_at(input: &PageInput<'_>) -> String {
    let looked_at = &input.summary.looked_at;
    let day = |time| day(time, input.zone);
    match (looked_at.from, looked_at.to) {
        (Some(from), Some(to)) => format!(
            "{} · {} · {} · {}",
            span(day(from), day(to)),
            counted(looked_at.sessions, "session"),
            counted(looked_at.calls, "call"),
            counted(looked_at.projects, "project")
        ),
        _ => date(day(input.summary.as_of)),
    }
}

/// How to read the page: what is counted, what is left out, and where the numbers come from.
fn notes(input: &PageInput<'_>) -> Markup {
    let summary = input.summary;
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
            "Made on " (date(day(summary.as_of, input.zone))) ", on this machine, from your own sessions of a year. The page holds no "
            "script, loads nothing and sends nothing. " code { "lessons effect" } " shows the same in the terminal."
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_says_nothing_of_fewer_than_twelve() {
        let mut totals = Totals { followed: 9, chances: 11, ..Totals::default() };
        assert_eq!(headline(&totals).into_string(), "It is too early to say what lessons do here.");
        (totals.blocked, totals.changed) = (12, 12);
        assert_eq!(
            headline(&totals).into_string(),
            "Of 12 blocked calls, <em>12</em> were made another way."
        );
        (totals.followed, totals.chances) = (10, 12);
        assert!(headline(&totals).into_string().ends_with("<em>10 of 12</em> times."));
    }
}
