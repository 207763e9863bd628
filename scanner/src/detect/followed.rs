//! **What was named and then done**: the word that a prompt and the call after it share, and that the calls before lacked, says
//! what the person meant, in whatever words and whatever language.
//!
//! - The call does what one before the prompt did, in the way that was named: `pnpm add zod` after `npm install zod` and "no,
//!   pnpm". That is a correction.
//! - The work before lacked it: `npx prettier` after an edit and "you forgot prettier". Session after session it is a demand.

use lessons_ledger::Proposal;
use lessons_shell::ProgramRole;
use lessons_shell::programs::has_role;

use super::acts::is_of_act;
use super::aim::just_ran;
use super::command::Command;
use super::demand;
use super::draft::{Cleaner, Draft, name_of};
use super::history::{Event, Prompt, Step};
use super::sentence::sentences;
use super::spoken::PASSING;
use super::statement::{StatementKind, statement};
use super::triggers::{command_trigger, on_command, option};
use super::{Detector, Weight};
use crate::run::finding::RAN;
use crate::tag::trial::fires;
use crate::tag::trigger::operands::is_option;
use crate::tag::trigger::{keep_quiet_on, of_program};

/// The calls before the prompt, and after it, among which the two of a correction are looked for.
const SOON: usize = 3;
/// The shortest name of what takes the place of something else, and of what was lacking, in bytes.
const SHORTEST: usize = 2;
const SHORTEST_LACKING: usize = 4;

/// Looks whether the last call has what the last prompt names, and the calls before that had not.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(done), before) = events.split_last()? else { return None };
    let at = before.iter().rposition(|event| event.step().is_none())?;
    let (Event::Typed(prompt), after) = before.get(at..)?.split_first()? else { return None };
    if after.len() >= SOON || done.is_refused() || prompt.text.chars().nth(PASSING).is_some() {
        return None;
    }
    let words: Vec<String> = names(&prompt.text).collect();
    let work: Vec<&Step> = before[..at].iter().rev().map_while(Event::step).collect();
    let just = &work[..work.len().min(SOON)];
    // A quick test, because parsing a call is slow and hardly any runs what somebody has just named.
    let may_switch = words.iter().any(|word| done.may_run(word));
    let switched =
        may_switch.then(|| just.iter().find_map(|was| Some((*was, Switch::of(was, done, &words)?))));
    if let Some((was, switch)) = switched.flatten() {
        // What is said in so many words is found without the calls, and what is pasted is nobody's wish.
        let said = sentences(&prompt.text);
        let is_own = !said.is_empty()
            && statement(said, &|| just_ran(just.iter().copied()))
                .is_none_or(|said| said.kind == StatementKind::Custom);
        return is_own.then(|| switch.into_draft(was, prompt));
    }
    if !done.is_done() || !work.iter().any(|step| step.writes() && step.is_done()) {
        return None;
    }
    let lacking = Lacking::of(done, &words).into_iter().find(|it| work.iter().all(|step| !it.is_in(step)))?;
    (!sentences(&prompt.text).is_empty()).then(|| lacking.into_draft(prompt))
}

/// The words of a text that may name a program, an option or a file, in lower case.
fn names(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    let words = words.map(|word| word.trim_matches('.').to_ascii_lowercase());
    words.filter(|word| word.len() >= SHORTEST)
}

/// The start of a command, and another one in its place.
struct Switch {
    old: String,
    new: String,
    /// The two commands.
    was: String,
    now: String,
}

impl Switch {
    /// The switch between commands of two calls, the second of which has what the words name.
    fn of(was: &Step, now: &Step, words: &[String]) -> Option<Self> {
        let (was, now) = (Command::all(was.clean_line()?), Command::all(now.clean_line()?));
        was.iter().find_map(|was| now.iter().find_map(|now| Self::between(was, now, words)))
    }

