//! The triggers that a tag proposes. A person reviews them, and can change every part before anything is in force.

pub mod exception;
pub(crate) mod operands;

use lessons_ledger::Proposal;
use lessons_lesson::call::{FETCH, is_shell, writes_files};
use lessons_lesson::hooked::is_mcp;
use lessons_lesson::lesson::TriggerRole;
use lessons_pattern::{MAX_PATTERN_CHARS, Trigger, TriggerKind};
use lessons_shell::ProgramRole;
use lessons_shell::programs::has_role;

use self::exception::said_only_by;
use crate::tag::Tag;
use crate::tag::trial::{fired_advice, fires};

/// The proposal of a tag. All lists may be empty.
///
/// `trigger:` is literal text. Of a command, the start that says what it does is kept, and the
/// operands are not: they are what it was about that day (`tests/`), not what the mistake is about
/// (`pytest`), unless the program does nothing else (`rm -rf build`). Which part of a call it is looked for in follows from `tool:`: what an
/// editing tool puts in, or the path of its file, where it is one; the paths of a reading tool, the address of a fetch, the
/// texts of an MCP call, else the command. `path:` is a glob. With
/// neither, a `tool:` alone is a trigger. `unless:` is literal text too, and keeps all its words:
/// shortened, it would silence more than its writer meant.
///
/// The lesson has to keep quiet on what its fix advises, which is often the same command in other words: they become
/// exceptions.
pub fn propose(tag: &Tag) -> Proposal {
    // A tool is named by its name: every call of it is meant.
    let text = tag
        .finding
        .trigger
        .as_deref()
        .map(unquoted)
        .filter(|text| tag.finding.tools.iter().all(|tool| tool != text));
    let Some(kind) = kind_for(&tag.finding.tools, text.unwrap_or_default()) else {
        return Proposal::default();
    };
    let mut proposal = Proposal::default();
    if let Some(text) = text.filter(|text| kind == TriggerKind::PathPattern && text.contains('*')) {
        proposal.triggers.push(glob(text));
    } else if let Some(text) = text {
        let kept = match kind {
            TriggerKind::CommandPattern if !operands::is_about_operands(text) => {
                operands::without_operands(text).0
            }
            _ => text.to_owned(),
        };
        proposal.triggers.extend(literal_trigger(kind, &kept));
    }
    if let Some(path) = tag.finding.path.as_deref().map(unquoted) {
        let glob = glob(path);
        // A command has no path: there the two are alternatives.
        if proposal.triggers.is_empty() || kind == TriggerKind::CommandPattern {
            proposal.triggers.push(glob);
        } else {
            proposal.also.push(glob);
        }
    }
    if text.is_none() && tag.finding.path.is_none() {
        proposal.triggers.extend(tag.finding.tools.iter().map(|tool| Trigger::new(TriggerKind::Tool, tool)));
    }
    if let Some(text) = tag.unless.as_deref().map(unquoted) {
        proposal.unless.extend(literal_trigger(kind, text));
    }
    if let Some(trigger) = tag.finding.trigger.as_deref().map(unquoted) {
        let mut failed = trigger.to_owned();
        for option in options_left_out(&tag.finding.fix).filter(|option| !trigger.contains(option)) {
            let narrower = Trigger::new(TriggerKind::CommandPattern, exception::words(option));
            let stopped = format!("{trigger} {option}");
            if try_exception(&mut proposal, (TriggerRole::Also, narrower), &stopped, trigger) {
                failed = stopped;
            }
        }
        for advised in fired_advice(&proposal, &tag.finding.fix, &failed) {
            keep_quiet_on(&advised, &failed, &mut proposal);
        }
    }
    proposal
}

/// The tools at whose calls the lesson of a tag is told. Who edits a file may write it as well: of a path no tool is named, so
/// that commands that write it count too.
pub fn tools_of(tag: &Tag, proposal: &Proposal) -> Vec<String> {
    let is_named = proposal.triggers.iter().any(|trigger| trigger.kind == TriggerKind::Tool);
    if is_named || tag.finding.tools.is_empty() || !tag.finding.tools.iter().all(|tool| writes_files(tool)) {
        return tag.finding.tools.clone();
    }
    let is_about_files = proposal.triggers.iter().all(|trigger| trigger.kind.is_about_files());
    if is_about_files {
        Vec::new()
    } else {
        ["Edit", "Write", "MultiEdit", "NotebookEdit"].map(str::to_owned).into()
    }
}

