//! The reading of error texts: why a call failed.

pub(super) mod failed_call;
pub(super) mod signs;

use std::ops::Range;

use super::command::Command;
use signs::Signs;

/// The longest class, in characters.
const MOST_CHARS: usize = 160;

/// The fewest words of a class.
const FEWEST_WORDS: usize = 2;
/// The lines of an error whose first one tells it in any case.
const FEW_LINES: usize = 3;
/// The lines of an error among which the most telling one is looked for.
const TELLING_WITHIN: usize = 40;
/// Signs of a line that says what is wrong, in lower case.
static ERRORS: Signs = Signs::new(
    "error|fatal|not found|denied|cannot|can't|could not|couldn't|no such|invalid|unknown|\
     unrecognized|unexpected|failed|exception|missing|required|ignored by|not supported|unsupported|\
     not allowed|not a ",
);

/// Texts of errors that come from the network or the moment, and not from the call.
static PASSING: Signs = Signs::new(
    "parallel tool call|interrupted by user|429|502|503|504|connection refused|connection reset|connection timed out|could not resolve host|\
     econnrefused|econnreset|enotfound|etimedout|rate exceeded|rate limit|temporary failure|\
     too many requests",
);

/// What shells, parsers of options and others say of a call that could not do what it was for, in lower case.
static MISUSES: Signs = Signs::new(
    "flag provided but not defined|illegal option|invalid option|unexpected argument|unknown command|\
     unknown flag|unknown json field|unknown option|unknown switch|unrecognized argument|\
     unrecognized option|missing script|no rule to make target|no such command|ambiguous argument|\
     unknown shorthand flag|unrecognised option|no such option|unsupported option|unknown argument|invalid flag|\
     bad option|unrecognized subcommand|unknown subcommand|no such subcommand|script not found|\
     cannot find main module|does not contain main module|\
     main module (|no go files in |not a git repository|pathspec|file \"<stdin>\"|file \"<string>\"",
);
/// What shells say of a line that they cannot read. Built-in lessons are about it.
static OF_SHELL: Signs = Signs::new(
    ": parse error near|: cd: |:cd:|no matches found:|syntax error near unexpected token|\
     unexpected eof while looking for matching|unterminated quoted string",
);
/// What programs say of whatever they are called for, in lower case.
pub(super) static OF_EVERY_CALL: Signs = Signs::new(
    "locate credentials|no credentials|not logged in|not authenticated|not a git repository|\
     could not find `cargo.toml`|go.mod file not found|cannot find main module|no configuration file|command not found",
);
/// How lines begin by which a program says how it is called, or that it cannot read what the call gives it.
const MISUSE_LINES: [&str; 3] = ["usage:", "jq: error", "[eval]"];
/// The lines of an error that are looked at for that.
const MISUSE_WITHIN: usize = 20;

/// Whether a shell could not read the call.
pub(super) fn is_of_shell(text: &str) -> bool {
    text.lines().take(MISUSE_WITHIN).any(|line| OF_SHELL.are_in(line))
}

/// Whether an error says that the call itself was wrong: then it is the answer of no test, whatever was called.
pub(super) fn is_misuse(text: &str) -> bool {
    let begins =
        |line: &str, start: &str| line.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    text.lines().take(MISUSE_WITHIN).map(str::trim_start).any(|line| {
        let is_usage = MISUSE_LINES.iter().any(|start| begins(line, start));
        is_usage || OF_SHELL.are_in(line) || MISUSES.are_in(line)
    })
}

/// Whether a call was stopped because it did not end. The client says so in the place of the exit code.
pub(super) fn timed_out(text: &str) -> bool {
    text.starts_with("Command timed out after ") || text.contains("\nCommand timed out after ")
}

/// Whether the program was missing, or not executable.
pub(super) fn did_not_start(code: Option<u8>) -> bool {
    matches!(code, Some(126 | 127))
}

/// Whether an error concerns every call of its program: it is missing, knows nobody, or there is no project.
pub(super) fn concerns_program(text: &str, code: Option<u8>) -> bool {
    did_not_start(code) || telling_line(text).is_some_and(|line| OF_EVERY_CALL.are_in(line))
}