    /// The switch between two commands for one purpose, if the words name what the second begins with.
    fn between(was: &Command, now: &Command, words: &[String]) -> Option<Self> {
        let names = |word: &str| words.iter().any(|own| own == word);
        let is_new = |word: &&String| !was.launcher.contains(word) && names(word);
        let is_launched = was.name == now.name && now.launcher.iter().any(|word| is_new(&word));
        let is_named = was.name != now.name && names(&now.name.to_lowercase());
        let shares = now.words().iter().skip(1).any(|word| was.words()[1..].contains(word));
        let are_runners = [was, now].iter().all(|one| has_role(&one.program, ProgramRole::TaskRunner));
        let is_same_purpose = is_launched || shares || are_runners || names(&was.name);
        if !(is_launched || is_named) || !is_same_purpose || was.inspects() || now.inspects() {
            return None;
        }
        let start = |one: &Command| {
            let launcher = one.launcher.iter().map(String::as_str).filter(|_| is_launched);
            launcher.chain([one.typed_program()]).collect::<Vec<_>>().join(" ")
        };
        Some(Self { old: start(was), new: start(now), was: was.text.clone(), now: now.text.clone() })
    }

    fn into_draft<'e>(self, step: &'e Step, prompt: &'e Prompt) -> Draft<'e> {
        let mut cleaner = Cleaner::default();
        let [old, new, was, now] = [self.old, self.new, self.was, self.now].map(|text| cleaner.told(&text));
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
            basis: vec![Weight::new(65, "the user named it, and the next call was made with it")],
            cleaner,
        }
    }
}

/// What the work lacked.
enum Lacking {
    /// A program that was to run, perhaps with an option.
    Run(Box<Command>, Option<String>),
    /// A file that was to be written, by its name.
    File(String),
}

/// The name of the file that a call writes, in lower case.
fn file_name(step: &Step) -> Option<String> {
    let path = step.call().path.as_deref().filter(|_| step.writes())?;
    Some(path.rsplit(['/', '\\']).next()?.to_lowercase())
}

impl Lacking {
    /// What a call has that these words name.
    fn of(step: &Step, words: &[String]) -> Vec<Self> {
        let is_own = |word: &str| words.iter().any(|own| own.eq_ignore_ascii_case(word));
        let names = |word: &str| word.len() >= SHORTEST_LACKING && !is_of_act(word) && is_own(word);
        let is_named = |file: &String| names(file) || file.split('.').next().is_some_and(names);
        // What is to be written down is a rule of its own.
        let file = file_name(step).filter(|file| is_named(file) && !step.may_write_memory());
        let runs = |command: Command| {
            let option =
                command.options().find(|option| is_option(option) && is_own(option)).map(str::to_owned);
            let is_named = || command.start().to_lowercase().split(' ').any(names);
            (!command.inspects() && (option.is_some() || is_named()))
                .then(|| Self::Run(Box::new(command), option))
        };
        let commands = step.clean_line().map(Command::all).unwrap_or_default();
        file.map(Self::File).into_iter().chain(commands.into_iter().filter_map(runs)).collect()
    }

    /// Whether a call has it.
    fn is_in(&self, step: &Step) -> bool {
        match self {
            Self::Run(asked, option) => {
                Command::all(step.line().unwrap_or_default()).iter().any(|own| match option {
                    Some(option) => own.name == asked.name && own.options().any(|own| own == option),
                    None => own.start() == asked.start(),
                })
            }
            Self::File(name) => file_name(step).as_ref() == Some(name),
        }
    }

    fn into_draft(self, prompt: &Prompt) -> Draft<'_> {
        let (asked, proposal) = match self {
            Self::Run(command, Some(name)) => {
                let unless = vec![command_trigger(option(&name))];
                let proposal = Proposal { unless, ..on_command(command.start_pattern()) };
                (format!("Run `{}` with `{name}`", command.start()), proposal)
            }
            Self::Run(command, None) => {
                (format!("Run `{}` too before you are done", command.start()), Proposal::default())
            }
            Self::File(name) => (format!("Update `{name}` too before you are done"), Proposal::default()),
        };
        // The prompt may be a demand in its own words as well. Here prompt and call agree.
        let draft = demand::draft(&prompt.origin, &prompt.text, &asked, proposal, Cleaner::default());
        Draft { order: 1, is_strong: true, ..draft }
    }
}
