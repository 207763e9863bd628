//! From a trigger to what a manifest and an index need of it.
//!
//! [`prepare`] reads the pattern of a trigger of any kind once and works everything out, or says why the pattern
//! cannot be used.

use regex_syntax::hir::Hir;
use serde::{Deserialize, Serialize};

use crate::automaton::compile::{Built, compile};
use crate::keyword;
use crate::pattern::{self, PatternError, Regex, glob, js, literals};
use crate::trigger::{Trigger, TriggerKind};

/// The longest name of a tool, in bytes. Names of tools on MCP servers are the long ones:
/// `mcp__server__tool`.
pub const MAX_TOOL_BYTES: usize = 200;

/// A trigger, checked and ready for a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compiled {
    /// Commands, paths, contents, errors, globs: [`regex_of`] the pattern, which is known to work.
    ///
    /// The expression itself is not kept: it is several times as long as the pattern, and a hook
    /// needs it only where a literal was found.
    Regex {
        /// Every match holds one of these: see [`literals::required`]. Empty: unknown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        literals: Vec<String>,
    },
    /// Words that must be found by [`keyword::contains_run`].
    Keyword {
        /// At least one word, as [`crate::words::tokens`] gives them.
        tokens: Vec<String>,
    },
    /// The exact name of a tool, as written: that `Task` means `Agent` is up to the matching.
    Tool {
        /// The name.
        name: String,
    },
}

/// A trigger, with everything that is worked out from its pattern alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// As a manifest holds it.
    pub compiled: Compiled,
    /// What every text that it matches holds: see [`literals::clauses`].
    pub clauses: Vec<Vec<String>>,
    /// The bytes of which every text that it matches ends in one, in ASCII lower case; none: unknown.
    pub endings: Vec<u8>,
    /// How it is matched, where it is an expression.
    pub automaton: Option<Built>,
}

impl Prepared {
    /// That of an expression.
    pub fn of_expression(clauses: Vec<Vec<String>>, endings: Vec<u8>, automaton: Built) -> Self {
        let compiled = Compiled::Regex { literals: literals::best_of(&clauses) };
        Self { compiled, clauses, endings, automaton: Some(automaton) }
    }
}

/// Checks and compiles `trigger`.
pub fn check(trigger: &Trigger) -> Result<Compiled, PatternError> {
    prepare(trigger).map(|prepared| prepared.compiled)
}

/// Checks `trigger` and works out what an index needs of it. The pattern is parsed once.
pub fn prepare(trigger: &Trigger) -> Result<Prepared, PatternError> {
    let pattern = trigger.pattern.as_str();
    pattern::check_length(pattern)?;
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

/// A pattern of a kind that is a regular expression or a glob, as the expression that everything else asks.
pub fn expression_of(kind: TriggerKind, pattern: &str) -> Result<Hir, PatternError> {
    match kind {
        TriggerKind::FileGlob => glob::expression(pattern),
        _ => js::expression(pattern),
    }
}

/// The automaton of a pattern of such a kind.
pub fn automaton_of(kind: TriggerKind, pattern: &str) -> Result<Built, PatternError> {
    Ok(compile(&expression_of(kind, pattern)?)?)
}

/// A pattern of such a kind for the general engine, which knows where it matches.
pub fn regex_of(kind: TriggerKind, pattern: &str) -> Result<Regex, PatternError> {
    Regex::of(&expression_of(kind, pattern)?)
}

fn words(pattern: &str) -> Result<Vec<String>, PatternError> {
    if crate::words::tokens(pattern).is_empty() {
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
    fn a_keyword_is_its_words_without_those_that_say_nothing() {
        let words = |text| match checked(TriggerKind::Keyword, text) {
            Ok(Compiled::Keyword { tokens }) => tokens.join(" "),
            other => panic!("{other:?}"),
        };
        assert_eq!(words("Git  Commit"), "git commit");
        assert_eq!(words("the cache"), "cache");
        assert_eq!(words("no the verify"), "no verify");
        assert_eq!(words("state of the art"), "state art");
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
