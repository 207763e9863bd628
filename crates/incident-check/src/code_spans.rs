//! Commands in a text for people: in code spans and in fenced code blocks.

/// A command in a text, with its line number, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpan {
    /// The number of the line, from 1.
    pub line: usize,
    /// The command as it stands there.
    pub command: String,
}

/// Words that negate a sentence. A line with one of them names commands that should not be run.
const NEGATIONS: [&str; 7] = ["never", "not", "don't", "dont", "avoid", "instead", "without"];
/// Languages of fenced code blocks that hold commands.
const SHELLS: [&str; 7] = ["", "sh", "bash", "shell", "zsh", "console", "shell-session"];
/// The longest command that is returned, in bytes.
const LONGEST: usize = 500;

/// The commands of a text, except those on a line with a negation.
pub fn commands(text: &str) -> Vec<CommandSpan> {
    let mut found = Vec::new();
    let mut fence: Option<bool> = None;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if let Some(language) = trimmed.strip_prefix("```") {
            fence = match fence {
                Some(_) => None,
                None => Some(SHELLS.contains(&language.trim().to_ascii_lowercase().as_str())),
            };
            continue;
        }
        let mut add = |command: &str| {
            let command = command.trim();
            if command.contains(' ') && command.len() <= LONGEST {
                found.push(CommandSpan { line: number + 1, command: command.to_owned() });
            }
        };
        match fence {
            Some(true) => add(trimmed.trim_start_matches("$ ")),
            Some(false) => {}
            None if says_not(line) => {}
            None => spans(line).for_each(add),
        }
    }
    found
}

/// The texts between backticks.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn says_not(line: &str) -> bool {
    // Words inside of a command do not negate the sentence.
    let prose = line.split('`').step_by(2);
    let mut words = prose.flat_map(|part| part.split(|c: char| !c.is_alphabetic() && c != '\''));
    words.any(|word| NEGATIONS.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_in_spans_and_in_blocks_of_a_shell() {
        let text = "Run `make all` or `make`.\n\nNever run `rm -rf build`.\n\n```sh\n$ git push --force\n```\n\
                    ```rust\nlet a = b;\n```\nThen `git commit -m 'do not'`.";
        let found: Vec<(usize, String)> =
            commands(text).into_iter().map(|it| (it.line, it.command)).collect();
        let expected = [(1, "make all"), (6, "git push --force"), (11, "git commit -m 'do not'")];
        assert_eq!(found, expected.map(|(line, command)| (line, command.to_owned())));
    }
}
