//! **Repeated demand**: what a person asks for in session after session, in whatever words.
//!
//! No mistake is needed: who says "commit and update the changelog" in three sessions would rather not say it in the
//! fourth. Some forms show that a demand is about the way of working and not about the work of the day: several things
//! are asked for in one breath, an occasion is named ("run the linter before you stop") or how to answer ("keep it
//! short").

use lessons_ledger::Proposal;
use lessons_text::words::{is_filler, is_significant};

use super::aim::acts;
use super::aim::triggers::{command_trigger, with_trigger};
use super::command::options::lists;
use super::draft::{Cleaner, Draft};
use super::history::line_origin::LineOrigin;
use super::statement::phrases::{PhraseKind, said};
use super::statement::sentence::Sentence;
use super::statement::tools;
use super::{Detector, Reason};
use crate::tag::trigger::literal;
use crate::tag::trigger::operands::is_option;

/// The fewest and the most telling words of a demand. With more it is the work itself.
const FEWEST_WORDS: usize = 2;
const MOST_WORDS: usize = 9;
/// What joins two things that are asked for, besides a comma.
const JOINTS: &str = "and then & + y luego e et puis und dann и 然后 그리고";
/// Words before an occasion, and words about answers.
const STANDING: &str =
    "after before each every per whenever answer answers brief briefly concise reply replies short shorter";

/// Looks for a demand in a prompt.
pub(super) fn of_prompt<'e>(
    origin: &'e LineOrigin,
    text: &str,
    sentences: &[Sentence<'_>],
) -> Option<Draft<'e>> {
    let mut cleaner = Cleaner::default();
    // Without secrets, since a trigger is made of it.
    let demand = cleaner.told(joined(sentences)?.core);
    let proposal = Sentence::read(&demand).map(|clean| at_last_act(&clean)).unwrap_or_default();
    let fix = cleaner.told(demand.trim_end_matches(['.', '!', '?', ' ']));
    let quoted = cleaner.quoted(text);
    Some(Draft {
        order: 0,
        detector: Detector::Demand,
        origin,
        key: fix.to_lowercase(),
        is_strong: false,
        mistake: format!("The user asks for it again and again: \"{quoted}\""),
        fix,
        trigger: None,
        tools: Vec::new(),
        proposal,
        evidence: vec![format!("the user: {quoted}")],
        basis: vec![Reason::new(55, "the user asked for the same in several sessions")],
        cleaner,
    })
}

/// Whether somebody wants something, and does not ask, doubt or tell of what is done.
fn counts(sentence: &Sentence<'_>) -> bool {
    const TELLS: &str = "all are ça danke did gracias grazie i i'm i've i'll is it merci my no obrigada obrigado our that \
         the there we what whats you your спасибо";
    let first = sentence.words.first().map_or("", String::as_str);
    !lists(TELLS, first)
        && !first.ends_with("ed")
        && !sentence.is_question
        && !said(&sentence.line).iter().any(|said| said.kind == PhraseKind::Unsure)
}

/// A short prompt that asks for several things at once, for one at an occasion, or for a kind of answer.
fn joined<'s, 't>(sentences: &'s [Sentence<'t>]) -> Option<&'s Sentence<'t>> {
    let [sentence] = sentences else { return None };
    // A page is another one each time, and a command was typed to be run.
    if sentence.core.contains("://") || sentence.words.iter().any(|word| is_option(word)) {
        return None;
    }
    let is_joint = |word: &String| lists(JOINTS, word);
    let telling = sentence.words.iter().filter(|word| is_significant(word) && !is_joint(word));
    // Nearly every prompt is longer than a demand.
    let words = telling.take(MOST_WORDS + 1).count();
    // "Parfait, continue" asks for nothing, and what names a path is the work of the day.
    let names = |word: &String| acts::is_of_act(word) || tools::is_command(word) || lists(STANDING, word);
    let is_of_path = |word: &String| word.contains('/') && word.contains('.');
    let is_work = words <= FEWEST_WORDS && !sentence.words.iter().any(names);
    if is_work || sentence.words.iter().any(is_of_path) {
        return None;
    }
    let is_joined = sentence.words.iter().any(|word| is_joint(word) || lists(STANDING, word))
        || sentence.line.trim_end_matches([' ', ',']).contains(" , ");
    let is_demand = is_joined && (FEWEST_WORDS..=MOST_WORDS).contains(&words) && counts(sentence);
    is_demand.then_some(sentence)
}

/// The trigger on the last act that is asked for, where the command lacks what goes before it.
fn at_last_act(sentence: &Sentence<'_>) -> Proposal {
    let Some(act) = acts::named(&sentence.words).find(|act| act.is_run()) else { return Proposal::default() };
    // "Commit and update the changelog when you are done."
    let is_act = |word: &str| acts::is_of_act(word) || lists(JOINTS, word) || word == "done";
    let object = sentence.words.iter().rev().find(|word| !is_filler(word) && !is_act(word));
    let unless = object.map(|object| command_trigger(format!("(?i){}", literal(object))));
    Proposal { unless: unless.into_iter().collect(), ..with_trigger(act.trigger()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::statement::sentence::sentences;

    fn demand(prompt: &str) -> Option<String> {
        joined(&sentences(prompt)).map(|sentence| sentence.core.to_owned())
    }

    #[test]
    fn several_things_in_one_breath_are_a_demand() {
        for prompt in [
            "commit and update the changelog",
            "bump version, install and retest",
            "actualiza el módulo y pruébalo",
            "format the files before you stop",
            "be concise in your reply",
        ] {
            assert_eq!(demand(prompt).as_deref(), Some(prompt));
        }
    }

    #[test]
    fn the_work_itself_is_none() {
        for prompt in [
            "commit everything",
            "rename the button",
            "look at it with fresh eyes",
            "draw the menu screen",
            "why did you commit and update the changelog?",
            "maybe commit and update the changelog",
            "see https://example.org and fix it",
            "npm test -- --watch and then wait",
            "I pushed it and amended the commit",
            "do it with src/a.rs",
            "fix the first and the second and the third of the seven open points of the long list of yesterday",
        ] {
            assert_eq!(demand(prompt), None, "{prompt}");
        }
    }

    #[test]
    fn the_act_is_as_it_should_be_where_the_command_names_the_object() {
        let sentence = Sentence::read("commit and update the changelog when you are done").unwrap();
        let fires = |command| crate::tag::trial::fires(&at_last_act(&sentence), command);
        assert_eq!(fires("git commit -m x"), Some(true));
        assert_eq!(fires("git add CHANGELOG.md && git commit -m x"), Some(false));
        let first = Sentence::read("before you stop, commit and update the changelog").unwrap();
        let command = "git add CHANGELOG.md && git commit -m x";
        assert_eq!(crate::tag::trial::fires(&at_last_act(&first), command), Some(false));
    }
}
