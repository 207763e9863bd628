//! The programs that people speak of as tools: "use uv, not pip", "why are you still using npm?".
//!
//! The names of many programs are words too ("make", "go", "find"). So a word counts where it stands alone, or behind a
//! word for its use, and where nothing comes after it that it could belong to.

use lessons_shell::programs::known;

use crate::tag::trigger::operands;

/// Words for the use of a tool.
const USES: [&str; 13] = [
    "use",
    "uses",
    "using",
    "used",
    "run",
    "running",
    "call",
    "calling",
    "execute",
    "executing",
    "usar",
    "usare",
    "dùng",
];
/// Words that may come after the name of a tool.
const ENDS: [&str; 37] = [
    "again", "and", "anymore", "anywhere", "as", "at", "because", "but", "command", "commands", "directly",
    "ever", "for", "here", "in", "instead", "now", "on", "or", "please", "since", "to", "when", "with",
    "without", "before", "after", "unless", "until", "if", "manually", "yourself", "by", "so", "from", "use",
    "just",
];
/// The marks at which a clause ends.
const ENDS_OF_CLAUSE: &[char] = &[',', '.', ';', ':', '!', '?'];
/// Programs whose names are verbs too, with which a prohibition begins: "don't install it".
const VERBS: [&str; 13] = [
    "find", "install", "join", "kill", "link", "look", "sort", "split", "touch", "wait", "watch", "which",
    "write",
];
/// Programs whose names people use for other things even so: "don't use time in tests".
const ALSO_THINGS: [&str; 18] = [
    "command", "cut", "exec", "export", "file", "head", "host", "just", "less", "more", "patch", "script",
    "source", "strings", "tail", "test", "time", "type",
];

/// The tool of the client that these words name: people speak of sub-agents, and each is a call.
pub(super) fn of_client(words: &[String]) -> Option<&'static str> {
    let is_agent = |word: &String| word.starts_with("subagent") || word.starts_with("sub-agent");
    words.iter().any(is_agent).then_some("Agent")
}

/// The program that these words name as a tool.
pub(super) fn named(words: &[String]) -> Option<&str> {
    let is_tool = |at: usize| {
        let is_end = words.get(at + 1).is_none_or(|after| ENDS.contains(&after.as_str()));
        words.get(at).filter(|word| is_end && known(word).is_some() && !ALSO_THINGS.contains(&word.as_str()))
    };
    // What is used after the first may be what to do instead.
    let used = words.iter().position(|word| USES.contains(&word.as_str())).map(|at| at + 1);
    let first = words.first().filter(|word| !VERBS.contains(&word.as_str())).map(|_| 0);
    [first, used].into_iter().flatten().find_map(is_tool).map(String::as_str)
}

/// The program of whose commands these words speak: "the staging profile for aws commands". Those of a shell are all
/// commands.
pub(super) fn occasion(words: &[String]) -> Option<&str> {
    const BEFORE: [&str; 11] =
        ["for", "in", "with", "all", "every", "each", "any", "before", "after", "raw", "plain"];
    const SHELLS: [&str; 4] = ["bash", "fish", "sh", "zsh"];
    let mut threes = words.windows(3);
    threes.find_map(|three| match three {
        [before, program, command]
            if BEFORE.contains(&before.as_str())
                && matches!(command.as_str(), "command" | "commands")
                && known(program).is_some()
                && !SHELLS.contains(&program.as_str())
                && !ALSO_THINGS.contains(&program.as_str()) =>
        {
            Some(program.as_str())
        }
        _ => None,
    })
}

/// A program among these words that ran a moment ago: it is meant, whatever stands around it.
pub(super) fn that_ran<'w>(words: &'w [String], ran: &[String]) -> Option<&'w str> {
    let is_tool =
        |word: &&String| ran.contains(word) && known(word).is_some() && !ALSO_THINGS.contains(&word.as_str());
    words.iter().find(is_tool).map(String::as_str)
}

/// The commands that a text spells out, of two words and more.
pub(super) fn commands(text: &str) -> impl Iterator<Item = String> {
    const MOST_WORDS: usize = 8;
    let typed = typed(text);
    let starts: Vec<usize> = (0..typed.len()).filter(|&at| program_at(&typed, at)).collect();
    let may = |word: &str| operands::is_plain(word) || is_path(word);
    let commands = starts.into_iter().map(move |at| words_of_command(&typed[at..], MOST_WORDS, may));
    commands.filter(|words| words.len() > 1).map(|words| words.join(" ").to_lowercase())
}

