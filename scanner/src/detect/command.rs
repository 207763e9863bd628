//! The main command of a command line: one program, its subcommand, and its arguments.

pub(super) mod difference;
pub(super) mod options;

use lessons_shell::programs::{has_role, known};
use lessons_shell::{
    self as shell, CommandContext, CommandLine, PipelinePosition, ProgramRole, SimpleCommand,
};
use lessons_text::words::is_filler;

use crate::tag::trial::matches;
use crate::tag::trigger::operands::{is_option, is_plain, nests, takes_subcommand};
use crate::tag::trigger::{literal, of_command, of_program};
use options::holds;

/// The longest command line that is read, in bytes. A longer one is a program of its own.
const MAX_BYTES: usize = 2000;
/// The longest command line that is taken apart, in bytes.
const MAX_LIST_BYTES: usize = 8 << 10;

/// The shortest word of a call that an error may name, in bytes.
const SHORTEST_NAMED: usize = 4;

/// The main command of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Command {
    /// The command line as typed.
    pub(super) text: String,
    /// The folder to which the line changes first.
    pub(super) folder: Option<String>,
    /// The variables that the line sets, as `NAME=value`.
    pub(super) variables: Vec<String>,
    /// The words in front of the program: `npx`, `python3 -m`, `sudo`.
    pub(super) launcher: Vec<String>,
    /// The program as typed, without its folder.
    pub(super) name: String,
    /// The program with its folder, where it was named by one.
    pub(super) path: Option<String>,
    /// The program, however it is spelled: `python` for `python3.12`, `docker` for `docker-compose`.
    pub(super) program: String,
    /// The subcommand, with a nested one; empty for a program without subcommands.
    pub(super) subcommand: String,
    /// The words after the program and its subcommand.
    pub(super) arguments: Vec<String>,
    /// Whether the program was named by a path, and so is part of the project.
    pub(super) is_local: bool,
}

