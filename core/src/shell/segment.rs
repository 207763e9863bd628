//! The simple commands of a list, and what each of them hands on to be run.

use std::borrow::Cow;
use std::ops::Range;

use super::lexed::Source;
use super::runs::{self, Run};
use super::syntax::{Inner, Word};
use super::syntax::{Piece, Redirection, Token};

/// How a command is joined to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// It is the first.
    Start,
    /// It reads what the one before it writes.
    Pipe,
    /// Anything else.
    Other,
}

/// Whether words are a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Command,
    /// The head of a `for` or `case`, the pattern of a `case`, arithmetic: holds expansions, runs
    /// nothing of its own.
    Head,
}

/// When a segment runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Whenever its list does, once, in the shell that runs the list.
    Always,
    /// Perhaps, often, or in a shell of its own: in a compound command, behind `&&` or `||`, in a pipeline, in the
    /// background.
    Perhaps,
}

/// One simple command, or the head of a compound one.
#[derive(Debug)]
pub(super) struct Segment<'s, 'a> {
    pub(super) join: Join,
    pub(super) kind: Kind,
    pub(super) reach: Reach,
    pub(super) assignments: Vec<&'s Word<'a>>,
    pub(super) words: Vec<&'s Word<'a>>,
    pub(super) redirections: Vec<&'s Redirection<'a>>,
    /// The text inside `((…))`.
    arithmetic: Option<&'a str>,
}

impl<'s, 'a> Segment<'s, 'a> {
    fn new(join: Join, kind: Kind) -> Self {
        Self {
            join,
            kind,
            reach: Reach::Perhaps,
            assignments: Vec::new(),
            words: Vec::new(),
            redirections: Vec::new(),
            arithmetic: None,
        }
    }

    fn is_empty(&self) -> bool {
        self.assignments.is_empty()
            && self.words.is_empty()
            && self.redirections.is_empty()
            && self.arithmetic.is_none()
    }

    /// Whether it is `((…))`.
    pub(super) fn is_arithmetic(&self) -> bool {
        self.arithmetic.is_some()
    }

    fn add_word(&mut self, word: &'s Word<'a>) {
        if self.kind == Kind::Command && self.words.is_empty() && word.is_assignment() {
            self.assignments.push(word);
        } else {
            self.words.push(word);
        }
    }
}

/// Cuts a list into its simple commands.
pub(super) fn segments<'s, 'a>(list: &'s [Piece<'a>]) -> Vec<Segment<'s, 'a>> {
    let mut done = Vec::new();
    let mut current = Segment::new(Join::Start, Kind::Command);
    let mut position = Position::default();
    current.reach = position.reach();
    // Where the statement begins that goes on, over `&&` and pipes.
    let mut statement = 0;
    for piece in list {
        match &piece.token {
            Token::Word(word) => current.add_word(word),
            Token::Redirection(redirection) => current.redirections.push(redirection),
            Token::Label(word) => {
                let mut label = Segment::new(Join::Other, Kind::Head);
                label.words.push(word);
                done.push(label);
            }
            Token::Arithmetic { inner, .. } => {
                let mut head = Segment::new(Join::Other, Kind::Head);
                head.arithmetic = Some(inner);
                done.push(head);
            }
            Token::Keyword("\n" | "time" | "-p") => {}
            Token::Keyword(text) if text.starts_with('(') && text.len() > 1 => {
                // The name of a function stood before its parentheses.
                current = Segment::new(Join::Other, Kind::Command);
            }
            Token::Keyword(text) => {
                let kind =
                    if matches!(*text, "for" | "select" | "case") { Kind::Head } else { Kind::Command };
                let join = if current.is_empty() { current.join } else { Join::Other };
                finish(&mut done, &mut current, join, kind);
                // Parentheses that are keywords belong to the patterns of a `case`.
                if !matches!(*text, "(" | ")") {
                    position.step_over(text);
                }
            }
            Token::Operator(text) => {
                if matches!(*text, "|" | "|&" | "&") {
                    current.reach = Reach::Perhaps;
                }
                if *text == "&" {
                    // All of `a && b &` runs in the background.
                    done.iter_mut().skip(statement).for_each(|segment| segment.reach = Reach::Perhaps);
                }
                let pipe = matches!(*text, "|" | "|&");
                // A newline after `|` does not end the pipeline.
                let kept = current.is_empty() && current.join == Join::Pipe && *text == "\n";
                let join = if pipe || kept { Join::Pipe } else { Join::Other };
                let goes_on = current.is_empty() && *text == "\n";
                finish(&mut done, &mut current, join, Kind::Command);
                if !goes_on || !position.is_joined {
                    position.step_over(text);
                }
                if !position.is_joined {
                    statement = done.len();
                }
                current.reach = position.reach();
            }
        }
    }
    finish(&mut done, &mut current, Join::Other, Kind::Command);
    done
}

/// Where in a list the next segment stands.
#[derive(Debug, Default)]
struct Position {
    /// How many compound commands are open.
    open: usize,
    /// Whether `&&`, `||` or a pipe stands in front.
    is_joined: bool,
}

