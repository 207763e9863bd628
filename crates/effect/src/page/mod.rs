//! The page of `lessons report --html`: what lessons did, as tables that lead to a decision.
//!
//! [`page`] turns a [`Summary`] into one HTML file. In reading order:
//!
//! - [`page`]: the document around the sections.
//! - `sections`: a function for each question that the page answers, their tables, which stack on a phone, and the wording of
//!   numbers, times and names.
//! - `style.css`: light, dark, phone and print.
//!
//! Invariants: the file holds no script and loads nothing, and its content security policy would forbid both. Lesson
//! texts, models and commands come from other people: `maud` escapes them by type, and `sections` makes them
//! neutral first. No share is said of fewer sessions than [`FEWEST_SESSIONS`], and nothing here claims that a lesson
//! was the cause of what followed. Nothing is read, written or opened.
//!
//! [`FEWEST_SESSIONS`]: lessons_replay::tally::FEWEST_SESSIONS

mod sections;

use jiff::tz::TimeZone;
use lessons_replay::tally::FEWEST_SESSIONS;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::sections::{Section, counted, date, day, sections, span};
use crate::statistics::answer::{Answer, Finding};
use crate::statistics::summary::{LookedAt, Summary};

/// What the page shows.
#[derive(Debug, Clone, Copy)]
pub struct PageInput<'a> {
    /// What lessons did.
    pub summary: &'a Summary,
    /// The candidates that wait for a decision.
    pub waiting: u64,
    /// The time zone of the person who reads it.
    pub zone: &'a TimeZone,
}

/// The mark by which a page of ours is known, near the beginning of the file.
pub const GENERATOR: &str = r#"<meta name="generator" content="lessons report">"#;

/// The only style sheet. It stands in the page, which loads nothing.
const STYLE: &str = include_str!("style.css");
/// What a browser may do with the page: apply the styles in it. A lesson's text could neither run nor load anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The page: one HTML document.
pub fn page(input: &PageInput<'_>) -> String {
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
                    @if is_empty { (nothing_yet()) } @else { (lead(&input.summary.answer)) (contents(&sections)) }
                }
                main { @for section in &sections { (section.markup()) } }
                footer { (notes(input)) }
            }
        }
    }
    .into_string()
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

/// The answer to whether lessons help, or what is missing for it.
fn lead(answer: &Answer) -> Markup {
    let heading = match answer.finding {
        Finding::Helps => "Lessons help you.",
        Finding::DoesHarm => "Lessons do harm.",
        Finding::NoUsefulEffect => "Lessons have no useful effect.",
        Finding::Broken => "The measurement is broken.",
        Finding::Open => "It is open whether lessons help you.",
        Finding::NotEnough => "It is not known whether lessons help you.",
    };
    html! {
        h1 { (heading) }
        p.lead { (sentence(&answer.headline())) ". " code { (answer.next_step()) } }
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

/// A line as a sentence begins.
fn sentence(line: &str) -> String {
    let mut rest = line.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}