impl Command {
    /// Reads a command line. `None` where there are several main commands, of which any may have failed, or none.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let script = shell::script(text);
        let mut command = Self { text: text.trim().to_owned(), ..Self::default() };
        let mut main: Option<&SimpleCommand> = None;
        for part in script
            .commands
            .iter()
            .filter(|part| part.parent.is_none() && part.context != CommandContext::Nested)
        {
            // A command behind a pipe only processes the output.
            if part.pipeline_position == PipelinePosition::Later {
                continue;
            }
            let words: Vec<&str> = part.words.iter().map(lessons_shell::Word::text).collect();
            match words.as_slice() {
                ["cd" | "pushd", folder] => command.folder = Some((*folder).to_owned()),
                ["export", sets @ ..] => command.variables.extend(sets.iter().map(|set| (*set).to_owned())),
                [] => command.variables.extend(part.assignments.iter().map(|set| set.text().to_owned())),
                ["echo" | "printf" | "set" | "true" | ":" | "sleep" | "source" | ".", ..] => {}
                // What looks at the outcome is about the same.
                [program, ..] if main.is_some() && has_role(program, ProgramRole::Inspects) => {}
                _ if main.is_some() => return None,
                _ => main = Some(part),
            }
        }
        command.fill(main?).then_some(command)
    }

    /// Reads the simple commands of a line, each by itself, without those that only process the output of another.
    pub(super) fn all(line: &str) -> Vec<Self> {
        Self::simple(line, |part| part.pipeline_position != PipelinePosition::Later)
    }

    /// Reads the simple commands of a line, each by itself.
    pub(super) fn every(line: &str) -> Vec<Self> {
        Self::simple(line, |_| true)
    }

    fn simple(line: &str, counts: impl Fn(&SimpleCommand) -> bool) -> Vec<Self> {
        if line.len() > MAX_LIST_BYTES {
            return Vec::new();
        }
        let script = shell::script(line);
        let own = script
            .commands
            .iter()
            .filter(|part| part.parent.is_none() && part.context != CommandContext::Nested && counts(part));
        own.filter_map(|part| {
            let words = part.assignments.iter().chain(&part.words).map(lessons_shell::Word::text);
            let text = words.collect::<Vec<_>>().join(" ");
            let mut command = Self { text, ..Self::default() };
            command.fill(part).then_some(command)
        })
        .collect()
    }

    /// Fills in the parts of the command. `false` where there is no program.
    fn fill(&mut self, part: &SimpleCommand) -> bool {
        self.variables.extend(part.assignments.iter().map(|set| set.text().to_owned()));
        let words: Vec<&str> = part.words.iter().map(lessons_shell::Word::text).collect();
        let mut at = part.prefix.min(words.len());
        let rest = |at: usize| words.get(at..).unwrap_or_default();
        let launcher = launcher_words(rest(at));
        if launcher > 0 {
            at += launcher;
            // Its own options: `npx --yes`.
            at += rest(at).iter().take_while(|word| is_option(word)).count();
        }
        if let [python, "-m", _module, ..] = rest(at)
            && unversioned(shell::program_name(python)) == "python"
        {
            at += 2;
        }
        let Some(program) = rest(at).first() else { return false };
        for word in &words[..at] {
            // `env A=1 program` sets a variable.
            let set = word.split_once('=').is_some_and(|(name, _)| !name.starts_with('-'));
            if set { &mut self.variables } else { &mut self.launcher }.push((*word).to_owned());
        }
        self.is_local = program.contains('/');
        self.path = self.is_local.then(|| (*program).to_owned());
        shell::program_name(program).clone_into(&mut self.name);
        if self.name.is_empty() {
            return false;
        }
        let plain = unversioned(&self.name);
        let (program, first) = match plain.split_once('-') {
            // `docker-compose` is `docker compose`.
            Some((program, first)) if nests(program, first) => (program, Some(first)),
            _ => (plain, None),
        };
        let mut subcommand: Vec<&str> = first.into_iter().collect();
        self.program = program.to_owned();
        let arguments = &rest(at)[1..];
        let (mut before, mut own) = (0, 0);
        if takes_subcommand(program) && !takes_files(program) {
            before = global_options(arguments);
            let words = arguments.get(before..).unwrap_or_default();
            let is_nested = subcommand.is_empty() && words.first().is_some_and(|word| nests(program, word));
            let found = words.iter().take(1 + usize::from(is_nested)).take_while(|word| is_plain(word));
            own = found.clone().count();
            subcommand.extend(found);
        }
        self.subcommand = subcommand.join(" ");
        let others = arguments.iter().take(before).chain(arguments.iter().skip(before + own));
        self.arguments.extend(others.map(|word| (*word).to_owned()));
        true
    }

    /// The command as typed in a folder above that of its line, so that it is the same on every machine.
    pub(super) fn seen_from(self, above: Option<&str>) -> Self {
        let own = self.folder.clone().unwrap_or_default();
        if above == Some(&own) {
            let start = self.text.split_once("&&").filter(|(start, _)| start.trim_end().ends_with(&own));
            return Self {
                text: start.map_or(&*self.text, |(_, rest)| rest.trim_start()).to_owned(),
                folder: None,
                ..self
            };
        }
        match above.and_then(|above| own.strip_prefix(above)?.strip_prefix('/')) {
            Some(below) => {
                Self { text: self.text.replacen(&own, below, 1), folder: Some(below.to_owned()), ..self }
            }
            None => self,
        }
    }

    /// The program and its subcommand as text.
    pub(super) fn about(&self) -> String {
        format!("{} {}", self.program, self.subcommand).trim_end().to_owned()
    }

    /// The start of the command as typed: the program and its subcommand, without options.
    pub(super) fn start(&self) -> String {
        let typed = self.subcommand.split(' ').filter(|word| !self.name.ends_with(&format!("-{word}")));
        let words = [self.name.as_str()].into_iter().chain(typed).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ")
    }

    /// A pattern for calls with its start. A program alone is a word of its own: `cat phpstan.neon` does not run `phpstan`.
    pub(super) fn start_pattern(&self) -> String {
        if self.start().contains(' ') { self.start_literal() } else { self.program_pattern() }
    }

    /// The same for more to follow. Where options stand in front of the subcommand that are not known to stand there, there may be
    /// others than here.
    pub(super) fn start_literal(&self) -> String {
        let start = self.start();
        let is_apart = || !matches(&literal(&start), &CommandLine::new(&self.text).executable());
        match start.split_once(' ') {
            Some((name, rest)) if is_apart() => {
                format!(r"{}\s(?:[^\n;&|]*\s)?{}", literal(name), literal(rest).trim_start_matches(r"\b"))
            }
            _ => literal(&start),
        }
    }

    /// A pattern for any call of its program, and for no folder of that name.
    pub(super) fn program_pattern(&self) -> String {
        if self.is_local { of_command(&format!("./{}", self.name)) } else { of_program(&self.name) }
    }

    /// A pattern for calls with the word of this one that an error names and the call that `worked` lacks, for its start where
    /// there is none.
    pub(super) fn pattern_named(&self, error: &str, worked: &str) -> String {
        let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':');
        let words = self.arguments.iter().flat_map(|argument| argument.split(|c| !is_of_word(c)));
        // "No fresh here", of `migrate:fresh`; an address has such marks too.
        let is_told = |word: &str| {
            let mut parts = word.split(|c| c == ':' && !word.contains('/'));
            parts.any(|part| part.len() >= SHORTEST_NAMED && !is_filler(part) && error.contains(part))
        };
        let is_why = |word: &&str| {
            word.len() >= SHORTEST_NAMED && !is_option(word) && is_told(word) && !worked.contains(*word)
        };
        let named = words.filter(is_why);
        match named.max_by_key(|word| word.len()) {
            Some(word) => {
                format!(r"{}\s[^\n]*{}", self.start_literal(), literal(word).trim_start_matches(r"\b"))
            }
            None => self.start_pattern(),
        }
    }

    /// The option, or the last word of the subcommand, that an error names.
    pub(super) fn word_named(&self, error: &str) -> Option<String> {
        let is_named = |word: &str| holds(error, word, |c| c.is_alphanumeric() || "_-".contains(c));
        // `illegal option -- A`, `invalid option -- 'A'`.
        let letter =
            error.rsplit_once("option -- ").map(|(_, letter)| letter.trim_matches(['\'', '"', '‘', '’']));
        let letter = letter.filter(|letter| letter.len() == 1);
        // Git names `--stat` as `stat', other programs, made with Go, as `-stat`.
        let is_told = |option: &str| {
            let is_quoted = |name: &str| is_named(&option[1..]) || error.contains(&format!("`{name}'"));
            is_named(option) || option.strip_prefix("--").is_some_and(is_quoted)
        };
        let option = self.options().find_map(|option| {
            let letters = option.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            match letter.filter(|letter| letters.is_some_and(|own| own.contains(letter))) {
                Some(letter) => Some(format!("-{letter}")),
                None => is_told(option).then(|| option.to_owned()),
            }
        });
        // `bun run lint`: what runs files too has its subcommand among these.
        let own = || self.subcommand.split(' ').filter(|word| !word.is_empty());
        let mut words: Vec<&str> =
            own().chain(self.operands().filter(|_| own().next().is_none()).take(2)).collect();
        words.retain(|word| word.len() > 1 && is_named(word));
        option.or_else(|| words.pop().map(str::to_owned))
    }

    /// A pattern for calls with this option, or with this word of the subcommand.
    pub(super) fn pattern_with(&self, word: &str) -> String {
        // Unlike `\b`, this ends no word at `-` and `:`: `lint` is not `lint:fix`.
        const END: &str = r"(?:[^\w:.-]|$)";
        let typed = self.text.split_whitespace().skip_while(|own| shell::program_name(own) != self.name);
        let start = self.start();
        let is_of_start = |own: &str| start.split(' ').any(|word| word == shell::program_name(own));
        // In front of an option anything may stand.
        let is_before = |own: &&str| is_of_start(own) || !is_option(word) && !is_option(own);
        let before = typed.take_while(|own| option_name(own) != word).filter(is_before);
        let before = literal(&before.map(shell::program_name).collect::<Vec<_>>().join(" "));
        let whole = literal(word).replace(r"\b", "");
        match word.strip_prefix('-') {
            Some(letter) if letter.len() == 1 => {
                format!(r"{before}\s+(?:[^\n;&|]*\s)?-[a-zA-Z]*{letter}")
            }
            Some(_) => format!(r"{before}\s+(?:[^\n;&|]*\s)?{whole}{END}"),
            None => format!(r"{before}\s+{whole}{END}"),
        }
    }

    /// The program as typed.
    pub(super) fn typed_program(&self) -> &str {
        self.path.as_deref().unwrap_or(&self.name)
    }

    /// The words of the command, from what starts its program on.
    pub(super) fn words(&self) -> Vec<&str> {
        let launcher = self.launcher.iter().map(String::as_str);
        let subcommand = self.subcommand.split(' ').filter(|word| !word.is_empty());
        let arguments = self.arguments.iter().map(String::as_str);
        launcher.chain([self.typed_program()]).chain(subcommand).chain(arguments).collect()
    }

    /// Whether the command only looks, or is one that everybody knows how to call.
    pub(super) fn inspects(&self) -> bool {
        let asks = |word: &String| matches!(word.as_str(), "--help" | "--version" | "help");
        let inspects = known(&self.program).is_some_and(|program| {
            program.is(ProgramRole::Inspects)
                || program.is(ProgramRole::Basic)
                || program.inspects_with(&self.subcommand)
        });
        // `psql -h db` names a host.
        let asks_briefly = self.arguments.last().is_some_and(|last| last == "-h");
        inspects || asks_briefly || self.arguments.iter().any(asks) || self.subcommand == "help"
    }

    /// Whether a failure of the command is a judgement on the code and no mistake in the call.
    pub(super) fn checks(&self) -> bool {
        let roles = [ProgramRole::Interpreter, ProgramRole::ChecksFiles, ProgramRole::ChecksTasks];
        let checks = known(&self.program).is_some_and(|program| {
            roles.into_iter().any(|role| program.is(role)) || program.checks_with(&self.subcommand)
        });
        // `x fmt --check`, whatever `x` is.
        let formats = || self.words().iter().any(|word| word.contains("fmt") || word.contains("format"));
        self.is_local || checks || self.options().any(|option| option == "--check") && formats()
    }

    /// The names of the options. `NAME=value` among the words counts as one.
    pub(super) fn options(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter(|word| is_option(word) || is_set(word)).map(|word| option_name(word))
    }

    /// The option in front of this word, which may be its value.
    pub(super) fn option_before(&self, value: &str) -> Option<&str> {
        let at = self.arguments.iter().position(|word| word == value)?;
        self.arguments.get(at.checked_sub(1)?).map(String::as_str).filter(|word| is_option(word))
    }

    /// The words that are no options.
    pub(super) fn operands(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter(|word| !is_option(word) && !is_set(word)).map(String::as_str)
    }
}

