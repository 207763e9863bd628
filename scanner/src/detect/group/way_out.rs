//! The way out of a failure: a later call for the same purpose that succeeded, and how it differs.
//!
//! Nothing else may be the reason: no file was written in between. What only silences an error, or holds on one machine
//! alone, is no way out for others.

use lessons_ledger::Proposal;
use lessons_pattern::{Trigger, TriggerKind};
use lessons_shell::programs::has_role;
use lessons_shell::{ProgramRole, runs_elsewhere};

use crate::detect::aim::triggers::{command_trigger, on_command, option, with_trigger};
use crate::detect::command::difference::{self, Difference, is_remote};
use crate::detect::command::options::holds;
use crate::detect::command::{Command, option_name};
use crate::detect::failure;
use crate::detect::failure::failed_call::FailedCall;
use crate::detect::history::{Event, Step};
use crate::tag::trial::{fires, tried};
use crate::tag::trigger::literal;
use crate::tag::trigger::operands::is_option;

/// Words of a command with which it gets past an error and does harm, or leaves out what it was for.
const HARMFUL: &str = "--skip --force --no-verify --abort --system --break-system-packages stash -rf --hard \
     --no-check --ignore true";
/// The starts of paths that only one machine has.
const OF_ONE_MACHINE: &str = "/home/ /Users/ /root/ /tmp/ /private/ /mnt/ /c/ /d/ ~/";

/// What a rule says of parts that a call lacked, and of those that it had: where the error tells of them, and where that alone
/// made the difference.
const TOLD: [&str; 2] = ["needs", "takes no"];
const SEEN: [&str; 2] = ["worked with", "worked without"];

/// The longest rule, in characters: a script of its own is no way out.
const LONGEST_RULE: usize = 220;

/// A call that failed, what it says, and what is known of it.
pub(super) struct Failure<'e> {
    pub(super) step: &'e Step,
    pub(super) text: &'e str,
    pub(super) code: Option<u8>,
    pub(super) known: &'e FailedCall,
}

impl<'e> Failure<'e> {
    /// The failure of a call. `None` where it succeeded, or where its error is told elsewhere or passes by itself.
    pub(super) fn of(step: &'e Step) -> Option<Self> {
        let (text, known) = (step.said()?, step.failed()?);
        Some(Self { step, text, code: step.failure().and_then(|(_, code)| code), known })
    }

    /// A pattern for calls that fail like this one, which is of a command. What the call that `worked` has too is not why.
    pub(super) fn pattern(&self, command: &Command, worked: &str) -> String {
        if failure::concerns_program(self.text, self.code) {
            return command.program_pattern();
        }
        command.pattern_named(failure::telling_line(self.text).unwrap_or_default(), worked)
    }
}

/// What a later call shows.
pub(super) struct WayOut {
    /// The advice.
    pub(super) rule: String,
    /// The call that succeeded.
    pub(super) worked: String,
    pub(super) proposal: Proposal,
    pub(super) sign: Sign,
}

/// What shows that it was the way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// The error tells it: the word to leave out, or what to call instead.
    Error,
    /// The very same call worked behind some words that start it: nothing else is why.
    SameCall,
    /// The call differs in little.
    Likeness,
}