/// Whether a failure is an answer and no mistake of the call: the code failed a check, or nothing was found.
pub(super) fn is_an_answer(command: &Command, text: &str, code: Option<u8>) -> bool {
    let blocked = timed_out(text) || did_not_start(code);
    !blocked && (command.inspects() || command.checks() || telling_line(text).is_some_and(is_finding))
}

/// Whether a line says what is wrong at a place in a file, as linters and compilers do: `src/a.md:50:121 error …`. A host with
/// its port has one number.
fn is_finding(line: &str) -> bool {
    let mut parts = line.split([':', ' ']);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().is_some_and(|file| file.contains('.'))
        && parts.by_ref().take(2).filter(|part| is_number(part)).count() == 2
}

/// Whether the error is temporary, so that the same call may succeed later. What this machine refuses waits for a service to
/// be started.
pub(super) fn is_passing(text: &str) -> bool {
    const OF_THIS_MACHINE: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
    if telling_line(text).is_some_and(|line| OF_THIS_MACHINE.iter().any(|name| line.contains(name))) {
        return false;
    }
    let is_word = |at: Range<usize>| {
        !text[..at.start].ends_with(char::is_alphanumeric)
            && !text[at.end..].starts_with(char::is_alphanumeric)
    };
    PASSING.places(text).any(is_word)
}

/// The class of an error: its most telling line, without quoted parts, numbers, hashes and paths. `None` where too little is
/// left to tell it from others.
pub(super) fn class(text: &str) -> Option<String> {
    // Of many lines none of which speaks of an error, nobody knows which one tells it.
    let is_short = text.lines().filter(|line| !line.trim().is_empty()).count() <= FEW_LINES;
    // A call that is made wrongly may only be warned of.
    let tells = |line: &&str| (!warns(line) || is_misuse(text)) && (is_short || speaks_of_error(line));
    let line = without_quotes(telling_line(text).filter(tells)?);
    let line = without_speakers(&line);
    let mut words: Vec<String> =
        line.split_whitespace().map(general).filter(|word| !word.is_empty()).collect();
    words.dedup();
    let telling = words.iter().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1).count();
    let class: String = words.join(" ").chars().take(MOST_CHARS).collect();
    (telling >= FEWEST_WORDS).then_some(class)
}

/// The most telling line of an error: of a Python traceback the last, else the first that speaks of an error and does not only
/// warn, else the first.
pub(super) fn telling_line(text: &str) -> Option<&str> {
    // The client wraps the errors of its own tools.
    let text =
        text.strip_prefix("<tool_use_error>").map_or(text, |text| text.trim_end_matches("</tool_use_error>"));
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next()?;
    if lines.clone().any(|line| line.starts_with("Traceback ")) {
        return lines.next_back();
    }
    let mut speaking = lines.take(TELLING_WITHIN).filter(|line| speaks_of_error(line));
    let announcing = speaking.clone().next();
    let tells = |line: &&str| !line.ends_with(':') && !warns(line);
    Some(speaking.find(tells).or(announcing).unwrap_or(first))
}

/// Whether a line only warns: `npm WARN …`, `warning: …`.
fn warns(line: &str) -> bool {
    let is_warning = |word: &str| word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("warn"));
    let mut words = line.split_whitespace();
    words.next().is_some_and(is_warning) || words.next().is_some_and(|word| word.starts_with("WARN"))
}

