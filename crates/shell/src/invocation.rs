//! The invocations of a command line: each program that would run, with its words, as text for patterns.
//!
//! One text for each simple command that would run, so that a pattern begins with the program's name:
//!
//! - Assignments, reserved words and operators are no part of it, nor is what only starts the program: `sudo -u bob`,
//!   `env A=1`, `timeout 5`, `xargs -n 1`. The program's name stands without its folder, `.exe` and `@version`.
//! - The global options of a program are no part of it either: `git -C app -c a=b reset` is `git reset`.
//! - A command behind a runner is a text of its own, beside that of the runner: `uv run pytest` is also `pytest`,
//!   `docker exec web git stash` and `ssh host git stash` are also `git stash`.
//! - Short options that stand together are also written apart, in a text of their own: `git commit -sm a` is also
//!   `git commit -s -m a`.
//! - What a program reads and runs stands behind it as one quoted word: `psql <<EOF "DROP TABLE a;"`.
//! - In SQL, strings are empty and comments gone: they are data. Shell calls in the code of Python, Node, Ruby, Perl and PHP,
//!   such as `os.system("git reset")`, are texts of their own.
//! - The home folder is `~`, however it is written: `$HOME`, `"${HOME}"/a`. A quoted `~` is no home, and is `./~`.
//! - Words are joined by one blank, and their quotes are gone. Only quoted text with white space, or with one of
//!   `; & | < >`, a backtick or `$(`, keeps quotes, always double ones: `git commit -m "git stash"`. An empty word is `""`.
//! - Redirections stand behind the words: `sort f > g`. Those of a compound command are a text of their own.
//! - A substitution stands in its word as `executable` writes it, and its commands are texts of their own.
//! - A variable stands as it was typed, unless an earlier `x=word` tells its value: an assignment that is a statement
//!   of its own, literal, not empty, without white space, in the same shell, and outside of pipelines, loops and conditions.
//! - What a shell, an `eval` or a substitution would run is read in the same way, four levels deep.

use std::borrow::Cow;
use std::ops::Range;
use std::slice;

use super::command_line::CommandLine;
use super::known::ProgramRole;
use super::lexed_command::{self, CommandKind, LexedCommand};
use super::lexed_text::LexedText;
use super::nested::{self, MAX_LEVELS, NestedCode, NestedCommands};
use super::programs::has_role;
use super::runner::Reach;
use super::syntax::{self, Code, LexedRedirection, LexedWord, SpacedToken, WordPart};
use super::variables::{HOME, KnownVariables};
use super::{embedded, executable, normal_form, wrapper};

/// The most commands of one simple command that are told how it was typed, so that `find` with many `-exec` costs no more
/// than its length. Nothing excuses the others.
const MAX_TYPED: usize = 16;

/// A command of a line, whether or not it runs a program: what may excuse an invocation.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandSource {
    /// The indices of its invocation and of its other form; empty for an assignment or the head of a `for`.
    pub invocations: Range<usize>,
    /// The command with its assignments, wrappers and global options. In front stands the program that runs it in a
    /// container or on another machine: `ssh git stash`.
    pub typed: String,
    /// Where it runs, if not here: what runs it elsewhere, and the global options that its normal form is without, such as
    /// `-C /srv/app`. What one command saved excuses another in the same place alone.
    pub place: String,
    /// Whether it can read what the command before it writes.
    pub reads_pipe: bool,
    /// Whether it runs only if the command before it failed.
    pub runs_after_failure: bool,
}

/// What was found in a command line.
#[derive(Default)]
struct Found {
    invocations: Vec<String>,
    /// The sources, if they are wanted.
    sources: Option<Vec<CommandSource>>,
}

impl CommandLine<'_> {
    /// The simple commands that would run, one text each, in order. The commands that a command would run in turn follow
    /// it. See the module `invocation` for how they are written.
    pub fn invocations(&self) -> Vec<String> {
        self.found(Found::default()).invocations
    }

    /// The same commands as they were typed, and the assignments and heads between them, in order.
    pub fn sources(&self) -> Vec<CommandSource> {
        self.found(Found { sources: Some(Vec::new()), ..Found::default() }).sources.unwrap_or_default()
    }

    fn found(&self, mut found: Found) -> Found {
        let lexed = self.lexed();
        add_list(&lexed.list, lexed, &Surroundings::default(), &mut found);
        found
    }
}

/// Where a list stands.
#[derive(Clone, Default)]
struct Surroundings {
    /// The level of nesting, from 0.
    level: usize,
    /// The variables that are known there.
    variables: KnownVariables,
    /// The program that runs the list in a container or on another machine; empty where none does.
    elsewhere: String,
}

