//! Literals that a match cannot do without: that they are certain, whatever the expression.

use lessons_pattern::{Regex, js, literals, parse};
use proptest::prelude::*;

use crate::sample::{expression, matched, text};

/// Whether `text` holds what `clauses` say of every match.
fn holds(clauses: &[Vec<String>], text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    clauses.iter().all(|clause| clause.iter().any(|literal| lower.contains(literal)))
}

/// The other case of every letter that has one: the Kelvin sign becomes `k`, `ſ` becomes `S`.
fn swapped(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_lowercase() { c.to_uppercase().to_string() } else { c.to_lowercase().to_string() })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_match_holds_a_literal_of_each_clause(expression in expression(), around in (text(), text()), other in text(), choices in prop::collection::vec(0..100_usize, 60)) {
        let Ok(hir) = parse(&expression) else { return Ok(()) };
        let Ok(regex) = Regex::of(&hir) else { return Ok(()) };
        let clauses = literals::clauses(&hir);
        let sample = matched(&hir, &choices);
        let within = format!("{}{sample}{}", around.0, around.1);
        for text in [swapped(&within), within, swapped(&sample), sample, other] {
            prop_assert!(!regex.is_match(&text) || holds(&clauses, &text), "{} with {:?} on {:?}", expression, clauses, text);
        }
        prop_assert!(clauses.len() <= literals::MAX_CLAUSES);
        for clause in &clauses {
            prop_assert!((1..=literals::MAX_LITERALS).contains(&clause.len()));
            prop_assert!(clause.iter().all(|literal| !literal.is_empty() && *literal == literal.to_ascii_lowercase()), "{:?}", clause);
        }
    }
}

#[test]
fn the_clauses_are_what_must_come_together_the_best_first() {
    let clauses = |pattern: &str| {
        let clauses = literals::clauses(&js::expression(pattern).unwrap());
        clauses.iter().map(|clause| clause.join("|")).collect::<Vec<_>>().join(" & ")
    };
    assert_eq!(clauses(r"\bgit\s+push\b.*--force"), "--force & push & git");
    assert_eq!(clauses(r"git\s+push|npm\s+install"), "install|push & git|npm");
    assert_eq!(
        clauses(r"git\s+push|npm"),
        "npm|push & git|npm",
        "the one of a branch goes with each of the other"
    );
    assert_eq!(clauses(r"rm\s+-[a-z]*f"), "rm & - & f");
    assert_eq!(clauses(r"a\s*b"), "a & b", "one letter is better than nothing");
    assert_eq!(clauses(r"git\s.*git-lfs"), "git-lfs", "what follows from a better one is not said again");
    assert_eq!(clauses(r"(?i)k\s*É"), "É|é & k", "only ASCII is compared in lower case");
    assert_eq!(clauses(r"x?\s*"), "");
}
