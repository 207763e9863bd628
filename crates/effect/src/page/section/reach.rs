//! What slips through? All calls that went wrong, and what lessons had to do with them.

use maud::html;

use crate::page::Report;
use crate::page::chart::bar::{Part, bar};
use crate::page::chart::{Ink, key};
use crate::page::figure::{Column, Figure, Section, Table, waiting};
use crate::page::wording::{counted, number};

const ID: &str = "reach";
const TITLE: &str = "What slips through?";

/// The section.
pub(crate) fn section(report: &Report<'_>) -> Section {
    let body = if report.summary.reach.calls == 0 {
        waiting(
            ID,
            TITLE,
            &html! {
                "This shows the calls that failed, or that you refused or corrected, and how many of them a lesson knew of. There "
                "were none yet."
            },
        )
    } else {
        figure(report).section()
    };
    Section { id: ID, short: "Slips through", body }
}

fn figure(report: &Report<'_>) -> Figure {
    let reach = report.summary.reach;
    let parts = [
        Part {
            ink: Ink::Right,
            meaning: "a lesson was told or blocked it, there or before",
            count: reach.told,
        },
        Part { ink: Ink::Other, meaning: "a lesson fires there, and said nothing", count: reach.kept_quiet },
        Part { ink: Ink::Waiting, meaning: "a candidate about it waits for you", count: reach.waiting },
        Part { ink: Ink::Rejected, meaning: "you rejected a candidate about it", count: reach.rejected },
        Part { ink: Ink::Nothing, meaning: "nobody has noticed it", count: reach.unnoticed() },
    ];
    let meanings: Vec<_> =
        parts.iter().map(|part| (part.ink, format!("{} {}", number(part.count), part.meaning))).collect();
    let meanings: Vec<_> = meanings.iter().map(|(ink, text)| (*ink, text.as_str())).collect();
    let rows = parts.iter().map(|part| vec![part.meaning.to_owned(), number(part.count)]);
    Figure {
        id: ID,
        title: TITLE,
        before: None,
        description: html! {
            p {
                b { (counted(reach.calls, "call")) } " failed for a reason that is not the answer of a test, or you refused or corrected "
                "them. Not every failure is worth a lesson: many are how an agent finds its way."
            }
        },
        picture: html! {
            div.strip { (bar("Calls that went wrong", &parts, reach.calls)) }
            (key(&meanings))
        },
        table: Table {
            caption: "Calls that went wrong, by what lessons had to do with them".into(),
            columns: vec![Column::Words("What lessons did"), Column::Numbers("Calls")],
            rows: rows.collect(),
        },
        note: (reach.waiting > 0).then(|| {
            html! {
                p.more { "To decide about the candidates: " code { "lessons review" } }
            }
        }),
    }
}