/// Adds the commands of a list and of the code that is nested in it.
fn add_list(list: &[SpacedToken<'_>], lexed: &LexedText<'_>, surroundings: &Surroundings, found: &mut Found) {
    let commands = lexed_command::simple_commands(list, lexed);
    let mut inside =
        Surroundings { variables: surroundings.variables.at_start_of(list), ..surroundings.clone() };
    let words: Vec<Vec<ExpandedWord<'_>>> = commands
        .iter()
        .map(|command| {
            let words = command.words.iter().map(|word| ExpandedWord::of(word, &inside.variables)).collect();
            inside.variables.step_over(command);
            words
        })
        .collect();
    let nested = nested::nested_commands_of(&commands, &words);
    // A second walk, because a substitution inherits the variables that are known where it stands.
    inside.variables = surroundings.variables.at_start_of(list);
    inside.level += 1;
    for ((command, words), nested) in commands.iter().zip(&words).zip(nested) {
        add_command(command, words, &nested, &inside, found);
        if surroundings.level < MAX_LEVELS {
            let program = words.get(nested.prefix).map(|word| &*word.text).unwrap_or_default();
            let there = if wrapper::runs_elsewhere(program) { wrapper::program_name(program) } else { "" };
            let away =
                || Surroundings { elsewhere: format!("{}{there} ", inside.elsewhere), ..inside.clone() };
            for NestedCode { word, reach, code } in nested.code {
                let is_there = !there.is_empty() && word.is_none() && matches!(code, Code::Text(_));
                let surroundings = if reach == Reach::Behind || is_there { &away() } else { &inside };
                add_code(code, lexed, surroundings, found);
            }
        }
        inside.variables.step_over(command);
    }
}

/// Adds the commands of nested code. Text for a shell begins without variables, since it runs in a shell of its own.
fn add_code(code: Code<'_, '_>, lexed: &LexedText<'_>, surroundings: &Surroundings, found: &mut Found) {
    match code {
        Code::Commands(list) => add_list(list, lexed, surroundings, found),
        Code::Text(text) => {
            let lexed = LexedText::commands(&text);
            let inside = Surroundings { variables: KnownVariables::default(), ..surroundings.clone() };
            add_list(&lexed.list, &lexed, &inside, found);
        }
        Code::Expansions(text) => {
            let lexed = LexedText::quoted(text);
            add_list(&lexed.list, &lexed, surroundings, found);
        }
    }
}

/// Adds a simple command and the commands that it starts. A wrapper that does nothing else is left out.
fn add_command(
    command: &LexedCommand<'_, '_>,
    words: &[ExpandedWord<'_>],
    nested: &NestedCommands<'_, '_>,
    surroundings: &Surroundings,
    found: &mut Found,
) {
    let mut places = Vec::new();
    if command.kind == CommandKind::Simple {
        // The program that `sudo` or `xargs` starts inherits their redirections.
        let mut redirections = command.redirections.as_slice();
        // So do they what it reads, and the first that runs it reads it all.
        let mut input = nested.input.trim_end();
        let wants_places = found.sources.is_some();
        let mut add = |words: &[ExpandedWord<'_>], prefix, in_front: &[ExpandedWord<'_>]| {
            let own = std::mem::take(&mut redirections);
            let before = found.invocations.len();
            found.invocations.extend(written(words, prefix, own, &mut input, &surroundings.variables));
            let own = before..found.invocations.len();
            if !own.is_empty() && wants_places {
                let words = words.get(prefix..).unwrap_or(words);
                places.push((own, place(words, in_front, &surroundings.elsewhere)));
            }
        };
        if !starts_only_others(words, nested.prefix, nested.started.first()) {
            add(words, nested.prefix, &[]);
        }
        for (position, (range, reach)) in nested.started.iter().enumerate() {
            let (next, there) = match reach {
                Reach::Here => (nested.started.get(position + 1), 0),
                Reach::Behind => (None, range.start),
            };
            let next = next.filter(|(next, _)| range.contains(&next.start));
            let in_front = words.get(nested.prefix..there).unwrap_or_default();
            let words = words.get(range.clone()).unwrap_or_default();
            let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
            let prefix = wrapper::started_by(&texts).prefix;
            if !starts_only_others(words, prefix, next) {
                add(words, prefix, in_front);
            }
        }
    }
    let Some(sources) = &mut found.sources else { return };
    if places.is_empty() {
        places.push((0..0, String::new()));
    }
    let typed = typed(command, surroundings);
    sources.extend(places.into_iter().enumerate().map(|(number, (invocations, place))| CommandSource {
        invocations,
        typed: if number < MAX_TYPED { typed.clone() } else { String::new() },
        place,
        reads_pipe: command.reads_pipe,
        runs_after_failure: command.runs_after_failure,
    }));
}

/// Where a command runs: what runs it elsewhere, and its options that its normal form is without.
fn place(words: &[ExpandedWord<'_>], in_front: &[ExpandedWord<'_>], elsewhere: &str) -> String {
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    let options =
        normal_form::left_out(&texts).into_iter().flat_map(|range| texts.get(range).unwrap_or_default());
    let mut place = elsewhere.to_owned();
    for word in in_front.iter().map(|word| &*word.text).chain(options.copied()) {
        place.push_str(word);
        place.push(' ');
    }
    place
}

/// A command with its assignments, wrappers and global options.
fn typed(command: &LexedCommand<'_, '_>, surroundings: &Surroundings) -> String {
    let mut out = surroundings.elsewhere.clone();
    for word in command.assignments.iter().chain(&command.words) {
        write_word(word, &surroundings.variables, &mut out);
        out.push(' ');
    }
    write_redirections(&command.redirections, &surroundings.variables, &mut out);
    out.truncate(out.trim_end().len());
    out
}

/// Whether `words` only start the command in the range `started`: `xargs rm`.
fn starts_only_others(
    words: &[ExpandedWord<'_>],
    prefix: usize,
    started: Option<&(Range<usize>, Reach)>,
) -> bool {
    started.is_some() && words.get(prefix).is_some_and(|word| wrapper::repeats_a_command(&word.text))
}

/// The texts of a command: the name of its program, its words, then its redirections, then what it reads and runs; with
/// options that stand together, and with these apart. None for an assignment. A wrapper that starts nothing is itself the
/// program.
fn written(
    words: &[ExpandedWord<'_>],
    prefix: usize,
    redirections: &[&LexedRedirection<'_>],
    input: &mut &str,
    variables: &KnownVariables,
) -> impl Iterator<Item = String> {
    let mut out = String::new();
    let mut apart = None;
    let program = words.get(prefix..).filter(|program| !program.is_empty()).unwrap_or(words);
    if let Some((first, arguments)) = program.split_first() {
        out.push_str(first.name());
        let texts: Vec<&str> = program.iter().map(|word| &*word.text).collect();
        let left_out = normal_form::left_out(&texts);
        let letters = normal_form::grouping_letters(&texts, &left_out);
        let mut left_out = left_out.into_iter().peekable();
        let is_sql = has_role(wrapper::program_name(&first.text), ProgramRole::Sql);
        for (at, word) in (1..).zip(arguments) {
            left_out.next_if(|range| range.end <= at);
            if left_out.peek().is_some_and(|range| range.contains(&at)) {
                continue;
            }
            let shown =
                if is_sql { without_strings(&word.pattern_text) } else { Cow::Borrowed(&*word.pattern_text) };
            let options = normal_form::ungrouped(&shown, letters);
            if options.is_some() {
                apart.get_or_insert_with(|| out.clone());
            }
            if let Some(apart) = &mut apart {
                apart.push(' ');
                apart.push_str(options.as_deref().unwrap_or(&shown));
            }
            out.push(' ');
            out.push_str(&shown);
        }
    }
    let end = out.len();
    write_redirections(redirections, variables, &mut out);
    if let Some(first) = program.first().filter(|first| wrapper::runs_input(&first.text))
        && !input.is_empty()
    {
        let input = std::mem::take(input);
        let is_sql = has_role(wrapper::program_name(&first.text), ProgramRole::Sql);
        let shown = if is_sql { Cow::Owned(embedded::without_strings(input)) } else { Cow::Borrowed(input) };
        out.extend([" \"", &*shown, "\""]);
    }
    if let Some(apart) = &mut apart {
        apart.push_str(out.get(end..).unwrap_or_default());
    }
    Some(out).filter(|out| !out.is_empty()).into_iter().chain(apart)
}

/// A word of a command with SQL in it, in the quotes that stand around its text, without what the SQL only stores.
fn without_strings(word: &str) -> Cow<'_, str> {
    match word.split_once('"') {
        Some((before, quoted)) if let Some(sql) = quoted.strip_suffix('"') => {
            Cow::Owned(format!("{before}\"{}\"", embedded::without_strings(sql)))
        }
        _ => Cow::Borrowed(word),
    }
}

/// Writes redirections behind words.
fn write_redirections(redirections: &[&LexedRedirection<'_>], variables: &KnownVariables, out: &mut String) {
    for redirection in redirections {
        if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        out.push_str(redirection.descriptor);
        out.push_str(redirection.operator);
        let Some(target) = &redirection.target else { continue };
        if !redirection.operator.ends_with('&') && redirection.heredoc.is_none() {
            out.push(' ');
        }
        write_word(target, variables, out);
    }
}

/// A word in which the variables with known values are expanded.
struct ExpandedWord<'a> {
    /// The text that the program gets.
    text: Cow<'a, str>,
    /// The text that patterns get.
    pattern_text: Cow<'a, str>,
}

impl AsRef<str> for ExpandedWord<'_> {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl<'a> ExpandedWord<'a> {
    fn of(word: &LexedWord<'a>, variables: &KnownVariables) -> Self {
        if let Some(text) = word.plain() {
            return Self { text: Cow::Borrowed(text), pattern_text: Cow::Borrowed(text) };
        }
        let mut text = String::with_capacity(word.source.len());
        append_text(&word.parts, variables, &mut text);
        let mut shown = String::with_capacity(word.source.len());
        write_word(word, variables, &mut shown);
        Self { text: Cow::Owned(text), pattern_text: Cow::Owned(shown) }
    }

    /// The name of the program that the word names, without its folder.
    fn name(&self) -> &str {
        let name = wrapper::program_name(&self.pattern_text);
        // `npx prisma@latest`
        let name = name.split_once('@').map_or(name, |(name, _)| name);
        // The slash may belong to an expansion or to quoted text; then the word is not cut.
        if name.is_empty() || name.contains([')', '}', '`', '"']) { &self.pattern_text } else { name }
    }
}

/// Adds parts without their quoting, and the values of known variables.
fn append_text(parts: &[WordPart<'_>], variables: &KnownVariables, out: &mut String) {
    syntax::append_unquoted(parts, &|part| variables.value_of(part).map(|value| value.text.as_str()), out);
}

fn write_word(word: &LexedWord<'_>, variables: &KnownVariables, out: &mut String) {
    let Some((first, rest)) = word.parts.split_first() else {
        out.push_str(word.source);
        return;
    };
    let start = out.len();
    let (home, inside) = match first {
        WordPart::DoubleQuoted(parts) => (parts.first(), parts.get(1..).unwrap_or_default()),
        first => (Some(first), &[][..]),
    };
    if let Some(path) = home.and_then(|home| below_home(home, variables)) {
        out.push('~');
        out.push_str(path);
        write_double(inside, variables, out);
    } else {
        write_part(first, variables, out);
        // Only a tilde without quotes is the home folder.
        let is_quoted = !matches!(first, WordPart::Literal(_));
        if is_quoted && out.get(start..).is_some_and(|text| text.starts_with('~')) {
            out.insert_str(start, "./");
        }
    }
    for part in rest {
        write_part(part, variables, out);
    }
    if out.len() == start && word.is_quoted() {
        out.push_str("\"\"");
    }
}

fn write_part(part: &WordPart<'_>, variables: &KnownVariables, out: &mut String) {
    match part {
        WordPart::Escaped(text) => write_quoted(text, text, out),
        WordPart::SingleQuoted(text) => write_quoted(text, text, out),
        WordPart::DoubleQuoted(inside) => write_double(inside, variables, out),
        part => match variables.value_of(part).map(|value| value.text.as_str()) {
            Some(value) => write_quoted(value, value, out),
            None => executable::write_parts(slice::from_ref(part), out),
        },
    }
}

/// What follows the home folder in a part of a word that begins with it: `$HOME`, `${HOME}` or `${HOME:?…}`, unless the line itself says
/// what that is, or a variable with such a value.
fn below_home<'v>(part: &WordPart<'_>, variables: &'v KnownVariables) -> Option<&'v str> {
    match (variables.value_of(part), part) {
        (Some(value), _) if value.is_below_home => value.text.strip_prefix(HOME),
        (None, WordPart::Parameter(text)) => (*text == HOME).then_some(""),
        (None, WordPart::BracedParameter { source, .. }) => {
            (*source == "${HOME}" || source.starts_with("${HOME:?")).then_some("")
        }
        _ => None,
    }
}

/// Writes the inside of double quotes. Only white space outside its substitutions keeps the quotes.
fn write_double(inside: &[WordPart<'_>], variables: &KnownVariables, out: &mut String) {
    let (mut text, mut all) = (String::new(), String::new());
    for part in inside {
        if matches!(
            part,
            WordPart::Substitution { .. } | WordPart::Backquoted { .. } | WordPart::Arithmetic { .. }
        ) {
            executable::write_parts(slice::from_ref(part), &mut all);
        } else {
            let start = all.len();
            append_text(slice::from_ref(part), variables, &mut all);
            text.push_str(all.get(start..).unwrap_or_default());
        }
    }
    write_quoted(&text, &all, out);
}

/// Writes `shown`, which holds the quoted `text`: without quotes where the text says the same without them, else
/// between double quotes.
fn write_quoted(text: &str, shown: &str, out: &mut String) {
    let means_more = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>' | '`');
    let quotes = if text.contains(means_more) || text.contains("$(") { "\"" } else { "" };
    for text in [quotes, shown, quotes] {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests;
