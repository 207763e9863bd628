//! The views of a call: the texts that triggers look at.

use std::borrow::Cow;
use std::cell::{LazyCell, OnceCell};
use std::iter::once;

use lessons_lesson::call::FETCH;
use lessons_lesson::{Call, ProjectLocation, StateCheck, Subject};
use lessons_pattern::automaton::Alphabet;
use lessons_pattern::{TriggerKind, keyword};
use lessons_shell::{self as shell, CommandLine, CommandSource};
use lessons_text::{Content, path};

use crate::target;

/// A text that patterns look at, with a lower-case copy for their literals and its words for keywords:
/// each made once, however many lessons ask.
pub struct View<'a> {
    text: Cow<'a, str>,
    lower: OnceCell<String>,
    classes: OnceCell<Vec<u8>>,
    words: OnceCell<String>,
}

impl<'a> View<'a> {
    /// The view of a text.
    pub fn new(text: Cow<'a, str>) -> Self {
        Self { text, lower: OnceCell::new(), classes: OnceCell::new(), words: OnceCell::new() }
    }

    /// The view of a path, in the one form in which paths are compared.
    fn of_path(path: String) -> Self {
        Self::new(Cow::Owned(path::composed(path)))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text with ASCII letters in lower case.
    pub fn lower(&self) -> &str {
        self.lower.get_or_init(|| self.text.to_ascii_lowercase())
    }

    /// The text as automata over an alphabet read it.
    pub fn bytes(&self, alphabet: Alphabet) -> &[u8] {
        match alphabet {
            Alphabet::CodePointClasses if !self.text.is_ascii() => {
                self.classes.get_or_init(|| alphabet.read(&self.text).into_owned())
            }
            _ => self.text.as_bytes(),
        }
    }

    /// Its words; see [`keyword::run_of`].
    pub fn words(&self) -> &str {
        self.words.get_or_init(|| keyword::run_of(&lessons_text::words::tokens(&self.text)))
    }
}

/// What a shell expands outside of quotes, or outside of some.
const MEANS_LESS_IN_QUOTES: [char; 14] =
    ['*', '?', '[', ']', '{', '}', '(', ')', '^', '#', '!', '~', '$', '`'];

/// The number of texts that are searched for in the command as typed, to leave out those that it contains: the time would
/// otherwise grow with the square of their number. A search for keys takes the others for different ones, which may only
/// find more to try; what fires at a text that was not typed leaves them out.
pub(crate) const MOST_COMPARED: usize = 64;

/// Everything that triggers can look at in one call. Each view is made when first asked for.
pub struct Views<'a> {
    /// The call.
    pub call: &'a Call<'a>,
    /// Where the call is made.
    pub place: &'a ProjectLocation<'a>,
    /// The command.
    line: Option<CommandLine<'a>>,
    made: MadeViews<'a>,
}

/// What was made of a call so far.
#[derive(Default)]
struct MadeViews<'a> {
    distinct: OnceCell<&'static [Subject]>,
    typed: OnceCell<Vec<View<'a>>>,
    executable: OnceCell<Vec<View<'a>>>,
    programs: OnceCell<Vec<View<'a>>>,
    sources: OnceCell<Vec<CommandSource>>,
    absolute: OnceCell<Vec<View<'a>>>,
    relative: OnceCell<Vec<View<'a>>>,
    written_files: OnceCell<Vec<View<'a>>>,
    contents: OnceCell<Vec<View<'a>>>,
    error: OnceCell<Option<View<'a>>>,
    other_forms: OnceCell<Vec<View<'a>>>,
    joined_lines: OnceCell<Vec<View<'a>>>,
    states: [OnceCell<bool>; StateCheck::ALL.len()],
}

impl<'a> Views<'a> {
    /// The views of `call`, made at `place`.
    pub fn new(call: &'a Call<'a>, place: &'a ProjectLocation<'a>) -> Self {
        let line = call.command.as_deref().map(CommandLine::new);
        Self { call, place, line, made: MadeViews::default() }
    }

    /// What makes this call this call, for a bump: what its patterns look at. Where they look at each program for
    /// itself, it is the command as typed. In another folder a command does something else.
    pub fn identity(&self, subject: Subject) -> String {
        let whole = match subject {
            Subject::Command | Subject::Program => Subject::Command,
            Subject::Executable => Subject::Executable,
        };
        let mut parts = Vec::from([&*self.call.tool]);
        parts.extend(self.command(whole).first().map(View::text));
        parts.extend(self.line.as_ref().and(self.call.cwd.as_deref()));
        parts.extend(self.absolute().iter().map(View::text));
        parts.extend(self.call.contents.iter().map(Content::text));
        parts.join("\0")
    }

