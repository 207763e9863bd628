//! What will be here, while there is nothing yet.

use maud::{Markup, html};

use crate::page::Report;
use crate::page::figure::Section;

/// What the page will show, and when.
const COMING: [(&str, &str); 6] = [
    (
        "What slips through",
        "calls that failed or that you corrected: after the first session that a scan has read",
    ),
    (
        "Does it get in the way?",
        "what the agent did after reminders and blocked calls: from the first one on",
    ),
    (
        "Is it worth its tokens?",
        "what lessons took: from the first reminder on; what a repeat costs: from ten repeats on",
    ),
    ("Are there fewer mistakes?", "calls that lessons match, by week: from the second week on"),
    ("Which lessons help?", "where a reminder has room to: from 12 sessions on in which a lesson came up"),
    ("Worth doing", "lessons to change or retire: as soon as the numbers carry it"),
];

/// Whether there is nothing to show: no session was read, and the hooks said nothing.
pub(crate) fn is_empty(report: &Report<'_>) -> bool {
    report.summary.looked_at.sessions == 0 && report.activity.reminders + report.activity.blocked == 0
}

/// The heading.
pub(crate) fn heading() -> Markup {
    html! {
        h1 { "Nothing has happened yet." }
        p.lead {
            "This page fills by itself as you work with Claude Code. A session counts once it has been quiet for an hour and a "
            "scan has read it."
        }
    }
}

/// The only section.
pub(crate) fn section() -> Section {
    let body = html! {
        section #coming aria-labelledby="coming-title" {
            h2 #coming-title { "What will be here, and when" }
            dl.scale { @for (what, when) in COMING { div { dt { (what) } dd { (when) } } } }
            p.more {
                code { "lessons scan" } " reads your sessions now, " code { "lessons schedule install" } " does it every night and "
                "keeps the newest page."
            }
        }
    };
    Section { id: "coming", short: "What will be here", body }
}
