//! Which lessons a call matches.
//!
//! Work is linear in the call and in the number of lessons that could match, whatever the patterns:
//! each distinct trigger is tried at most once per view of the call. No lesson can use up the time of
//! another.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::iter::once;

use crate::automaton::Alphabet;
use crate::call::Call;
use crate::compiled::{Clock, Lessons, Outcomes, Terms};
use crate::content::Content;
use crate::id::QualifiedId;
use crate::keyword;
use crate::lesson::{Mode, Subject, When};
use crate::path;
use crate::project::Place;
use crate::shell::{self, CommandLine};
use crate::trigger::TriggerKind;
use crate::witness::Witness;

/// A text that patterns look at, with a lower-case copy for their literals and its words for keywords:
/// each made once, however many lessons ask.
pub struct View<'a> {
    text: Cow<'a, str>,
    lower: OnceCell<String>,
    classes: OnceCell<Vec<u8>>,
    words: OnceCell<Vec<String>>,
}

impl<'a> View<'a> {
    fn new(text: Cow<'a, str>) -> Self {
        Self { text, lower: OnceCell::new(), classes: OnceCell::new(), words: OnceCell::new() }
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

    /// Its words; see [`crate::words::tokens`].
    pub fn words(&self) -> &[String] {
        self.words.get_or_init(|| crate::words::tokens(&self.text))
    }
}

/// Everything that triggers can look at in one call. Each view is made when first asked for.
pub struct Views<'a> {
    call: &'a Call<'a>,
    place: &'a Place<'a>,
    /// The command.
    line: Option<CommandLine<'a>>,
    distinct: OnceCell<&'static [Subject]>,
    typed: OnceCell<Vec<View<'a>>>,
    executable: OnceCell<Vec<View<'a>>>,
    programs: OnceCell<Vec<View<'a>>>,
    absolute: OnceCell<Vec<View<'a>>>,
    relative: OnceCell<Vec<View<'a>>>,
    contents: OnceCell<Vec<View<'a>>>,
}

impl<'a> Views<'a> {
    /// The views of `call`, made at `place`.
    pub fn new(call: &'a Call<'a>, place: &'a Place<'a>) -> Self {
        Self {
            call,
            place,
            line: call.command.as_deref().map(CommandLine::new),
            distinct: OnceCell::new(),
            typed: OnceCell::new(),
            executable: OnceCell::new(),
            programs: OnceCell::new(),
            absolute: OnceCell::new(),
            relative: OnceCell::new(),
            contents: OnceCell::new(),
        }
    }

    /// The tool's name.
    pub fn tool(&self) -> &str {
        &self.call.tool
    }

