//! **What was named and then done**: the word that a prompt and the call after it share, and that a call just before lacked, says
//! what the person meant, in whatever words and whatever language: `pnpm add zod` after `npm install zod` and "no, pnpm".

use lessons_shell::ProgramRole;
use lessons_shell::programs::{has_role, known};
use lessons_text::words::is_filler;

use super::aim::just_ran;
use super::aim::triggers::on_command;
use super::command::Command;
use super::draft::{Cleaner, Draft, name_of};
use super::history::{Event, Prompt, Step};
use super::spoken::PASSING;
use super::statement::sentence::sentences;
use super::statement::{StatementKind, statement};
use super::{Detector, Reason};
use crate::run::finding::RAN;
use crate::tag::trial::fires;
use crate::tag::trigger::{keep_quiet_on, of_program};

/// The calls before the prompt, and after it, among which the two of a correction are looked for.
const SOON: usize = 3;
/// The shortest name of what takes the place of something else, unless everybody knows it, in bytes.
const SHORTEST: usize = 3;

/// Looks whether the last call has what the last prompt names, and one just before that had something else in its place.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(done), before) = events.split_last()? else { return None };
    let at = before.iter().rposition(|event| event.step().is_none())?;
    let (Event::Typed(prompt), after) = before.get(at..)?.split_first()? else { return None };
    if after.len() >= SOON || done.is_refused() || prompt.text.chars().nth(PASSING).is_some() {
        return None;
    }
    let words: Vec<String> = names(&prompt.text).collect();
    // Hardly any call runs what somebody has just named.
    if !done.lazy_call.may_begin_with(&words) {
        return None;
    }
    // Hardly any is, and the calls before are not parsed for the others.
    let is_named = |now: &&Command| {
        let mut starts = now.launcher.iter().chain([&now.name]);
        starts.any(|word| words.contains(&word.to_lowercase())) && !now.inspects()
    };
    let just = || before[..at].iter().rev().map_while(Event::step).take(SOON);
    let switch = |now| {
        let mut pairs = just().flat_map(|step| step.commands().iter().map(move |was| (step, was)));
        Some((pairs.find(|(_, was)| is_switch(was, now, &words))?, now))
    };
    let ((step, was), now) = done.commands().iter().filter(is_named).find_map(switch)?;
    // What is said in so many words is found without the calls, and what is pasted is nobody's wish.
    let said = sentences(&prompt.text);
    let is_own = !said.is_empty()
        && statement(said, &|word| just_ran(just(), word))
            .is_none_or(|said| said.kind == StatementKind::Custom);
    is_own.then(|| draft(step, was, now, prompt))
}

/// The words of a text that may name a program or an option, in lower case.
fn names(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    let words = words.map(|word| word.trim_matches('.').to_ascii_lowercase());
    words.filter(|word| word.len() >= SHORTEST && !is_filler(word) || known(word).is_some())
}

/// Whether the second of two commands for one purpose begins with what the words name.
fn is_switch(was: &Command, now: &Command, words: &[String]) -> bool {
    let names = |word: &str| words.iter().any(|own| own == word);
    let shares = now.words().iter().skip(1).any(|word| was.words()[1..].contains(word));
    let are_runners = [was, now].iter().all(|one| has_role(&one.program, ProgramRole::TaskRunner));
    let is_switched = if was.name == now.name {
        now.launcher.iter().any(|word| !was.launcher.contains(word) && names(word))
    } else {
        names(&now.name.to_lowercase()) && (shares || are_runners || names(&was.name))
    };
    is_switched && !was.inspects()
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
