//! What is done again in the way that a prompt names.

use lessons_shell::ProgramRole;
use lessons_shell::programs::{has_role, known};
use lessons_text::words::is_filler;

use crate::detect::command::Command;
use crate::tag::trigger::operands::is_option;

/// The shortest word of a prompt that counts, unless it names a program that everybody knows, in bytes.
pub(super) const SHORTEST: usize = 3;

/// The words of a text that may name a program, an option or an argument, in lower case.
pub(super) fn names(text: &str) -> impl Iterator<Item = String> {
    let of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let paths = text.split(move |c| c != '/' && !of_word(c)).filter(|word| word.contains('/'));
    let words = text.split(move |c| !of_word(c)).chain(paths);
    let words = words.map(|word| word.trim_matches(['.', ':']).to_ascii_lowercase());
    words.filter(|word| word.len() >= SHORTEST && !is_filler(word) || known(word).is_some())
}

/// Whether the second of two commands for one purpose begins with what the words name.
pub(super) fn is_switch(was: &Command, now: &Command, words: &[String]) -> bool {
    let names = |word: &str| words.iter().any(|own| own == word);
    // On a folder, and with an option, many programs run.
    let tells = |word: &&String| word.len() >= SHORTEST && !is_option(word);
    let shares = !now.subcommand.is_empty() && now.subcommand == was.subcommand
        || now.arguments.iter().filter(tells).any(|word| was.words()[1..].contains(&word.as_str()));
    let are_runners = [was, now].iter().all(|one| has_role(&one.program, ProgramRole::TaskRunner));
    let is_switched = if was.name == now.name {
        now.launcher.iter().any(|word| !was.launcher.contains(word) && names(word))
    } else {
        names(&now.name.to_lowercase()) && (shares || are_runners || names(&was.name))
    };
    is_switched && !was.inspects()
}

/// The words in which two commands of one program differ, one of each, where the prompt names both.
pub(super) fn other_form(was: &Command, now: &Command, words: &[String]) -> Option<[String; 2]> {
    if was.name != now.name || was.inspects() {
        return None;
    }
    let differs = |one: &Command, other: &Command| {
        let (own, others) = (one.words(), other.words());
        let mut new = own.into_iter().filter(|word| !others.contains(word));
        new.find(|word| words.contains(&word.to_lowercase())).map(str::to_owned)
    };
    Some([differs(was, now)?, differs(now, was)?])
}