/// The way out that a call shows, after these events since the failure.
pub(super) fn way_out(failure: &Failure<'_>, done: &Step, between: &[Event]) -> Option<WayOut> {
    let steps = || between.iter().filter_map(Event::step).filter(|step| step.is_done());
    if steps().any(Step::writes) {
        return None;
    }
    let Some(failed) = &failure.known.command else { return of_tool(failure, done) };
    // A call that succeeded without knowing of the failure shows that something else was the reason.
    let main = |step: &Step| step.line().and_then(Command::read);
    let is_same = |step: &Step| main(step).is_some_and(|command| command.about() == failed.about());
    if steps().any(is_same) {
        return None;
    }
    let (line, lines) = (done.line()?, (failure.step.clean_line()?, done.clean_line()?));
    let found = of_misuse(failure, failed, lines).or_else(|| of_command(failure, failed, lines));
    let found = found.or_else(|| prepared(failure, failed, lines, steps()))?;
    let is_harmful = |word: &str| {
        let path = word.trim_start_matches(['`', '"', '\'']);
        let is_of_drive = path.get(1..).is_some_and(|rest| rest.starts_with(":\\") || rest.starts_with(":/"));
        is_of_drive
            || HARMFUL.split(' ').any(|harm| word.starts_with(harm) && !failed.text.contains(harm))
            || OF_ONE_MACHINE.split(' ').any(|start| path.starts_with(start))
    };
    // What everybody knows how to call, or only looks, found nothing there, unless it lacked an option.
    let is_of = |role| has_role(&failed.program, role) && !failure::is_misuse(failure.text);
    let names_option = |part: &Trigger| {
        let name = part.pattern.split_once(r"\s)-").map(|(_, name)| name);
        name.is_some_and(|name| !name.starts_with(|c: char| c.is_ascii_digit()))
    };
    let looked = is_of(ProgramRole::Basic) || is_of(ProgramRole::Inspects);
    if looked && !found.proposal.unless.iter().any(names_option) {
        return None;
    }
    let is_short = found.rule.chars().count() <= LONGEST_RULE;
    (is_short && !found.rule.split_whitespace().any(is_harmful))
        .then(|| WayOut { worked: line.to_owned(), ..found })
}

/// The same command without the word that the error says to be none.
fn of_misuse(failure: &Failure<'_>, failed: &Command, (_, worked): (&str, &str)) -> Option<WayOut> {
    let word = failure.known.misused.as_ref()?;
    let proposal = on_command(failed.pattern_with(word));
    let place = failed.words().iter().position(|own| own == word);
    // `lint:fix` for `lint`, after the same words.
    let is_another = |done: &Command| {
        let other = place.and_then(|at| done.words().get(at).copied());
        other.is_some_and(|other| other.starts_with(word.as_str()) || word.starts_with(other))
    };
    let is_without = |done: &Command| {
        let is_alike = match done.program == failed.program {
            true if is_option(word) => done.subcommand == failed.subcommand,
            true => is_another(done),
            false => difference::of_other_start(failed, done, failure.text).is_some(),
        };
        let has_it = done.program == failed.program && done.words().contains(&word.as_str());
        is_alike && !has_it && fires(&proposal, &done.text) == Some(false)
    };
    let done = Command::every(worked).into_iter().find(is_without)?;
    Some(WayOut {
        rule: format!("`{}` takes no `{word}` here: use `{}`", failed.name, done.text),
        worked: done.text.clone(),
        proposal: tried(proposal.clone(), &failed.text, &done.text),
        sign: Sign::Error,
    })
}

/// The same command in another form.
fn of_command(failure: &Failure<'_>, failed: &Command, (line, worked): (&str, &str)) -> Option<WayOut> {
    let culprit = failed;
    // With its folder and its variables, where the line is about one command.
    let whole = (Command::read(line), Command::read(worked));
    let pairs = match whole {
        (Some(whole), Some(done)) if !is_remote(&whole) || is_remote(failed) => {
            let cwd = failure.step.origin().info.cwd.as_deref();
            let done = done.seen_from(whole.folder.as_deref().or(cwd));
            vec![(whole, done)]
        }
        _ => Command::all(worked).into_iter().map(|done| (failed.clone(), done)).collect(),
    };
    let error = failure::telling_line(failure.text).unwrap_or_default();
    let differing = |(failed, done): (Command, Command)| {
        let difference = difference::between(&failed, &done, error)?;
        Some((failed, done, difference))
    };
    let (failed, done, difference) = pairs.into_iter().find_map(differing)?;
    // `timeout 60 npm test` fails because of `timeout`.
    let told = if failed.launcher.contains(&culprit.name) { culprit } else { &failed };
    let option = told.word_named(error).filter(|word| is_option(word));
    let named = match option {
        // How a program is started concerns all that it is called for, or what has the option that the error names.
        Some(option) if difference.is_of_start => told.pattern_with(&option),
        None if difference.is_of_start => told.program_pattern(),
        // The other place is part of a call elsewhere.
        _ => failure.pattern(told, if runs_elsewhere(&told.program) { "" } else { &done.text }),
    };
    let proposal = proposal(&failed, &done, &difference, named);
    let proposal = tried(proposal, &failed.text, &done.text);
    if without_display(&done.text) == without_display(&failed.text) {
        return None;
    }
    let is_of_program = failure::concerns_program(failure.text, failure.code);
    let about = if is_of_program { failed.name.clone() } else { failed.start() };
    let sign = match difference.removed.as_slice() {
        _ if tells(failure, &done.text) || difference.is_of_start && is_of_program => Sign::Error,
        [nothing] if nothing.is_empty() => Sign::SameCall,
        _ => Sign::Likeness,
    };
    let verbs = if sign == Sign::Error { TOLD } else { SEEN };
    let rule = rule(&about, verbs, &difference, without_display(&done.text));
    Some(WayOut { rule, worked: done.text, proposal, sign })
}

