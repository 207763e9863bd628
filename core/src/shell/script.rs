//! The simple commands of a command line, for those who must know who runs what.

use super::lexed::Source;
use super::segment::{self, Found, Handed, Join, Kind, Segment};
use super::syntax::{self, Inner, Piece, Token};

/// How many levels of text inside text are read, as many as patterns see; more would let a short text cost much.
const LEVELS: usize = 4;

/// The simple commands of a command line.
#[derive(Debug, Default)]
pub struct Script {
    /// In order; what a command hands on to be run comes after it.
    pub commands: Vec<SimpleCommand>,
    /// Whether that is all of them: text inside text is read four levels deep.
    pub extent: Extent,
}

/// How much of a command line was read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    #[default]
    Whole,
    /// Something is nested too deep.
    Cut,
}

/// One simple command.
#[derive(Debug)]
pub struct SimpleCommand {
    /// Where it stands.
    pub place: Place,
    /// How it is joined to the one before it.
    pub join: Join,
    /// `NAME=value` in front of it.
    pub assignments: Vec<Word>,
    /// Its words. Those of the head of a `for` or `case` stand here too.
    pub words: Vec<Word>,
    /// How many of the words stand in front of the program that runs: `sudo`, `timeout 5`. All of
    /// them where no program runs.
    pub prefix: usize,
    /// Its redirections.
    pub redirections: Vec<Redirection>,
    /// The command that this one stands in.
    pub origin: Option<Origin>,
}

/// Where a simple command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is the whole command line: no operator, no reserved word but `time`. It may have
    /// redirections, and words that are not static.
    Alone,
    /// The whole command line is one pipeline, and this is a part of it.
    Pipeline,
    /// It is part of a longer command line.
    List,
    /// It is in a substitution, in text that a shell runs, or started by another command.
    Nested,
}

/// A command in which another one stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// Its index in [`Script::commands`].
    pub command: usize,
    /// The index of the word, where it stands in one.
    pub word: Option<usize>,
}

/// A word without its quoting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    text: String,
    is_static: bool,
}

/// Where a command reads from or writes to.
#[derive(Debug)]
pub struct Redirection {
    /// The number in front, if any.
    pub descriptor: String,
    /// `<`, `>>`, `<<-`, `&>`.
    pub operator: String,
    /// The file, descriptor, delimiter or text.
    pub target: Option<Word>,
    /// What a heredoc holds.
    pub body: Option<Word>,
}

impl Word {
    /// The text, in which expansions stand as they were typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, if the program gets exactly that: no variable, substitution, pattern or brace.
    pub fn fixed(&self) -> Option<&str> {
        self.is_static.then_some(self.text.as_str())
    }

    fn of(word: &syntax::Word<'_>) -> Self {
        Self { text: word.text().into_owned(), is_static: word.is_static() }
    }
}

impl SimpleCommand {
    /// The words from the program on; none where no program runs.
    pub fn program(&self) -> &[Word] {
        self.words.get(self.prefix..).unwrap_or_default()
    }

    /// The program itself.
    pub fn program_word(&self) -> Option<&Word> {
        self.words.get(self.prefix)
    }
}

/// Reads the simple commands of a command line.
pub fn script(command: &str) -> Script {
    let mut script = Script::default();
    let source = Source::commands(command);
    let place = place_of(&source.list);
    script.add_list(&source.list, &source, &Context { level: 0, place, origin: None });
    script
}

struct Context {
    level: usize,
    place: Place,
    origin: Option<Origin>,
}

impl Context {
    fn inside(&self, origin: Origin) -> Self {
        Self { level: self.level + 1, place: Place::Nested, origin: Some(origin) }
    }
}