impl Position {
    fn reach(&self) -> Reach {
        if self.open == 0 && !self.is_joined { Reach::Always } else { Reach::Perhaps }
    }

    /// Steps over an operator or a reserved word. What follows a reserved word directly is never [`Reach::Always`].
    fn step_over(&mut self, token: &str) {
        match token {
            "if" | "while" | "until" | "for" | "select" | "case" | "{" | "(" => self.open += 1,
            "fi" | "done" | "esac" | "}" | ")" => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        self.is_joined = matches!(token, "&&" | "||" | "|" | "|&");
    }
}

fn finish<'s, 'a>(done: &mut Vec<Segment<'s, 'a>>, current: &mut Segment<'s, 'a>, join: Join, kind: Kind) {
    let finished = std::mem::replace(current, Segment::new(join, kind));
    if !finished.is_empty() {
        done.push(finished);
    }
}

/// What a segment hands on.
#[derive(Debug, Default)]
pub(super) struct Handed<'s, 'a> {
    /// How many words stand in front of the program.
    pub(super) prefix: usize,
    /// Words that are a command of their own, as ranges.
    pub(super) commands: Vec<Range<usize>>,
    /// Texts and lists that would run.
    pub(super) found: Vec<Found<'s, 'a>>,
}

/// Something that would run besides the segment itself.
#[derive(Debug)]
pub(super) struct Found<'s, 'a> {
    /// The word of the segment that it stands in, where it stands in one.
    pub(super) word: Option<usize>,
    pub(super) inner: Inner<'s, 'a>,
}

/// What each segment of a list hands on, in the order of the segments. Variables stay as they were typed.
pub(super) fn handed_on<'s, 'a>(source: &'s Source<'a>, segments: &[Segment<'s, 'a>]) -> Vec<Handed<'s, 'a>> {
    handed_on_given(source, segments, |_, segment| segment.words.iter().map(|word| word.text()).collect())
}

/// The same, where `words_of` knows the words that the segment at a position has once its variables are expanded.
pub(super) fn handed_on_given<'s, 'a, 'w>(
    source: &'s Source<'a>,
    segments: &[Segment<'s, 'a>],
    words_of: impl Fn(usize, &Segment<'s, 'a>) -> Vec<Cow<'w, str>>,
) -> Vec<Handed<'s, 'a>> {
    let mut all = Vec::with_capacity(segments.len());
    // From the right, because a shell at the end of a pipeline runs what is written on its left.
    let mut shell_reads = false;
    for (position, segment) in segments.iter().enumerate().rev() {
        let mut handed = Handed::default();
        inner_of_words(source, segment, &mut handed.found);
        if segment.kind == Kind::Command {
            let texts = words_of(position, segment);
            let words: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
            let runs = runs::of(&words);
            handed.prefix = runs.prefix;
            let mut add =
                |text| handed.found.push(Found { word: None, inner: Inner::Text(Cow::Owned(text)) });
            let mut reads = false;
            for run in runs.inner {
                match run {
                    Run::Text(text) => add(text),
                    Run::Input => reads = true,
                    Run::Command(range) => handed.commands.push(range),
                }
            }
            if shell_reads && let Some(text) = runs::printed(&words) {
                add(text);
            }
            if reads || shell_reads {
                inner_of_input(source, segment, &mut handed.found);
            }
            shell_reads |= reads;
        }
        shell_reads &= segment.join == Join::Pipe;
        all.push(handed);
    }
    all.reverse();
    all
}

/// Substitutions in the words, targets and heredoc bodies of a segment.
fn inner_of_words<'s, 'a>(source: &'s Source<'a>, segment: &Segment<'s, 'a>, found: &mut Vec<Found<'s, 'a>>) {
    let mut inside = |word: Option<usize>, part: &'s Word<'a>| {
        let mut inner = Vec::new();
        part.inner(&mut inner);
        found.extend(inner.into_iter().map(|inner| Found { word, inner }));
    };
    segment.assignments.iter().for_each(|part| inside(None, part));
    segment.words.iter().enumerate().for_each(|(word, part)| inside(Some(word), part));
    for redirection in segment.redirections.iter().filter(|redirection| redirection.heredoc.is_none()) {
        redirection.target.iter().for_each(|part| inside(None, part));
    }
    let bodies = segment
        .redirections
        .iter()
        .filter_map(|redirection| source.heredoc(redirection))
        .filter(|heredoc| !heredoc.literal)
        .map(|heredoc| heredoc.body);
    let quoted = segment.arithmetic.into_iter().chain(bodies);
    found.extend(quoted.map(|text| Found { word: None, inner: Inner::Quoted(text) }));
}

/// The heredocs and here-strings of a segment, as commands.
fn inner_of_input<'s, 'a>(source: &'s Source<'a>, segment: &Segment<'s, 'a>, found: &mut Vec<Found<'s, 'a>>) {
    for redirection in &segment.redirections {
        let text = match (source.heredoc(redirection), &redirection.target) {
            (Some(heredoc), _) => Cow::Borrowed(heredoc.body),
            (None, Some(word)) if redirection.operator == "<<<" => word.text(),
            _ => continue,
        };
        found.push(Found { word: None, inner: Inner::Text(text) });
    }
}