/// Whether a line says what is wrong, or announces it.
fn speaks_of_error(line: &str) -> bool {
    let is_word = |at: Range<usize>| !line[..at.start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    // An option that is explained is no error.
    !line.contains("usage:") && !line.starts_with("--") && ERRORS.places(line).any(is_word)
}

/// A line without the names before it, of the program that says it and of how bad it is: `adb: error: …`.
fn without_speakers(line: &str) -> &str {
    let mut rest = line.trim();
    while let Some((speaker, after)) = rest.split_once(": ")
        && speaker.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        && after.split_whitespace().count() >= FEWEST_WORDS
    {
        rest = after.trim_start();
    }
    rest
}

/// A line without what stands in quotes: names that differ from time to time.
pub(crate) fn without_quotes(line: &str) -> String {
    let mut out = String::new();
    let mut open: Option<char> = None;
    for (at, c) in line.char_indices() {
        // A list: `choose one of: [web proxy]`.
        let is_list = || line[at..].split(']').next().is_some_and(|list| list.contains(' '));
        match (open, c) {
            (Some(end), c) if c == end => open = None,
            (Some(_), _) => {}
            (None, '"' | '`') => open = Some(c),
            (None, '\'') if !out.ends_with(char::is_alphanumeric) => open = Some(c),
            (None, '‘') => open = Some('’'),
            (None, '[') if is_list() => open = Some(']'),
            (None, c) => out.push(c),
        }
    }
    out
}

/// A word without its variable parts: numbers, hashes, paths, names that a machine made.
pub(crate) fn general(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '\\' | '-'));
    if word.contains(['/', '\\']) {
        return "/".into();
    }
    let is_hash =
        word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit() || !b.is_ascii_alphanumeric());
    let is_made = word.find('-').is_some_and(|at| at > 0) && word.contains(|c: char| c.is_ascii_digit());
    if is_hash || is_made {
        return "0".into();
    }
    let mut out = String::new();
    for c in word.chars() {
        let c = if c.is_ascii_digit() { '0' } else { c.to_ascii_lowercase() };
        if !(c == '0' && out.ends_with('0')) {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_leaves_out_what_differs_from_time_to_time() {
        let class = |text: &str| class(text).unwrap();
        assert_eq!(
            class("Error: lock 5c1e00f at /a/b held for 12 s"),
            class("\nError: lock 77aa9be at /c held for 7 s")
        );
        assert_ne!(class("Error: lock held"), class("Error: no credentials"));
        assert_eq!(
            class("psql: error: role \"ann\" is missing"),
            class("psql: error: role \"bob\" is missing")
        );
        let of_pod = |pod: &str, app: &str| {
            format!("error: a container must be named for pod {pod}, one of: [{app} proxy]")
        };
        assert_eq!(
            class(&of_pod("shop-6c9d7b5f4d-x2lqp", "shop")),
            class(&of_pod("web-5f77c9c86b-9wn4k", "web"))
        );
        let traceback = "Traceback (most recent call last):\n  File x\nKeyError: no such key 'a'";
        assert_eq!(class(traceback), class("KeyError: no such key 'b'"));
        let warned = "warning: cannot open '.cache'\nnpm WARN not found\nfatal: no such path 'a'";
        assert_eq!(class(warned), class("fatal: no such path 'b'"));
        let unknown = "warning: Not a git repository. Use --no-index\nusage: git diff --no-index\n    --check  warn of errors";
        assert!(
            class(unknown).contains("not a git repository"),
            "what is called wrongly may only be warned of"
        );
        assert!(!warns("error: warnings found"));
        let banner = "Welcome to Linux 24.04\n\nls: cannot access '/etc/a': No such file or directory";
        assert_eq!(class(banner), class("ls: cannot access '/srv/b': No such file or directory"));
    }

    #[test]
    fn what_says_nothing_of_an_error_has_no_class() {
        for text in [
            " \n",
            "Welcome to Linux\n1\n2\n3",
            "a::no_error_one ... ok\nok\nok\nok",
            "0x00",
            "error",
            "warning: not a directory",
        ] {
            assert_eq!(class(text), None, "{text}");
        }
    }

    #[test]
    fn what_passes_by_itself_is_known() {
        for text in ["status code 429", "connect ECONNREFUSED 192.0.2.7", "Could not resolve host: x"] {
            assert!(is_passing(text), "{text}");
        }
        assert!(!is_passing("line 4290: no such table"));
        assert!(!is_passing("connect ECONNREFUSED 127.0.0.1:5432"), "a service waits to be started");
    }
}
