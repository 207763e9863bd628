//! The verbs of `lessons`, and what a permission dialog says of each.

/// The verbs that change nothing.
pub const READING: [&str; 19] = [
    "list",
    "show",
    "candidates",
    "explain",
    "query",
    "replay",
    "status",
    "stats",
    "log",
    "test",
    "validate",
    "doctor",
    "export",
    "help",
    "version",
    "diff",
    "report",
    "completions",
    "man",
];

/// The option of `replay` that stores the person's answers.
const LABEL: &str = "--label";

/// The options that may stand before the verb.
const BEFORE_VERB: [&str; 1] = ["--json"];

/// Whether a `lessons` with these arguments changes nothing. In doubt the answer is no.
///
/// `lessons` alone, `--help`, `--version`, `VERB --help` and the reading verbs change nothing, and neither
/// does a `review` that only looks, a `doctor` that mends nothing, or an `index` that is rebuilt.
pub fn only_reads(argv: &[&str]) -> bool {
    let rest = after_options(argv);
    match rest {
        // A rebuilt index holds only what was accepted before.
        [] | ["--help" | "-h" | "--version" | "-V" | "index"] => true,
        [verb, "--help" | "-h"] => !verb.starts_with('-'),
        ["review", words @ ..] => only_looks(words),
        ["doctor", words @ ..] => words.iter().all(|word| *word == "--json"),
        ["accept", words @ ..] => {
            words.contains(&"--dry-run") && words.iter().all(|word| ["--dry-run", "--json"].contains(word))
        }
        // `--label` asks a person, whose answers are stored.
        ["replay", words @ ..] => !words.iter().any(|word| word.starts_with(LABEL)),
        [verb, ..] => READING.contains(verb),
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

/// The summary of a file of decisions that a person is shown: the value of `--agreed`, which the command compares with
/// the file before it does anything.
pub(super) fn agreed<'a>(argv: &[&'a str]) -> Option<&'a str> {
    match after_options(argv) {
        ["review", "--apply", _, "--agreed", agreed]
        | ["review", "--apply", _, "--agreed", agreed, "--json"] => Some(agreed),
        _ => None,
    }
}

/// The verb of a command line, if there is one where it is expected.
pub(super) fn verb<'a>(argv: &[&'a str]) -> Option<&'a str> {
    after_options(argv).first().copied()
}

fn after_options<'v, 'a>(argv: &'v [&'a str]) -> &'v [&'a str] {
    let options = argv.iter().take_while(|word| BEFORE_VERB.contains(word)).count();
    argv.get(options..).unwrap_or_default()
}

/// The effect of a verb, in words for a permission dialog.
pub(super) struct VerbEffect {
    /// A phrase that completes "This would …".
    pub(super) would: &'static str,
    /// A sentence that says when a person should allow it.
    pub(super) advice: &'static str,
}

const READ_IT: &str = "Allow it only if you have read the lesson.";
const ASKED: &str = "Allow it only if you asked for it.";

/// Whether `verb` is a verb of `lessons` that may change something.
pub(super) fn changes(verb: &str) -> bool {
    known(verb).is_some()
}

/// The effect of a verb.
pub(super) fn effect(verb: Option<&str>) -> VerbEffect {
    let (would, advice) =
        verb.and_then(known).unwrap_or(("run a command of Lessons that may change something", ASKED));
    VerbEffect { would, advice }
}