/// Whether a word can be the path of a file.
pub(super) fn is_path(word: &str) -> bool {
    let is_of_path = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    word.contains(['.', '/']) && word.bytes().all(is_of_path)
}

/// The words of a sentence without the marks of quotation around them.
fn typed(sentence: &str) -> Vec<&str> {
    let marks: &[char] = &['`', '"', '\'', '(', ')', '“', '”'];
    sentence.split_whitespace().map(|word| word.trim_matches(marks)).collect()
}

/// A word in lower case, without the mark behind it.
fn bare(word: &str) -> String {
    word.trim_end_matches(ENDS_OF_CLAUSE).to_lowercase()
}

/// Whether a known program stands there.
fn program_at(typed: &[&str], at: usize) -> bool {
    typed
        .get(at)
        .map(|word| bare(word))
        .is_some_and(|program| known(&program).is_some() && !ALSO_THINGS.contains(&program.as_str()))
}

/// The words that belong to the command at the start of these: options, and others that may.
fn words_of_command<'t>(typed: &[&'t str], most: usize, may: impl Fn(&str) -> bool) -> Vec<&'t str> {
    let mut words: Vec<&str> = Vec::new();
    for word in typed.iter().take(most) {
        let name = word.trim_end_matches(ENDS_OF_CLAUSE);
        let lower = name.to_lowercase();
        let is_pointing = matches!(lower.as_str(), "it" | "this" | "that" | "the" | "a" | "not" | "never");
        let is_of_command = operands::is_option(name) || words.is_empty() || may(name);
        if !is_of_command || is_pointing || ENDS.contains(&lower.as_str()) {
            break;
        }
        words.push(name);
        if name.len() < word.len() {
            break;
        }
    }
    words
}

/// The command that a sentence spells out after the first of the unwanted words that is one for its use, as far as it
/// says what is run: "don't run terraform apply without asking".
pub(super) fn spelled(sentence: &str, unwanted: &[String]) -> Option<String> {
    const MOST_WORDS: usize = 4;
    let typed = typed(sentence);
    let is_use = |word: &&str| {
        let verb = bare(word);
        USES.contains(&verb.as_str()) && unwanted.contains(&verb)
    };
    let at = typed.iter().position(is_use)?;
    let is_run = !bare(typed[at]).starts_with("us");
    // "Use docker images from there" speaks of things, and not of a command.
    let may = |word: &str| operands::is_plain(word) && (is_run || !word.ends_with('s'));
    let words = program_at(&typed, at + 1).then(|| words_of_command(&typed[at + 1..], MOST_WORDS, may))?;
    (words.len() > 1).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_spelled_out_after_a_word_for_its_use() {
        let words = |text: &str| text.to_lowercase().split(' ').map(str::to_owned).collect::<Vec<_>>();
        let command = |text: &str| spelled(text, &words(text));
        for (text, expected) in [
            ("don't run terraform apply without asking", "terraform apply"),
            ("Don't use git add -A, add files one by one", "git add -A"),
            ("please don't run npm run build, the server is up", "npm run build"),
            ("you shouldn't use kubectl apply here", "kubectl apply"),
        ] {
            assert_eq!(command(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "don't use docker images from there",
            "don't use go routines",
            "don't run it",
            "don't use jest directly, use npm run test",
            "git push now",
            "",
        ] {
            assert_eq!(command(text), None, "{text}");
        }
        assert_eq!(spelled("use git add -A", &words("git add")), None, "the use of it is not unwanted");
    }

    #[test]
    fn the_commands_of_a_program_are_an_occasion() {
        let program = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            occasion(&words).map(str::to_owned)
        };
        assert_eq!(program("always name the profile for aws commands").as_deref(), Some("aws"));
        for other in ["list the slash commands", "explain all bash commands", "use the make command", ""] {
            assert_eq!(program(other), None, "{other}");
        }
    }

    #[test]
    fn a_program_is_a_tool_alone_or_where_it_is_used() {
        let tool = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            named(&words).map(str::to_owned)
        };
        for (text, program) in [
            ("pip", "pip"),
            ("grep here", "grep"),
            ("why do you keep using npm", "npm"),
            ("don't use jest in this project", "jest"),
            ("you should be using uv", "uv"),
            ("use make for that", "make"),
            ("why do you keep using npm use pnpm", "npm"),
        ] {
            assert_eq!(tool(text).as_deref(), Some(program), "{text}");
        }
        for text in [
            "don't use go routines",
            "use time in tests",
            "the make target",
            "find it",
            "npm scripts of ours",
            "",
        ] {
            assert_eq!(tool(text), None, "{text}");
        }
    }
}
