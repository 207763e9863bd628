//! The programs that people speak of as tools: "use uv, not pip", "why are you still using npm?".
//!
//! The names of many programs are words too ("make", "go", "find"). So a word counts where it stands alone, or behind a
//! word for its use, and where nothing comes after it that it could belong to.

use lessons_shell::programs::known;

use crate::detect::command::options::lists;
use crate::tag::trigger::operands;

/// Words for the use of a tool.
const USES: &str = "use uses using used run running call calling execute executing usar usare dùng \
     usa utilise utiliser nutze nutzen benutze verwende lance lancer ejecuta ejecutar roda rodar \
     запускай запускать используй использовать";
/// Words that may come after the name of a tool.
const ENDS: &str = "again and anymore anywhere as at because but command commands directly ever for here \
     in instead now on or please since to when with without before after unless until if manually yourself \
     by so from use just gets has is must needs should takes wants";
/// The marks at which a clause ends, or code in it.
const ENDS_OF_CLAUSE: &[char] = &[',', '.', ';', ':', '!', '?', '`'];
/// Programs whose names are verbs too, with which a prohibition begins: "don't install it".
const VERBS: &str = "cut find fold go install join kill link look make open pass read sort split test touch wait watch which write";
/// Programs whose names people use for other things even so: "don't use time in tests".
const ALSO_THINGS: &str = "command cut exec export file head host just less more parallel patch script source strings tail test time type";

/// The tool of the client that these words name: people speak of sub-agents, and each is a call.
pub(crate) fn of_client(words: &[String]) -> Option<&'static str> {
    words.iter().find_map(|word| match word.as_str() {
        "webfetch" => Some("WebFetch"),
        "websearch" => Some("WebSearch"),
        word => ["subagent", "sub-agent"].iter().any(|start| word.starts_with(start)).then_some("Agent"),
    })
}

/// The program that these words name as a tool.
pub(crate) fn named(words: &[String]) -> Option<&str> {
    let is_tool = |at: usize| {
        let is_end = words.get(at + 1).is_none_or(|after| lists(ENDS, after));
        words.get(at).filter(|word| is_end && is_tool(word))
    };
    // What is used after the first may be what to do instead.
    let used = words.iter().position(|word| lists(USES, word)).map(|at| at + 1);
    let first = words.first().filter(|word| !is_verb(word)).map(|_| 0);
    [first, used].into_iter().flatten().find_map(is_tool).map(String::as_str)
}

/// A program among these words that ran a moment ago, or an option that it had: it is meant, whatever stands around it.
pub(crate) fn that_ran<'w>(words: &'w [String], ran: &dyn Fn(&str) -> bool) -> Option<&'w str> {
    let is_tool = |word: &&String| (is_tool(word) || operands::is_option(word)) && ran(word);
    words.iter().find(is_tool).map(String::as_str)
}

/// The commands that a text spells out, of two words and more.
pub(crate) fn commands(text: &str) -> impl Iterator<Item = String> {
    let marks: &[char] = &['`', '"', '\'', '(', ')', '“', '”'];
    let typed: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(marks)).collect();
    (0..typed.len()).filter_map(move |at| {
        let program = typed[at].trim_end_matches(ENDS_OF_CLAUSE).to_lowercase();
        let words = is_tool(&program).then(|| words_of_command(&typed[at..]))?;
        let (_, rest) = words.split_first().filter(|(_, rest)| !rest.is_empty())?;
        Some(format!("{program} {}", rest.join(" ")))
    })
}

/// Whether a word can be the path of a file.
pub(crate) fn is_path(word: &str) -> bool {
    let is_of_path = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    word.contains(['.', '/']) && word.bytes().all(is_of_path)
}

/// Whether a word that begins a prohibition is a verb, although a program has that name.
pub(crate) fn is_verb(word: &str) -> bool {
    lists(VERBS, word)
}

/// Whether a word can only be the start of a command: a program that everybody knows, and no verb.
pub(crate) fn is_command(word: &str) -> bool {
    is_tool(word) && !is_verb(word)
}

/// Whether a word is one for the use of a tool.
pub(crate) fn is_use(word: &str) -> bool {
    word == "do" || lists(USES, word)
}

/// Whether a word names a program, and nothing else.
fn is_tool(word: &str) -> bool {
    known(word).is_some() && !lists(ALSO_THINGS, word)
}

/// The words that belong to the command at the start of these: options, paths and other plain words.
fn words_of_command<'t>(typed: &[&'t str]) -> Vec<&'t str> {
    const MOST_WORDS: usize = 8;
    /// Words that point to something, and belong to no command.
    const POINTING: &str = "it this that the a not never always you we i";
    let mut words: Vec<&str> = Vec::new();
    for word in typed.iter().take(MOST_WORDS) {
        let name = word.trim_end_matches(ENDS_OF_CLAUSE);
        let lower = name.to_lowercase();
        let may = operands::is_option(name) || operands::is_plain(name) || is_path(name);
        if !may && !words.is_empty() || lists(POINTING, &lower) || lists(ENDS, &lower) {
            break;
        }
        words.push(name);
        if name.len() < word.len() {
            break;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_spelled_out_with_two_words_and_more() {
        for (text, expected) in [
            ("don't run terraform apply without asking", "terraform apply"),
            ("Don't use git add -A, add files one by one", "git add -A"),
            ("please don't run `npm run build`, the server is up", "npm run build"),
            ("you shouldn't use Kubectl apply here", "kubectl apply"),
            ("don't use jest directly, use npm run test", "npm run test"),
        ] {
            assert_eq!(commands(text).next().as_deref(), Some(expected), "{text}");
        }
        assert_eq!(commands("don't run it").next(), None);
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
