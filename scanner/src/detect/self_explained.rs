//! **Self-explaining failure**: a program says which word of its call it does not know.
//!
//! Where a call without that word succeeds soon after, one sighting is enough: the error names the mistake, and the
//! success the way out. Of a complaint without a way out two sessions are needed.

use lessons_ledger::Proposal;
use lessons_shell::programs::has_role;
use lessons_shell::{self as shell, ProgramRole};

use super::command::{Command, option_name};
use super::complaint::{Complaint, Unknown};
use super::draft::{Cleaner, Draft};
use super::history::{Event, Step};
use super::triggers::{command_trigger, on_command};
use super::{Detector, Weight};
use crate::run::finding::{FAILED, WORKED};
use crate::tag::trial::tried;
use crate::tag::trigger::literal;
use crate::tag::trigger::operands::is_option;

/// The most events between the two calls.
const SOON: usize = 8;

/// Looks for a complaint in the last event, or for a way out of an earlier one.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(last), before) = events.split_last()? else { return None };
    if let Some(complaint) = complaint_of(last) {
        // A program that is missing may be set up a moment later.
        let counts = complaint.unknown != Unknown::Program;
        return counts.then(|| of_complaint(last, complaint, None)).flatten();
    }
    if !last.is_done() {
        return None;
    }
    let soon = before.iter().rev().take(SOON).map_while(Event::step);
    let found = soon.filter_map(|step| Some((step, complaint_of(step)?)));
    let earlier = found.filter(|(step, _)| last.came_after(step.ended) && step.complained());
    let mut solved = earlier.filter_map(|(step, complaint)| {
        let way_out = way_out(complaint, last)?;
        Some((step, complaint, way_out))
    });
    let (step, complaint, way_out) = solved.next()?;
    of_complaint(step, complaint, Some((&way_out, last)))
}

fn complaint_of(step: &Step) -> Option<&Complaint> {
    // A program of the project changes every day, and one that everybody has is missing for a moment.
    let is_lasting = |found: &&Complaint| {
        let is_everyday = found.unknown == Unknown::Program && found.command.inspects();
        // The options of a script belong to the project as well.
        let is_script =
            has_role(&found.command.program, ProgramRole::Interpreter) && found.unknown == Unknown::Option;
        !found.command.is_local && !is_everyday && !is_script
    };
    step.complaint().filter(is_lasting)
}

/// The simple command that does without the word.
fn way_out(complaint: &Complaint, done: &Step) -> Option<Command> {
    let Complaint { unknown, word, command, .. } = complaint;
    let line = done.line()?;
    // `lint:fix` for `lint`, `upgrade` for `upgrad`, after the same words.
    let place = command.text.split_whitespace().position(|own| own == word);
    let is_like = |part: &Command| {
        let other = place.and_then(|at| part.text.split_whitespace().nth(at));
        other.is_some_and(|other| other.starts_with(word.as_str()) || word.starts_with(other))
    };
    Command::every(line).into_iter().find(|part| {
        let lacks = part.program == command.program && unknown.place(word, part).is_none();
        match unknown {
            Unknown::Program => {
                part.name == *word && part.text != command.text && (part.is_local || line.contains("PATH"))
            }
            Unknown::Subcommand => part.name == *word || lacks && is_like(part),
            Unknown::Option | Unknown::Field => lacks && part.subcommand == command.subcommand,
        }
    })
}

fn of_complaint<'e>(
    step: &'e Step,
    complaint: &Complaint,
    way_out: Option<(&Command, &Step)>,
) -> Option<Draft<'e>> {
    let mut cleaner = Cleaner::default();
    let command = cleaner.command(&complaint.command)?;
    let word = cleaner.told(&complaint.word);
    let done_line = way_out.and_then(|(_, done)| done.line());
    // Where the program is found, its own path says, or the whole line.
    let is_told = |command: &Command| complaint.unknown != Unknown::Program || command.is_local;
    let worked = way_out.map(|(command, _)| command).filter(|command| is_told(command));
    let worked = worked.map(|command| command.text.as_str()).or(done_line);
    let worked = worked.map(|text| cleaner.quoted(text));
    let before = before_word(complaint.unknown, &command, &complaint.word);
    let said = cleaner.quoted(&complaint.line);
    let wrapped =
        complaint.wrapped.as_deref().filter(|_| before == command.name).map(|wrapped| cleaner.told(wrapped));
    let fact = match complaint.unknown {
        Unknown::Option if let Some(wrapped) = wrapped => {
            format!("`{before}` runs as `{wrapped}` here, which has no option `{word}`")
        }
        Unknown::Option => format!("`{before}` has no option `{word}` here"),
        Unknown::Subcommand => format!("`{before}` has no `{word}`"),
        Unknown::Program => format!("`{word}` is not found here"),
        Unknown::Field => format!("`{before}` has no field `{word}`"),
    };
    let fix = match &worked {
        Some(worked) => format!("{fact}: use `{worked}`"),
        None => format!("{fact} (it says `{said}`): do without it"),
    };
    let line = step.line()?;
    let proposal = proposal(complaint.unknown, &before, &word, way_out.is_some());
    let proposal = match done_line {
        Some(worked) => tried(proposal, &command.text, worked),
        None => proposal,
    };
    let failed = cleaner.quoted(line);
    let mut evidence = vec![format!("{FAILED}{failed}"), format!("error: {said}")];
    evidence.extend(worked.map(|worked| format!("{WORKED}{worked}")));
    let basis = match way_out {
        Some(_) => Weight::new(70, "the error names the word that the call after it left out"),
        None => Weight::new(45, "the error names a word that the program does not know"),
    };
    Some(Draft {
        order: 0,
        detector: Detector::SelfExplained,
        origin: step.origin(),
        key: format!("{before} {word}"),
        is_strong: way_out.is_some(),
        mistake: format!("`{}` fails: {said}", cleaner.quoted(&command.text)),
        fix,
        // A missing program is missing here, whatever it is called with.
        trigger: (complaint.unknown != Unknown::Program).then_some(command.text),
        tools: vec!["Bash".into()],
        proposal,
        evidence,
        basis: vec![basis],
        cleaner,
    })
}