    /// What makes this call this call, for a bump: what its patterns look at. Where they look at each program for
    /// itself, it is the command as typed.
    pub fn identity(&self, subject: Subject) -> String {
        let whole = match subject {
            Subject::Command | Subject::Program => Subject::Command,
            Subject::Executable => Subject::Executable,
        };
        let mut parts = Vec::from([self.tool()]);
        parts.extend(self.command(whole).first().map(View::text));
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
            Subject::Command => self.typed.get_or_init(|| Vec::from([View::new(line.typed())])),
            Subject::Executable => self.executable.get_or_init(|| {
                let whole = line.executable();
                let lines = whole.lines().filter(|line| line.len() < whole.len());
                let each: Vec<View<'_>> = lines.map(|line| View::new(Cow::Owned(line.to_owned()))).collect();
                once(View::new(Cow::Owned(whole))).chain(each).collect()
            }),
            Subject::Program => self.programs.get_or_init(|| {
                line.invocations().into_iter().map(|text| View::new(Cow::Owned(text))).collect()
            }),
        }
    }

    /// The subjects whose texts may differ: what would run is not worked out where it can only be what
    /// was typed, or parts of it.
    pub fn distinct_subjects(&self) -> &'static [Subject] {
        self.distinct.get_or_init(|| match self.call.command.as_deref() {
            Some(command) if shell::runs_as_typed(command) => &[Subject::Command],
            Some(_) => &Subject::ALL,
            None => &[],
        })
    }

    /// The paths from the root of the disk.
    pub fn absolute(&self) -> &[View<'a>] {
        self.absolute.get_or_init(|| {
            self.call.absolute_paths().into_iter().map(|path| View::new(Cow::Owned(path))).collect()
        })
    }

    /// The paths below the project's root, from there. Asks the disk for the root.
    pub fn relative(&self) -> &[View<'a>] {
        self.relative.get_or_init(|| {
            if self.absolute().is_empty() {
                return Vec::new();
            }
            let Some(roots) = self.place.roots() else { return Vec::new() };
            let below = |path: &View<'_>| {
                let rest = path::below(path.text(), &roots.root).filter(|rest| !rest.is_empty())?;
                Some(View::new(Cow::Owned(rest.to_owned())))
            };
            self.absolute().iter().filter_map(below).collect()
        })
    }

    /// The paths as the person who owns the project would name them: below its root, where any of them is.
    pub fn own_paths(&self) -> &[View<'a>] {
        if self.relative().is_empty() { self.absolute() } else { self.relative() }
    }

    /// What the call puts into files.
    pub fn contents(&self) -> &[View<'a>] {
        self.contents.get_or_init(|| {
            self.written().iter().map(|content| View::new(Cow::Borrowed(content.text()))).collect()
        })
    }

    /// The same, as it came.
    pub fn written(&self) -> &'a [Content<'a>] {
        &self.call.contents
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
                self.command(subject).iter().filter(|view| !view.text().is_empty()).find_map(test)
            }
            TriggerKind::ContentPattern => self.contents().iter().find_map(test),
            TriggerKind::FileGlob | TriggerKind::PathPattern => {
                let found = self.absolute().iter().find_map(&mut test);
                found.or_else(|| self.relative().iter().find_map(test))
            }
            // An error has not happened yet, and the other kinds have no pattern.
            TriggerKind::ErrorPattern | TriggerKind::Keyword | TriggerKind::Tool => None,
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

/// A lesson that a call matches: what its [`Terms`] say that an answer depends on from here on. Thousands may match one
/// call, and a hook holds them all.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Its position.
    pub lesson: u32,
    /// How many lessons have the most particular of its triggers that matched.
    pub fanout: u32,
    /// Its id with its layer.
    pub id: QualifiedId,
    /// What the hook does.
    pub mode: Mode,
    /// What command patterns look at.
    pub subject: Subject,
    /// Its rank, 1 to 10.
    pub priority: u8,
    /// When it was recorded, RFC 3339.
    pub created_at: String,
}

impl Match {
    fn new(lesson: u32, fanout: u32, terms: Cow<'_, Terms>) -> Self {
        let (mode, subject, priority) = (terms.mode, terms.subject, terms.priority);
        let (id, created_at) = match terms {
            Cow::Borrowed(terms) => (terms.id.clone(), terms.created_at.clone()),
            Cow::Owned(terms) => (terms.id, terms.created_at),
        };
        Self { lesson, fanout, id, mode, subject, priority, created_at }
    }
}

/// The first thing that keeps a lesson from matching a call. Triggers are positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quiet {
    /// It is told when a session starts, not at calls.
    AtStart,
    /// It is switched off for a while.
    Off,
    /// It is for other tools.
    Tool,
    /// It is for other agents.
    Agent,
    /// None of its triggers matches.
    NoTrigger,
    /// This one must match as well, and does not.
    Also(u32),
    /// This one matches, and keeps it quiet.
    Unless(u32),
    /// The call is in another project.
    Scope,
}

/// The lessons that a call of `agent` matches now, best first.
pub fn matches<L: Lessons>(
    lessons: &L,
    views: &Views<'_>,
    agent: &str,
    clock: &dyn Clock,
) -> Result<Vec<Match>, L::Damage> {
    matches_seen(lessons, views, agent, clock, &mut ())
}

