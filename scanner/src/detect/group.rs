//! **Groups of failures**: calls that failed for the same reason, by what their errors say.
//!
//! The program is no part of the key: the same error is the same mistake, whatever ran into it. A group is proposed where two
//! sessions have it, or where one call that got past it shows the way out for sure. The way out comes from a success soon
//! after ([`super::way_out`]); it may be several calls later.
//!
//! The results of tests, compilers and searches are answers and no failures, unless the call itself was wrong. Failures
//! of the network are temporary, and what shells say of their grammar is what the built-in lessons are about.

use lessons_ledger::candidates::Proposal;
use lessons_lesson::hooked::is_mcp;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::command::Command;
use super::draft::{Cleaner, Draft, ending};
use super::failure;
use super::history::{Event, Step};
use super::options::lists;
use super::way_out::{WayOut, way_out};
use super::{Detector, Weight};
use crate::run::finding::{FAILED, WORKED};
use crate::tag::trial::fires;
use crate::tag::trigger::literal;

/// The most events between a failure and its way out.
const SOON: usize = 12;
/// The tools of the client whose errors say all there is to say.
const OF_FILES: &str = "AskUserQuestion Edit ExitPlanMode Glob Grep LS MultiEdit NotebookEdit Read TaskOutput TodoWrite \
     WebFetch WebSearch Write";

/// A call that failed, and what it says.
pub(super) struct Failure<'e> {
    pub(super) step: &'e Step,
    pub(super) text: &'e str,
    pub(super) code: Option<u8>,
    /// The simple command of its line that failed; `None` for a call of another tool.
    pub(super) command: Option<Command>,
    /// Whether it is an answer and no mistake of the call, unless another form of the call got past it.
    is_answer: bool,
    class: String,
}

/// Looks for a failure in the last event, or for the way out of an earlier one.
pub(super) fn look(events: &[Event]) -> Vec<Draft<'_>> {
    let Some((Event::Step(last), before)) = events.split_last() else { return Vec::new() };
    if let Some(failure) = Failure::of(last) {
        let counts = !failure.is_answer;
        return counts.then(|| draft(&failure, None)).flatten().into_iter().collect();
    }
    if !last.is_done() {
        return Vec::new();
    }
    let soon = before.iter().rev().take(SOON).map_while(Event::step);
    // Most calls follow no failure.
    let failed = soon.enumerate().filter(|(_, step)| step.said().is_some() && last.came_after(step.ended));
    let found = failed.filter_map(|(distance, step)| {
        let between = &before[before.len() - distance..];
        let failure = Failure::of(step).filter(|failure| last.may_be_like(failure.command.as_ref()))?;
        let way_out = way_out(&failure, last, between)?;
        draft(&failure, Some(&way_out))
    });
    found.collect()
}

impl<'e> Failure<'e> {
    fn of(step: &'e Step) -> Option<Self> {
        let text = step.said()?;
        let code = step.failure().and_then(|(_, code)| code);
        let tool = step.call().tool.as_str();
        let is_told_elsewhere = lists(OF_FILES, tool) || failure::is_of_shell(text);
        if is_told_elsewhere || failure::is_passing(text) {
            return None;
        }
        let command = match step.call().command.as_deref() {
            // Without secrets, since triggers are made of it.
            Some(line) => Some(culprit(&Cleaner::default().clean(line), text)?),
            None => None,
        };
        let is_answer = !failure::is_misuse(text)
            && command.as_ref().is_some_and(|command| failure::is_an_answer(command, text, code));
        let class = match &command {
            // It says nothing but which program did not end.
            Some(command) if failure::timed_out(text) => format!("{} timed out", command.about()),
            _ => failure::class(text)?,
        };
        Some(Self { step, text, code, command, is_answer, class })
    }
}

/// The simple command of a line that an error is about: the one that it names, else the last.
fn culprit(line: &str, text: &str) -> Option<Command> {
    let mut all = Command::every(line);
    let said = failure::telling_line(text)?;
    let is_named =
        |command: &Command| said.split([':', ' ', '\'', '`', '"']).take(6).any(|word| word == command.name);
    let at = all.iter().position(is_named).or_else(|| {
        let main = Command::all(line).pop()?;
        all.iter().position(|command| *command == main)
    })?;
    Some(all.swap_remove(at))
}

fn draft<'e>(failure: &Failure<'e>, way_out: Option<&WayOut>) -> Option<Draft<'e>> {
    let Failure { step, text, code, class, .. } = failure;
    let mut cleaner = Cleaner::default();
    let error = cleaner.error(text)?;
    let command = failure.command.as_ref();
    let tool = cleaner.told(&step.call().tool);
    let start = command.map_or_else(|| tool.clone(), |command| cleaner.told(&command.start()));
    let shown = match &step.call().command {
        Some(line) => format!("`{}`", cleaner.quoted(line)),
        None => tool.clone(),
    };
    let fix = match way_out {
        Some(way_out) => cleaner.told(&way_out.rule),
        None if failure::timed_out(text) => format!(
            "Do not wait for `{start}`: it does not end by itself. Use a form that ends, or run it in the background"
        ),
        None => format!("Expect `{start}` to fail here: {error}"),
    };
    let mut evidence = vec![format!("{FAILED}{}", shown.trim_matches('`')), format!("error: {error}")];
    evidence.extend(way_out.map(|way_out| format!("{WORKED}{}", cleaner.quoted(&way_out.worked))));
    let points = match way_out {
        Some(way_out) if way_out.is_sure && (command.is_some() || is_mcp(&tool)) => {
            Weight::new(75, "the error names what the call that got past it has")
        }
        Some(_) => Weight::new(50, "a call failed, and one that differs in little did not"),
        None => Weight::new(40, "the same error over sessions"),
    };
    let proposal = match (way_out, command) {
        (Some(way_out), _) => way_out.proposal.clone(),
        // A missing program is missing whatever it is called for.
        (None, Some(command)) if failure::did_not_start(*code) => {
            on(TriggerKind::CommandPattern, &literal(&command.name))
        }
        (None, Some(command)) => on(TriggerKind::CommandPattern, &command.pattern_named(&error)),
        // A name of a skill is no part of a call that a trigger looks at.
        (None, None) if is_mcp(&tool) => on(TriggerKind::Tool, &tool),
        (None, None) => Proposal::default(),
    };
    // What keeps quiet at the very call that failed says nothing.
    let is_quiet = command.is_some_and(|command| fires(&proposal, &command.text) == Some(false));
    let proposal = if is_quiet { Proposal::default() } else { proposal };
    Some(Draft {
        detector: Detector::Repetition,
        origin: step.origin(),
        key: class.clone(),
        is_strong: way_out.is_some(),
        mistake: format!("{shown} {}", ending(text, *code)),
        fix,
        trigger: command.map(|command| command.text.clone()),
        tools: vec![tool],
        proposal,
        evidence,
        basis: vec![points],
        cleaner,
    })
}

/// The proposal of one trigger.
pub(super) fn on(kind: TriggerKind, pattern: &str) -> Proposal {
    Proposal { triggers: vec![Trigger::new(kind, pattern)], ..Proposal::default() }
}