/// Keeps a proposal quiet on a command that its fix advises, by whatever tells it from the stopped one: what is run before it,
/// the words that it adds, or those that it leaves out. Where nothing does, the lesson reminds at that command too.
pub(crate) fn keep_quiet_on(advised: &str, stopped: &str, proposal: &mut Proposal) {
    let parts = advised.split("&&").flat_map(|part| part.split(';')).map(str::trim);
    let first = parts.take_while(|part| fires(proposal, part) == Some(false)).last();
    let first = first.map(|first| operands::without_operands(first).0);
    let first = first.and_then(|start| literal_trigger(TriggerKind::CommandPattern, &start));
    let unless = first.into_iter().chain(said_only_by(advised, stopped)).map(|it| (TriggerRole::Unless, it));
    let also = said_only_by(stopped, advised).into_iter().map(|it| (TriggerRole::Also, it));
    // Of `npm install a`, which should be `npm install b`, other packages are none of the lesson's business.
    let is_operand =
        |word: &&str| operands::is_plain(word) && !advised.split_whitespace().any(|it| it == *word);
    // What starts the same program in another way is told by that.
    let program = stopped.split_whitespace().next();
    let is_other_start = advised.split_whitespace().skip(1).any(|word| Some(word) == program);
    let exceptions: Vec<_> = if !is_other_start && stopped.split_whitespace().any(|word| is_operand(&word)) {
        also.chain(unless).collect()
    } else {
        unless.chain(also).collect()
    };
    exceptions.into_iter().any(|exception| try_exception(proposal, exception, stopped, advised));
}

/// Adds an exception to a proposal if it still fires on the stopped command then, and not on the advised one.
fn try_exception(
    proposal: &mut Proposal,
    (role, trigger): (TriggerRole, Trigger),
    stopped: &str,
    advised: &str,
) -> bool {
    let mut tried = proposal.clone();
    if role == TriggerRole::Unless { &mut tried.unless } else { &mut tried.also }.push(trigger);
    let is_right = fires(&tried, stopped) == Some(true) && fires(&tried, advised) == Some(false);
    if is_right {
        *proposal = tried;
    }
    is_right
}

/// The options that a fix says to leave out: "without -v". Not those of "never without -v".
fn options_left_out(fix: &str) -> impl Iterator<Item = &str> {
    const FORBIDDING: [&str; 9] = ["without", "not", "no", "out", "omit", "drop", "remove", "never", "don't"];
    let forbids = |word: &&str| FORBIDDING.iter().any(|known| known.eq_ignore_ascii_case(word));
    fix.split([';', ',']).filter_map(move |clause| {
        let mut words = clause.split_whitespace().map(|word| word.trim_matches(['`', '.', '(', ')', '"']));
        words.find(forbids)?;
        words.next().filter(|word| operands::is_option(word))
    })
}

/// The kind of trigger for literal text of these tools. `None` where no call of them shows such a text.
fn kind_for(tools: &[String], text: &str) -> Option<TriggerKind> {
    let all = |is: fn(&str) -> bool| !tools.is_empty() && tools.iter().all(|tool| is(tool));
    let is_code = text.contains(|c: char| c.is_whitespace() || "(){}<>;,=\"'`".contains(c));
    let is_path = !is_code
        && (text.contains('/') && !text.contains("//") || text.starts_with(['*', '~']) || is_file_name(text));
    if all(writes_files) || all(is_mcp) {
        return Some(if is_path { TriggerKind::PathPattern } else { TriggerKind::ContentPattern });
    }
    if all(|tool| matches!(tool, "Read" | "Glob" | "Grep" | "LS")) {
        return Some(TriggerKind::PathPattern);
    }
    if all(|tool| tool == FETCH) {
        let is_address = !text.contains(char::is_whitespace) && text.contains(['.', '/', ':']);
        return (text.is_empty() || is_address).then_some(TriggerKind::PathPattern);
    }
    (text.is_empty() || tools.is_empty() || tools.iter().any(|tool| is_shell(tool)))
        .then_some(TriggerKind::CommandPattern)
}

