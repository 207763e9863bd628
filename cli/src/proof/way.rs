//! The ways in which a lesson comes to refuse calls. Each offers a person something else to do first.

use lessons_text::neutral::{line, shortened};

use crate::app::{self, App};

/// The longest command that is shown to be typed again, in characters.
const LONGEST: usize = 2000;

/// How a change came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// A command about one lesson, which has `--mode`.
    Typed,
    /// Two lessons are made one, or one takes the place of another.
    Merge,
    /// A file of another tool, or of a colleague.
    Import,
    /// A file of decisions.
    Decisions,
    /// The screen.
    Screen,
}

impl Way {
    /// How a reason is given there.
    pub(crate) fn force(self) -> &'static str {
        match self {
            Self::Typed | Self::Merge | Self::Import => "--force-block \"REASON\"",
            Self::Decisions => "\"forceBlock\": \"REASON\" among its fields",
            Self::Screen => "in the row `because` of the form (e), below the mode",
        }
    }

    /// What became of everything else that was asked for along with it.
    pub(crate) fn nothing(self) -> Option<&'static str> {
        match self {
            Self::Typed | Self::Merge | Self::Screen => None,
            Self::Import => Some("nothing was imported"),
            Self::Decisions => Some("nothing was done"),
        }
    }
}

/// The command that was typed, with other words at its end.
pub(crate) fn again(app: &App, mode: Mode, added: &[&str]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut typed = app.argv.iter();
    while let Some(word) = typed.next() {
        match (mode, word.as_str()) {
            (Mode::Without, "--mode") => drop(typed.next()),
            (Mode::Without, word) if word.starts_with("--mode=") => {}
            _ => words.push(word.clone()),
        }
    }
    words.extend(added.iter().map(|word| (*word).to_owned()));
    format!("lessons {}", shortened(&line(&app::typed(&words)), LONGEST))
}

/// What becomes of a mode that was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It stays.
    With,
    /// It goes.
    Without,
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use lessons_home::home::Home;

    use super::*;
    use crate::app::{Actor, Output};

    fn app(argv: &[&str]) -> App {
        App {
            home: Home::at("/nowhere".into()),
            actor: Actor::Person,
            now: Timestamp::UNIX_EPOCH,
            output: Output::Text,
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        }
    }

    #[test]
    fn a_command_is_typed_again_with_another_mode() {
        let advise = |argv: &[&str]| again(&app(argv), Mode::Without, &["--mode", "advise"]);
        assert_eq!(advise(&["promote", "3f2a", "--mode", "block"]), "lessons promote 3f2a --mode advise");
        assert_eq!(
            advise(&["edit", "a", "--mode=block", "--trigger", "cmd=a b"]),
            "lessons edit a --trigger 'cmd=a b' --mode advise"
        );
        let as_advice = again(&app(&["import", "x"]), Mode::With, &["--as-advice"]);
        assert_eq!(as_advice, "lessons import x --as-advice");
    }
}
