//! The calls of `lessons` that decide nothing, and so need nobody's approval.

/// The option of `replay` that stores the person's answers.
const LABEL: &str = "--label";
/// The option of `effect` that deletes what is known of a lesson.
const FORGET: &str = "--forget";

/// The words that make `incidents` decide, or print the texts themselves.
const DECIDING_INCIDENTS: [&str; 5] = ["report", "retire", "reinstate", "confirm", "--reveal"];

/// The options that may stand before the verb.
const BEFORE_VERB: [&str; 1] = ["--json"];

/// Whether a `lessons` with these arguments decides nothing. In doubt the answer is no.
pub fn is_free(argv: &[&str]) -> bool {
    let options = argv.iter().take_while(|word| BEFORE_VERB.contains(word)).count();
    let has = |words: &[&str], option: &str| words.contains(&option);
    match argv.get(options..).unwrap_or_default() {
        []
        | ["--help" | "-h" | "--version" | "-V"]
        | ["schedule", "status", ..]
        | ["incidents", "check", ..] => true,
        ["install", words @ ..] => {
            has(words, "--status") && words.iter().all(|word| ["--status", "--json"].contains(word))
        }
        [verb, "--help" | "-h"] => !verb.starts_with('-'),
        ["review", words @ ..] => only_looks(words),
        ["doctor" | "measure", words @ ..] => words.iter().all(|word| *word == "--json"),
        ["accept", words @ ..] => {
            has(words, "--dry-run") && words.iter().all(|word| ["--dry-run", "--json"].contains(word))
        }
        ["prune", words @ ..] => !has(words, "--apply"),
        ["strip-markers", words @ ..] | ["schedule", "install", words @ ..] => has(words, "--dry-run"),
        ["incidents", words @ ..] => {
            let decides = |word: &&str| DECIDING_INCIDENTS.iter().any(|deciding| word.starts_with(deciding));
            !words.iter().any(decides)
        }
        ["peers", words @ ..] => words.iter().all(|word| ["list", "--json"].contains(word)),
        // The option asks a person, whose answers are stored.
        ["replay", words @ ..] => !words.iter().any(|word| word.starts_with(LABEL)),
        ["effect", words @ ..] => !words.iter().any(|word| word.starts_with(FORGET)),
        // They only read, record or repeat. `scan`, `propose` and `mcp` make candidates, `build` and `index` compile what
        // was accepted, and `nightly` does that and keeps backups.
        [
            "agents" | "build" | "candidates" | "completions" | "diff" | "explain" | "export" | "help"
            | "index" | "list" | "log" | "man" | "mcp" | "nightly" | "propose" | "query" | "question"
            | "receive" | "reflect" | "report" | "scan" | "search" | "show" | "stats" | "status" | "test"
            | "validate" | "version",
            ..,
        ] => true,
        _ => false,
    }
}

