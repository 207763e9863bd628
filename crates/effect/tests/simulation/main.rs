//! The statistics on homes whose effect is known. `examples/simulate.rs` does the same with 5,000 homes of each kind.
#![allow(clippy::unwrap_used, reason = "a test")]

mod homes;

use homes::{Kind, alone, kinds, plain, together};

/// Fewer homes than the 5,000 of the example: the bound leaves room for chance, two standard errors of 10 % of 200.
const HOMES: u32 = 200;
const BOUND: f64 = 0.142;

#[test]
fn the_interval_of_all_lessons_misses_the_truth_in_at_most_a_tenth_of_homes() {
    for (seed, (name, kind)) in (1..).zip(kinds()) {
        let found = together(&kind, HOMES, seed);
        assert!(found.misses <= BOUND, "{name}: {found:?}");
    }
}

#[test]
fn harm_of_twenty_points_is_seen_by_a_hundred_sessions_where_half_of_them_are_left_out() {
    let found = together(&Kind { one_of: 2.0, ..plain(-0.2) }, HOMES, 7);
    assert!(found.harms >= 0.8 && found.helps == 0.0, "{found:?}");
}

#[test]
fn the_interval_of_one_lesson_misses_the_truth_in_at_most_a_tenth() {
    for (held, effect) in [(0.5, 0.0), (0.5, 0.3), (0.8, 0.5), (0.3, -0.2)] {
        let found = alone(held, effect, 205, HOMES, 3);
        assert!(found.misses <= BOUND, "{held} {effect}: {found:?}");
    }
}
