//! The simple commands of a list, and what each of them hands on to be run.

use std::borrow::Cow;

use super::cursor::Source;
use super::list::{Piece, Redirection, Token};
use super::runs::{self, Run};
use super::word::{Inner, Word};

/// How a command is joined to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
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

/// One simple command, or the head of a compound one.
#[derive(Debug)]
pub(super) struct Segment<'s, 'a> {
    pub(super) join: Join,
    pub(super) kind: Kind,
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
            }
            Token::Operator(text) => {
                let pipe = matches!(*text, "|" | "|&");
                // A newline after `|` does not end the pipeline.
                let kept = current.is_empty() && current.join == Join::Pipe && *text == "\n";
                let join = if pipe || kept { Join::Pipe } else { Join::Other };
                finish(&mut done, &mut current, join, Kind::Command);
            }
        }
    }
    finish(&mut done, &mut current, Join::Other, Kind::Command);
    done
}

fn finish<'s, 'a>(done: &mut Vec<Segment<'s, 'a>>, current: &mut Segment<'s, 'a>, join: Join, kind: Kind) {
    let finished = std::mem::replace(current, Segment::new(join, kind));
    if !finished.is_empty() {
        done.push(finished);
    }
}

/// What each segment of a list would run besides itself, in the order of the segments.
pub(super) fn inner_of_list<'s, 'a>(
    source: &'s Source<'a>,
    segments: &[Segment<'s, 'a>],
) -> Vec<Vec<Inner<'s, 'a>>> {
    let mut all = Vec::with_capacity(segments.len());
    // From the right, because a shell at the end of a pipeline runs what is written on its left.
    let mut shell_reads = false;
    for segment in segments.iter().rev() {
        let mut found = Vec::new();
        inner_of_words(source, segment, &mut found);
        if segment.kind == Kind::Command {
            let texts: Vec<Cow<'a, str>> = segment.words.iter().map(|word| word.text()).collect();
            let words: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
            let mut reads = false;
            for run in runs::of(&words).inner {
                match run {
                    Run::Text(text) => found.push(Inner::Text(Cow::Owned(text))),
                    Run::Input => reads = true,
                    Run::Command(_) => {}
                }
            }
            if shell_reads && let Some(text) = runs::printed(&words) {
                found.push(Inner::Text(Cow::Owned(text)));
            }
            if reads || shell_reads {
                inner_of_input(source, segment, &mut found);
            }
            shell_reads |= reads;
        }
        shell_reads &= segment.join == Join::Pipe;
        all.push(found);
    }
    all.reverse();
    all
}

/// Substitutions in the words, targets and heredoc bodies of a segment.
fn inner_of_words<'s, 'a>(source: &'s Source<'a>, segment: &Segment<'s, 'a>, found: &mut Vec<Inner<'s, 'a>>) {
    for word in segment.assignments.iter().chain(&segment.words) {
        word.inner(found);
    }
    found.extend(segment.arithmetic.map(Inner::Quoted));
    for redirection in &segment.redirections {
        match redirection.heredoc.and_then(|index| source.heredocs.get(index)) {
            Some(heredoc) if !heredoc.literal => found.push(Inner::Quoted(heredoc.body)),
            Some(_) => {}
            None => redirection.target.iter().for_each(|word| word.inner(found)),
        }
    }
}

/// The heredocs and here-strings of a segment, as commands.
fn inner_of_input<'s, 'a>(source: &'s Source<'a>, segment: &Segment<'s, 'a>, found: &mut Vec<Inner<'s, 'a>>) {
    for redirection in &segment.redirections {
        if let Some(heredoc) = redirection.heredoc.and_then(|index| source.heredocs.get(index)) {
            found.push(Inner::Text(Cow::Borrowed(heredoc.body)));
        } else if redirection.operator == "<<<"
            && let Some(word) = &redirection.target
        {
            found.push(Inner::Text(word.text()));
        }
    }
}
