//! A share, and what is possible: a dot on a line, on a scale of 0 to 100 %.

use maud::{Markup, html};

use super::percent;

/// Where the scale has lines and numbers.
const TICKS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// A dot where the share is, on a line over what is possible. All three are 0 to 1.
pub(crate) fn range(title: &str, description: &str, share: f64, possible: (f64, f64)) -> Markup {
    html! {
        svg role="img" {
            title { (title) }
            desc { (description) }
            (grid())
            line.range x1=(percent(possible.0)) x2=(percent(possible.1)) y1="50%" y2="50%" {}
            circle.dot cx=(percent(share)) cy="50%" r="6" {}
        }
    }
}

/// The scale without a dot, where there is too little data.
pub(crate) fn nothing() -> Markup {
    html! { svg.blank aria-hidden="true" { (grid()) } }
}

/// The numbers of the scale.
pub(crate) fn axis() -> Markup {
    html! {
        svg aria-hidden="true" {
            @for tick in TICKS {
                text x=(percent(tick)) y="12" text-anchor="middle" { (percent_of(tick)) }
            }
        }
    }
}

fn grid() -> Markup {
    html! {
        @for tick in TICKS {
            line class=(if tick == 0.0 { "base" } else { "grid" }) x1=(percent(tick)) x2=(percent(tick)) y1="0" y2="100%" {}
        }
    }
}

fn percent_of(tick: f64) -> String {
    format!("{:.0} %", tick * 100.0)
}
