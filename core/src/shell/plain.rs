//! Plain commands: those whose other views are the text as typed and parts of it.

/// Whether what [would run](CommandLine::executable) is the command itself and parts of it, line by line, and so is
/// each of its [invocations](CommandLine::invocations): `true` only for plain words, blanks and operators, with nothing
/// that quotes, expands or redirects. Each part ends where one of [`plain_words`] does.
pub fn is_plain_command(command: &str) -> bool {
    let bytes = command.as_bytes();
    let plain = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b' ' | b'-' | b'_' | b'.' | b'/' | b':' | b'=' | b',' | b'@' | b'%' | b'+')
            || matches!(byte, b'&' | b'|' | b';')
    };
    // A shell joins words with one blank; where there are more, what it is given reads differently.
    let single = || bytes.array_windows().all(|pair| pair != b"  ");
    // A bar between the patterns of a `case` is no operator.
    let no_case = || bytes.array_windows().all(|four| four != b"case");
    bytes.iter().all(plain) && single() && no_case() && !command.starts_with(' ') && !command.ends_with(' ')
}

/// The pieces of a command that [runs as typed](is_plain_command) in one of which every part of it ends that runs.
pub fn plain_words(command: &str) -> impl Iterator<Item = &str> {
    command.split([' ', '&', '|', ';']).filter(|piece| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::shell::CommandLine;

    #[test]
    fn plain_commands_run_as_typed() {
        assert!(is_plain_command("git commit -a && cargo test --workspace | tail -5"));
        for other in
            ["git 'stash'", "echo $HOME", "cat <<EOF", "ls # x", "a  b", "a\nb", "(ls)", "ls ", "case;;|"]
        {
            assert!(!is_plain_command(other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn every_line_that_would_run_is_a_part_of_what_was_typed(
            command in "((sh|bash|eval|env|sudo|xargs|watch|trap|echo|/bin/git|-c|-S|-x|A=1|&&|;|\\||;;|if|then|do|case|in)? ?){1,9}"
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
