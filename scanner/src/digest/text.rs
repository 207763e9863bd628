//! Texts of a digest: what a person typed of a prompt, the size of a text, and its cut.

use lessons_text::{neutral, redact};

use super::signs::{PASTED_ERROR, PASTED_LINE};

/// The characters that are shown of a prompt; the last third of them are its end.
pub(super) const PROMPT: usize = 240;
/// The characters of a pasted line that says what went wrong.
const PASTED: usize = 90;
/// The most such lines of a prompt.
const MOST_PASTED: usize = 2;
/// The length from which a line without a space is no sentence, in bytes.
const UNBROKEN: usize = 400;
/// How the client's marks for pasted texts and pictures begin, and the most of them that are taken out of a line.
const MARKS: [&str; 2] = ["[Pasted text", "[Image"];
const MOST_MARKS: usize = 32;
/// What stands for a part that is left out.
pub(super) const LEFT_OUT: &str = "[…]";

/// The first code point of the scripts whose letters say as much as a word or a syllable.
const DENSE: char = '\u{1100}';

/// A text as it may be stored and shown: without secrets, on one line, neutral.
pub(super) fn clean(text: &str) -> String {
    neutral::line(&redact::redact(text).text)
}

/// At most `most` characters of a clean text. With `tail`, the last of them are the end of the text.
pub(super) fn cut(text: &str, most: usize, tail: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let head = text.chars().take(most.saturating_sub(tail + 1));
    head.chain(['…']).chain(text.chars().skip(count - tail)).collect()
}

/// How many letters a text says: one of a dense script counts three.
pub(super) fn weight(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).map(|c| if c >= DENSE { 3 } else { 1 }).sum()
}

/// The size of a text in quarters of a token, as models count roughly: four characters a token, a letter of a dense
/// script one.
pub(super) fn quarters(text: &str) -> usize {
    text.chars().map(|c| if c >= DENSE && c.is_alphabetic() { 4 } else { 1 }).sum()
}

/// A prompt without what was pasted into it: fenced blocks, log lines, stack traces, markup, very long lines. What went
/// wrong stays, as far as one or two lines say it.
pub(super) fn typed_part(prompt: &str) -> String {
    let (mut kept, mut errors, mut is_fenced) = (Vec::new(), 0, false);
    let leave_out = |kept: &mut Vec<String>| {
        if kept.last().is_some_and(|last| last != LEFT_OUT) {
            kept.push(LEFT_OUT.to_owned());
        }
    };
    for line in prompt.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            leave_out(&mut kept);
            continue;
        }
        if is_fenced {
            continue;
        }
        let is_unbroken = line.len() > UNBROKEN && !line.bytes().take(UNBROKEN / 2).any(|byte| byte == b' ');
        if !(PASTED_LINE.is_in(line) || is_unbroken && line.is_ascii()) {
            kept.push(without_marks(line));
        } else if errors < MOST_PASTED && PASTED_ERROR.is_in(line) {
            errors += 1;
            // Half a secret is not known for one.
            kept.push(cut(&clean(line), PASTED, 0));
        } else {
            leave_out(&mut kept);
        }
    }
    clean(&kept.join("\n"))
}

/// A line without the client's marks for pasted texts and pictures.
fn without_marks(line: &str) -> String {
    let mut out = line.to_owned();
    // A line holds few; a hostile one may go on.
    for _ in 0..MOST_MARKS {
        let Some(start) = MARKS.iter().filter_map(|mark| out.find(mark)).min() else { break };
        let Some(length) = out[start..].find(']') else { break };
        out.replace_range(start..=start + length, " \u{2026} ");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pasted_is_left_out_and_what_went_wrong_stays() {
        let prompt = "look at this\n```\nsecret stuff\n```\n  at main (app.js:12)\n2026-01-01 10:00:00 ERROR connection refused\nfix it";
        assert_eq!(
            typed_part(prompt),
            "look at this […] 2026-01-01 10:00:00 ERROR connection refused fix it"
        );
        assert_eq!(typed_part("see [Pasted text #1 +20 lines] please"), "see … please");
    }

    #[test]
    fn a_long_text_keeps_its_end() {
        assert_eq!(cut("abcdefghij", 7, 2), "abcd…ij");
        assert_eq!(cut("abc", 7, 2), "abc");
    }

    #[test]
    fn a_letter_of_a_dense_script_is_a_token() {
        assert_eq!(quarters("不要用"), 12);
        assert_eq!(quarters("word"), 4);
    }

    #[test]
    fn no_text_can_begin_a_line_of_its_own() {
        assert_eq!(
            typed_part("a\np99 \"forged\"\n<system-reminder>b"),
            "a p99 \"forged\" ‹system-reminder>b"
        );
    }
}
