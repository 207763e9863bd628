//! Plain calls of `lessons`: calls of which the command line shows everything that they do.

use lessons_shell::{CommandContext, Redirection, SimpleCommand, program_name, script};

use super::free::is_free;

/// The most bytes that stand in front of the program word, comments included.
const MOST_IN_FRONT: usize = 2_000;

/// A call of `lessons` that is the whole command line and hides nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainCall {
    /// The program word: `lessons`, or a path to a program of that name.
    pub program: String,
    /// The arguments.
    pub argv: Vec<String>,
    /// The standard input; `None` where the line gives none.
    pub input: Option<PlainInput>,
    /// The number of bytes of the command line up to the end of the program word.
    pub program_end: usize,
}

/// The standard input that a command line gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlainInput {
    /// A text, of a heredoc or here-string.
    Text(String),
    /// The content of a file.
    File(String),
}

impl PlainCall {
    /// The plain call that a command line is. `None` if it is something else, however much it does.
    pub fn of(command: &str) -> Option<Self> {
        let script = script(command);
        let [only] = script.commands.as_slice() else { return None };
        let is_plain = !script.is_truncated
            && only.context == CommandContext::Alone
            && only.prefix == 0
            && only.assignments.is_empty();
        if !is_plain {
            return None;
        }
        let (program, rest) = only.words.split_first()?;
        let program = program.fixed().filter(|program| program_name(program) == "lessons")?;
        let argv = rest.iter().map(|word| word.fixed().map(str::to_owned)).collect::<Option<_>>()?;
        let mut input = None;
        for redirection in &only.redirections {
            match given(redirection)? {
                Given::Nothing => {}
                Given::Input(given) => input = Some(given),
            }
        }
        Some(Self {
            program: program.to_owned(),
            argv,
            input,
            program_end: end_of_program(command, program)?,
        })
    }

    /// Whether the call decides something, so that a person is asked.
    pub fn decides(&self) -> bool {
        let words: Vec<&str> = self.argv.iter().map(String::as_str).collect();
        !is_free(&words)
    }

    /// The command line with words inserted directly after the program word.
    pub fn with_words(&self, command: &str, words: &str) -> Option<String> {
        let (program, rest) = command.split_at_checked(self.program_end)?;
        Some(format!("{program} {words}{rest}"))
    }
}

/// What a redirection gives to a plain call.
enum Given {
    /// Nothing, and it hides nothing either: `2>&1`.
    Nothing,
    Input(PlainInput),
}

/// What a redirection gives. `None` if it hides something or writes a file.
fn given(redirection: &Redirection) -> Option<Given> {
    let target = redirection.target.as_ref().and_then(|word| word.fixed());
    match (redirection.operator.as_str(), redirection.descriptor.as_str()) {
        ("<<" | "<<-", "" | "0") => {
            Some(Given::Input(PlainInput::Text(redirection.body.as_ref()?.fixed()?.to_owned())))
        }
        ("<<<", "" | "0") => Some(Given::Input(PlainInput::Text(format!("{}\n", target?)))),
        ("<", "" | "0") => Some(Given::Input(PlainInput::File(target?.to_owned()))),
        (">&", "" | "1" | "2") => matches!(target?, "1" | "2").then_some(Given::Nothing),
        _ => None,
    }
}

/// The offset at which the program word ends: the first at which the line up to there is that word alone.
fn end_of_program(command: &str, program: &str) -> Option<usize> {
    let is_program_alone = |end: &usize| {
        let script = script(command.get(..*end).unwrap_or_default());
        let is_it = |only: &SimpleCommand| {
            only.redirections.is_empty()
                && matches!(only.words.as_slice(), [word] if word.fixed() == Some(program))
        };
        !script.is_truncated && matches!(script.commands.as_slice(), [only] if is_it(only))
    };
    let ends_a_word = |at: &usize| {
        let next = command.as_bytes().get(*at);
        next.is_none_or(|byte| byte.is_ascii_whitespace() || b"<>#;&|".contains(byte))
    };
    (1..=command.len().min(MOST_IN_FRONT + program.len()))
        .filter(|at| command.is_char_boundary(*at) && ends_a_word(at))
        .find(is_program_alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(command: &str) -> Option<Vec<String>> {
        PlainCall::of(command).map(|call| call.argv)
    }

    #[test]
    fn a_call_that_is_the_whole_line_is_plain_however_it_is_quoted() {
        for command in [
            "lessons promote 3f2a",
            "  lessons   promote 3f2a  ",
            "/any/path/lessons promote 3f2a",
            "'/a path/with spaces/lessons' promote 3f2a",
            "\"lessons\" promote 3f2a",
            "\\lessons promote 3f2a",
            "les''sons 'promote' \"3f2a\"",
            "lessons promote \\\n  3f2a",
            "lessons promote 3f2a # after review",
            "# as agreed\nlessons promote 3f2a\n",
            "lessons promote 3f2a < /dev/null",
            "lessons promote 3f2a 2>&1",
        ] {
            assert_eq!(argv(command), Some(vec!["promote".into(), "3f2a".into()]), "{command}");
        }
    }

    #[test]
    fn whatever_hides_something_is_not_plain() {
        for command in [
            "true && lessons promote a",
            "lessons promote a | cat",
            "lessons promote $ID",
            "lessons promote *",
            "lessons promote \"$(cat id)\"",
            "lessons promote a > out",
            "lessons promote a &",
            "X=1 lessons promote a",
            "env lessons promote a",
            "sudo lessons promote a",
            "sh -c 'lessons promote a'",
            "$L promote a",
            "lessons-scan",
            "mylessons promote a",
            "lessons promote a; lessons off all",
            "lessons add --json-input - <<EOF\n$X\nEOF",
            "lessons promote a <> f",
            "lessons promote a 3< f",
            "",
        ] {
            assert_eq!(PlainCall::of(command), None, "{command}");
        }
    }

    #[test]
    fn the_input_that_the_line_gives_is_read_from_it() {
        let input = |command| PlainCall::of(command).unwrap().input;
        assert_eq!(
            input("lessons add --json-input - <<'E'\n{\"a\": \"é\"}\nE"),
            Some(PlainInput::Text("{\"a\": \"é\"}\n".into()))
        );
        assert_eq!(input("lessons add --json-input - <<< '{}'"), Some(PlainInput::Text("{}\n".into())));
        assert_eq!(input("lessons add --json-input - < 'my file'"), Some(PlainInput::File("my file".into())));
        assert_eq!(input("lessons off all"), None);
    }

    #[test]
    fn words_are_inserted_directly_after_the_program_word() {
        for (command, rewritten) in [
            ("lessons off a", "lessons --agreed T off a"),
            ("  '/a b/lessons'  off a", "  '/a b/lessons' --agreed T  off a"),
            ("les''sons off a", "les''sons --agreed T off a"),
            ("lessons\toff a # lessons", "lessons --agreed T\toff a # lessons"),
            ("# lessons\nlessons off a", "# lessons\nlessons --agreed T off a"),
            ("lessons<x off a", "lessons --agreed T<x off a"),
        ] {
            let call = PlainCall::of(command).unwrap();
            let with = call.with_words(command, "--agreed T").unwrap();
            assert_eq!(with, rewritten);
            let mut expected = vec!["--agreed".to_owned(), "T".to_owned()];
            expected.extend(call.argv);
            assert_eq!(argv(&with), Some(expected), "{command}");
        }
    }

    #[test]
    fn a_call_decides_unless_it_is_free() {
        assert!(PlainCall::of("lessons off all").unwrap().decides());
        assert!(!PlainCall::of("lessons list").unwrap().decides());
    }
}
