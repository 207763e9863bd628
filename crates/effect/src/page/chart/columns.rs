//! Counts or rates by week, as columns of parts.

use maud::{Markup, html};

use super::{Ink, half, percent};
use crate::page::wording::number;

/// The columns of one topic.
pub(crate) struct Columns {
    /// What is counted.
    pub(crate) title: String,
    /// The numbers in words.
    pub(crate) description: String,
    /// A column for each week, the oldest first.
    pub(crate) weeks: Vec<Column>,
    /// The end of the scale, of all pictures beside each other.
    pub(crate) end: u64,
    /// The days below the first and the last column.
    pub(crate) ends: (String, String),
    /// What happened in between, named above.
    pub(crate) marks: Vec<Mark>,
    /// What happened to all topics, named below.
    pub(crate) below: Option<Mark>,
}

/// A column.
pub(crate) struct Column {
    /// The week and its counts in words.
    pub(crate) title: String,
    /// The counts from below; they may be rates.
    pub(crate) parts: Vec<(Ink, f64)>,
}

/// Something that happened, at a share of the width.
pub(crate) struct Mark {
    /// Where, 0 to 1.
    pub(crate) at: f64,
    /// What.
    pub(crate) what: String,
}

impl Columns {
    /// The picture.
    pub(crate) fn picture(&self) -> Markup {
        html! {
            svg role="img" height="160" {
                title { (self.title) }
                desc { (self.description) }
                // Room for the marks above and for the days below.
                svg x="0" y="18" width="100%" height="118" {
                    @if let Some(half) = half(self.end) { (level(0.5, &half)) }
                    (level(1.0, &number(self.end)))
                    @for (position, column) in self.weeks.iter().enumerate() { (self.column(position, column)) }
                    line.base x1="0" x2="100%" y1="100%" y2="100%" {}
                    @for mark in &self.marks { (mark.line()) }
                }
                @if let Some(mark) = &self.below { (mark.below()) }
                text x="0" y="154" { (self.ends.0) }
                text x="100%" y="154" text-anchor="end" { (self.ends.1) }
            }
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "a picture has fewer than 2^52 points")]
    fn column(&self, position: usize, column: &Column) -> Markup {
        let width = 1.0 / self.weeks.len().max(MIN_WEEKS) as f64;
        let start = width * position as f64;
        let mut below = 0.0;
        let placed: Vec<_> = column
            .parts
            .iter()
            .filter(|(_, count)| *count > 0.0)
            .map(|(ink, count)| {
                let height = count / self.end as f64;
                below += height;
                (ink, below, height)
            })
            .collect();
        html! {
            g {
                title { (column.title) }
                @for (ink, top, height) in placed {
                    rect class=(ink.area()) x=(percent(start + width * 0.14)) width=(percent(width * 0.72))
                        y=(percent(1.0 - top)) height=(percent(height)) {}
                }
            }
        }
    }
}

/// The fewest weeks of room, so that a single week is no wall.
pub(crate) const MIN_WEEKS: usize = 8;

/// A line across, with the number that it stands for.
fn level(height: f64, count: &str) -> Markup {
    let y = percent(1.0 - height);
    html! {
        line.grid x1="0" x2="100%" y1=(y) y2=(y) {}
        text x="100%" y=(y) dx="7" dy="4" { (count) }
    }
}

impl Mark {
    /// A tick below the columns, with its name where the days at both ends leave room.
    fn below(&self) -> Markup {
        let at = percent(self.at);
        html! {
            g {
                title { (self.what) }
                line.base x1=(at) x2=(at) y1="136" y2="143" {}
                @if (0.3..=0.7).contains(&self.at) { text x=(at) y="154" text-anchor="middle" { "new model" } }
            }
        }
    }

    fn line(&self) -> Markup {
        let (at, anchor) = (percent(self.at), if self.at > 0.6 { "end" } else { "start" });
        let aside = if self.at > 0.6 { "-5" } else { "5" };
        html! {
            line.mark x1=(at) x2=(at) y1="-12" y2="100%" {}
            text x=(at) y="-5" dx=(aside) text-anchor=(anchor) { (self.what) }
        }
    }
}
