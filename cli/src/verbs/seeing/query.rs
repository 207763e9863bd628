//! `lessons query`: the lessons that concern work about to be done, or that hold some words.

use std::fmt;
use std::io::{IsTerminal as _, Write as _};

use anyhow::{Context, Error, Result};
use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args};
use lessons_context::context::Actor;
use lessons_context::error::Exit;
use lessons_decide::claims::{self, SessionClaims, SessionFolder};
use lessons_home::machine::ThisMachine;
use lessons_incident::kind::Severity;
use lessons_incident_check::check::{IncidentChecker, TextCheck};
use lessons_lesson::compiled::DedupScope;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::Lesson;
use lessons_lesson::project::{ProjectLocation, find_roots};
use lessons_publish::in_force;
use lessons_recall::{Found, Limits, Question, recall, tokens};
use lessons_review::search::{self, Holding};
use lessons_review::{lookup, project_names};
use lessons_store::config::Config;
use lessons_store::telemetry::Recall;
use lessons_text::neutral::line;
use lessons_text::path;
use serde::Serialize;

use crate::app::App;
use crate::args::at_least_one;
use crate::usage::{shown, usage_counts};

/// Arguments of `lessons query`: words to search for, or the work ahead.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group = ArgGroup::new("asked").args(["text", "file", "cmd", "keyword"]).required(true).multiple(true))]
pub struct Query {
    /// Words to search for in all texts of the lessons in force
    #[arg(conflicts_with_all = ["file", "cmd", "keyword", "session"])]
    pub text: Vec<String>,
    /// A file that is going to be changed
    #[arg(long, value_name = "PATH", value_parser = NonEmptyStringValueParser::new())]
    pub file: Option<String>,
    /// A command that is going to be run; one that starts with a dash is given as --cmd=COMMAND
    #[arg(long, value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    pub cmd: Option<String>,
    /// What the work is about, in words
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub keyword: Option<String>,
    /// Maximum number of lessons
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub top: Option<usize>,
    /// Maximum number of tokens of text, four characters each; the first lesson is always shown
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub max_tokens: Option<usize>,
    /// Show all matching lessons
    #[arg(long, conflicts_with_all = ["top", "max_tokens"])]
    pub all: bool,
    /// Show each lesson's id in front of it
    #[arg(long)]
    pub ids: bool,
    /// Leave out what a query with the same word here has shown before
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub session: Option<String>,
}

/// The context of a query's claims, separate from the hooks', so that a query never silences a hook.
const CONTEXT: &str = "query";

/// The answer to a query.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    /// The file in the question, relative to the project's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The number of lessons that match, shown or not.
    total_matches: usize,
    /// The number of matching lessons that this session has been shown before.
    suppressed: usize,
    lessons: Vec<Shown>,
    /// What question and answers are like, if there are incidents to compare them with.
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson_check: Option<LessonCheck>,
    #[serde(skip)]
    ids: bool,
}

impl Answer {
    /// The lessons in it.
    fn ids_given(&self) -> Vec<QualifiedId> {
        self.lessons.iter().filter_map(|lesson| lesson.id.parse().ok()).collect()
    }
}

/// The check of a question and of the lessons that answer it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LessonCheck {
    /// The check of the question. If it is not safe, no lesson is given.
    #[serde(flatten)]
    question: TextCheck,
    /// Lessons that were left out because they are like a critical incident, each with the incident.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

impl LessonCheck {
    /// Checks the question, and takes lessons that are like a critical incident out of the answer.
    fn of(app: &App, args: &Query, lessons: &mut Vec<Shown>) -> Option<Self> {
        let checker = IncidentChecker::of(app).filter(|checker| !checker.is_empty())?;
        let words = args.text.join(" ");
        let asked = [&args.file, &args.cmd, &args.keyword].into_iter().flatten().map(String::as_str);
        let text = asked.chain([words.as_str()]).collect::<Vec<_>>().join("\n");
        let question = TextCheck::of(checker.matches(&text));
        let mut left_out = Vec::new();
        if !question.safe {
            lessons.clear();
        }
        lessons.retain(|lesson| {
            let worst = checker.matches(&lesson.rule).into_iter().next();
            let critical = worst.filter(|matched| matched.severity == Severity::Critical);
            left_out
                .extend(critical.iter().map(|matched| format!("{} is like {}", lesson.id, matched.words())));
            critical.is_none()
        });
        Some(Self { question, left_out })
    }