/// A glob. A name without a folder is one in any folder.
fn glob(text: &str) -> Trigger {
    let start = if text.contains('/') { "" } else { "**/" };
    Trigger::new(TriggerKind::FileGlob, format!("{start}{text}"))
}

/// The ends of names of files, as opposed to those of names in code: `console.log`.
const FILE_ENDS: &str = "c cfg conf cpp css csv env go h html ini ipynb java js json jsx kt lock md mod php proto py rb rs \
                         sh sql sum svg swift tf toml ts tsx txt vue xml yaml yml";

fn is_file_name(text: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(_, end)| FILE_ENDS.split(' ').any(|known| known == end))
}

fn literal_trigger(kind: TriggerKind, text: &str) -> Option<Trigger> {
    let pattern = if kind == TriggerKind::CommandPattern { of_command(text) } else { literal(text) };
    // A pattern that no lesson may have is no proposal.
    (!pattern.is_empty() && pattern.chars().count() <= MAX_PATTERN_CHARS).then(|| Trigger::new(kind, pattern))
}

/// What stands in front of a program of the project where it runs: `ls bin/migrate` does not run it.
const WHERE_IT_RUNS: &str = r"(?:^|[;&|({!\n]\s*|\w=\S*\s+|\b(?:sudo|env|time|timeout\s+\S+|nohup|exec|xargs|(?:ba|z)?sh|source|node|bun|python3?|ruby|run)\s+(?:-\S+\s+)*)(?:\S*/)?";

/// What ends the name of a task, in which more may stand than in a word: `make seed-users` is none of `make seed`.
const END_OF_TASK: &str = r"(?:[^\w:./-]|$)";

/// A pattern for a command: [`literal`], but a program that is named by a path in the project counts only where it runs, and
/// the name of a task or a whole folder as a whole.
pub fn of_command(text: &str) -> String {
    let text = text.trim();
    let program = text.split_whitespace().next().unwrap_or_default();
    let is = |role| has_role(program, role);
    let mut pattern = literal(text);
    if program.contains('/')
        && !program.starts_with(['/', '-', '~'])
        && !program.contains([':', '=', '*', '@'])
    {
        let name = text.trim_start_matches("./");
        pattern = format!("{WHERE_IT_RUNS}{}", literal(name).trim_start_matches(r"\b"));
    }
    let names_task = is(ProgramRole::ChecksTasks) && text.contains(' ') || text.contains(" run ");
    if names_task || text.ends_with(" .") {
        let start = pattern.strip_suffix(r"\b").unwrap_or(&pattern);
        return format!("{start}{END_OF_TASK}");
    }
    pattern
}

/// What stands behind the name of a program in such a pattern.
pub const END_OF_PROGRAM: &str = r#"(?:[\s;&|)"'`]|$)"#;

/// A pattern for any call of a program that is found by its name: a word of its own, and no part of a path or of the name of a
/// file, as in `rm yarn.lock`.
pub fn of_program(name: &str) -> String {
    let name = literal(name).trim_start_matches(r"\b").trim_end_matches(r"\b").to_owned();
    format!(r#"(?:^|[\s;&|("'`]){name}{END_OF_PROGRAM}"#)
}

/// A pattern that matches a word as it stands, wherever it is part of another.
pub fn escaped(word: &str) -> String {
    let is_special = |c: char| r"\^$.*+?()[]{}|".contains(c);
    word.chars().flat_map(|c| is_special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// A pattern that matches `text` as it stands: special characters escaped, white space as `\s+`, and
/// bounded by words where it begins or ends with one, so that `git st` does not match `git stash`.
pub fn literal(text: &str) -> String {
    let text = text.trim();
    // `\b` of a JavaScript expression knows only ASCII words.
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<String> = text.split_whitespace().map(escaped).collect();
    let start = if text.starts_with(is_word) { r"\b" } else { "" };
    let end = if text.ends_with(is_word) { r"\b" } else { "" };
    format!("{start}{}{end}", words.join(r"\s+"))
}

/// The text without one pair of quotes or backticks around it.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    ['`', '"', '\'']
        .into_iter()
        .find_map(|mark| {
            let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
            (!inner.contains(mark) && !inner.trim().is_empty()).then(|| inner.trim())
        })
        .unwrap_or(text)
}

#[cfg(test)]
mod tests;
