//! The preparation of a trigger for a manifest and an index.
//!
//! [`prepare`] parses the pattern of a trigger of any kind once and derives everything from it, or says why the pattern
//! cannot be used.

use regex_syntax::hir::Hir;

use crate::automaton::compile::{AutomatonBytes, compile};
use crate::keyword;
use crate::trigger::{Trigger, TriggerKind};
use crate::{PatternError, Regex, glob, js, literals};
use lessons_text::path;

/// The longest name of a tool, in bytes. Names of tools on MCP servers are the long ones:
/// `mcp__server__tool`.
pub const MAX_TOOL_BYTES: usize = 200;

/// What a trigger compares with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compiled {
    /// The automaton of a pattern for commands, paths, contents or errors, or of a glob.
    Pattern(AutomatonBytes),
    /// Words that [`keyword::contains_run`] must find: at least one, as [`lessons_text::words::tokens`] returns them.
    Keyword(Vec<String>),
    /// The exact name of a tool, as written. The matcher knows that `Task` means `Agent`.
    Tool(String),
}

/// A trigger with everything that is derived from its pattern alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// What is compared with a call.
    pub compiled: Compiled,
    /// The clauses that every matching text satisfies: see [`literals::clauses`].
    pub clauses: Vec<Vec<String>>,
    /// The possible last bytes of a matching text, in ASCII lower case; empty: unknown.
    pub endings: Vec<u8>,
}

/// Checks `trigger` and derives what an index needs of it. The pattern is parsed once.
pub fn prepare(trigger: &Trigger) -> Result<Prepared, PatternError> {
    let pattern = trigger.pattern.as_str();
    crate::check_length(pattern)?;
    let (compiled, clauses, endings) = match trigger.kind {
        TriggerKind::Keyword => {
            let tokens = words(pattern)?;
            let clauses = tokens.iter().map(|token| vec![token.clone()]).collect();
            (Compiled::Keyword(tokens), clauses, Vec::new())
        }
        TriggerKind::Tool => (Compiled::Tool(tool(pattern)?), Vec::new(), Vec::new()),
        kind => {
            let expression = expression_of(kind, pattern)?;
            let (clauses, endings) = (literals::clauses(&expression), literals::endings(&expression));
            (Compiled::Pattern(compile(&expression)?), clauses, endings)
        }
    };
    Ok(Prepared { compiled, clauses, endings })
}

/// The expression of a pattern, whose kind must be a regular expression or a glob.
pub fn expression_of(kind: TriggerKind, pattern: &str) -> Result<Hir, PatternError> {
    match kind {
        TriggerKind::FileGlob => glob::expression(&path::composed(pattern.to_owned())),
        TriggerKind::PathPattern => js::expression(&path::composed(pattern.to_owned())),
        _ => js::expression(pattern),
    }
}

/// The automaton of a pattern, whose kind must be a regular expression or a glob.
pub fn automaton_of(kind: TriggerKind, pattern: &str) -> Result<AutomatonBytes, PatternError> {
    compile(&expression_of(kind, pattern)?)
}

/// The compiled pattern for the general engine, which finds where it matches. The kind must be a regular expression or
/// a glob.
pub fn regex_of(kind: TriggerKind, pattern: &str) -> Result<Regex, PatternError> {
    Regex::of(&expression_of(kind, pattern)?)
}

fn words(pattern: &str) -> Result<Vec<String>, PatternError> {
    if lessons_text::words::tokens(pattern).is_empty() {
        return Err(PatternError::invalid("a keyword needs at least one letter or digit"));
    }
    let tokens = keyword::needle(pattern);
    if tokens.is_empty() {
        return Err(PatternError::invalid(
            "a keyword of nothing but single characters and words such as `the` or `of` says nothing about a \
             call; name a word of it, or write a command_pattern",
        ));
    }
    Ok(tokens)
}

fn tool(pattern: &str) -> Result<String, PatternError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    if let Some(odd) = pattern.chars().find(|&c| !allowed(c)) {
        return Err(PatternError::invalid(format!(
            "`{}` cannot be in the name of a tool: letters, digits, `_`, `-`, `.` and `:` can; for several \
             tools use several triggers",
            odd.escape_debug()
        )));
    }
    if pattern.len() > MAX_TOOL_BYTES {
        return Err(PatternError::invalid(format!(
            "the name of a tool has at most {MAX_TOOL_BYTES} characters"
        )));
    }
    Ok(pattern.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(kind: TriggerKind, pattern: &str) -> Result<Compiled, PatternError> {
        prepare(&Trigger::new(kind, pattern)).map(|prepared| prepared.compiled)
    }

    #[test]
    fn a_pattern_comes_with_its_literals() {
        for (kind, pattern, text, literal) in [
            (TriggerKind::CommandPattern, r"\bgit\s+push\b", "git  push", "push"),
            (TriggerKind::FileGlob, "src/**/*.ts", "src/a/b.ts", "src"),
        ] {
            let prepared = prepare(&Trigger::new(kind, pattern)).unwrap();
            assert_eq!(prepared.clauses[0], [literal]);
            let Compiled::Pattern(automaton) = prepared.compiled else { panic!("{pattern}") };
            assert!(automaton.is_match(text) && !automaton.is_match("other"));
        }
    }

    #[test]
    fn a_keyword_is_its_words_without_articles_and_single_characters() {
        let words = |text| match checked(TriggerKind::Keyword, text) {
            Ok(Compiled::Keyword(tokens)) => tokens.join(" "),
            other => panic!("{other:?}"),
        };
        assert_eq!(words("Git  Commit"), "git commit");
        assert_eq!(words("the cache"), "cache");
        assert_eq!(words("no the verify"), "no verify");
        assert_eq!(words("state of the art"), "state of art");
        assert_eq!(words("to-do list"), "to do list");
    }

    #[test]
    fn what_cannot_be_a_trigger_is_refused_with_a_reason() {
        for (kind, pattern) in [
            (TriggerKind::Keyword, "--"),
            (TriggerKind::Keyword, "the"),
            (TriggerKind::Keyword, "x"),
            (TriggerKind::Tool, "Bash|Edit"),
            (TriggerKind::Tool, "mcp__.*"),
            (TriggerKind::Tool, "Bash\u{202E}"),
            (TriggerKind::Tool, &"x".repeat(201)),
            (TriggerKind::CommandPattern, ""),
            (TriggerKind::FileGlob, ""),
            (TriggerKind::CommandPattern, "("),
        ] {
            let error = checked(kind, pattern).unwrap_err();
            assert_eq!(error.code(), "INVALID_TRIGGER_PATTERN", "{kind} {pattern}");
            assert!(error.to_string().len() > 20, "{error}");
        }
    }

    #[test]
    fn an_overlong_pattern_is_refused_whatever_its_kind() {
        for kind in TriggerKind::ALL {
            assert!(checked(kind, &"a".repeat(1001)).is_err(), "{kind}");
        }
    }
}