fn known(verb: &str) -> Option<(&'static str, &'static str)> {
    Some(match verb {
        "replay" => {
            ("keep answers about past calls with a lesson", "Only you can say whether a hit is right.")
        }
        "promote" => ("switch on a lesson", READ_IT),
        "accept" => (
            "put changes that were made in the files of your lessons and settings into force",
            "Allow it only if you have read them: `lessons accept --dry-run` shows them.",
        ),
        "add" => ("write a new lesson and switch it on", READ_IT),
        "edit" => ("change a lesson", "Allow it only if you have read the change."),
        "restore" => ("switch a former lesson on again", READ_IT),
        "merge" => ("merge lessons into one", "Allow it only if you have read both."),
        "supersede" => ("retire a lesson for another one", "Allow it only if you have read both."),
        "untrigger" => ("take a trigger from a lesson, so that it warns less often", ASKED),
        "prune" => ("take triggers and topics out of your lessons", ASKED),
        "strip-markers" => ("change the text of lessons", ASKED),
        "init" => ("set up settings of Lessons or a merge driver of git", ASKED),
        "review" => {
            ("decide about candidates", "A review is yours to do; allow it only if you asked for it.")
        }
        "import" => ("bring in lessons from elsewhere", "Allow it only if you know what is in them."),
        "trust" => (
            "trust the lessons that come with a project",
            "Allow it only if you have read them, as they will guide every session in it.",
        ),
        "untrust" => ("stop using the lessons that come with a project", ASKED),
        "reject" => ("throw away a candidate", ASKED),
        "deprecate" => ("retire a lesson, so that it no longer warns", ASKED),
        "off" => ("switch lessons off, so that they no longer warn or refuse", ASKED),
        "on" => ("switch lessons on again", ASKED),
        "doctor" => ("fix what is broken in the files of Lessons", ASKED),
        "undo" => ("take back a change to your lessons", ASKED),
        "forget" => (
            "remove a text from every copy, which nothing can undo",
            "Allow it only if you want it gone for good.",
        ),
        "build" => ("put saved lessons into force", ASKED),
        "scan" | "lessons-scan" => ("read session transcripts and record candidates", ASKED),
        "nightly" => ("do the nightly work now: scan, put away, back up, build", ASKED),
        "schedule" => ("set up or remove the nightly run on this machine", ASKED),
        "config" => ("change the settings of Lessons", ASKED),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_changes_nothing_and_anything_else_may() {
        for argv in [
            &[][..],
            &["list"],
            &["--json", "list"],
            &["list", "--json", "--all"],
            &["show", "a"],
            &["diff"],
            &["doctor"],
            &["doctor", "--json"],
            &["log", "--limit", "3"],
            &["help", "promote"],
            &["--help"],
            &["-V"],
            &["--version"],
            &["promote", "--help"],
            &["scan", "-h"],
            &["index"],
            &["replay", "a"],
            &["replay", "--trigger", "cmd=a", "--json"],
            &["review", "--json"],
            &["--json", "review", "--next"],
            &["review", "--next", "--after", "3f2a", "--json"],
            &["review", "--next", "--json"],
            &["review", "--check", "answers.json"],
            &["review", "--check", "answers.json", "--json"],
            &["review", "--check", "-"],
            &["accept", "--dry-run"],
            &["accept", "--json", "--dry-run"],
        ] {
            assert!(only_reads(argv), "{argv:?}");
        }
        for argv in [
            &["promote", "a"][..],
            &["accept"],
            &["accept", "--json"],
            &["accept", "--dry-run", "x"],
            &["restore", "--store"],
            &["add"],
            &["scan"],
            &["undo"],
            &["doctor", "--fix"],
            &["doctor", "--json", "--fix"],
            &["undo", "3"],
            &["--color", "list"],
            &["--home", "list", "promote"],
            &["promote", "a", "--help"],
            &["--help", "promote"],
            &["List"],
            &["listx"],
            &["-x", "-h"],
            &["--json", "on"],
            &["replay", "a", "--label"],
            &["replay", "--label", "a"],
            &["--json", "replay", "a", "--label=x"],
            &["index", "x"],
            &["review"],
            &["--json", "review"],
            &["review", "--apply", "answers.json"],
            &["review", "--apply=answers.json"],
            &["review", "--json", "--apply", "answers.json"],
            &["review", "--check", "answers.json", "--apply", "answers.json"],
            &["review", "--check", "--apply", "answers.json"],
            &["review", "--check"],
            &["review", "--next", "--after", "--apply", "answers.json"],
            &["review", "--next", "--apply", "answers.json"],
        ] {
            assert!(!only_reads(argv), "{argv:?}");
        }
    }

    #[test]
    fn every_verb_that_changes_something_says_what_it_does() {
        let unknown = effect(None).would;
        for (verb, would) in [
            ("replay", "keep answers"),
            ("promote", "switch on a lesson"),
            ("accept", "into force"),
            ("add", "write a new lesson"),
            ("edit", "change a lesson"),
            ("restore", "switch a former lesson on"),
            ("merge", "merge lessons"),
            ("supersede", "retire a lesson for another"),
            ("untrigger", "take a trigger from"),
            ("prune", "take triggers and topics out"),
            ("strip-markers", "change the text"),
            ("init", "set up settings"),
            ("review", "decide about candidates"),
            ("import", "bring in lessons"),
            ("trust", "trust the lessons"),
            ("untrust", "stop using the lessons"),
            ("reject", "throw away a candidate"),
            ("deprecate", "no longer warns"),
            ("off", "switch lessons off"),
            ("on", "switch lessons on again"),
            ("doctor", "fix what is broken"),
            ("undo", "take back a change"),
            ("forget", "nothing can undo"),
            ("build", "put saved lessons into force"),
            ("scan", "read session transcripts"),
            ("lessons-scan", "read session transcripts"),
            ("nightly", "do the nightly work"),
            ("schedule", "set up or remove the nightly run"),
            ("config", "change the settings"),
        ] {
            let told = effect(Some(verb)).would;
            assert!(changes(verb) && told.contains(would) && told != unknown, "{verb}: {told}");
        }
        for verb in ["list", "show", "frobnicate", "", "Promote"] {
            assert!(!changes(verb), "{verb}");
            assert_eq!(effect(Some(verb)).would, unknown, "{verb}");
        }
    }

    #[test]
    fn an_agreed_summary_is_found_only_where_the_command_expects_it() {
        let agreed_in = |line: &'static str| agreed(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(agreed_in("review --apply answers.json --agreed 2:yes"), Some("2:yes"));
        assert_eq!(agreed_in("--json review --apply answers.json --agreed 2:yes"), Some("2:yes"));
        assert_eq!(agreed_in("review --apply answers.json --agreed 2:yes --json"), Some("2:yes"));
        for line in [
            "review --apply answers.json",
            "review --agreed 2:yes --apply answers.json",
            "review --apply answers.json --agreed 2:yes --next",
            "promote --apply answers.json --agreed 2:yes",
        ] {
            assert_eq!(agreed_in(line), None, "{line}");
        }
    }
}
