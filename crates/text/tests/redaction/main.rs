//! How many realistic secrets are redacted, and how many harmless texts are left alone.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod composed;
mod harmless;
mod secrets;

use std::collections::BTreeMap;
use std::ops::Range;

use composed::{Random, composed};
use lessons_text::redact::redact;

/// The least share of the secrets that must be redacted, in percent.
const LEAST_REDACTED: usize = 97;
/// The largest share of the harmless texts that may be changed, in percent.
const MOST_TAKEN: usize = 3;
/// The seeds of the random parts: always the same, so that a change of the rates is a change of the rules.
const SEEDS: Range<u64> = 0..20;
/// A piece of a secret of this length must not be left either.
const PIECE: usize = 12;

/// Whether something of a secret is left.
fn is_left(redacted: &str, secret: &str) -> bool {
    redacted.contains(secret)
        || secret.as_bytes().windows(PIECE).any(|piece| {
            let shown = redacted.as_bytes();
            shown.windows(PIECE).any(|window| window == piece)
        })
}

/// Fills in each template with each seed. Returns the number of texts for which `is_wrong` holds, and their templates,
/// each with one of its texts as it was redacted.
fn wrong(
    templates: &[&'static str],
    is_wrong: impl Fn(&str, &str) -> bool,
) -> (usize, BTreeMap<&'static str, String>) {
    let (mut count, mut which) = (0, BTreeMap::new());
    for seed in SEEDS {
        let mut random = Random::new(seed);
        for &template in templates {
            let composed = composed(template, &mut random);
            let redacted = redact(&composed.text).text;
            let secrets = composed.secrets.iter().map(|span| &composed.text[span.clone()]);
            let is_wrong = if composed.secrets.is_empty() {
                is_wrong(&redacted, &composed.text)
            } else {
                secrets.into_iter().any(|secret| is_wrong(&redacted, secret))
            };
            if is_wrong {
                count += 1;
                which.insert(template, redacted);
            }
        }
    }
    (count, which)
}

/// The number of texts of all seeds.
fn number(templates: &[&str]) -> usize {
    templates.len() * SEEDS.count()
}

#[test]
fn nearly_all_realistic_secrets_are_redacted() {
    let templates: Vec<&str> = secrets::all().collect();
    assert!(templates.len() >= 150, "{}", templates.len());
    let (missed, which) = wrong(&templates, is_left);
    let all = number(&templates);
    println!("{} of {all} secrets redacted, of {} kinds", all - missed, templates.len());
    println!("missed at least once: {which:#?}");
    assert!((all - missed) * 100 >= all * LEAST_REDACTED, "{missed} of {all} are left: {which:#?}");
}

#[test]
fn nearly_all_harmless_texts_stay_as_they_are() {
    let templates = harmless::HARMLESS;
    assert!(templates.len() >= 150, "{}", templates.len());
    let (taken, which) = wrong(templates, |redacted, text| redacted != text);
    let all = number(templates);
    println!("{taken} of {all} harmless texts changed, of {} kinds", templates.len());
    println!("changed at least once: {which:#?}");
    assert!(taken * 100 <= all * MOST_TAKEN, "{taken} of {all} are changed: {which:#?}");
}