/// The advice, which holds for other arguments too: what to write in the place of what, and the command that worked.
fn rule(about: &str, [with, without]: [&str; 2], difference: &Difference, worked: &str) -> String {
    let are_options = |parts: &[String]| parts.iter().all(|part| part.starts_with('-'));
    match (&difference.removed[..], &difference.added[..]) {
        ([old], [new]) if difference.is_of_start && !old.is_empty() && !new.is_empty() && worked != new => {
            format!("Use `{new}`, not `{old}`: `{worked}`")
        }
        ([], new) if are_options(new) => format!("`{about}` {with} `{}`: use `{worked}`", new.join(" ")),
        (old, []) if are_options(old) => {
            format!("`{about}` {without} `{}`: use `{worked}`", old.join(" "))
        }
        _ => format!("Use `{worked}`"),
    }
}

/// A command line without what only shortens its output.
fn without_display(line: &str) -> &str {
    let own = line.split_once(" | ").map_or(line, |(own, _)| own);
    let is_whole = ['"', '\''].into_iter().all(|quote| own.matches(quote).count() % 2 == 0);
    if is_whole { own.trim_end_matches(" 2>&1") } else { line }
}

/// Whether an error spells out what a command has and the failed line had not: "prepending `bundle exec` may solve this". The
/// value of an option is for the caller to know.
fn tells(failure: &Failure<'_>, advised: &str) -> bool {
    let says = |text: &str, word: &str| holds(text, word, |c| c.is_alphanumeric() || "-_".contains(c));
    let failed = failure.step.clean_line().unwrap_or_default();
    let words: Vec<&str> = advised.split_whitespace().collect();
    let new: Vec<usize> = (0..words.len()).filter(|&at| !says(failed, words[at])).collect();
    let is_told = |at: usize| says(failure.text, option_name(words[at]));
    let is_value = |at: usize| at > 0 && is_option(words[at - 1]) && new.contains(&(at - 1));
    !new.is_empty() && new.iter().all(|&at| is_told(at) || is_value(at) && is_told(at - 1))
}

/// The same command again: behind another one in the same line, or after a step of which the error speaks, such as `playwright
/// install`.
fn prepared<'s>(
    failure: &Failure<'_>,
    failed: &Command,
    (failed_line, worked): (&str, &str),
    steps: impl Iterator<Item = &'s Step>,
) -> Option<WayOut> {
    let line = Command::all(worked);
    let is_again = |part: &Command| part.about() == failed.about() && part.arguments == failed.arguments;
    let at = line.iter().position(is_again)?;
    let acts = |part: &&Command| !part.inspects() && part.about() != failed.about();
    // What the failed line had run too is no preparation.
    let before = Command::all(failed_line);
    let is_new = |first: &&Command| before.iter().all(|part| part.about() != first.about());
    let is_named = |step: &Command| {
        let mut own = step.subcommand.split(' ');
        let is_in = |text: &str, word: &str| holds(text, word, |c| c.is_alphanumeric() || "-_.".contains(c));
        !step.inspects() && own.all(|word| is_in(failure.text, word) && !is_in(&failed.text, word))
    };
    let mut steps = steps.filter_map(|step| Command::read(step.clean_line()?));
    let inline = line.get(..at)?.iter().rev().find(acts).filter(is_new).cloned();
    let first = inline.or_else(|| steps.find(|step| !step.subcommand.is_empty() && is_named(step)))?;
    let sign = if tells(failure, &first.text) { Sign::Error } else { Sign::Likeness };
    // `.` and `source` are one, and the script is what counts.
    let script = first.operands().next().filter(|_| matches!(first.name.as_str(), "." | "source"));
    let (trigger, instead) = match script {
        Some(script) => (failure.pattern(failed, ""), literal(lessons_shell::program_name(script))),
        None => (failed.pattern_named(failure.text, ""), first.start_pattern()),
    };
    Some(WayOut {
        rule: format!("Run `{}` before `{}`", first.text, failed.text),
        worked: worked.to_owned(),
        proposal: Proposal { unless: vec![command_trigger(instead)], ..on_command(trigger) },
        sign,
    })
}

