//! Known variables: those whose value the command line alone tells.
//!
//! A value is known from a statement `x=word` on that has run whenever the list before it has, once and in the same
//! shell, and whose word is literal or below the home folder, not empty and without white space. It is known until
//! something may change it. So `x=a frob $x`, assignments in pipelines, loops, conditions, sub-shells and the background, and everything that
//! builtins assign, tell no value.

use std::collections::BTreeMap;

use super::lexed_command::{CommandKind, LexedCommand};
use super::syntax::{self, LexedWord, SpacedToken, Token, WordPart};
use super::wrapper::program_name;

/// The most bytes of a value. Each use writes it out, and the text must not grow with the square of the command.
const MAX_VALUE_BYTES: usize = 100;
/// The most variables whose value is known at one time.
const MAX_VARIABLES: usize = 32;

/// The home folder in front of a value that begins with it.
pub(super) const HOME: &str = "$HOME";

/// The variables whose values are known in front of one command of a list; none in a shell that has just started.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownVariables {
    values: BTreeMap<String, KnownValue>,
    /// Whether no value can be told from here on.
    are_untold: bool,
}

/// The value of a variable.
#[derive(Debug, Clone)]
pub(super) struct KnownValue {
    /// Its text, the home folder as [`HOME`].
    pub(super) text: String,
    /// Whether it is the home folder or a path below it, which it begins with. Only a value that the shell expands is one:
    /// `'$HOME'` is not.
    pub(super) is_below_home: bool,
}

impl KnownVariables {
    /// The variables at the beginning of `list`, which stands in a substitution here. A list that defines a function has
    /// none, since the function may run anywhere and change any of them.
    pub(super) fn at_start_of(&self, list: &[SpacedToken<'_>]) -> Self {
        let defines = |spaced: &SpacedToken<'_>| match spaced.token {
            Token::ReservedWord(text) => text == "function" || text.starts_with('(') && text.len() > 1,
            _ => false,
        };
        if list.iter().any(defines) { Self::untold() } else { self.clone() }
    }

    fn untold() -> Self {
        Self { values: BTreeMap::new(), are_untold: true }
    }

    /// The value of a part of a word that is `$x` or `${x}`.
    pub(super) fn value_of(&self, part: &WordPart<'_>) -> Option<&KnownValue> {
        if self.values.is_empty() {
            return None;
        }
        let name = match part {
            WordPart::Parameter(text) => text.strip_prefix('$')?,
            WordPart::BracedParameter { source, .. } => source.strip_prefix("${")?.strip_suffix('}')?,
            _ => return None,
        };
        self.values.get(name)
    }

    /// Takes in what a command assigns and what it may change.
    pub(super) fn step_over(&mut self, command: &LexedCommand<'_, '_>) {
        if command.arithmetic.is_some() {
            self.values.clear();
        }
        command.assignments.iter().chain(&command.words).for_each(|word| self.expand(&word.parts));
        match command.words.as_slice() {
            [] => command.assignments.iter().for_each(|word| self.assign(word, command.is_certain)),
            [name, ..] if command.kind == CommandKind::CompoundHead => self.forget(&name.text()),
            words => self.run(words),
        }
    }

    fn assign(&mut self, word: &LexedWord<'_>, is_certain: bool) {
        let typed = word.text();
        let Some((name, value)) = typed.split_once('=') else { return };
        let home = self.below_home(word.source);
        let is_below_home = home.is_some();
        let text = home.or_else(|| word.is_static().then(|| value.to_owned()));
        self.forget(name);
        if is_certain
            && !self.are_untold
            && let Some(text) = text.filter(|text| !text.is_empty())
            && !text.contains(char::is_whitespace)
            && syntax::is_name(name)
            && text.len() <= MAX_VALUE_BYTES
            && self.values.len() < MAX_VARIABLES
        {
            self.values.insert(name.to_owned(), KnownValue { text, is_below_home });
        }
    }

    /// The value of an assignment of the home folder or of a path below it: `x=$HOME`, `x="${HOME}/a"`, `x=~`.
    fn below_home(&self, assignment: &str) -> Option<String> {
        let (_, value) = assignment.split_once('=').filter(|_| !self.values.contains_key("HOME"))?;
        let unquoted = value.replace('"', "");
        let named = unquoted.strip_prefix(HOME).or_else(|| unquoted.strip_prefix("${HOME}"));
        // Only a tilde without quotes is the home folder.
        let rest = named.or_else(|| value.strip_prefix('~'))?;
        let is_path = rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b));
        (is_path && (rest.is_empty() || rest.starts_with('/'))).then(|| format!("{HOME}{rest}"))
    }

    /// Forgets what a command with these words may change.
    fn run(&mut self, words: &[&LexedWord<'_>]) {
        let mut names = words
            .iter()
            .map(|word| word.text())
            .skip_while(|word| matches!(program_name(word), "builtin" | "command") || word.starts_with('-'));
        match names.next().as_deref() {
            Some("eval" | "source" | ".") => self.values.clear(),
            Some("declare" | "typeset" | "local") if names.clone().any(|word| word.starts_with('-')) => {
                // `declare -n` makes one name stand for another, so from here on no value is certain.
                *self = Self::untold();
            }
            // They assign to the variables that they name.
            Some(
                "read" | "unset" | "export" | "declare" | "typeset" | "local" | "readonly" | "mapfile"
                | "readarray" | "getopts" | "let" | "printf" | "wait" | "coproc",
            ) => names.for_each(|word| self.forget(&word)),
            _ => {}
        }
    }

    /// Forgets what the expansions of a word assign: `${x:=a}`, `$((x = 1))`.
    fn expand(&mut self, parts: &[WordPart<'_>]) {
        for part in parts {
            match part {
                WordPart::DoubleQuoted(inside) => self.expand(inside),
                WordPart::BracedParameter { source, parts } => {
                    if source.contains('=') {
                        self.forget(source.trim_start_matches("${"));
                    }
                    self.expand(parts);
                }
                WordPart::Arithmetic { inner, .. }
                    if ["=", "++", "--"].iter().any(|sign| inner.contains(sign)) =>
                {
                    self.values.clear();
                }
                _ => {}
            }
        }
    }

    /// Forgets the variable whose name `text` begins with.
    fn forget(&mut self, text: &str) {
        self.values.remove(syntax::name_of(text));
    }
}