    /// The command, as patterns look at it: the whole, and where it is what would run, each of its
    /// lines too, so that `^` and `$` hold for a command that a shell inside the command runs; or each simple command
    /// that would run.
    pub fn command(&self, subject: Subject) -> &[View<'a>] {
        let Some(line) = &self.line else { return &[] };
        match subject {
            Subject::Command => {
                self.made.typed.get_or_init(|| Vec::from([View::new(line.without_heredocs())]))
            }
            Subject::Executable => self.made.executable.get_or_init(|| {
                let whole = line.executable();
                let lines = whole.lines().filter(|line| line.len() < whole.len());
                let each: Vec<View<'_>> = lines.map(|line| View::new(Cow::Owned(line.to_owned()))).collect();
                once(View::new(Cow::Owned(whole))).chain(each).collect()
            }),
            Subject::Program => self.made.programs.get_or_init(|| {
                line.invocations().into_iter().map(|text| View::new(Cow::Owned(text))).collect()
            }),
        }
    }

    /// The simple commands that were not typed as they are: `make seed` of `make -C api seed`. Patterns for other subjects
    /// look at these too, at the first [`MOST_COMPARED`] of a line.
    fn other_forms(&self, subject: Subject) -> impl Iterator<Item = &View<'a>> {
        let has_forms = subject != Subject::Program && self.distinct_subjects().len() > 1;
        let forms = has_forms.then(|| self.made.other_forms.get_or_init(|| self.forms_not_typed()));
        forms.into_iter().flatten().chain(has_forms.then(|| self.joined_lines()).into_iter().flatten())
    }

    /// The simple commands of a line that goes on behind a `\\`, each in one line, as what would run.
    pub(crate) fn joined_lines(&self) -> &[View<'a>] {
        let goes_on = || self.call.command.as_deref().is_some_and(|command| command.contains("\\\n"));
        let joined = |source: &CommandSource| CommandLine::new(&source.typed).executable();
        self.made.joined_lines.get_or_init(|| {
            let sources = goes_on().then(|| self.sources().iter().take(MOST_COMPARED));
            sources.into_iter().flatten().map(|source| View::new(Cow::Owned(joined(source)))).collect()
        })
    }

    fn forms_not_typed(&self) -> Vec<View<'a>> {
        // A form has other quotes and single blanks. What depends on these is left to the text as it was typed.
        let plain = |text: &str| {
            let words = text.split_whitespace().map(|word| word.replace(['\'', '"', '\\'], ""));
            // A quote that was never closed is a word of its own in the form.
            words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        };
        let head = plain(&self.line.as_ref().map(CommandLine::without_heredocs).unwrap_or_default());
        // The bodies of heredocs may be long, and are commands only where a shell reads them.
        let whole = LazyCell::new(|| plain(self.call.command.as_deref().unwrap_or_default()));
        let is_typed = |form: &str| head.contains(form) || whole.contains(form);
        let forms = self.command(Subject::Program).iter().take(MOST_COMPARED);
        let forms =
            forms.filter(|it| !it.text().contains(MEANS_LESS_IN_QUOTES) && !is_typed(&plain(it.text())));
        // The message of `git commit -am "…"` would not run in this form either.
        forms.map(|view| View::new(Cow::Owned(CommandLine::new(view.text()).executable()))).collect()
    }

    /// The commands of the line as they were typed: what the exceptions of lessons about programs look at.
    pub fn sources(&self) -> &[CommandSource] {
        self.made.sources.get_or_init(|| self.line.iter().flat_map(CommandLine::sources).collect())
    }

    /// Whether the call is made in this state. Asks the disk at most once.
    pub fn is_in_state(&self, check: StateCheck) -> bool {
        *self.made.states[check as usize].get_or_init(|| match check {
            StateCheck::CwdEndsWithTarget => target::ends_cwd(self.call),
            StateCheck::PathMissing => target::of(self.call).is_some_and(|path| self.place.is_missing(&path)),
            StateCheck::PathExists => {
                let written = target::written(self.call);
                let paths = if written.is_empty() { Vec::from_iter(target::of(self.call)) } else { written };
                paths.iter().any(|path| self.place.is_there(path))
            }
        })
    }

    /// Whether the command was read to its end, however deep it is nested. True for other calls.
    pub fn is_read_whole(&self) -> bool {
        let command = self.call.command.as_deref();
        command.is_none_or(|command| !shell::script(command).is_truncated)
    }

    /// The subjects whose texts may differ: what would run is not worked out where it can only be what
    /// was typed, or parts of it.
    pub fn distinct_subjects(&self) -> &'static [Subject] {
        self.made.distinct.get_or_init(|| match self.call.command.as_deref() {
            Some(command) if shell::is_plain_command(command) => &[Subject::Command],
            Some(_) => &Subject::ALL,
            None => &[],
        })
    }

    /// The paths from the root of the disk.
    pub fn absolute(&self) -> &[View<'a>] {
        self.made.absolute.get_or_init(|| self.call.absolute_paths().into_iter().map(View::of_path).collect())
    }

    /// The files that the command plainly writes, from the root of the disk.
    pub fn written_files(&self) -> &[View<'a>] {
        self.made
            .written_files
            .get_or_init(|| target::written(self.call).into_iter().map(View::of_path).collect())
    }

    /// Those of some paths that are below the project's root, from there. Asks the disk for the root.
    pub fn below_root(&self, paths: &[View<'a>]) -> Vec<View<'a>> {
        let Some(roots) = self.place.roots().filter(|_| !paths.is_empty()) else { return Vec::new() };
        let root = path::composed(roots.root.clone());
        let below = |view: &View<'_>| {
            let rest = path::below(view.text(), &root).filter(|rest| !rest.is_empty())?;
            Some(View::new(Cow::Owned(rest.to_owned())))
        };
        paths.iter().filter_map(below).collect()
    }

    /// The paths below the project's root, from there. Asks the disk for the root.
    pub fn relative(&self) -> &[View<'a>] {
        self.made.relative.get_or_init(|| self.below_root(self.absolute()))
    }

    /// The paths as the person who owns the project would name them: below its root, where any of them is.
    pub fn own_paths(&self) -> &[View<'a>] {
        if self.relative().is_empty() { self.absolute() } else { self.relative() }
    }

    /// What the call puts into files.
    pub fn contents(&self) -> &[View<'a>] {
        self.made.contents.get_or_init(|| {
            self.call.contents.iter().map(|content| View::new(Cow::Borrowed(content.text()))).collect()
        })
    }

    /// The error text. `None` before a call.
    pub fn error(&self) -> Option<&View<'a>> {
        let view = || self.call.error.as_deref().map(|error| View::new(Cow::Borrowed(error)));
        self.made.error.get_or_init(view).as_ref()
    }

    /// The first answer that `test` gives for a text which patterns of a kind are tried on.
    pub fn find<T>(
        &self,
        kind: TriggerKind,
        subject: Subject,
        mut test: impl FnMut(&View<'a>) -> Option<T>,
    ) -> Option<T> {
        match kind {
            TriggerKind::CommandPattern => {
                let found =
                    self.command(subject).iter().filter(|view| !view.text().is_empty()).find_map(&mut test);
                found.or_else(|| self.other_forms(subject).find_map(test))
            }
            TriggerKind::ContentPattern => self.contents().iter().find_map(test),
            // A glob is about files, and what `WebFetch` asks for is none.
            TriggerKind::FileGlob if self.call.tool == FETCH => None,
            TriggerKind::FileGlob | TriggerKind::PathPattern => {
                let found = self.absolute().iter().chain(self.written_files()).find_map(&mut test);
                let found = found.or_else(|| self.relative().iter().find_map(&mut test));
                found.or_else(|| self.below_root(self.written_files()).iter().find_map(test))
            }
            TriggerKind::ErrorPattern => self.error().and_then(test),
            // These kinds have no pattern.
            TriggerKind::Keyword | TriggerKind::Tool => None,
        }
    }

    /// The command or the path that a keyword's words stand in.
    pub fn with_words(&self, needle: &[String], subject: Subject) -> Option<&View<'a>> {
        let has = |view: &&View<'_>| keyword::contains_run(view.words(), needle);
        let mut commands = match subject {
            // The lines behind the first are parts of it.
            Subject::Command | Subject::Executable => self.command(subject).get(..1).unwrap_or_default(),
            Subject::Program => self.command(subject),
        }
        .iter();
        commands.find(has).or_else(|| self.own_paths().iter().find(has))
    }
}