    /// What a person is told.
    fn notes(&self) -> impl Iterator<Item = String> {
        let unsafe_question =
            (!self.question.safe).then(|| "no lessons are given, because of the question".to_owned());
        self.question.warnings.iter().cloned().chain(unsafe_question).chain(self.left_out.iter().cloned())
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    id: String,
    rule: String,
    topics: Vec<String>,
    created_at: String,
    /// Why it ranks where it does; not where words were searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Why>,
}

/// The reasons for a lesson's rank.
#[derive(Debug, Serialize)]
struct Why {
    specificity: f64,
    coherence: usize,
    relevance: f64,
    places: [usize; 3],
}

pub(crate) fn run(app: &App, args: &Query) -> Result<Exit> {
    if args.text.is_empty() {
        return about_work(app, args);
    }
    shown::record(app, &with_words(app, args)?);
    Ok(Exit::Done)
}

/// Finds the lessons in force with the words of the question in any of their texts, best match first. Returns the ids of
/// those that were given.
pub(crate) fn with_words(app: &App, args: &Query) -> Result<Vec<QualifiedId>> {
    let (config, notes) = settings(app, &project_names::here().unwrap_or_default().to_string_lossy());
    let in_force = in_force::lessons(app);
    let mut lessons = lookup::every_lesson(app)?;
    lessons.retain(|(id, _)| in_force.contains_key(id));
    let found = search::ranked(lessons, &args.text.join(" "), Holding::MostWords);
    let most = if args.all { usize::MAX } else { args.top.unwrap_or(config.recall_limit) };
    let most_tokens = if args.all { usize::MAX } else { args.max_tokens.unwrap_or(config.recall_max_tokens) };
    let mut spent = 0;
    let fits = |(position, lesson): &(usize, &(QualifiedId, Lesson))| {
        spent += tokens(&lesson.1.rule);
        *position == 0 || spent <= most_tokens
    };
    let shown = found.iter().take(most).enumerate().take_while(fits).map(|(_, (id, lesson))| Shown {
        id: id.to_string(),
        rule: lesson.rule.clone(),
        topics: lesson.topics.iter().map(ToString::to_string).collect(),
        created_at: lesson.created_at.clone(),
        why: None,
    });
    let mut lessons: Vec<Shown> = shown.collect();
    let number = lessons.len();
    let lesson_check = LessonCheck::of(app, args, &mut lessons);
    let answer = Answer {
        file: None,
        total_matches: found.len(),
        suppressed: 0,
        lessons,
        lesson_check,
        ids: args.ids || std::io::stdout().is_terminal(),
    };
    app.recorded(&answer)?;
    if config.telemetry {
        usage_counts::recalled(app, counted(app, args, &answer, &[]));
    }
    tell(&answer, found.len() - number, &notes);
    Ok(answer.ids_given())
}

/// Finds the lessons that concern work about to be done.
fn about_work(app: &App, args: &Query) -> Result<Exit> {
    let here = std::env::current_dir().context("the working folder")?;
    let here = here.to_string_lossy();
    let roots = find_roots(&path::lexical(&here), &ThisMachine);
    let root = roots.root.clone();
    let place = ProjectLocation::known(Some(roots), &ThisMachine);
    let (config, notes) = settings(app, &root);
    let file = args.file.as_ref().map(|file| path::lexical(&path::join(&here, file)));
    let named = file.as_deref().map(|file| relative(file, &root));
    let question = Question {
        // Outside of the project a path has only names of this machine, which say nothing about the work.
        file: if named.as_deref().is_some_and(is_outside) { file.as_deref() } else { named.as_deref() },
        command: args.cmd.as_deref(),
        keyword: args.keyword.as_deref(),
        root: Some(&root),
    };
    let index = in_force::index(app).map_err(Error::msg)?;
    let corrupt = |error| Error::msg(in_force::cannot_be_read(app, error));
    let session = args.session.as_deref().map(|id| Session::of(app, id));
    let mut suppressed = 0;
    let found = match &index {
        None => Vec::new(),
        Some(index) => recall(&index.ask().map_err(corrupt)?, &question, &place, &app.now_ms(), |terms| {
            let seen = session.as_ref().is_some_and(|session| session.has_seen(&terms.id));
            suppressed += usize::from(seen);
            seen
        })
        .map_err(corrupt)?,
    };
    let limits = if args.all {
        Limits::NONE
    } else {
        Limits {
            lessons: args.top.unwrap_or(config.recall_limit),
            tokens: args.max_tokens.unwrap_or(config.recall_max_tokens),
        }
    };
    let shown = found.get(limits.cut(&found)).unwrap_or_default();
    let mut lessons: Vec<Shown> = shown.iter().map(Shown::of).collect();
    let lesson_check = LessonCheck::of(app, args, &mut lessons);
    let answer = Answer {
        file: named.clone(),
        total_matches: found.len() + suppressed,
        suppressed,
        lessons,
        lesson_check,
        ids: args.ids || std::io::stdout().is_terminal(),
    };
    app.recorded(&answer)?;
    if let Some(mut session) = session {
        for found in shown {
            session.saw(&found.entry.id);
        }
    }
    if config.telemetry {
        usage_counts::recalled(app, counted(app, args, &answer, &found));
    }
    shown::record(app, &answer.ids_given());
    tell(&answer, found.len() - shown.len(), &notes);
    Ok(Exit::Done)
}

/// The settings, and the problems in them. Problems never keep a question from being answered.
fn settings(app: &App, root: &str) -> (Config, Vec<String>) {
    match app.settings_at(root) {
        Ok((config, bad)) => (config, bad.iter().map(ToString::to_string).collect()),
        Err(error) => (Config::default(), vec![format!("{error:#}; the defaults are used")]),
    }
}

/// The row of telemetry for a query.
fn counted(app: &App, args: &Query, answer: &Answer, found: &[Found]) -> Recall {
    let by_keyword_alone = |found: &Found| found.by.keyword && !found.by.file && !found.by.command;
    let session = args.session.as_deref().or(match &app.actor {
        Actor::Agent { session } => Some(session.as_str()),
        Actor::Person | Actor::Background => None,
    });
    let mut recall = Recall {
        t: app.now_ms(),
        session: session.map(claims::session_hash),
        matches: answer.total_matches,
        keyword_only: !args.text.is_empty() || (!found.is_empty() && found.iter().all(by_keyword_alone)),
        tokens: answer.lessons.iter().map(|lesson| tokens(&lesson.rule)).sum(),
        lessons: None,
        all: args.all,
    };
    recall.name(answer.lessons.iter().map(|lesson| &lesson.id));
    recall
}

/// The lessons that queries have shown to one session.
struct Session(SessionClaims<SessionFolder>);

impl Session {
    fn of(app: &App, id: &str) -> Self {
        let files = SessionFolder::of(&app.home, Some(id));
        Self(SessionClaims::new(files, Some(CONTEXT), DedupScope::Context))
    }

