//! Narrower triggers for calls that fail: with the words of the failed call at which calls fail most surely.
//!
//! A scan sees that `psql -U ann` failed, and not how often psql did well otherwise. The past calls say both. Of the patterns
//! that hold one of those words, the one counts whose calls fail most surely, by the lower bound of their share: one that
//! fired at two calls says less than one that fired at twenty. The bound has to lie above the share of the wide pattern, and
//! the narrow one has to fire at as many failed calls as were seen.

use lessons_context::{Context, Result};
use lessons_ledger::detector::Detector;
use lessons_ledger::{Candidate, Proposal};
use lessons_lesson::{Lesson, LessonId};
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::{Trigger, TriggerKind};
use lessons_replay::CallShare;
use lessons_scanner::run::finding::FAILED;
use lessons_scanner::tag::trigger::literal;

use super::measured::{MeasuredLesson, measure};

/// The longest word that tells what a failure is about, in bytes: a longer one is a text.
const LONGEST_TELLING: usize = 80;
/// The most patterns that are tried in the place of one.
const MOST_TEXTS: usize = 12;

/// A candidate, the lesson that it proposes, and the past calls at which that fires.
pub(super) type Tried<'c> = (&'c Candidate, &'c Lesson, CallShare);

/// What some candidates propose instead, and the past calls at which that fires, in their order. `None` where nothing narrower
/// is surer.
pub(super) fn narrower(
    context: &Context,
    tried: &[Tried<'_>],
    patterns: &Patterns,
) -> Result<Vec<Option<(Proposal, CallShare)>>> {
    let forms = |(at, tried)| forms_of(tried).into_iter().map(move |form| (at, form));
    let lessons: Vec<(usize, Lesson)> = tried.iter().enumerate().flat_map(forms).collect();
    let measured = lessons.iter().filter_map(|(_, lesson)| MeasuredLesson::of_user(context, lesson));
    let measured = measure(context, &measured.collect::<Vec<_>>(), patterns)?;
    let mut best: Vec<Option<(Proposal, CallShare)>> = vec![None; tried.len()];
    for (id, share) in measured.of {
        let Some((at, lesson)) = lessons.iter().find(|(_, lesson)| lesson.id == id.id) else { continue };
        let (candidate, _, wide) = &tried[*at];
        let surest = best[*at].as_ref().map_or(wide.failing(), |(_, share)| share.surely_failing());
        let keeps_calls = share.failed as u64 >= candidate.seen.min(wide.failed as u64);
        if keeps_calls && share.surely_failing() > surest {
            let proposal =
                Proposal { triggers: lesson.triggers.clone(), ..candidate.finding.proposal.clone() };
            best[*at] = Some((proposal, share));
        }
    }
    Ok(best)
}

/// The lesson with a narrower trigger each, where calls of the wide one go well more often than not.
fn forms_of((candidate, lesson, share): &Tried<'_>) -> Vec<Lesson> {
    let found = &candidate.finding;
    let is_failure = Detector::named(&found.source) == Some(Detector::Repetition);
    let ([wide], Some(command), true) = (lesson.triggers.as_slice(), &found.trigger, is_failure) else {
        return Vec::new();
    };
    if wide.kind != TriggerKind::CommandPattern || share.failed == 0 || share.fired <= share.failed {
        return Vec::new();
    }
    let failed = found.evidence.iter().find_map(|line| line.strip_prefix(FAILED)).unwrap_or(command);
    let program = command.split_whitespace().next().unwrap_or_default();
    let texts = telling_texts(failed, program).into_iter().enumerate();
    let forms = texts.filter_map(|(number, text)| {
        let id = LessonId::new(&format!("{}-{number}", lesson.id)).ok()?;
        let pattern = format!(r"{}\s(?:[^\n;&|]*\s)?{}", wide.pattern, literal(&text));
        let triggers = vec![Trigger::new(TriggerKind::CommandPattern, pattern)];
        Some(Lesson { id, triggers, ..(*lesson).clone() })
    });
    forms.collect()
}

/// The words after a program in a failed line, and its options with the words after them.
fn telling_texts(failed: &str, program: &str) -> Vec<String> {
    let after = failed.split_once(program).map_or("", |(_, after)| after);
    let ends = |word: &&str| !word.contains(['|', ';', '&', '<', '>']);
    let words = after.split_whitespace().take_while(ends);
    let words: Vec<&str> = words.map(|word| word.trim_matches(['"', '\''])).collect();
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\');
    let is_telling = |word: &&str| (2..=LONGEST_TELLING).contains(&word.len()) && word.bytes().all(is_plain);
    let with_value = |pair: &&[&str]| pair[0].starts_with('-') && !pair[1].starts_with('-');
    let pairs = words.windows(2).filter(with_value).filter(|pair| pair.iter().all(&is_telling));
    let pairs = pairs.map(|pair| pair.join(" "));
    let telling = words.iter().filter(|word| is_telling(word)).map(|word| (*word).to_owned());
    telling.chain(pairs).take(MOST_TEXTS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_options_with_values_tell_what_failed() {
        let line = "ssh host \"psql -U ann -c \\\"SELECT 1\\\"\" | head -3";
        assert_eq!(telling_texts(line, "psql"), ["-U", "ann", "-c", "-U ann"]);
        assert_eq!(telling_texts("npm test", "psql"), [""; 0]);
    }
}