/// `--name` of `--name=value`.
pub(super) fn option_name(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

/// Whether a word is `NAME=value`, as `make` takes it.
fn is_set(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    })
}

/// A program's name without its version: `python` of `python3.12`.
fn unversioned(name: &str) -> &str {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if bare.is_empty() { name } else { bare }
}

/// The number of words that start the program after them: `npx`, `uv run`.
fn launcher_words(words: &[&str]) -> usize {
    let Some(program) = words.first().and_then(|word| known(word)) else { return 0 };
    if program.is(ProgramRole::Launcher) {
        1
    } else if words.get(1).is_some_and(|word| program.launches_with(word)) {
        2
    } else {
        0
    }
}

/// Whether the word after a program is a file or a folder that it works on.
fn takes_files(program: &str) -> bool {
    let roles = [ProgramRole::Inspects, ProgramRole::Interpreter, ProgramRole::ChecksFiles];
    known(program).is_some_and(|program| roles.into_iter().any(|role| program.is(role)))
}

/// The number of words before the subcommand that are options of the program.
fn global_options(arguments: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let is_flag = word.starts_with("--") || (is_option(word) && word.contains('='));
        if options::lists(options::GLOBAL_WITH_VALUE, word) {
            at += 2;
        } else if is_flag || word.starts_with('+') || is_set(word) {
            at += 1;
        } else {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(text: &str) -> String {
        Command::read(text).map_or_else(String::new, |command| command.about())
    }

    #[test]
    fn a_command_is_about_a_program_and_its_subcommand() {
        for (text, expected) in [
            ("npm install lodash --legacy-peer-deps", "npm install"),
            ("npm run dev", "npm run dev"),
            ("kubectl -n platform get pods", "kubectl get"),
            ("systemctl --user restart worker", "systemctl restart worker"),
            ("git -C sub --no-pager stash pop", "git stash pop"),
            ("docker-compose up -d", "docker compose up"),
            ("docker compose up -d", "docker compose up"),
            ("python3.12 -m pytest -q tests", "pytest"),
            ("npx --yes vitest run", "vitest run"),
            ("npx -- tsc", "tsc"),
            ("bundle exec rspec spec", "rspec"),
            ("sudo -u x systemctl stop y", "systemctl stop y"),
            ("pip3 install x", "pip install"),
            ("./gradlew assembleDebug", "gradlew assembleDebug"),
            ("cmake -S . -B build", "cmake"),
            ("cargo +nightly test", "cargo test"),
            ("aws s3 sync a b --profile web", "aws s3 sync"),
            ("python3 seed.py --all", "python"),
        ] {
            assert_eq!(about(text), expected, "{text}");
        }
    }

    #[test]
    fn the_word_that_an_error_names_is_part_of_the_pattern() {
        let pattern = |text: &str, error: &str| Command::read(text).unwrap().pattern_named(error, "");
        let of_container = pattern("docker exec web-1 ls", "Error: No such container: web-1");
        assert_eq!(of_container, r"\bdocker\s+exec\b\s[^\n]*web-1\b");
        assert_eq!(pattern("docker exec web-1 ls", "it failed"), r"\bdocker\s+exec\b");
    }

    #[test]
    fn what_stands_around_it_does_not_matter() {
        let command = Command::read("cd packages/billing && CI=1 npm test 2>&1 | tail -5").unwrap();
        assert_eq!(
            (command.about().as_str(), command.folder.as_deref()),
            ("npm test", Some("packages/billing"))
        );
        assert_eq!(command.variables, ["CI=1"]);
        assert_eq!(Command::read("export CI=1; env A=2 npm test").unwrap().variables, ["CI=1", "A=2"]);
    }

    #[test]
    fn a_line_about_several_things_is_about_none() {
        for text in ["make && make install", "npm ci; npm test", "cd x", "", "echo a"] {
            assert_eq!(Command::read(text), None, "{text}");
        }
    }

    #[test]
    fn options_and_operands_are_told_apart() {
        let command = Command::read("make ARCH=arm64 -j4 --dir=x modules 'a b'").unwrap();
        assert_eq!(command.options().collect::<Vec<_>>(), ["ARCH", "-j4", "--dir"]);
        assert_eq!(command.operands().collect::<Vec<_>>(), ["modules", "a b"]);
    }

    #[test]
    fn commands_that_inspect_or_check_are_known() {
        let read = |text: &str| Command::read(text).unwrap();
        assert!(
            read("grep -rn x src").inspects()
                && read("git status").inspects()
                && read("npm --help").inspects()
        );
        assert!(read("psql -h").inspects() && !read("psql -h db-live -c x").inspects());
        assert!(read("cargo test x").checks() && read("./run.sh").checks() && read("node a.js").checks());
        assert!(!read("npm install x").inspects() && !read("npm install x").checks());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[ -~\n]{0,80}") {
            if let Some(command) = Command::read(&text) {
                proptest::prop_assert!(!command.name.is_empty() || text.contains(['"', '\'']), "{text}");
            }
        }
    }
}
