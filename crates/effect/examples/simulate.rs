//! Prints what the comparison by lot says of homes whose effect is known; docs/effect.md quotes it.
#![allow(clippy::print_stdout, reason = "it prints a table")]

#[path = "../tests/simulation/homes.rs"]
mod homes;

use homes::{Kind, alone, kinds, plain, together};

/// The homes of each kind, without an argument that says how many.
const HOMES: u32 = 5_000;

fn main() {
    let homes = std::env::args().nth(1).and_then(|number| number.parse().ok()).unwrap_or(HOMES);
    println!("all lessons together, in % of homes: misses by 205 sessions, helps and harms by 91");
    let halves = [0.3, -0.2]
        .map(|effect| (format!("{effect:+.1}, one of two left out"), Kind { one_of: 2.0, ..plain(effect) }));
    for (seed, (name, kind)) in (1..).zip(kinds().into_iter().chain(halves)) {
        let found = together(&kind, homes, seed).percent();
        println!("{name:32} {:5.1} {:5.1} {:5.1}", found.misses, found.helps, found.harms);
    }
    println!("one lesson: held share, effect, sessions; misses, helps, harms");
    for (held, effect) in [(0.5, 0.0), (0.5, 0.3), (0.8, 0.5), (0.5, -0.2)] {
        for sessions in [40, 100, 200] {
            let found = alone(held, effect, sessions, homes, 3).percent();
            println!(
                "{held} {effect:+.1} {sessions:3}   {:5.1} {:5.1} {:5.1}",
                found.misses, found.helps, found.harms
            );
        }
    }
}

impl homes::Found {
    fn percent(self) -> Self {
        Self { misses: self.misses * 100.0, helps: self.helps * 100.0, harms: self.harms * 100.0 }
    }
}
