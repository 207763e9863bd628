//! The operators of a command line: how its commands are joined.

use super::lexed_text::LexedText;
use super::syntax::Token;

/// The control operators, reserved words and arithmetic commands of a command line, in order. Those inside a
/// substitution are left out, since they belong to a word. Line ends at both ends of the text are left out, and several
/// in a row count once.
pub fn operators(command: &str) -> Vec<&str> {
    let lexed = LexedText::commands(command);
    let mut operators: Vec<&str> = Vec::new();
    let mut line_ended = true;
    for spaced in &lexed.list {
        let operator = match spaced.token {
            Token::Operator(text) | Token::ReservedWord(text) | Token::Arithmetic { source: text, .. } => {
                Some(text)
            }
            Token::Word(_) | Token::OtherWord(_) | Token::Redirection(_) => None,
        };
        let ends_line = operator == Some("\n");
        operators.extend(operator.filter(|_| !ends_line || !line_ended));
        line_ended = ends_line;
    }
    if line_ended && operators.last() == Some(&"\n") {
        operators.pop();
    }
    operators
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_joins_commands_is_told_in_order() {
        for (command, expected) in [
            ("git stash", &[][..]),
            ("\n\na b\n\n", &[]),
            ("a\n\n# it's\nb\n", &["\n"]),
            ("a && b || c; d & e | f", &["&&", "||", ";", "&", "|"]),
            ("if a; then ! b; fi", &["if", ";", "then", "!", ";", "fi"]),
            ("(a; b) > f", &["(", ";", ")"]),
            ("echo 'a && b' \"$(c; d)\"", &[]),
            ("((x = 1))", &["((x = 1))"]),
            ("cat <<E && b\na; b\nE\nc", &["&&", "\n"]),
        ] {
            assert_eq!(operators(command), expected, "{command}");
        }
    }
}
