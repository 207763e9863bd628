//! The document around the sections.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::page::figure::Section;
use crate::page::section::{decisions, empty, opening, reach, reading, room, sessions, tokens, way, weeks};
use crate::page::wording::{counted, date, day, span};
use crate::page::{GENERATOR, Report};

/// The only style sheet. It stands in the page, which loads nothing.
const STYLE: &str = include_str!("style.css");
/// What a browser may do with the page: apply the styles in it. A lesson's text could neither run nor load anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The whole document.
pub(crate) fn document(report: &Report<'_>) -> Markup {
    let sections = sections(report);
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
                    p { b { "Lessons" } " " (looked_at(report)) }
                    (opening::opening(report))
                    @if sections.len() > 1 { (contents(&sections)) }
                }
                main { @for section in &sections { (section.body) } }
                footer { (reading::notes(report)) }
            }
        }
    }
}

fn sections(report: &Report<'_>) -> Vec<Section> {
    if empty::is_empty(report) {
        return vec![empty::section()];
    }
    let all = [
        decisions::section(report),
        Some(room::section(report.summary)),
        Some(weeks::section(report)),
        Some(tokens::section(report.summary)),
        Some(way::section(report.summary)),
        Some(sessions::section(report)),
        Some(reach::section(report)),
    ];
    all.into_iter().flatten().collect()
}

fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Questions" {
            ul { @for section in sections { li { a href={ "#" (section.id) } { (section.short) } } } }
        }
    }
}

/// The time and the sessions that the page is about.
fn looked_at(report: &Report<'_>) -> String {
    let looked_at = &report.summary.looked_at;
    let day = |time| day(time, report.zone);
    match (looked_at.from, looked_at.to) {
        (Some(from), Some(to)) => format!(
            "{} · {} · {} · {}",
            span(day(from), day(to)),
            counted(looked_at.sessions, "session"),
            counted(looked_at.calls, "call"),
            counted(looked_at.projects, "project")
        ),
        _ => date(day(report.summary.as_of)),
    }
}
