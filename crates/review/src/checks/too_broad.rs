//! Candidates that would fire at too many of the past calls: narrowed, or marked.
//!
//! Triggers for calls that fail are narrowed: with the words of the failed call at which calls fail most surely. A scan sees
//! that `psql -U ann` failed, and not how often psql did well otherwise. The past calls say both. Of the patterns
//! that hold one of those words, the one counts whose calls fail most surely, by the lower bound of their share: one that
//! fired at two calls says less than one that fired at twenty. The bound has to lie above the share of the wide pattern, and
//! the narrow one has to fire at as many failed calls as were seen.

use lessons_context::{Context, Result};
use lessons_ledger::candidates::detector::Detector;
use lessons_ledger::{Candidate, Database, Doubt, Proposal};
use lessons_lesson::{Lesson, LessonId};
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::{Trigger, TriggerKind};
use lessons_publish::in_force;
use lessons_replay::{CallShare, ONE_IN};
use lessons_scanner::run::finding::FAILED;
use lessons_scanner::tag::trigger::{END_OF_PROGRAM, literal};
use lessons_text::counted;

use crate::candidates::promotion;
use crate::lookup;
use crate::trials::{MOST_LESSONS, MeasuredLesson, measure};

/// The name of the mark.
const FIRES_OFTEN: &str = "fires-often";
/// The longest word that tells what a failure is about, in bytes: a longer one is a text.
const LONGEST_TELLING: usize = 80;
/// The most patterns that are tried in the place of one.
const MOST_TEXTS: usize = 12;

/// The [waiting candidates](lookup::waiting_candidates), all of them tried.
pub fn waiting(context: &Context) -> Result<Vec<Candidate>> {
    // A trial that fails keeps nobody from deciding. The nightly run says why it fails.
    let _ = mark(context);
    lookup::waiting_candidates(context)
}

/// Replays what candidates propose over the sessions of this machine, and marks those that are too broad. Returns their
/// number.
pub fn mark(context: &Context) -> Result<usize> {
    let database = Database::open(&context.home)?;
    let mut untried = Vec::new();
    for candidate in database.untried_candidates()?.into_iter().filter(is_about_failures).take(MOST_LESSONS) {
        // A promotion says why it proposes nothing.
        let Ok(mut lesson) = promotion::proposed(context, &candidate) else { continue };
        lesson.id = LessonId::new(&format!("candidate-{}", candidate.id))?;
        untried.push((candidate, lesson));
    }
    let measured: Vec<_> =
        untried.iter().filter_map(|(_, lesson)| MeasuredLesson::of_user(context, lesson)).collect();
    if measured.is_empty() {
        return Ok(0);
    }
    let patterns = in_force::patterns(context);
    let shares = measure(context, &measured, &patterns)?;
    if shares.of.is_empty() {
        return Ok(0);
    }
    let share =
        |lesson: &Lesson| shares.of.iter().find(|(id, _)| id.id == lesson.id).map(|(_, share)| *share);
    let tried: Vec<Tried<'_>> =
        untried.iter().filter_map(|(candidate, lesson)| Some((candidate, lesson, share(lesson)?))).collect();
    let narrower = narrower(context, &tried, &patterns)?;
    let mut marked = 0;
    for ((candidate, lesson, wide), narrower) in tried.iter().zip(narrower) {
        let (proposal, share) = match narrower {
            Some((proposal, share)) => {
                database.propose_instead(&candidate.id, &proposal)?;
                (proposal, share)
            }
            None => (candidate.finding.proposal.clone(), *wide),
        };
        if share.is_too_broad() {
            let (mark, proposal) = judged(candidate, lesson, share, proposal);
            marked += usize::from(database.mark_candidate(&candidate.id, &mark, &proposal)?);
        }
    }
    for (candidate, _) in &untried {
        database.note_tried(&candidate.id)?;
    }
    Ok(marked)
}

/// Whether a candidate says that calls fail, rather than that a person wants them otherwise.
fn is_about_failures(candidate: &Candidate) -> bool {
    Detector::named(&candidate.finding.source).is_none_or(Detector::sees_failures)
}

/// What is said of so many marked candidates, in a sentence without its full stop.
pub fn words(marked: usize) -> String {
    let candidates = counted(marked, "candidate");
    format!(
        "{candidates} would fire at more than one in {ONE_IN} of the calls that went well, and will come last"
    )
}

/// The mark of a candidate that is too broad, and what is proposed for it from now on. What a detector proposed for one
/// project becomes a lesson for the start of its sessions. Triggers that somebody wrote down stay, and so do those of a
/// lesson for every project, which would be told at the start of all sessions.
fn judged(candidate: &Candidate, lesson: &Lesson, share: CallShare, proposal: Proposal) -> (Doubt, Proposal) {
    let is_detected = Detector::named(&candidate.finding.source).is_some();
    let (meaning, proposal) = if is_detected && !lesson.scope.projects.is_empty() {
        let meaning =
            format!("had a trigger that {share}, so it is proposed for the start of a session instead");
        (meaning, Proposal::default())
    } else {
        (format!("{share}; give it a narrower trigger"), proposal)
    };
    (Doubt { name: FIRES_OFTEN.to_owned(), meaning }, proposal)
}

/// A candidate, the lesson that it proposes, and the past calls at which that fires.
type Tried<'c> = (&'c Candidate, &'c Lesson, CallShare);

/// What some candidates propose instead, and the past calls at which that fires, in their order. `None` where nothing narrower
/// is surer.
fn narrower(
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
        let triggers = vec![Trigger::new(TriggerKind::CommandPattern, with_text(&wide.pattern, &text))];
        Some(Lesson { id, triggers, ..(*lesson).clone() })
    });
    forms.collect()
}

/// A pattern for the calls of a wide one that have a text too.
fn with_text(wide: &str, text: &str) -> String {
    // One blank is enough behind the name of a program.
    let start = wide.strip_suffix(END_OF_PROGRAM).unwrap_or(wide);
    format!(r"{start}\s(?:[^\n;&|]*\s)?{}", literal(text))
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
    use lessons_pattern::prepared::regex_of;
    use lessons_scanner::tag::trigger::of_program;

    use super::*;

    #[test]
    fn a_trigger_on_a_whole_program_is_narrowed_behind_one_blank() {
        for wide in [of_program("psql"), literal("psql")] {
            let narrow = regex_of(TriggerKind::CommandPattern, &with_text(&wide, "-U ann")).unwrap();
            assert!(narrow.is_match("psql -U ann") && narrow.is_match("psql -h a -U ann b"), "{wide}");
            assert!(!narrow.is_match("psql -U bob") && !narrow.is_match("psql; ls -U ann"), "{wide}");
        }
    }

    #[test]
    fn words_and_options_with_values_tell_what_failed() {
        let line = "ssh host \"psql -U ann -c \\\"SELECT 1\\\"\" | head -3";
        assert_eq!(telling_texts(line, "psql"), ["-U", "ann", "-c", "-U ann"]);
        assert_eq!(telling_texts("npm test", "psql"), [""; 0]);
    }
}
