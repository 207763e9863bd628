//! The pictures: SVG whose horizontal measures are per cent, so that they fit every window without a script.
//!
//! - [`rows`]: a row for each lesson, with its name, its picture and its words.
//! - [`range`]: a share with what is possible, on a scale of 0 to 100 %.
//! - [`bar`]: counts as parts of a bar.
//! - [`columns`]: counts by week.
//! - [`lanes`]: a dot for each session.
//!
//! Every picture has a title and a description; its parts have titles that a browser shows under the pointer.

pub(crate) mod bar;
pub(crate) mod columns;
pub(crate) mod lanes;
pub(crate) mod range;
pub(crate) mod rows;

use maud::{Markup, html};

use crate::page::wording::number;

/// What a colour and a form mean, the same on the whole page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Done right, or stopped before it ran.
    Right,
    /// The mistake again.
    Again,
    /// The mistake for the first time.
    Once,
    /// Neither.
    Other,
    /// Noticed, and not decided about.
    Waiting,
    /// Noticed, and rejected.
    Rejected,
    /// Nothing.
    Nothing,
}

impl Ink {
    /// The class of an area.
    fn area(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Again => "again",
            Self::Once => "once",
            Self::Other => "kept",
            Self::Waiting => "waits",
            Self::Rejected => "rejected",
            Self::Nothing => "none",
        }
    }

    /// The class of a text on it.
    fn text(self) -> &'static str {
        match self {
            Self::Right => "on-right",
            Self::Again => "on-again",
            Self::Once => "on-once",
            Self::Other => "on-kept",
            Self::Waiting => "on-waits",
            Self::Rejected => "on-rejected",
            Self::Nothing => "on-none",
        }
    }
}

/// What the areas of a figure mean.
pub(crate) fn key(meanings: &[(Ink, &str)]) -> Markup {
    html! {
        ul.key {
            @for (ink, meaning) in meanings {
                li {
                    svg aria-hidden="true" { rect class=(ink.area()) x="0.5" y="0.5" width="11" height="11" rx="3" {} }
                    (meaning)
                }
            }
        }
    }
}

/// A share of the width or height, 0 to 1, as SVG has it.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// `part` of `whole` as a share of the width; 0 of nothing.
#[allow(clippy::cast_precision_loss, reason = "a picture has fewer than 2^52 points")]
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The numbers below bars: nothing, half and the end of the scale.
pub(crate) fn scale(end: u64) -> Markup {
    let half = half(end).map(|half| (0.5, "middle", half));
    let ticks = [Some((0.0, "start", "0".to_owned())), half, Some((1.0, "end", number(end)))];
    html! {
        svg aria-hidden="true" { @for (at, anchor, text) in ticks.into_iter().flatten() { text x=(percent(at)) y="12" text-anchor=(anchor) { (text) } } }
    }
}

/// Half of the end of a scale, if that is a whole number.
pub(crate) fn half(end: u64) -> Option<String> {
    end.is_multiple_of(2).then(|| number(end / 2))
}

/// The smallest of 1, 2, 3, 4, 5, 6, 8, 10, 20, 30 … that is at least `largest`: the end of a scale.
pub(crate) fn end_of_scale(largest: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for step in [1, 2, 3, 4, 5, 6, 8] {
            if let Some(end) = power.checked_mul(step).filter(|end| *end >= largest) {
                return end;
            }
        }
        let Some(next) = power.checked_mul(10) else { return u64::MAX };
        power = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_at_a_round_number() {
        assert_eq!([0, 1, 3, 7, 20, 21, 31_840].map(end_of_scale), [1, 1, 3, 8, 20, 30, 40_000]);
        assert_eq!(end_of_scale(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_share_of_nothing_is_nothing() {
        assert_eq!((percent(share(0, 0)), percent(share(1, 3))), ("0.00%".into(), "33.33%".into()));
    }
}
