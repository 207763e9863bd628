//! **Wishes that the next call explains**: "remember to use pagination" names no call, but right after it a command is
//! run again, and with `--paginate`.
//!
//! The wish alone is found by [`super::spoken`] when it is typed, as a lesson for the start of a session. What is found
//! here takes its place: the same words, with a trigger for the command without the option.

use lessons_ledger::candidates::Proposal;

use super::command::{Command, option_name};
use super::draft::{Cleaner, Draft};
use super::history::{Event, Step};
use super::sentence::sentences;
use super::statement::statement;
use super::statement_kind::Occasion;
use super::{contrast, difference, spoken};
use crate::tag::trial::tried;

/// The most calls after a wish that may show what it is about.
const SOON: usize = 2;
/// The most calls before it of which one may be run again.
const JUST_DONE: usize = 4;
/// The fewest letters in which the name of an option and a word that stands for it begin alike.
const SHORTEST_STEM: usize = 5;
/// The most letters of the shorter of the two behind that.
const LONGEST_END: usize = 2;

/// Looks for a wish that the last event explains.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(next), before) = events.split_last()? else { return None };
    let at = before.iter().rposition(|event| matches!(event, Event::Typed(_)))?;
    let Event::Typed(prompt) = before.get(at)? else { return None };
    if before.len() - at > SOON || !next.is_done() || !next.came_after(prompt.origin.offset) {
        return None;
    }
    let before = &before[..at];
    let done = next.command()?;
    let steps = before.iter().rev().map_while(Event::step).take(JUST_DONE);
    let failed = steps.filter_map(Step::command).find(|command| command.about() == done.about())?;
    let wish = statement(sentences(&prompt.text), Occasion::Prompt)?;
    let mut draft = spoken::draft(&wish, &prompt.text, &prompt.origin, None, before);
    if !draft.proposal.triggers.is_empty() {
        return None;
    }
    draft.proposal = explained(failed, done, &wish.wanted, &mut draft.cleaner)?;
    Some(draft)
}

/// The triggers for a command without the option that these words ask for. `None` where the two commands differ in
/// something else.
fn explained(failed: &Command, done: &Command, words: &[String], cleaner: &mut Cleaner) -> Option<Proposal> {
    let (failed, done) = (cleaner.command(failed)?, cleaner.command(done)?);
    let difference = difference::between(&failed, &done)?;
    let asks_for = |part: &String| words.iter().any(|word| stands_for(word, option_name(part)));
    if difference.is_of_start || !difference.added.iter().any(asks_for) {
        return None;
    }
    let proposal = contrast::proposal(&failed, &done, &difference);
    Some(tried(proposal, &failed.text, &done.text)).filter(|proposal| !proposal.triggers.is_empty())
}

/// Whether a word says what an option says: `pagination` for `--paginate`, `verbosely` for `--verbose`.
fn stands_for(word: &str, option: &str) -> bool {
    let Some(name) = option.strip_prefix("--") else { return false };
    let common = word.bytes().zip(name.bytes()).take_while(|(one, other)| one == other).count();
    common >= SHORTEST_STEM && common + LONGEST_END >= word.len().min(name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_for_an_option_that_begins_like_it() {
        for (word, option) in [
            ("pagination", "--paginate"),
            ("verbosely", "--verbose"),
            ("verification", "--verify"),
            ("coverage", "--cover"),
            ("recursive", "--recursive"),
        ] {
            assert!(stands_for(word, option), "{word} {option}");
        }
        for (word, option) in [
            ("page", "--paginate"),
            ("verbose", "-v"),
            ("version", "--verbose"),
            ("tests", "--test"),
            ("", "--"),
        ] {
            assert!(!stands_for(word, option), "{word} {option}");
        }
    }

    fn explained_by(failed: &str, done: &str, wish: &str) -> Option<Proposal> {
        let words: Vec<String> = wish.split(' ').map(str::to_owned).collect();
        let read = |text: &str| Command::read(text).expect("a command");
        explained(&read(failed), &read(done), &words, &mut Cleaner::default())
    }

    #[test]
    fn the_command_without_the_option_is_what_the_wish_is_about() {
        let (without, with) =
            ("gh api repos/o/r/pulls/7/comments", "gh api repos/o/r/pulls/7/comments --paginate");
        let found = explained_by(without, with, "remember to use pagination").expect("a proposal");
        assert!(found.triggers[0].pattern.contains("/comments"), "{found:?}");
        assert!(found.unless[0].pattern.ends_with(r"--paginate\b"), "{found:?}");
        assert_eq!(explained_by(without, with, "remember to be polite"), None);
        assert_eq!(explained_by(with, without, "remember to use pagination"), None, "the option is gone");
        let elsewhere = "cd web && gh api repos/o/r/pulls/7/comments --paginate";
        assert_eq!(explained_by(without, elsewhere, "use pagination"), None, "it began in another folder");
    }
}