/// The same tool with parameters that its error names.
fn of_tool(failure: &Failure<'_>, done: &Step) -> Option<WayOut> {
    let (before, after) = (failure.step.call(), done.call());
    let (tool, error) = (&after.tool, failure::telling_line(failure.text).unwrap_or_default());
    let is_added = |name: &&String| !before.given.contains(name) && failure.text.contains(name.as_str());
    let added: Vec<&str> = after.given.iter().filter(is_added).map(String::as_str).collect();
    (before.tool == *tool && !added.is_empty()).then(|| WayOut {
        rule: format!("Give {tool} `{}` too: {error}", added.join("`, `")),
        worked: format!("{tool} with {}", after.given.join(", ")),
        proposal: with_trigger(Trigger::new(TriggerKind::Tool, tool)),
        sign: Sign::Likeness,
    })
}

/// The proposal of triggers that fire on what failed and not on what worked.
fn proposal(failed: &Command, done: &Command, difference: &Difference, named: String) -> Proposal {
    let pattern = |part: &String| if part.starts_with('-') { option(part) } else { literal(part) };
    let start = failed.start();
    let is_told_by_start =
        difference.removed.iter().any(|part| !part.is_empty() && start.starts_with(part.as_str()));
    let unless: Vec<String> = difference
        .added
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| match part {
            // However the call gets there: `npm --prefix web test` for `cd web && npm test`.
            part if let Some(folder) =
                part.strip_prefix("cd ").filter(|name| name.starts_with(char::is_alphanumeric)) =>
            {
                literal(folder)
            }
            // Whatever it is given itself: `aws-vault exec staging --`.
            part if let Some((front, _)) = part.split_once(" --") => {
                literal(&front.split(' ').take(2).collect::<Vec<_>>().join(" "))
            }
            part if is_told_by_start && !part.starts_with('-') => {
                literal(&format!("{part} {}", done.subcommand))
            }
            part => pattern(part),
        })
        .collect();
    let also = difference.removed.iter().filter(|_| !is_told_by_start).map(pattern);
    Proposal {
        triggers: vec![command_trigger(named)],
        also: also.map(command_trigger).collect(),
        unless: unless.into_iter().map(command_trigger).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_says_what_differs_and_shows_what_worked() {
        let rule = |verbs: [&str; 2], removed: &[&str], added: &[&str], worked: &str| {
            let is_of_start = removed == ["frob"];
            let [removed, added] =
                [removed, added].map(|parts| parts.iter().map(ToString::to_string).collect());
            super::rule("frob get", verbs, &Difference { added, removed, is_of_start }, worked)
        };
        for (verbs, removed, added, said) in [
            (TOLD, &["-it"][..], &[][..], "takes no `-it`"),
            (SEEN, &["-it"], &[], "worked without `-it`"),
            (TOLD, &[], &["-n x", "-q"], "needs `-n x -q`"),
            (SEEN, &[], &["-n x"], "worked with `-n x`"),
        ] {
            assert_eq!(
                rule(verbs, removed, added, "frob get a"),
                format!("`frob get` {said}: use `frob get a`")
            );
        }
        assert_eq!(
            rule(SEEN, &["frob"], &["./frob"], "./frob get"),
            "Use `./frob`, not `frob`: `./frob get`"
        );
        for (removed, added) in [(&["-a"][..], &["-b"][..]), (&[], &["cd web"]), (&["x"], &["y"])] {
            assert_eq!(rule(TOLD, removed, added, "y"), "Use `y`");
        }
    }
}