/// The program, with its subcommand where the word comes after it; before a subcommand whatever is no option: `bun run`.
fn before_word(unknown: Unknown, command: &Command, word: &str) -> String {
    let typed = command.text.split_whitespace().take_while(|own| option_name(own) != word);
    let typed: Vec<&str> = typed.skip_while(|own| shell::program_name(own) != command.name).collect();
    let start = command.start();
    let words: Vec<&str> = if unknown == Unknown::Subcommand {
        typed.into_iter().filter(|own| !is_option(own)).collect()
    } else {
        let is_typed = |own: &&str| typed.iter().any(|typed| shell::program_name(typed) == *own);
        start.split(' ').filter(is_typed).collect()
    };
    words.join(" ")
}

/// The trigger that fires on the word in such a command, and on nothing else.
fn proposal(unknown: Unknown, before: &str, word: &str, is_solved: bool) -> Proposal {
    // Unlike `\b`, this ends no word at `-` and `:`: `lint` is not `lint:fix`.
    const END: &str = r"(?:[^\w:.-]|$)";
    let start = literal(before);
    let inner = r"(?:[^\n;&|]*\s)?";
    let letter = word.strip_prefix('-').filter(|letters| letters.chars().count() == 1 && *letters != "-");
    let pattern = match (unknown, letter) {
        (Unknown::Option, Some(letter)) => format!(r"{start}\s+{inner}-[a-zA-Z]*{letter}"),
        (Unknown::Option, None) => format!(r"{start}\s+{inner}{}{END}", escaped(word)),
        (Unknown::Field, _) => format!(r"{start}\s[^\n;&|]*[\s,=]{}(?:[^\w]|$)", escaped(word)),
        (Unknown::Subcommand, _) => format!(r"{start}\s+{}{END}", escaped(word)),
        (Unknown::Program, _) => format!(r"(?:^|[;&|(]\s*){}\s", escaped(word)),
    };
    let sets_path = (unknown == Unknown::Program && is_solved).then(|| command_trigger(r"\bPATH=".into()));
    Proposal { unless: sets_path.into_iter().collect(), ..on_command(pattern) }
}

fn escaped(word: &str) -> String {
    literal(word).replace(r"\b", "")
}

#[cfg(test)]
mod tests {
    use super::super::complaint::complaint;
    use super::*;

    /// The proposal for a complaint about a command, and what was called instead.
    fn proposed(text: &str, failed: &str, worked: &str) -> Proposal {
        let found = complaint(text, failed).unwrap();
        let before = before_word(found.unknown, &found.command, &found.word);
        proposal(found.unknown, &before, &found.word, !worked.is_empty())
    }

    #[test]
    fn a_trigger_fires_on_what_failed_and_not_on_what_worked() {
        for (text, failed, worked) in [
            ("unknown flag: --stat", "glab mr diff 7 --stat", "glab mr diff 7 --name-only"),
            ("ls: illegal option -- Z", "ls -lZ a", "ls -l a"),
            ("unrecognized subcommand 'npm'", "wrap npm test", "npm test"),
            ("Script not found \"lint\"", "bun run lint", "bun run lint:fix"),
            ("error: unexpected argument '-C' found", "git -C /a status", "git status"),
            ("swag: command not found", "swag init", "PATH=$PATH:/go/bin swag init"),
            (
                "Unknown JSON field: \"merged\"",
                "gh pr view 1 --json state,merged",
                "gh pr view 1 --json state,mergedAt",
            ),
        ] {
            let proposal = proposed(text, failed, worked);
            assert_eq!(tried(proposal.clone(), failed, worked), proposal, "{failed}");
            assert_eq!(tried(proposal, worked, failed), Proposal::default(), "{worked}");
        }
    }
}
