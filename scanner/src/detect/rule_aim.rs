//! The aim of a written rule: the calls at which a lesson made of it is to be told.

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::TriggerKind;
use lessons_shell::program_name;
use lessons_shell::programs::known;

use super::acts;
use super::aim::{on_command, on_file, option};
use super::code_names::{code_spans, is_of_code, of_data, of_name};
use super::runs::forbidden_run;
use super::writings::aim_of_writing;
use crate::tag::trigger::{literal, operands};

/// The triggers of a written rule: of what it forbids in code, or of the act that it is about.
pub(super) fn aim_of_rule(rule: &str) -> Proposal {
    let lower = rule.to_lowercase();
    let forbids = ["do not ", "don't ", "never ", "avoid ", "(not ", ", not ", "instead of ", "rather than "];
    let at = forbids.iter().filter_map(|word| lower.find(word).map(|at| at + word.len())).min();
    let unwanted = at.and_then(|at| rule.get(at..)).map(|unwanted| {
        // What is forbidden ends where what to do instead begins.
        let ends = [" — ", "; ", ". ", " use ", " instead", ": "];
        let end = ends.iter().filter_map(|end| unwanted.find(end)).min().unwrap_or(unwanted.len());
        &unwanted[..end]
    });
    let at_code = unwanted.and_then(|unwanted| code_spans(unwanted).into_iter().find_map(of_span));
    let at_act = || {
        let words: Vec<String> = unwanted?.split_whitespace().take(3).map(bare).collect();
        acts::named(&words).next().map(|act| on_command(act.pattern.to_owned()))
    };
    let words = |text: &str| text.split_whitespace().map(bare).collect::<Vec<String>>();
    let unwanted_words = unwanted.map(words).unwrap_or_default();
    let at_data = || of_data(&unwanted_words).map(on_file);
    let at_run = || forbidden_run(&unwanted_words, rule.split_whitespace().next()).map(on_command);
    // The first sentence says what a rule is about.
    let first = rule.split(". ").next().unwrap_or(rule);
    let at_writing = || aim_of_writing(rule, &words(first), &unwanted_words);
    at_code
        .or_else(at_act)
        .or_else(at_run)
        .or_else(|| at_file(rule))
        .or_else(at_data)
        .or_else(at_writing)
        .unwrap_or_default()
}

/// The trigger of a span of code: an option, a command, or a name.
fn of_span(span: &str) -> Option<Proposal> {
    let first = span.split_whitespace().next()?;
    if span.starts_with("--") {
        return Some(on_command(option(first)));
    }
    if known(program_name(first)).is_some() {
        return Some(on_command(literal(&operands::without_operands(span).0)));
    }
    is_of_code(span).then(|| on_file(of_name(span)))
}

/// A file that the rule is about.
fn at_file(rule: &str) -> Option<Proposal> {
    let first = rule.split(". ").next()?;
    let names = first
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | ',' | ':' | '(' | ')' | '*')));
    let file = names.filter(|name| name.contains('.') && !name.contains('/')).find(|name| {
        let trigger = of_name(name);
        trigger.kind == TriggerKind::FileGlob
    })?;
    Some(on_file(of_name(file)))
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}
