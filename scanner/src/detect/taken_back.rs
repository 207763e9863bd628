//! **What was taken back**: just after a prompt the agent undoes what it did just before it, or does it again the way that the
//! prompt names: `pnpm add zod` after `npm install zod` and "no, pnpm"; `git checkout gen` after an edit there and "why there? that
//! comes out of buf". Such a prompt says why. Where it names no other program it has to be a question, or to have a word for how
//! things are done: much is undone because of a better idea.

mod again;
mod undone;

use super::aim::triggers::on_command;
use super::command::Command;
use super::command::options::lists;
use super::draft::{Cleaner, Draft, name_of};
use super::history::{Event, Prompt, Step};
use super::spoken::{of_prompt, reason_for};
use super::statement::sentence::{Sentence, sentences};
use super::statement::statement;
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
/// The most simple commands of a call that are compared.
const MOST_COMMANDS: usize = 16;
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
    if after.len() >= SOON || !done.is_done() || prompt.text.chars().nth(LONGEST).is_some() {
        return None;
    }
    let (step, how) = taken_back(done, prompt, before)?;
    // What is said in so many words is found without the calls, and what is pasted is nobody's wish.
    let said = sentences(&prompt.text);
    if said.is_empty() || step.line().is_some() && said.iter().any(goes_on) {
        return None;
    }
    let turns = said.iter().any(|sentence| sentence.is_question);
    if of_prompt(&prompt.origin, &prompt.text, said, before).is_some_and(|draft| draft.is_strong) {
        return None;
    }
    match how {
        TakenBack::Started([was, now]) => Some(draft(step, was, now, prompt)),
        // "Staging is fine, deploy to production" is the next order, and many an edit is replaced by a better idea.
        TakenBack::Words(_) if !turns && !states(prompt) => None,
        TakenBack::Words(words) => reason_for(step, prompt, &words, before),
    }
}

/// Whether a prompt says in words of the table how things are to be done.
fn states(prompt: &Prompt) -> bool {
    statement(sentences(&prompt.text), &|_| false).is_some()
}

/// Whether a sentence says what comes next.
fn goes_on(sentence: &Sentence<'_>) -> bool {
    const NEXT: &str = "now then next jetzt dann ahora luego agora depois maintenant ensuite теперь потом";
    let openers = sentence.text.strip_suffix(sentence.core).unwrap_or_default().to_lowercase();
    sentence.begins_with(NEXT) || openers.split(|c: char| !c.is_alphabetic()).any(|word| lists(NEXT, word))
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
        let is_undone =
            |step: &&Step| done.commands().iter().take(MOST_COMMANDS).any(|now| undoes(now, step, words));
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
    let replaces = |now: &'e Command, was: &'e Command| {
        if is_switch(was, now, words) {
            return Some(TakenBack::Started([was, now]));
        }
        other_form(was, now, words).map(|words| TakenBack::Words(words.into()))
    };
    done.commands().iter().take(MOST_COMMANDS).filter(is_new).find_map(|now| {
        just(SOON).find_map(|step| {
            let how = step.commands().iter().take(MOST_COMMANDS).find_map(|was| replaces(now, was))?;
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