/// Whether a `review` with these words only shows candidates or the effect of a file of decisions. Without
/// a word it opens the screen in which a person decides.
fn only_looks(words: &[&str]) -> bool {
    let is_value = |word: &&&str| **word == "-" || !word.starts_with('-');
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let fits = match *word {
            "--json" | "--next" => true,
            "--after" | "--check" => rest.next().is_some_and(|value| is_value(&value)),
            _ => false,
        };
        if !fits {
            return false;
        }
    }
    // `--json` after the verb lists; before the verb it only selects the output, and the verb opens the screen.
    !words.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_are_listed_freely_and_only_a_person_shares_and_trusts() {
        for argv in [&["peers"][..], &["peers", "list"], &["--json", "peers", "list"]] {
            assert!(is_free(argv), "{argv:?}");
        }
        for argv in [
            &["share", "a"][..],
            &["share", "a", "--print", "--yes"],
            &["unshare", "a"],
            &["peers", "trust", "a", "--name", "list"],
            &["peers", "--json", "distrust", "ana"],
            &["peers", "list", "trust"],
        ] {
            assert!(!is_free(argv), "{argv:?}");
        }
    }

    #[test]
    fn everybody_may_look_at_what_is_measured() {
        assert!(is_free(&["measure"]));
        assert!(!is_free(&["measure", "on"]) && !is_free(&["measure", "off", "--json"]));
    }

    #[test]
    fn reading_recording_and_repeating_is_free_and_deciding_is_not() {
        for argv in [
            &[][..],
            &["list"],
            &["--json", "list"],
            &["list", "--json", "--all"],
            &["show", "a"],
            &["doctor"],
            &["doctor", "--json"],
            &["log", "--limit", "3"],
            &["help", "promote"],
            &["--help"],
            &["-V"],
            &["promote", "--help"],
            &["receive"],
            &["receive", "-"],
            &["scan"],
            &["scan", "--root", "/x"],
            &["build"],
            &["nightly"],
            &["reflect", "--all-projects"],
            &["effect", "a", "--json"],
            &["propose", "/tmp/lessons.json"],
            &["index"],
            &["replay", "a"],
            &["replay", "--trigger", "cmd=a", "--json"],
            &["review", "--json"],
            &["--json", "review", "--next"],
            &["review", "--next", "--after", "3f2a", "--json"],
            &["review", "--check", "answers.json"],
            &["review", "--check", "-"],
            &["accept", "--dry-run"],
            &["accept", "--json", "--dry-run"],
            &["prune"],
            &["prune", "--cap", "3"],
            &["strip-markers", "--dry-run"],
            &["schedule", "status"],
            &["install", "--status"],
            &["incidents"],
            &["incidents", "--all", "--type", "user_reported"],
            &["incidents", "list", "--source", "docs.example"],
            &["--json", "incidents", "stats"],
            &["incidents", "check", "report.md"],
            &["incidents", "check"],
            &["incidents", "check", "page.md", "--from", "web"],
            &["--json", "install", "--status"],
            &["schedule", "install", "--at", "03:00", "--dry-run"],
        ] {
            assert!(is_free(argv), "{argv:?}");
        }
        for argv in [
            &["promote", "a"][..],
            &["accept"],
            &["accept", "--json"],
            &["accept", "--dry-run", "x"],
            &["restore", "--store"],
            &["add"],
            &["undo"],
            &["off", "all"],
            &["init"],
            &["forget"],
            &["trust", "--yes"],
            &["doctor", "--fix"],
            &["doctor", "--json", "--fix"],
            &["--color", "list"],
            &["--home", "list", "promote"],
            &["promote", "a", "--help"],
            &["--help", "promote"],
            &["List"],
            &["listx"],
            &["-x", "-h"],
            &["--json", "on"],
            &["replay", "a", "--label"],
            &["--json", "replay", "a", "--label=x"],
            &["review"],
            &["--json", "review"],
            &["review", "--apply", "answers.json"],
            &["review", "--apply=answers.json"],
            &["review", "--check", "answers.json", "--apply", "answers.json"],
            &["review", "--check", "--apply", "answers.json"],
            &["review", "--check"],
            &["review", "--next", "--after", "--apply", "answers.json"],
            &["prune", "--apply"],
            &["strip-markers"],
            &["install"],
            &["incidents", "report", "--reason", "x"],
            &["incidents", "retire", "i-0123", "--reason", "x"],
            &["incidents", "reinstate", "i-0123"],
            &["--json", "incidents", "confirm", "i-0123"],
            &["incidents", "--reveal"],
            &["incidents", "list", "--reveal"],
            &["install", "--yes"],
            &["install", "--status", "--yes"],
            &["uninstall"],
            &["schedule"],
            &["schedule", "install"],
            &["schedule", "remove"],
            &["--agreed", "x", "list"],
        ] {
            assert!(!is_free(argv), "{argv:?}");
        }
    }
}
