//! Prices in fresh input tokens.
//!
//! A token that is written into the cache costs 1.25, or 2 where it is kept for an hour; one that is read from it 0.1;
//! one of output 5. A text of ours is written once and read by every later request, until the context is compacted.

use lessons_lesson::render::{ADVICE_FRAME, OPEN};
use lessons_scanner::transcript::Usage;

use super::calls::Context;

/// The bytes of a token, as a rule of thumb.
const BYTES: f64 = 4.0;
const OUTPUT: f64 = 5.0;
const READ: f64 = 0.1;

/// The price of writing a token into the cache of a context.
fn write_price(context: &Context) -> f64 {
    let keeps_long = context.requests.iter().any(|request| request.usage.written_for_an_hour > 0);
    if keeps_long { 2.0 } else { 1.25 }
}

/// The price of a text that is written once and read again by this many requests.
#[allow(clippy::cast_precision_loss, reason = "no text and no session has 2^52 of anything")]
pub(super) fn of_text(bytes: usize, context: &Context, reads: usize) -> f64 {
    bytes as f64 / BYTES * (write_price(context) + READ * reads as f64)
}

/// The price of a request of a context.
pub(super) fn of_request(context: &Context, request: usize) -> f64 {
    context.requests.get(request).map_or(0.0, |request| of_usage(&request.usage, write_price(context)))
}

#[allow(clippy::cast_precision_loss, reason = "no request has 2^52 tokens")]
fn of_usage(usage: &Usage, write: f64) -> f64 {
    let Usage { input, output, written, read, .. } = *usage;
    OUTPUT * output as f64 + input as f64 + write * written as f64 + READ * read as f64
}

/// The bytes of a lesson in an advice: its block, which ends with its id, and its share of the frame. `None` where the
/// advice does not hold it.
pub(super) fn told_bytes(advice: &str, lesson: &str) -> Option<usize> {
    let inside = advice.split_once(OPEN).map_or(advice, |(_, inside)| inside);
    let mut bytes = 0;
    let mut blocks = Vec::new();
    for line in inside.split_inclusive('\n') {
        bytes += line.len();
        if let Some(id) = line.strip_prefix("[lesson ") {
            blocks.push((id, std::mem::take(&mut bytes)));
        }
    }
    let is_own = |id: &str| id.strip_prefix(lesson).is_some_and(|rest| rest.starts_with([']', ',']));
    let (_, own) = blocks.iter().find(|(id, _)| is_own(id))?;
    Some(own + ADVICE_FRAME / blocks.len())
}

/// A price as a whole number.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a price is not negative, and far below 2^52"
)]
pub(super) fn rounded(price: f64) -> u64 {
    price.round() as u64
}

#[cfg(test)]
mod tests {
    use lessons_lesson::render::advice;

    use super::*;

    #[test]
    fn a_lesson_pays_for_its_block_and_its_share_of_the_frame() {
        let (one, two) =
            ("X.\n[lesson user/a]\n", "Long.\n[lesson project-0/a, from this project's own store]\n");
        let alone = advice(&[one]);
        assert_eq!(told_bytes(&alone, "user/a"), Some(alone.len()));
        let both = advice(&[one, two]);
        let parts = ["user/a", "project-0/a"].map(|lesson| told_bytes(&both, lesson).unwrap());
        assert_eq!(parts, [one, two].map(|block| block.len() + ADVICE_FRAME / 2));
        assert!(both.len() - parts.iter().sum::<usize>() <= 1, "half a byte is nobody's");
        assert_eq!(told_bytes(&both, "user/ab"), None);
        assert_eq!(told_bytes("the text [lesson user/a] in a sentence", "user/a"), None);
    }

    #[test]
    fn a_request_costs_by_what_it_reads_and_writes() {
        let usage = Usage { input: 100, output: 10, written: 40, written_for_an_hour: 0, read: 1000 };
        assert!((of_usage(&usage, 1.25) - 300.0).abs() < 1e-9);
    }
}
