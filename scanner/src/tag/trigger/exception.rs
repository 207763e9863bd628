//! What tells an advised command from the stopped one: the words that only one of them has.

use lessons_lesson::placeholders::in_word;
use lessons_pattern::{MAX_PATTERN_CHARS, Trigger, TriggerKind};

use super::{literal, operands};

/// Patterns for what `other` says and `command` does not, the most telling first: an option with its values, or words that
/// stand together. A placeholder (`<name>`, `"…"`) is nobody's word, and ends them.
pub fn said_only_by(other: &str, command: &str) -> Vec<Trigger> {
    let known: Vec<&str> = command.split_whitespace().collect();
    let mut groups: Vec<Vec<&str>> = vec![Vec::new()];
    for word in other.split_whitespace() {
        let is_new = !known.contains(&word) && !is_placeholder(word);
        if !is_new || operands::is_option(word) {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut().filter(|_| is_new) {
            group.push(word);
        }
    }
    // What starts the same program in another way says most, and what a command is told to do more than what it was about that
    // day.
    let runs_it =
        known.first().is_some_and(|program| other.split_whitespace().skip(1).any(|it| it == *program));
    let first = other.split_whitespace().next().filter(|_| runs_it);
    groups.sort_by_key(|group| {
        let is_told = |word: &&str| operands::is_option(word) || word.contains('=');
        (group.first().copied() != first, !group.first().is_some_and(is_told))
    });
    let patterns = groups.into_iter().filter(|group| !group.is_empty()).map(|group| words(&group.join(" ")));
    patterns
        .filter(|pattern| pattern.chars().count() <= MAX_PATTERN_CHARS)
        .map(|pattern| Trigger::new(TriggerKind::CommandPattern, pattern))
        .collect()
}

/// A pattern for words of a command. An option begins after white space: `-u` is no part of `git-u`.
pub(super) fn words(text: &str) -> String {
    let start = if operands::is_option(text) { r"(?:^|\s)" } else { "" };
    format!("{start}{}", literal(text))
}

fn is_placeholder(word: &str) -> bool {
    word.contains(['<', '>', '"', '\'', '…', '$', '&', '|', ';'])
        || word.contains("...")
        || in_word(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_the_exception() {
        for (stopped, advised, patterns) in [
            ("make seed", "make seed DB=local", &[r"\bDB=local\b"][..]),
            ("git stash", "git stash -u", &[r"(?:^|\s)-u\b"]),
            ("git push", "git push upstream HEAD", &[r"\bupstream\s+HEAD\b"]),
            ("kubectl get pods", "kubectl -n dev get pods", &[r"(?:^|\s)-n\s+dev\b"]),
            ("git commit", "git commit -s -m \"<text>\"", &[r"(?:^|\s)-s\b", r"(?:^|\s)-m\b"]),
            ("a", "a site.yml --limit dev", &[r"(?:^|\s)--limit\s+dev\b", r"\bsite\.yml\b"]),
            ("bundle update", "bundle update --conservative GEM", &[r"(?:^|\s)--conservative\b"]),
            ("pytest", "uv run pytest", &[r"\buv\s+run\b"]),
            ("a b", "a b", &[]),
        ] {
            let found = said_only_by(advised, stopped);
            let found: Vec<&str> = found.iter().map(|trigger| trigger.pattern.as_str()).collect();
            assert_eq!(found, patterns, "{advised}");
        }
    }
}
