//! What is worth doing? The proposals of lessons, and the candidates that wait.

use crate::statistics::summary::LessonEffect;
use crate::statistics::verdict::Proposal;
use maud::{Markup, html};

use crate::page::Report;
use crate::page::figure::Section;
use crate::page::wording::{counted, foreign};

/// The most things that are listed: what a person does in one sitting.
const MOST: usize = 3;

/// The section; `None` where nothing is to be decided.
pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let proposals =
        report.summary.lessons.iter().filter_map(|lesson| Some((lesson, lesson.proposal.as_ref()?)));
    let proposals: Vec<_> = proposals.collect();
    let mut things: Vec<Markup> =
        proposals.iter().take(MOST).map(|(lesson, proposal)| thing(lesson, proposal)).collect();
    if report.waiting > 0 {
        things.truncate(MOST - 1);
        things.push(review(report.waiting));
    }
    let title = match things.len() {
        0 => return None,
        1 => "One thing worth doing",
        2 => "Two things worth doing",
        _ => "Three things worth doing",
    };
    let more = proposals.len() - things.len().min(proposals.len());
    let body = html! {
        section.do #do aria-labelledby="do-title" {
            h2 #do-title { (title) }
            ol { @for thing in &things { li { div { (thing) } } } }
            @if more > 0 { p.more { "and " (more) " more: " code { "lessons effect" } } }
        }
    };
    Some(Section { id: "do", short: "Worth doing", body })
}

fn thing(lesson: &LessonEffect, proposal: &Proposal) -> Markup {
    html! {
        p { b { (lesson.id.id) } ": " (lesson.verdict) ". " (sentence(&foreign(&proposal.reason))) }
        (command(&foreign(&proposal.command)))
    }
}

fn review(waiting: u64) -> Markup {
    html! {
        p { b { (counted(waiting, "candidate")) } (if waiting == 1 { " waits" } else { " wait" }) " for your decision." }
        (command("lessons review"))
    }
}

/// A command that breaks between its words only, not at the hyphens in them.
fn command(text: &str) -> Markup {
    html! { code { @for word in text.split(' ') { span { (word) } " " } } }
}

/// A text with a capital letter and a period.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}
