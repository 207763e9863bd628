//! The aim of a written rule: the calls at which a lesson made of it is to be told.

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_shell::program_name;
use lessons_shell::programs::known;

use super::acts;
use super::aim::{on_command, on_file, option};
use super::code_names::{code_spans, is_of_code, of_name};
use super::tools;
use crate::tag::trigger::{literal, operands};

/// The most commands of a list that a rule is aimed at.
const MOST_LISTED: usize = 6;

/// What stands before what a rule forbids, in lower case.
const FORBIDS: &str =
    "do not |don't |does not want |not to |never |avoid |(not |, not |instead of |rather than ";

/// The triggers of an entry of a file of lessons: those of its rule, else of the code in its mistake.
pub(crate) fn aim_of_entry(rule: &str, mistake: &str) -> Proposal {
    let of_rule = aim_of_rule(rule);
    if !of_rule.triggers.is_empty() {
        return of_rule;
    }
    let of_path = |span: &str| {
        let is_path =
            span.contains('/') && span.contains('.') && !span.contains([' ', ':']) && !span.starts_with('/');
        is_path.then(|| on_file(Trigger::new(TriggerKind::FileGlob, span)))
    };
    code_spans(mistake).find_map(|span| of_path(span).or_else(|| of_span(span))).unwrap_or_default()
}

/// The triggers of a written rule: of what it forbids in code, or of the act that it is about.
pub(super) fn aim_of_rule(rule: &str) -> Proposal {
    let lower = rule.to_lowercase();
    let at = FORBIDS.split('|').filter_map(|word| lower.find(word).map(|at| at + word.len())).min();
    let unwanted = at.and_then(|at| rule.get(at..)).map(|unwanted| {
        // What is forbidden ends where what to do instead begins.
        let ends = [" — ", "; ", ". ", " use ", " instead", ": "];
        let end = ends.iter().filter_map(|end| unwanted.find(end)).min().unwrap_or(unwanted.len());
        &unwanted[..end]
    });
    let at_code = unwanted.and_then(|unwanted| {
        let markup = unwanted.split_whitespace().find(|word| word.starts_with('<') && word.ends_with('>'));
        of_listed(unwanted).or_else(|| code_spans(unwanted).chain(markup).find_map(of_span))
    });
    let at_tool = || {
        let words: Vec<String> = unwanted?.split_whitespace().map(bare).collect();
        tools::named(&words).or_else(|| tools::occasion(&words)).map(|tool| on_command(literal(tool)))
    };
    let at_act = || {
        let words: Vec<String> = unwanted?.split_whitespace().take(3).map(bare).collect();
        acts::named(&words).next().map(|act| on_command(act.pattern.to_owned()))
    };
    at_code.or_else(at_act).or_else(at_tool).or_else(|| at_file(rule)).unwrap_or_default()
}

/// The triggers of commands that a rule lists first: "`cargo test`, `cargo fmt` or `cargo install`". `None` where the first span
/// is no command.
fn of_listed(text: &str) -> Option<Proposal> {
    let mut parts = text.split('`').skip(1);
    let mut listed = Proposal::default();
    while let Some(proposal) = parts.next().and_then(of_span) {
        let is_command = |trigger: &Trigger| trigger.kind == TriggerKind::CommandPattern;
        if !proposal.triggers.iter().all(is_command) {
            break;
        }
        let is_new = |trigger: &Trigger| !listed.triggers.contains(trigger);
        let fresh: Vec<Trigger> = proposal.triggers.into_iter().filter(is_new).collect();
        listed.triggers.extend(fresh);
        let between = parts.next().unwrap_or_default();
        let goes_on = matches!(between.trim_matches([' ', ',', '/']), "" | "or" | "and" | "nor");
        if !goes_on || listed.triggers.len() >= MOST_LISTED {
            break;
        }
    }
    (!listed.triggers.is_empty()).then_some(listed)
}

/// The trigger of a span of code: an option, a command, or a name.
fn of_span(span: &str) -> Option<Proposal> {
    let first = span.split_whitespace().next()?;
    if span.starts_with('<') {
        return Some(on_file(Trigger::new(TriggerKind::ContentPattern, literal(span))));
    }
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
    let file = names.filter(|name| name.contains('.') && !name.contains(['/', '\\'])).find(|name| {
        let trigger = of_name(name);
        trigger.kind == TriggerKind::FileGlob
    })?;
    Some(on_file(of_name(file)))
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(rule: &str) -> Vec<String> {
        aim_of_rule(rule).triggers.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_rule_is_aimed_at_every_command_of_its_list() {
        let listed =
            "Never use bare `cargo test`, `cargo fmt`, or `cargo install` \u{2014} use the `tspec` ones.";
        let expected = [r"cmd=\bcargo\s+test\b", r"cmd=\bcargo\s+fmt\b", r"cmd=\bcargo\s+install\b"];
        assert_eq!(shown(listed), expected);
        assert_eq!(shown("Never run `git push` with `--force`"), [r"cmd=\bgit\s+push\b"]);
    }

    #[test]
    fn a_path_of_windows_is_no_name_of_a_file() {
        assert!(shown("Compose file: `X:\\03_ACG\\Docker\\docker-compose.yml`").is_empty());
    }
}
