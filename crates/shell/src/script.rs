//! The script of a command line: its simple commands as data, for readers that must know which program runs with what.

use super::lexed_command::{self, CommandKind, LexedCommand, PipelinePosition};
use super::lexed_text::LexedText;
use super::nested::{self, MAX_LEVELS, NestedCode, NestedCommands};
use super::runner::Reach;
use super::syntax::{Code, LexedRedirection, LexedWord, SpacedToken, Token};
use super::wrapper;

/// The simple commands of a command line.
#[derive(Debug, Default)]
pub struct Script {
    /// The commands in order. The commands that a command would run in turn follow it.
    pub commands: Vec<SimpleCommand>,
    /// Whether the line may have more commands: some of it is nested deeper than four levels, or stands behind a quote that is
    /// not closed.
    pub is_truncated: bool,
}

/// A simple command: assignments, words and redirections.
#[derive(Debug)]
pub struct SimpleCommand {
    /// The part of the command line that the command is.
    pub context: CommandContext,
    /// The position in its pipeline.
    pub pipeline_position: PipelinePosition,
    /// The words `NAME=value` in front of the command's name.
    pub assignments: Vec<Word>,
    /// The words of the command, or of the head of a `for` or `case`.
    pub words: Vec<Word>,
    /// The number of words in front of the program that runs: `sudo`, `timeout 5`. All words count where no program
    /// runs.
    pub prefix: usize,
    /// The redirections in the order in which they were typed.
    pub redirections: Vec<Redirection>,
    /// The command that holds or starts this one; `None` for a command of the line itself.
    pub parent: Option<ParentCommand>,
}

/// The context of a simple command: how it relates to the whole command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandContext {
    /// The command is the whole command line: no operator, no reserved word but `time`. It may have
    /// redirections, and words that are not static.
    Alone,
    /// The whole command line is one pipeline, and the command is a part of it.
    Pipeline,
    /// The command is part of a longer command line.
    List,
    /// The command is in a substitution, in text that a shell runs, or started by another command.
    Nested,
}

/// A reference to the command that holds or starts another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParentCommand {
    /// The index of the parent in [`Script::commands`].
    pub command: usize,
    /// The index of the parent's word that holds the command, if one does.
    pub word: Option<usize>,
}

/// A word without its quoting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    text: String,
    is_static: bool,
}

/// A redirection of input or output.
#[derive(Debug)]
pub struct Redirection {
    /// The number of the file descriptor as typed; empty if there is none.
    pub descriptor: String,
    /// The operator: `<`, `>>`, `<<-`, `&>`.
    pub operator: String,
    /// The word after the operator: a file, a descriptor, a delimiter, or the text of a here-string.
    pub target: Option<Word>,
    /// The body of the heredoc, if the redirection opens one.
    pub body: Option<Word>,
}

impl Word {
    /// The text. Expansions stay as they were typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, if the program gets exactly that: `None` with a variable, substitution, pattern or brace expansion.
    pub fn fixed(&self) -> Option<&str> {
        self.is_static.then_some(self.text.as_str())
    }

    fn of(word: &LexedWord<'_>) -> Self {
        Self { text: word.text().into_owned(), is_static: word.is_static() }
    }
}

impl SimpleCommand {
    /// The words from the program on; none where no program runs.
    pub fn program(&self) -> &[Word] {
        self.words.get(self.prefix..).unwrap_or_default()
    }

    /// The word that names the program.
    pub fn program_word(&self) -> Option<&Word> {
        self.words.get(self.prefix)
    }
}

/// Reads the simple commands of a command line.
pub fn script(command: &str) -> Script {
    let mut script = Script::default();
    let lexed = LexedText::commands(command);
    let context = context_of(&lexed.list);
    script.add_list(&lexed.list, &lexed, &Nesting { level: 0, context, parent: None });
    script
}

/// The position of a list in nested code.
struct Nesting {
    level: usize,
    context: CommandContext,
    parent: Option<ParentCommand>,
}

impl Nesting {
    fn inside(&self, parent: ParentCommand) -> Self {
        Self { level: self.level + 1, context: CommandContext::Nested, parent: Some(parent) }
    }
}

