//! The origin of a change. Each origin has its own way to give a reason for a block, and its own remedies.

use lessons_context::context::Context;
use lessons_text::neutral::{line, shortened};

/// The longest command in a message, in characters.
const MAX_COMMAND_CHARS: usize = 2000;

/// The origin of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeOrigin {
    /// A command about one lesson, which has `--mode`.
    Command,
    /// A command that merges two lessons or replaces one with another.
    Merge,
    /// A file of another tool or of a colleague.
    Import,
    /// A file of decisions.
    Decisions,
    /// The screen of a review.
    Screen,
}

impl ChangeOrigin {
    /// The syntax with which a person gives the reason for a block.
    pub fn reason_syntax(self) -> &'static str {
        match self {
            Self::Command | Self::Merge | Self::Import => "--force-block \"REASON\"",
            Self::Decisions => "\"forceBlock\": \"REASON\" among its fields",
            Self::Screen => "in the line `because` of the form (e), below the mode",
        }
    }

    /// A statement that the rest of the same request was dropped too; `None` if it had no other parts.
    pub fn dropped_statement(self) -> Option<&'static str> {
        match self {
            Self::Command | Self::Merge | Self::Screen => None,
            Self::Import => Some("nothing was imported"),
            Self::Decisions => Some("nothing was done"),
        }
    }
}

/// The command that the person typed, with more arguments at its end.
pub(super) fn retyped_command(context: &Context, mode: ModeFlag, added: &[&str]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut typed = context.argv.iter();
    while let Some(word) = typed.next() {
        match (mode, word.as_str()) {
            (ModeFlag::Dropped, "--mode" | "--force-block") => drop(typed.next()),
            (ModeFlag::Dropped, word)
                if word.starts_with("--mode=") || word.starts_with("--force-block=") => {}
            _ => words.push(word.clone()),
        }
    }
    words.extend(added.iter().map(|word| (*word).to_owned()));
    format!("lessons {}", shortened(&line(&lessons_context::context::typed(&words)), MAX_COMMAND_CHARS))
}

/// The treatment of `--mode` in a command that is typed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModeFlag {
    /// It stays as the person typed it.
    Kept,
    /// It is removed, with a reason for a block.
    Dropped,
}

#[cfg(test)]
mod tests {
    use lessons_context::authority::Authority;
    use lessons_context::context::Actor;
    use lessons_home::home::Home;

    use super::*;

    fn context(argv: &[&str]) -> Context {
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        let home = Home::at("/nowhere".into());
        Context { argv, actor: Actor::Person, authority: Authority::Person, ..Context::at(home) }
    }

    #[test]
    fn a_command_is_typed_again_with_another_mode() {
        let advise =
            |argv: &[&str]| retyped_command(&context(argv), ModeFlag::Dropped, &["--mode", "advise"]);
        assert_eq!(advise(&["promote", "3f2a", "--mode", "block"]), "lessons promote 3f2a --mode advise");
        assert_eq!(
            advise(&["edit", "a", "--mode=block", "--trigger", "cmd=a b"]),
            "lessons edit a --trigger 'cmd=a b' --mode advise"
        );
        assert_eq!(advise(&["add", "--force-block", "why", "--mode", "block"]), "lessons add --mode advise");
        let as_advice = retyped_command(&context(&["import", "x"]), ModeFlag::Kept, &["--as-advice"]);
        assert_eq!(as_advice, "lessons import x --as-advice");
    }
}
