//! **What was taken back**: just after a prompt the agent undoes what it did just before it, or does it again the way that the
//! prompt names. Such a prompt says why, in whatever words and whatever language: `pnpm add zod` after `npm install zod` and
//! "no, pnpm"; `git checkout gen` after an edit there and "that comes out of buf".

mod again;
mod undone;

use super::aim::triggers::on_command;
use super::command::Command;
use super::draft::{Cleaner, Draft, name_of};
use super::history::{Event, Prompt, Step};
use super::spoken::{of_prompt, reason_for};
use super::statement::sentence::sentences;
use super::{Detector, Reason};
use crate::run::finding::RAN;
use crate::tag::trial::fires;
use crate::tag::trigger::{keep_quiet_on, of_program};
use again::{is_switch, names, other_form};
use undone::{UNDOING, taken_out, undoes};

/// The calls before the prompt, and after it, among which the two are looked for.
const SOON: usize = 3;
/// The calls before the prompt among which one that is undone is looked for.
const SOON_BEFORE: usize = 6;
/// The longest prompt that is about the calls before it, in characters.
const LONGEST: usize = 400;

/// How a call was taken back.
enum TakenBack<'e> {
    /// The second command does what the first did, and is started in the way that the prompt names.
    Started([&'e Command; 2]),
    /// It was undone, or done again without the first of these words and with the others.
    Words(Vec<String>),
}

/// Looks whether the last call takes back one from just before the last prompt.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(done), before) = events.split_last()? else { return None };
    let at = before.iter().rposition(|event| event.step().is_none())?;
    let (before, since) = before.split_at(at);
    let (Event::Typed(prompt), after) = since.split_first()? else { return None };
    if after.len() >= SOON || done.is_refused() || prompt.text.chars().nth(LONGEST).is_some() {
        return None;
    }
    let (step, how) = taken_back(done, prompt, before)?;
    // What is said in so many words is found without the calls, and what is pasted is nobody's wish.
    let said = sentences(&prompt.text);
    let is_own = !said.is_empty()
        && of_prompt(&prompt.origin, &prompt.text, said, before).is_none_or(|said| !said.is_strong);
    match how {
        _ if !is_own => None,
        TakenBack::Started([was, now]) => Some(draft(step, was, now, prompt)),
        TakenBack::Words(words) => reason_for(step, prompt, &words, before),
    }
}

/// The call before the prompt that this one takes back. Hardly any does, and the calls before are not parsed for the others.
fn taken_back<'e>(done: &'e Step, prompt: &Prompt, before: &'e [Event]) -> Option<(&'e Step, TakenBack<'e>)> {
    let just = |most| before.iter().rev().map_while(Event::step).take(most);
    if done.lazy_call.may_edit() {
        let mut edits = just(SOON).filter(|step| step.lazy_call.may_edit());
        let out = |step: &'e Step| Some((step, taken_out(step.call(), done.call(), &prompt.text)?));
        return edits.find_map(out).map(|(step, word)| (step, TakenBack::Words(vec![word])));
    }
    let words = prompt.names.get_or_init(|| names(&prompt.text).collect());
    if done.lazy_call.may_run(UNDOING) {
        let is_undone = |step: &&Step| done.commands().iter().any(|now| undoes(now, step, words));
        if let Some(step) = just(SOON_BEFORE).find(is_undone) {
            return Some((step, TakenBack::Words(Vec::new())));
        }
    }
    if !done.lazy_call.may_name(words) {
        return None;
    }
    let is_new = |now: &&Command| {
        let mut own = now.words().into_iter().chain([&*now.name]);
        !now.inspects() && own.any(|word| words.contains(&word.to_lowercase()))
    };
    let replaces = |now: &'e Command, was: &'e Command| match other_form(was, now, words) {
        _ if is_switch(was, now, words) => Some(TakenBack::Started([was, now])),
        words => words.map(|words| TakenBack::Words(words.into())),
    };
    done.commands().iter().filter(is_new).find_map(|now| {
        just(SOON).find_map(|step| {
            let how = step.commands().iter().find_map(|was| replaces(now, was))?;
            Some((step, how))
        })
    })
}

/// The draft of a program that is to be started in another way.
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
