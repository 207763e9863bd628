//! The command as typed, without what it only feeds to a program.

use std::borrow::Cow;

use super::line::CommandLine;
use crate::find;

impl<'a> CommandLine<'a> {
    /// The command as typed, without the bodies of its heredocs.
    ///
    /// The line that opens a heredoc stays; its body and the line that ends it go. Nothing else changes.
    pub fn typed(&self) -> Cow<'a, str> {
        let text = self.text;
        if find::find(text.as_bytes(), b"<<").is_none() {
            return Cow::Borrowed(text);
        }
        let source = self.source();
        let mut spans: Vec<_> = source.heredocs.iter().map(|heredoc| heredoc.span.clone()).collect();
        spans.retain(|span| !span.is_empty());
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        // One that is opened later, but inside a substitution, has its body earlier.
        spans.sort_unstable_by_key(|span| span.start);
        let mut kept = String::with_capacity(text.len().saturating_sub(source.heredoc_bytes()));
        let mut from = 0;
        for span in spans {
            kept.push_str(text.get(from..span.start).unwrap_or_default());
            from = span.end;
        }
        kept.push_str(text.get(from..).unwrap_or_default());
        if from == text.len() && !text.ends_with('\n') && kept.ends_with('\n') {
            kept.pop();
        }
        Cow::Owned(kept)
    }
}

/// Whether what [would run](CommandLine::executable) is the command itself and parts of it, line by line, and so is
/// each of its [invocations](CommandLine::invocations): `true` only for plain words, blanks and operators, with nothing
/// that quotes, expands or redirects. Each part ends where one of [`typed_ends`] does.
pub fn runs_as_typed(command: &str) -> bool {
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

/// The pieces of a command that [runs as typed](runs_as_typed) in one of which every part of it ends that runs.
pub fn typed_ends(command: &str) -> impl Iterator<Item = &str> {
    command.split([' ', '&', '|', ';']).filter(|piece| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_commands_run_as_typed() {
        assert!(runs_as_typed("git commit -a && cargo test --workspace | tail -5"));
        for other in
            ["git 'stash'", "echo $HOME", "cat <<EOF", "ls # x", "a  b", "a\nb", "(ls)", "ls ", "case;;|"]
        {
            assert!(!runs_as_typed(other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn every_line_that_would_run_is_a_part_of_what_was_typed(
            command in "((sh|bash|eval|env|sudo|xargs|watch|trap|echo|/bin/git|-c|-S|-x|A=1|&&|;|\\||;;|if|then|do|case|in)? ?){1,9}"
        ) {
            if runs_as_typed(&command) {
                let line = CommandLine::new(&command);
                let ends: Vec<u8> = typed_ends(&command).filter_map(|piece| piece.bytes().last()).collect();
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
