//! The preparation of a trigger for a manifest and an index.
//!
//! [`prepare`] parses the pattern of a trigger of any kind once and derives everything from it, or says why the pattern
//! cannot be used.

use regex_syntax::hir::Hir;
use serde::{Deserialize, Serialize};

use crate::automaton::compile::{AutomatonBytes, compile};
use crate::keyword;
use crate::trigger::{Trigger, TriggerKind};
use crate::{PatternError, Regex, glob, js, literals};
use lessons_text::path;

/// The longest name of a tool, in bytes. Names of tools on MCP servers are the long ones:
/// `mcp__server__tool`.
pub const MAX_TOOL_BYTES: usize = 200;

/// A trigger that has been checked, in the form in which a manifest stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compiled {
    /// A pattern for commands, paths, contents or errors, or a glob. [`regex_of`] compiles it without an error.
    ///
    /// The expression itself is not stored: it is several times as long as the pattern, and it is
    /// needed only if a literal was found.
    Regex {
        /// The literals of which every match contains one: see [`literals::required`]. Empty: unknown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        literals: Vec<String>,
    },
    /// Words that [`keyword::contains_run`] must find.
    Keyword {
        /// At least one word, as [`lessons_text::words::tokens`] returns them.
        tokens: Vec<String>,
    },
    /// The exact name of a tool, as written. The matcher knows that `Task` means `Agent`.
    Tool {
        /// The name of the tool.
        name: String,
    },
}

/// A trigger with everything that is derived from its pattern alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The form that a manifest stores.
    pub compiled: Compiled,
    /// The clauses that every matching text satisfies: see [`literals::clauses`].
    pub clauses: Vec<Vec<String>>,
    /// The possible last bytes of a matching text, in ASCII lower case; empty: unknown.
    pub endings: Vec<u8>,
    /// The automaton, if the trigger is an expression.
    pub automaton: Option<AutomatonBytes>,
}

impl Prepared {
    /// Assembles the prepared form of an expression.
    pub fn of_expression(clauses: Vec<Vec<String>>, endings: Vec<u8>, automaton: AutomatonBytes) -> Self {
        let compiled = Compiled::Regex { literals: literals::best_of(&clauses) };
        Self { compiled, clauses, endings, automaton: Some(automaton) }
    }
}

/// Checks and compiles `trigger`.
pub fn check(trigger: &Trigger) -> Result<Compiled, PatternError> {
    prepare(trigger).map(|prepared| prepared.compiled)
}

/// Checks `trigger` and derives what an index needs of it. The pattern is parsed once.
pub fn prepare(trigger: &Trigger) -> Result<Prepared, PatternError> {
    let pattern = trigger.pattern.as_str();
    crate::check_length(pattern)?;
    match trigger.kind {
        TriggerKind::CommandPattern
        | TriggerKind::PathPattern
        | TriggerKind::ContentPattern
        | TriggerKind::ErrorPattern
        | TriggerKind::FileGlob => {
            let expression = expression_of(trigger.kind, pattern)?;
            let (clauses, endings) = (literals::clauses(&expression), literals::endings(&expression));
            Ok(Prepared::of_expression(clauses, endings, compile(&expression)?))
        }
        TriggerKind::Keyword => words(pattern).map(|tokens| {
            let clauses = tokens.iter().map(|token| vec![token.clone()]).collect();
            Prepared { compiled: Compiled::Keyword { tokens }, clauses, endings: Vec::new(), automaton: None }
        }),
        TriggerKind::Tool => tool(pattern).map(|name| Prepared {
            compiled: Compiled::Tool { name },
            clauses: Vec::new(),
            endings: Vec::new(),
            automaton: None,
        }),
    }
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
    Ok(compile(&expression_of(kind, pattern)?)?)
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
        check(&Trigger::new(kind, pattern))
    }

    #[test]
    fn a_regular_expression_comes_with_its_literals() {
        assert_eq!(
            checked(TriggerKind::CommandPattern, r"\bgit\s+push\b").unwrap(),
            Compiled::Regex { literals: vec!["push".to_owned()] }
        );
    }

    #[test]
    fn a_glob_becomes_a_regular_expression() {
        let compiled = checked(TriggerKind::FileGlob, "src/**/*.ts").unwrap();
        let Compiled::Regex { literals } = compiled else { panic!("{compiled:?}") };
        assert!(regex_of(TriggerKind::FileGlob, "src/**/*.ts").unwrap().is_match("src/a/b.ts"));
        assert!(!literals.is_empty());
    }

    #[test]
    fn a_keyword_is_its_words_without_articles_and_single_characters() {
        let words = |text| match checked(TriggerKind::Keyword, text) {
            Ok(Compiled::Keyword { tokens }) => tokens.join(" "),
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

    #[test]
    fn a_compiled_trigger_survives_a_file() {
        for (kind, pattern) in [
            (TriggerKind::CommandPattern, "a.b"),
            (TriggerKind::Keyword, "git stash"),
            (TriggerKind::Tool, "mcp__github__create-issue"),
        ] {
            let compiled = checked(kind, pattern).unwrap();
            let text = serde_json::to_string(&compiled).unwrap();
            assert_eq!(serde_json::from_str::<Compiled>(&text).unwrap(), compiled, "{text}");
        }
    }
}
