//! The required grams of a trigger: a short test of a text, besides the key, before the trigger is read.
//!
//! Every text that a trigger matches contains at least one literal of each of the trigger's clauses. The required grams
//! are an abridgement of those clauses: up to two grams of a literal, each as the [`Condition`] that a text contains it.
//! They let through every text that could match and few others, for a few instructions. So most triggers under a key
//! that a call contains by chance are never read.
//!
//! The encoding is two bytes for each gram: the condition in the lower bits, and in the two highest whether another
//! gram of the literal follows (`AND`) and whether another literal of the clause does (`OR`).

use std::iter::once;

use super::key::{Condition, GramBitset, MAX_GRAM};

/// Set where another gram of the same literal follows.
const AND: u16 = 1 << 14;
/// Set at the last gram of a literal where another literal of the same clause follows.
const OR: u16 = 1 << 15;

/// The largest number of required grams of a trigger: enough for the built-in patterns, and few enough for thousands of
/// triggers under one key.
pub const MAX_GRAMS: usize = 48;

/// Whether texts that contain `grams` may match, by these required grams. Any bytes are valid; none let every text through.
pub fn are_met(required: &[[u8; 2]], grams: &GramBitset) -> bool {
    let (mut literal, mut clause) = (true, false);
    for gram in required {
        let gram = u16::from_le_bytes(*gram);
        literal &= grams.meets(Condition::of_bit(gram));
        if gram & AND == 0 {
            clause |= literal;
            literal = true;
            if gram & OR == 0 {
                if !clause {
                    return false;
                }
                clause = false;
            }
        }
    }
    true
}

/// The required grams of `clauses`, the most selective first, and of `endings`, if they are known. Clauses that do not
/// fit as a whole are left out.
pub fn encode(clauses: &[Vec<String>], endings: &[u8]) -> Vec<[u8; 2]> {
    let mut grams: Vec<u16> = Vec::new();
    let ends = endings.iter().map(|&byte| Vec::from([Condition::of_ending(byte).bit()])).collect();
    let holds =
        clauses.iter().map(|clause| clause.iter().map(|literal| conditions(literal.as_bytes())).collect());
    for mut all in once(ends).chain(holds).filter(|all: &Vec<Vec<u16>>| !all.is_empty()) {
        all.sort_unstable();
        all.dedup();
        let length: usize = all.iter().map(Vec::len).sum();
        if grams.len() + length > MAX_GRAMS || all.iter().any(Vec::is_empty) {
            continue;
        }
        let last = all.len().saturating_sub(1);
        for (n, literal) in all.into_iter().enumerate() {
            let or = if n < last { OR } else { 0 };
            let (tail, front) = literal.split_last().map_or((0, &[][..]), |(tail, front)| (*tail, front));
            grams.extend(front.iter().map(|gram| gram | AND));
            grams.push(tail | or);
        }
    }
    grams.into_iter().map(u16::to_le_bytes).collect()
}

/// The conditions of the first and the last gram of a literal.
fn conditions(literal: &[u8]) -> Vec<u16> {
    let length = literal.len().min(MAX_GRAM);
    let grams = [literal.get(..length), literal.get(literal.len() - length..)];
    let mut all: Vec<u16> = grams
        .into_iter()
        .flatten()
        .filter(|gram| !gram.is_empty())
        .map(|gram| Condition::of_gram(gram).bit())
        .collect();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(clauses: &[&[&str]], text: &str) -> bool {
        let clauses: Vec<Vec<String>> =
            clauses.iter().map(|clause| clause.iter().map(ToString::to_string).collect()).collect();
        let mut grams = GramBitset::empty();
        grams.add(text.as_bytes());
        are_met(&encode(&clauses, &[]), &grams)
    }

    #[test]
    fn a_text_needs_one_literal_of_each_clause() {
        let clauses: &[&[&str]] = &[&["git"], &["stash", "clean"], &["-u", "--force"]];
        for (text, expected) in [
            ("git stash -u", true),
            ("git clean --force", true),
            ("git stash", false),
            ("git push --force", false),
            ("svn stash -u", false),
            ("", false),
        ] {
            assert_eq!(passes(clauses, text), expected, "{text}");
        }
        assert!(passes(&[], "anything"));
    }

    #[test]
    fn a_long_literal_needs_its_beginning_and_its_end() {
        assert!(passes(&[&["--detach"]], "x --detach y"));
        assert!(!passes(&[&["--detach"]], "--de"));
        assert!(!passes(&[&["--detach"]], "tach"));
    }

    #[test]
    fn a_text_needs_one_of_the_endings() {
        let required = encode(&[vec!["git".to_owned()]], b"019");
        let passes = |text: &str| {
            let mut grams = GramBitset::empty();
            grams.add(text.as_bytes());
            grams.add_ending(text.as_bytes());
            are_met(&required, &grams)
        };
        assert!(passes("git 1") && passes("git 9"));
        assert!(!passes("git 1x") && !passes("svn 1") && !passes(""));
    }

    #[test]
    fn a_clause_that_does_not_fit_is_left_out() {
        let many: Vec<String> = (0..40).map(|n| format!("literal-{n:02}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(passes(&[&many, &["git"]], "git"));
        assert!(!passes(&[&many, &["git"]], "svn"));
    }
}