/// The context of the commands of a whole command line.
fn context_of(list: &[SpacedToken<'_>]) -> CommandContext {
    let mut context = CommandContext::Alone;
    for spaced in list {
        match &spaced.token {
            Token::Word(_)
            | Token::Redirection(_)
            | Token::ReservedWord("\n" | "time" | "-p")
            | Token::Operator("\n") => {}
            Token::Operator("|" | "|&") => context = CommandContext::Pipeline,
            _ => return CommandContext::List,
        }
    }
    context
}

impl Script {
    fn add_list(&mut self, list: &[SpacedToken<'_>], lexed: &LexedText<'_>, nesting: &Nesting) {
        self.is_truncated |= lexed.is_truncated;
        let commands = lexed_command::simple_commands(list, lexed);
        let is_first = |command: &&LexedCommand<'_, '_>| command.pipeline_position == PipelinePosition::First;
        let context = match nesting.context {
            CommandContext::Nested => CommandContext::Nested,
            _ if commands.iter().filter(is_first).count() > 1 => CommandContext::List,
            context => context,
        };
        for (command, nested) in commands.iter().zip(nested::nested_commands(&commands)) {
            let index = self.commands.len();
            let prefix =
                if command.kind == CommandKind::Simple { nested.prefix } else { command.words.len() };
            self.commands.push(simple_command(command, prefix, context, nesting.parent));
            for (range, _) in nested.started.iter().filter(|(_, reach)| *reach == Reach::Here) {
                let words = command.words.get(range.clone()).unwrap_or_default().to_vec();
                let texts: Vec<_> = words.iter().map(|word| word.text()).collect();
                let prefix = wrapper::started_by(&texts.iter().map(AsRef::as_ref).collect::<Vec<_>>()).prefix;
                let started = LexedCommand { words, ..LexedCommand::default() };
                let parent = Some(ParentCommand { command: index, word: Some(range.start) });
                self.commands.push(simple_command(&started, prefix, CommandContext::Nested, parent));
            }
            self.add_code_of(nested, lexed, index, nesting);
        }
    }

    fn add_code_of(
        &mut self,
        nested: NestedCommands<'_, '_>,
        lexed: &LexedText<'_>,
        command: usize,
        nesting: &Nesting,
    ) {
        for NestedCode { word, code, .. } in nested.code_here() {
            if nesting.level >= MAX_LEVELS {
                self.is_truncated = true;
                return;
            }
            let inside = nesting.inside(ParentCommand { command, word });
            match code {
                Code::Commands(list) => self.add_list(list, lexed, &inside),
                Code::Text(text) => {
                    let inner = LexedText::commands(&text);
                    self.add_list(&inner.list, &inner, &inside);
                }
                Code::Expansions(text) => {
                    let inner = LexedText::quoted(text);
                    let commands = lexed_command::simple_commands(&inner.list, &inner);
                    for nested in nested::nested_commands(&commands) {
                        self.add_code_of(nested, &inner, command, &inside);
                    }
                }
            }
        }
    }
}

fn simple_command(
    command: &LexedCommand<'_, '_>,
    prefix: usize,
    context: CommandContext,
    parent: Option<ParentCommand>,
) -> SimpleCommand {
    let words = |words: &[&LexedWord<'_>]| words.iter().map(|word| Word::of(word)).collect();
    SimpleCommand {
        context,
        pipeline_position: command.pipeline_position,
        assignments: words(&command.assignments),
        words: words(&command.words),
        prefix,
        redirections: command.redirections.iter().map(|it| redirection_of(it, command)).collect(),
        parent,
    }
}

/// A redirection with the body of its heredoc.
fn redirection_of<'a>(redirection: &LexedRedirection<'a>, command: &LexedCommand<'_, 'a>) -> Redirection {
    let body = command.heredoc(redirection).map(|heredoc| Word {
        text: heredoc.body.to_owned(),
        is_static: heredoc.literal || !heredoc.body.contains(['$', '`']),
    });
    Redirection {
        descriptor: redirection.descriptor.to_owned(),
        operator: redirection.operator.to_owned(),
        target: redirection.target.as_ref().map(Word::of),
        body,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Each command as its context and its words; a word that is not static in angle brackets, the words
    /// in front of the program in parentheses.
    fn shown(command: &str) -> Vec<String> {
        let show = |word: &Word| word.fixed().map_or_else(|| format!("<{}>", word.text()), str::to_owned);
        script(command)
            .commands
            .iter()
            .map(|simple| {
                let (front, program) = simple.words.split_at(simple.prefix);
                let front: Vec<String> = front.iter().map(show).collect();
                let program: Vec<String> = program.iter().map(show).collect();
                let front = if front.is_empty() { String::new() } else { format!("({}) ", front.join(" ")) };
                format!("{:?} {front}{}", simple.context, program.join(" ")).trim_end().to_owned()
            })
            .collect()
    }

    #[test]
    fn each_simple_command_is_found_where_it_stands() {
        for (command, expected) in [
            ("git stash", &["Alone git stash"][..]),
            ("\"git\" 'st'a\\sh # x", &["Alone git stash"]),
            ("time -p git stash", &["Alone git stash"]),
            ("sudo -u bob git stash", &["Alone (sudo -u bob) git stash"]),
            ("git stash > f 2>&1", &["Alone git stash"]),
            ("a | b |\n c", &["Pipeline a", "Pipeline b", "Pipeline c"]),
            ("a && b", &["List a", "List b"]),
            ("a;", &["List a"]),
            ("a &", &["List a"]),
            ("(a)", &["List a"]),
            ("! a", &["List a"]),
            ("a\nb", &["List a", "List b"]),
            ("a | b; c", &["List a", "List b", "List c"]),
            ("if a; then b; fi", &["List a", "List b"]),
            ("f() { a; }", &["List a"]),
            ("function f { a; }", &["List (f)", "List a"]),
            ("for x in a b; do c; done", &["List (x in a b)", "List c"]),
            ("case $x in a|b) c;; esac", &["List (<$x>)", "List (a)", "List (b)", "List c"]),
            ("[[ a < b && c ]]", &["Alone [[ a < b & & c ]]"]),
            ("x=(a b) c", &["Alone c"]),
            ("A=1 B=2", &["Alone"]),
            ("((x = 1 | 2))", &["List"]),
            ("echo $(a)", &["Alone echo <$(a)>", "Nested a"]),
            ("echo \"`a`\"", &["Alone echo <`a`>", "Nested a"]),
            ("sh -c 'a; b'", &["Alone sh -c a; b", "Nested a", "Nested b"]),
            ("xargs -n 1 a b", &["Alone xargs -n 1 a b", "Nested a b"]),
            ("cat <<E\n$(a)\nE", &["Alone cat", "Nested a"]),
            ("sh <<'E'\na\nE", &["Alone sh", "Nested a"]),
            ("cat <<'E'\na\nE", &["Alone cat"]),
            ("", &[]),
        ] {
            assert_eq!(shown(command), expected, "{command}");
        }
    }

    #[test]
    fn a_word_is_static_if_the_program_gets_just_that() {
        for word in
            ["a", "'$x'", "\"a b\"", "\\$x", "a=b", "{}", "{a}", "[", "a~b", "$'\\x41'", "'*'", "%1", "@{u}"]
        {
            let script = script(&format!("echo {word}"));
            assert!(
                script.commands.first().is_some_and(|it| it.words.iter().all(|it| it.fixed().is_some())),
                "{word}"
            );
        }
        for word in [
            "$x",
            "\"$x\"",
            "${x}",
            "*",
            "a?",
            "[ab]",
            "~",
            "~/x",
            "a=~/x",
            "{a,b}",
            "{1..3}",
            "$(a)",
            "`a`",
            "$((1))",
            "<(a)",
            "\"a$(b)\"",
            "$",
        ] {
            let script = script(&format!("echo {word}"));
            assert!(
                script.commands.first().is_some_and(|it| it.words.iter().any(|it| it.fixed().is_none())),
                "{word}"
            );
        }
    }

    #[test]
    fn assignments_redirections_and_origins_are_kept_apart() {
        let script = script("A=1 cat <<'E' 2> log x \"$(b)\"\ntext\nE\n");
        let [cat, inner] = script.commands.as_slice() else { panic!("{script:?}") };
        assert_eq!(cat.assignments.iter().map(Word::text).collect::<Vec<_>>(), ["A=1"]);
        let [heredoc, log] = cat.redirections.as_slice() else { panic!("{cat:?}") };
        assert_eq!(heredoc.body.as_ref().and_then(Word::fixed), Some("text\n"));
        assert_eq!((log.descriptor.as_str(), log.operator.as_str()), ("2", ">"));
        assert_eq!(log.target.as_ref().map(Word::text), Some("log"));
        assert_eq!(inner.parent, Some(ParentCommand { command: 0, word: Some(2) }));
    }

    #[test]
    fn a_script_says_when_it_was_not_read_to_the_ground() {
        let nested = |times: usize| format!("{}a{}", "$(".repeat(times), ")".repeat(times));
        assert!(!script(&nested(4)).is_truncated);
        assert!(script(&nested(5)).is_truncated);
        assert!(["a 'b", "a \"b", "a \"$(b 'c)\""].iter().all(|open| script(open).is_truncated));
        assert!(script(&nested(500)).is_truncated);
        assert!(!script("echo ${a:-${b:-${c:-${d:-${e:-${f}}}}}}").is_truncated);
    }

    proptest! {
        #[test]
        fn the_words_of_a_plain_command_are_its_words(words in proptest::collection::vec("[b-z0-9_.:@%+,/-]{1,9}", 1..9)) {
            let plain = words.iter().map(|word| format!("a{word}")).collect::<Vec<_>>();
            let script = script(&plain.join(" "));
            let found: Vec<&str> = script.commands.iter().flat_map(|it| &it.words).filter_map(Word::fixed).collect();
            prop_assert_eq!(found, plain);
        }
    }
}