/// The same, watched. The witness hears of each lesson that was looked at; that are all of them where the
/// lessons are kept in a manifest.
pub fn matches_seen<L: Lessons, W: Witness>(
    lessons: &L,
    views: &Views<'_>,
    agent: &str,
    clock: &dyn Clock,
    witness: &mut W,
) -> Result<Vec<Match>, L::Damage> {
    let mut known = Outcomes::default();
    let candidates = lessons.candidates(views, &mut known)?;
    let mut tried = Tried { lessons, views, known };
    let mut found = Vec::with_capacity(candidates.len());
    for lesson in candidates {
        let terms = lessons.terms(lesson)?;
        match tried.judge(&terms, agent, clock)? {
            Ok(fanout) => found.push(Match::new(lesson, fanout, terms)),
            Err(why) => witness.quiet(lesson, &terms, why),
        }
    }
    found.sort_unstable_by(|a, b| rank(a).cmp(&rank(b)));
    if W::SEES {
        for (place, found) in found.iter().enumerate() {
            witness.matched(found, place);
        }
    }
    Ok(found)
}

/// What keeps a lesson from calls of this tool and agent, whatever its triggers say.
fn concerns(terms: &Terms, tool: &str, agent: &str, clock: &dyn Clock) -> Result<(), Quiet> {
    let among = |names: &[String], wanted: &str| names.is_empty() || names.iter().any(|name| name == wanted);
    match () {
        () if terms.when != When::Tool => Err(Quiet::AtStart),
        () if terms.is_off(clock) => Err(Quiet::Off),
        () if !among(&terms.tools, tool) => Err(Quiet::Tool),
        () if !among(&terms.agents, agent) => Err(Quiet::Agent),
        () => Ok(()),
    }
}

/// Triggers that were tried on a call, and what came of it.
struct Tried<'t, 'c, L> {
    lessons: &'t L,
    views: &'t Views<'c>,
    known: Outcomes,
}

impl<L: Lessons> Tried<'_, '_, L> {
    /// How many lessons have a trigger, if it matches.
    fn fanout(&mut self, trigger: u32, subject: Subject) -> Result<Option<u32>, L::Damage> {
        if let Some(known) = self.known.get(trigger, subject) {
            return Ok(known);
        }
        let outcome = self.lessons.tries(trigger, self.views, subject)?;
        self.known.add(trigger, subject, outcome);
        Ok(outcome)
    }

    /// Whether a lesson matches: the fanout of the most particular of its triggers that do, or what is
    /// in the way. The disk is asked last.
    fn judge(
        &mut self,
        terms: &Terms,
        agent: &str,
        clock: &dyn Clock,
    ) -> Result<Result<u32, Quiet>, L::Damage> {
        if let Err(why) = concerns(terms, self.views.tool(), agent, clock) {
            return Ok(Err(why));
        }
        let fires = self.fires(terms)?;
        Ok(fires.and_then(
            |fanout| if in_scope(terms, self.views.place) { Ok(fanout) } else { Err(Quiet::Scope) },
        ))
    }

    fn fires(&mut self, terms: &Terms) -> Result<Result<u32, Quiet>, L::Damage> {
        let mut best: Option<u32> = None;
        for &trigger in &terms.triggers {
            if !self.known.may_match(trigger) {
                continue;
            }
            let fanout = self.fanout(trigger, terms.subject)?;
            best = [best, fanout].into_iter().flatten().min();
        }
        let Some(best) = best else { return Ok(Err(Quiet::NoTrigger)) };
        for &trigger in &terms.also {
            if self.fanout(trigger, terms.subject)?.is_none() {
                return Ok(Err(Quiet::Also(trigger)));
            }
        }
        for &trigger in &terms.unless {
            for &subject in terms.subject.of_unless() {
                if self.fanout(trigger, subject)?.is_some() {
                    return Ok(Err(Quiet::Unless(trigger)));
                }
            }
        }
        Ok(Ok(best))
    }
}

/// Whether a lesson fires in this project. Asks the disk only for lessons with a scope.
pub fn in_scope(terms: &Terms, place: &Place<'_>) -> bool {
    let Some(scopes) = &terms.roots else { return true };
    let Some(roots) = place.roots() else { return false };
    scopes.iter().any(|scope| roots.within(scope))
}

/// The order in which lessons are told: layer, priority, relevance (the inverse of the trigger's
/// fanout), newest, id. Always the same for the same call.
fn rank(found: &Match) -> impl Ord {
    (&found.id.layer, Reverse(found.priority), found.fanout, Reverse(found.created_at.as_str()), &found.id)
}
