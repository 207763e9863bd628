//! A dot for each session, over time.

use maud::{Markup, html};

use super::percent;

/// The least distance of two dots on one level, as a share of the width: nine points on a phone.
const APART: f64 = 0.03;
/// The distance of levels, in points.
const LEVEL: i32 = 11;
/// The levels in the order in which they are filled: the middle first.
const LEVELS: [i32; 7] = [0, 1, -1, 2, -2, 3, -3];

/// A session in a lane.
pub(crate) struct Dot {
    /// When, as a share of the time that is shown, 0 to 1.
    pub(crate) at: f64,
    /// Whether the mistake came again.
    pub(crate) came: Came,
    /// The session in words.
    pub(crate) title: String,
}

/// Whether a mistake came again in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Came {
    /// It did.
    Again,
    /// It did not.
    Once,
}

/// The dots of a lane, oldest first. Where they would cover each other they move up or down.
pub(crate) fn lane(title: &str, description: &str, dots: &[Dot]) -> Markup {
    let levels = levels(dots);
    let highest = levels.iter().map(|level| level.abs()).max().unwrap_or(0);
    let middle = highest * LEVEL + 10;
    html! {
        svg role="img" height=(middle * 2) {
            title { (title) }
            desc { (description) }
            line.lane x1="0" x2="100%" y1=(middle) y2=(middle) {}
            @for (dot, level) in dots.iter().zip(&levels) {
                g {
                    title { (dot.title) }
                    circle class=(dot.came.class()) cx=(percent(inset(dot.at))) cy=(middle + level * LEVEL) r="4" {}
                }
            }
        }
    }
}

/// What the dots mean.
pub(crate) fn key() -> Markup {
    html! {
        ul.key {
            @for (came, meaning) in [(Came::Once, "did not come again in that session"), (Came::Again, "came again")] {
                li {
                    svg aria-hidden="true" { circle class=(came.class()) cx="6" cy="6" r="4" {} }
                    (meaning)
                }
            }
        }
    }
}

/// The days at both ends.
pub(crate) fn days(first: &str, last: &str) -> Markup {
    html! {
        svg aria-hidden="true" height="18" {
            text x="0" y="12" { (first) }
            text x="100%" y="12" text-anchor="end" { (last) }
        }
    }
}

impl Came {
    fn class(self) -> &'static str {
        match self {
            Self::Again => "came",
            Self::Once => "ok",
        }
    }
}

/// A share of the width, with room for half a dot at both ends.
fn inset(at: f64) -> f64 {
    0.015 + at * 0.97
}

/// A level for each dot on which it covers no other. If all are taken, dots cover each other.
fn levels(dots: &[Dot]) -> Vec<i32> {
    let mut last = LEVELS.map(|level| (level, f64::NEG_INFINITY));
    let mut levels = Vec::with_capacity(dots.len());
    for dot in dots {
        let free = last.iter_mut().find(|(_, at)| dot.at - *at >= APART);
        levels.push(free.map_or(0, |(level, at)| {
            *at = dot.at;
            *level
        }));
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_that_would_cover_each_other_take_other_levels() {
        let dots = [0.0, 0.01, 0.02, 0.035, 0.5].map(|at| Dot { at, came: Came::Once, title: String::new() });
        assert_eq!(levels(&dots), [0, 1, -1, 0, 0]);
    }
}
