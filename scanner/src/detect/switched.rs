//! **What was named and then run**: after a prompt the agent makes a call again with another program, which the prompt names, in
//! whatever words and whatever language: `pnpm add zod` after `npm install zod` and "no, pnpm".

use lessons_shell::ProgramRole;
use lessons_shell::programs::{has_role, known};
use lessons_text::words::is_filler;

use super::aim::triggers::on_command;
use super::command::Command;
use super::command::options::{holds, lists};
use super::draft::{Cleaner, Draft, name_of};
use super::history::{Event, Prompt, Step};
use super::spoken::{PASSING, of_prompt};
use super::statement::sentence::{Sentence, sentences};
use super::{Detector, Reason};
use crate::run::finding::RAN;
use crate::tag::trial::fires;
use crate::tag::trigger::operands::is_option;
use crate::tag::trigger::{keep_quiet_on, of_program};

/// The calls before the prompt, and after it, among which the two are looked for.
const SOON: usize = 3;
/// The most simple commands of a call that are compared.
const MOST_COMMANDS: usize = 16;
/// The shortest name of what takes the place of something else, unless everybody knows it, in bytes.
const SHORTEST: usize = 3;

/// Looks whether the last call is one from just before the last prompt, started in the way that the prompt names.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(done), before) = events.split_last()? else { return None };
    let at = before.iter().rposition(|event| event.step().is_none())?;
    let (before, since) = before.split_at(at);
    let (Event::Typed(prompt), after) = since.split_first()? else { return None };
    if after.len() >= SOON || !done.is_done() || prompt.text.chars().nth(PASSING).is_some() {
        return None;
    }
    let words: Vec<String> = names(&prompt.text).collect();
    // Hardly any call runs what somebody has just named, and the calls before are not parsed for the others.
    if !done.lazy_call.may_name(&words) {
        return None;
    }
    let just = || before.iter().rev().map_while(Event::step).take(SOON);
    // What runs the other program as well takes nothing's place.
    let is_gone = |was: &Command| {
        done.commands().iter().all(|now| now.name != was.name || now.launcher != was.launcher)
    };
    let switch = |now| {
        just().find_map(|step| {
            let mut ran = step.commands().iter().take(MOST_COMMANDS);
            let was = ran.find(|was| is_switch(was, now, &words) && is_gone(was))?;
            Some((step, was, now))
        })
    };
    let (step, was, now) = done.commands().iter().take(MOST_COMMANDS).find_map(switch)?;
    let said = sentences(&prompt.text);
    // What is pasted is nobody's wish, and "great, now run pytest" is the next order.
    let is_named = |sentence: &&Sentence<'_>| {
        let mut starts = now.launcher.iter().chain([&now.name]);
        starts.any(|word| {
            holds(&sentence.text.to_lowercase(), &word.to_lowercase(), |c| c.is_ascii_alphanumeric())
        })
    };
    if said.iter().find(is_named).is_none_or(goes_on) {
        return None;
    }
    // What is said in so many words is found without the calls.
    let is_said = of_prompt(&prompt.origin, &prompt.text, said, before).is_some_and(|draft| draft.is_strong);
    (!is_said).then(|| draft(step, was, now, prompt))
}

/// The words of a text that may name a program, in lower case.
fn names(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    let words = words.map(|word| word.trim_matches('.').to_ascii_lowercase());
    words.filter(|word| word.len() >= SHORTEST && !is_filler(word) || known(word).is_some())
}

/// Whether the second of two commands for one purpose begins with what the words name.
fn is_switch(was: &Command, now: &Command, words: &[String]) -> bool {
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
    is_switched && !was.inspects() && !now.inspects()
}

/// Whether a sentence says what comes next.
fn goes_on(sentence: &Sentence<'_>) -> bool {
    const NEXT: &str = "now then next jetzt dann ahora luego agora depois maintenant ensuite теперь потом";
    let openers = sentence.text.strip_suffix(sentence.core).unwrap_or_default().to_lowercase();
    sentence.begins_with(NEXT) || openers.split(|c: char| !c.is_alphabetic()).any(|word| lists(NEXT, word))
}

fn draft<'e>(step: &'e Step, was: &Command, now: &Command, prompt: &'e Prompt) -> Draft<'e> {
    let start = |one: &Command| {
        let launcher = one.launcher.iter().map(String::as_str).filter(|_| was.name == now.name);
        launcher.chain([one.typed_program()]).collect::<Vec<_>>().join(" ")
    };
    let mut cleaner = Cleaner::default();
    let [old, new] = [was, now].map(|one| cleaner.told(&start(one)));
    let [was, now] = [was, now].map(|one| cleaner.told(&one.text));
    let mut proposal = on_command(of_program(&old));
    if fires(&proposal, &now) == Some(true) {
        keep_quiet_on(&now, &was, &mut proposal);
    }
    let (ran, said) = (name_of(step, &mut cleaner), cleaner.quoted(&prompt.text));
    Draft {
        order: 0,
        detector: Detector::Correction,
        origin: &prompt.origin,
        key: format!("{old} {new}"),
        is_strong: true,
        mistake: format!("{ran} ran, and the user said: \"{said}\""),
        fix: format!("Use `{new}`, not `{old}`"),
        trigger: Some(was),
        tools: Vec::new(),
        proposal,
        evidence: vec![format!("{RAN}{ran}"), format!("the user: {said}")],
        basis: vec![Reason::new(65, "the user named it, and the next call was made with it")],
        cleaner,
    }
}