    fn has_seen(&self, id: &QualifiedId) -> bool {
        self.0.has_shown(id)
    }

    fn saw(&mut self, id: &QualifiedId) {
        self.0.show(id);
    }
}

fn is_outside(relative: &str) -> bool {
    relative == ".." || relative.starts_with("../")
}

/// `file` as seen from `root`, both absolute.
fn relative(file: &str, root: &str) -> String {
    if let Some(below) = path::below(file, root) {
        return if below.is_empty() { ".".to_owned() } else { below.to_owned() };
    }
    let parts = |path: &'_ str| -> Vec<String> { path.split('/').skip(1).map(str::to_owned).collect() };
    let (file, root) = (parts(file), parts(root));
    let common = file.iter().zip(&root).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", root.len() - common);
    up.chain(file.iter().skip(common).map(String::as_str)).collect::<Vec<_>>().join("/")
}

/// Writes notes to standard error, so that they stay out of the output that programs read.
fn tell(answer: &Answer, more: usize, notes: &[String]) {
    let mut said = Vec::new();
    if more > 0 {
        said.push(format!("{more} more matched; --all shows them, --top and --max-tokens some of them"));
    }
    if answer.suppressed > 0 {
        said.push(format!("{} shown before in this session", answer.suppressed));
    }
    said.extend(answer.lesson_check.iter().flat_map(LessonCheck::notes));
    said.extend(notes.iter().cloned());
    for text in said {
        // An error is ignored: the reader has closed standard error.
        let _ = writeln!(std::io::stderr(), "lessons: {}", lessons_text::neutral::visible(&text));
    }
}

impl Shown {
    fn of(found: &Found) -> Self {
        let (entry, signals) = (&found.entry, found.signals);
        Self {
            id: entry.id.to_string(),
            rule: entry.rule.clone(),
            topics: entry.topics.clone(),
            created_at: entry.created_at.clone(),
            why: Some(Why {
                specificity: signals.specificity,
                coherence: signals.coherence,
                relevance: signals.relevance,
                places: signals.places,
            }),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lessons.is_empty() {
            return f.write_str("(no matches)");
        }
        for lesson in &self.lessons {
            if self.ids {
                write!(f, "[{}] ", lesson.id)?;
            }
            writeln!(f, "{}", line(&lesson.rule))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_from_the_root() {
        assert_eq!(relative("/p/src/a.ts", "/p"), "src/a.ts");
        assert_eq!(relative("/p", "/p"), ".");
        assert_eq!(relative("/abs/a.ts", "/home/p"), "../../abs/a.ts");
        assert_eq!(relative("/home/q/a.ts", "/home/p"), "../q/a.ts");
    }
}
