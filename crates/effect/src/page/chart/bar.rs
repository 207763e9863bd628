//! Counts as the parts of a bar.

use maud::{Markup, html};

use super::{Ink, percent, share};
use crate::page::wording::number;

/// The room that a digit needs, as a share of the width of a bar on a phone.
const DIGIT: f64 = 0.032;

/// A part of a bar.
pub(crate) struct Part {
    /// Its colour.
    pub(crate) ink: Ink,
    /// What it counts.
    pub(crate) meaning: &'static str,
    /// How many.
    pub(crate) count: u64,
}

/// A bar of its parts in their order. The whole width stands for `whole`, at least their sum.
pub(crate) fn bar(title: &str, parts: &[Part], whole: u64) -> Markup {
    let words: Vec<_> = parts.iter().map(|part| format!("{} {}", number(part.count), part.meaning)).collect();
    let mut from = 0.0;
    let placed: Vec<_> = parts
        .iter()
        .filter(|part| part.count > 0)
        .map(|part| {
            let (start, width) = (from, share(part.count, whole));
            from += width;
            (part, start, width)
        })
        .collect();
    html! {
        svg role="img" {
            title { (title) }
            desc { (words.join(", ")) }
            @for (part, start, width) in placed { (area(part, start, width)) }
        }
    }
}

fn area(part: &Part, start: f64, width: f64) -> Markup {
    let count = number(part.count);
    #[allow(clippy::cast_precision_loss, reason = "a number has a few digits")]
    let fits = width > DIGIT * (count.len() as f64 + 1.0);
    html! {
        g {
            title { (count) " " (part.meaning) }
            rect class=(part.ink.area()) x=(percent(start)) y="22%" width=(percent(width)) height="56%" rx="3" {}
            @if fits {
                text class=(part.ink.text()) x=(percent(start + width / 2.0)) y="50%" dy="0.35em" text-anchor="middle" { (count) }
            }
        }
    }
}
