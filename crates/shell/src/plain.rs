//! Plain commands: command lines whose views are the text as typed and parts of it.

use super::beginnings::option_holder;
use super::known::GlobalOptions;
use super::normal_form::{is_group, named_length};
use super::wrapper::runs_input;

/// Whether a command line is plain: its [executable view](crate::CommandLine::executable) is the text itself and parts of it,
/// line by line, and each of its [invocations](crate::CommandLine::invocations) is a part of it too. `true` only for words,
/// blanks and operators, with nothing that quotes, expands or redirects. Each part ends where one of [`plain_words`]
/// does. A plain command needs no lexer.
pub fn is_plain_command(command: &str) -> bool {
    let bytes = command.as_bytes();
    let plain = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b' ' | b'-' | b'_' | b'.' | b'/' | b':' | b'=' | b',' | b'%' | b'+')
            || matches!(byte, b'&' | b'|' | b';')
    };
    // A shell joins words with one blank; from several blanks the text that it runs would differ from the typed one.
    let single = || bytes.array_windows().all(|pair| pair != b"  ");
    // A bar between the patterns of a `case` is no operator, and the executable view hides it. `git.exe` is `git`.
    let no_case = || bytes.array_windows().all(|four| four != b"case" && four != b".exe");
    bytes.iter().all(plain)
        && single()
        && no_case()
        && !command.starts_with(' ')
        && !command.ends_with(' ')
        && !loses_or_gets_words(command)
}

/// Whether a program may lose global options in its normal form, have grouped ones, or get the text that it reads through a
/// pipe.
fn loses_or_gets_words(command: &str) -> bool {
    let mut options = GlobalOptions::Unknown;
    let (mut words, mut may_group) = (0, false);
    for piece in command.split([' ', '/']) {
        words += 1;
        match (piece.as_bytes().first(), options) {
            (Some(b'-'), _) if may_group && is_group(piece) => return true,
            // `kubectl -- get` is `kubectl get`.
            (_, GlobalOptions::Named(..)) if piece == "--" && words == 1 => return true,
            (_, GlobalOptions::Named(..)) if piece == "--" => options = GlobalOptions::Unknown,
            (Some(b'-'), GlobalOptions::Named(values, flags)) if named_length(piece, values, flags) > 0 => {
                return true;
            }
            (Some(b'-' | b'+'), GlobalOptions::InFront(_)) if words == 1 => return true,
            // `docker compose -p shop` has options of its own.
            (_, GlobalOptions::InFront(_)) if piece == "compose" => words = 0,
            _ if piece.contains(['|', '&', ';']) => (options, may_group) = (GlobalOptions::Unknown, false),
            _ => {}
        }
        let name = piece.rsplit(['|', '&', ';']).next().unwrap_or_default();
        if let Some(program) = option_holder(name.as_bytes()) {
            (options, words, may_group) = (program.globals, 0, true);
        }
    }
    command.contains('|') && command.split([' ', '|', '/']).any(runs_input)
}

/// The words of a [plain](is_plain_command) command line. Each part of it that would run ends where one of them does.
pub fn plain_words(command: &str) -> impl Iterator<Item = &str> {
    command.split([' ', '&', '|', ';']).filter(|piece| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::CommandLine;

    #[test]
    fn plain_commands_run_as_typed() {
        assert!(is_plain_command("git commit -a && cargo test --workspace | tail -5"));
        assert!(is_plain_command("kubectl get pods -l app=x"), "not one of its global options");
        for other in [
            "git 'stash'",
            "echo $HOME",
            "cat <<EOF",
            "ls # x",
            "a  b",
            "a\nb",
            "(ls)",
            "ls ",
            "case;;|",
            "git -C a reset",
            "git.exe reset",
            "ls|/bin/git -P log",
            "docker compose -p a down",
            "kubectl get pods -n a",
            "kubectl -- -S",
            "cargo +nightly test",
            "npx a@1",
            "make -C a seed",
            "just -f a seed",
            "make -j4 seed",
            "git commit -sm a",
            "rm -rf a",
            "echo FLUSHALL | redis-cli",
        ] {
            assert!(!is_plain_command(other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn every_line_that_would_run_is_a_part_of_what_was_typed(
            command in "((sh|bash|eval|env|sudo|xargs|watch|trap|echo|/bin/git|docker|compose|exec|psql|npx|ssh|kubectl|-c|-p|--|-S|-x|A=1|&&|;|\\||;;|if|then|do|case|in)? ?){1,9}"
        ) {
            if is_plain_command(&command) {
                let line = CommandLine::new(&command);
                let ends: Vec<u8> = plain_words(&command).filter_map(|piece| piece.bytes().last()).collect();
                let is_part = |text: &str| command.contains(text);
                let ends_as_typed = |text: &str| text.bytes().last().is_none_or(|last| ends.contains(&last));
                let whole = line.executable();
                for text in whole.lines().skip(1) {
                    prop_assert!(is_part(text) && ends_as_typed(text), "{text:?} of {command:?}");
                }
                for text in line.invocations() {
                    prop_assert!(is_part(&text) && ends_as_typed(&text), "{text:?} of {command:?}");
                }
            }
        }
    }
}