/// What the commands of a whole command line are.
fn place_of(list: &[Piece<'_>]) -> Place {
    let mut place = Place::Alone;
    for piece in list {
        match &piece.token {
            Token::Word(_)
            | Token::Redirection(_)
            | Token::Keyword("\n" | "time" | "-p")
            | Token::Operator("\n") => {}
            Token::Operator("|" | "|&") => place = Place::Pipeline,
            Token::Label(_) | Token::Operator(_) | Token::Keyword(_) | Token::Arithmetic { .. } => {
                return Place::List;
            }
        }
    }
    place
}

impl Script {
    fn add_list(&mut self, list: &[Piece<'_>], source: &Source<'_>, context: &Context) {
        if source.cut {
            self.extent = Extent::Cut;
        }
        let segments = segment::segments(list);
        let several = segments.iter().filter(|segment| segment.join != Join::Pipe).count() > 1;
        let place = match context.place {
            Place::Alone | Place::Pipeline if several => Place::List,
            place => place,
        };
        let handed = segment::handed_on(source, &segments);
        for (segment, handed) in segments.iter().zip(handed) {
            let index = self.commands.len();
            self.commands.push(simple(segment, &handed, source, place, context.origin));
            for range in handed.commands {
                let origin = Some(Origin { command: index, word: Some(range.start) });
                let words = segment.words.get(range).unwrap_or_default();
                self.commands.push(started(words, origin));
            }
            self.add_found(handed.found, source, index, context);
        }
    }

    fn add_found(
        &mut self,
        found: Vec<Found<'_, '_>>,
        source: &Source<'_>,
        command: usize,
        context: &Context,
    ) {
        if context.level >= LEVELS && !found.is_empty() {
            self.extent = Extent::Cut;
            return;
        }
        for found in found {
            let inside = context.inside(Origin { command, word: found.word });
            match found.inner {
                Inner::Commands(list) => self.add_list(list, source, &inside),
                Inner::Text(text) => {
                    let inner = Source::commands(&text);
                    self.add_list(&inner.list, &inner, &inside);
                }
                Inner::Quoted(text) => {
                    let inner = Source::quoted(text);
                    let segments = segment::segments(&inner.list);
                    for handed in segment::handed_on(&inner, &segments) {
                        self.add_found(handed.found, &inner, command, &inside);
                    }
                }
            }
        }
    }
}

fn simple(
    segment: &Segment<'_, '_>,
    handed: &Handed<'_, '_>,
    source: &Source<'_>,
    place: Place,
    origin: Option<Origin>,
) -> SimpleCommand {
    let words: Vec<Word> = segment.words.iter().map(|word| Word::of(word)).collect();
    let prefix = if segment.kind == Kind::Command { handed.prefix } else { words.len() };
    SimpleCommand {
        place,
        join: segment.join,
        assignments: segment.assignments.iter().map(|word| Word::of(word)).collect(),
        words,
        prefix,
        redirections: segment.redirections.iter().map(|redirection| redirect(redirection, source)).collect(),
        origin,
    }
}

/// A command that another one starts, given its words.
fn started(words: &[&syntax::Word<'_>], origin: Option<Origin>) -> SimpleCommand {
    let words: Vec<Word> = words.iter().map(|word| Word::of(word)).collect();
    let texts: Vec<&str> = words.iter().map(Word::text).collect();
    let prefix = super::runs::of(&texts).prefix;
    SimpleCommand {
        place: Place::Nested,
        join: Join::Other,
        assignments: Vec::new(),
        words,
        prefix,
        redirections: Vec::new(),
        origin,
    }
}

fn redirect(redirection: &syntax::Redirection<'_>, source: &Source<'_>) -> Redirection {
    let body = source.heredoc(redirection).map(|heredoc| Word {
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

    /// Each command as its place and its words; a word that is not static in angle brackets, the words
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
                format!("{:?} {front}{}", simple.place, program.join(" ")).trim_end().to_owned()
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
        assert_eq!(inner.origin, Some(Origin { command: 0, word: Some(2) }));
    }

    #[test]
    fn a_script_says_when_it_was_not_read_to_the_ground() {
        let nested = |times: usize| format!("{}a{}", "$(".repeat(times), ")".repeat(times));
        assert_eq!(script(&nested(4)).extent, Extent::Whole);
        assert_eq!(script(&nested(5)).extent, Extent::Cut);
        assert_eq!(script(&nested(500)).extent, Extent::Cut);
        assert_eq!(script("echo ${a:-${b:-${c:-${d:-${e:-${f}}}}}}").extent, Extent::Whole);
    }

    proptest! {
        #[test]
        fn any_text_has_a_script(text in any::<String>()) {
            script(&text);
        }

        #[test]
        fn the_words_of_a_plain_command_are_its_words(words in proptest::collection::vec("[b-z0-9_.:@%+,/-]{1,9}", 1..9)) {
            let plain = words.iter().map(|word| format!("a{word}")).collect::<Vec<_>>();
            let script = script(&plain.join(" "));
            let found: Vec<&str> = script.commands.iter().flat_map(|it| &it.words).filter_map(Word::fixed).collect();
            prop_assert_eq!(found, plain);
        }
    }
}
