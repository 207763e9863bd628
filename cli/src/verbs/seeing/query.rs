//! `lessons query`: the lessons that concern work about to be done, or that hold some words.

use std::io::IsTerminal as _;

use anyhow::Context;
use clap::ArgGroup;
use clap::builder::NonEmptyStringValueParser;
use lessons_decide::{Event, Outcome, SessionClaims, SessionFolder, claims};
use lessons_home::ThisMachine;
use lessons_incident::Severity;
use lessons_incident_check::check::{IncidentChecker, TextCheck};
use lessons_lesson::{DedupScope, Lesson, ProjectLocation, QualifiedId, find_roots};
use lessons_recall::{Entry, Found, Limits, Question, Signals, recall, tokens};
use lessons_review::{Holding, project_names, search};
use lessons_store::{Config, Recall, Row, telemetry};
use lessons_text::path;

use crate::args::at_least_one;
use crate::prelude::*;
use crate::ui::messages::{self, sentence};

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

/// What was found.
struct Given {
    /// The root of the project in which it was asked.
    root: String,
    /// The file that the question names, from the root of the project.
    file: Option<String>,
    lessons: Vec<Shown>,
    /// The number of further lessons that match, but were shown before in the session.
    suppressed: usize,
    /// Whether only keywords led to them.
    keyword_only: bool,
    /// What a query showed in the session, in claims of their own.
    session: Option<SessionClaims<SessionFolder>>,
}

/// What incidents say of a question and of the lessons that it finds; those that are not given are taken out. `None` without
/// incidents.
fn checked(app: &App, args: &Query, lessons: &mut Vec<Shown>) -> Option<Answer> {
    let checker = IncidentChecker::in_force(app)?;
    let words = args.text.join(" ");
    let asked = [&args.file, &args.cmd, &args.keyword].into_iter().flatten().map(String::as_str);
    let text = asked.chain([words.as_str()]).collect::<Vec<_>>().join("\n");
    let question = TextCheck::of(checker.matches(&text));
    let mut notes = question.warnings.clone();
    if !question.safe {
        lessons.clear();
        notes.push("no lessons are given, because of the question".to_owned());
    }
    // Lessons that are like a critical incident.
    let mut left_out = Vec::new();
    lessons.retain(|lesson| {
        let worst = checker.matches(&lesson.rule).into_iter().next();
        let critical = worst.filter(|matched| matched.severity == Severity::Critical);
        left_out.extend(critical.iter().map(|it| format!("{} is like {}", lesson.id, it.words())));
        critical.is_none()
    });
    notes.extend(left_out.iter().cloned());
    Some(Answer::new(notes, json!(question)).given("leftOut", left_out))
}

/// A lesson in the answer.
struct Shown {
    id: QualifiedId,
    rule: String,
    /// The lesson for programs.
    fields: Value,
}

pub(crate) fn run(app: &App, args: &Query) -> Result<Exit> {
    note_shown(app, &shown_for(app, args)?);
    Ok(Exit::Done)
}

/// Finds the lessons with the words of a question.
fn with_words(app: &App, args: &Query) -> Result<Given> {
    let root = project_names::here().unwrap_or_default().to_string_lossy().into_owned();
    let in_force = in_force::lessons(app);
    let mut lessons = lookup::every_lesson(app)?;
    lessons.retain(|(id, _)| in_force.contains_key(id));
    let found = search::ranked(lessons, &args.text.join(" "), Holding::MostWords);
    let shown = |(id, Lesson { rule, topics, created_at, .. })| {
        let fields = json!({ "id": id, "rule": rule, "topics": topics, "createdAt": created_at });
        Shown { id, rule, fields }
    };
    let lessons = found.into_iter().map(shown).collect();
    Ok(Given { root, file: None, lessons, suppressed: 0, keyword_only: true, session: None })
}

/// Finds the lessons that concern a file, a command or a keyword.
fn about_work(app: &App, args: &Query) -> Result<Given> {
    let here = std::env::current_dir().context("the working folder")?;
    let here = here.to_string_lossy();
    let roots = find_roots(&path::lexical(&here), &ThisMachine);
    let root = roots.root.clone();
    let place = ProjectLocation::known(Some(roots), &ThisMachine);
    let file = args.file.as_ref().map(|file| path::lexical(&path::join(&here, file)));
    let named = file.as_deref().map(|file| relative(file, &root));
    let is_outside = |path: &str| path == ".." || path.starts_with("../");
    let question = Question {
        file: if named.as_deref().is_some_and(is_outside) { file.as_deref() } else { named.as_deref() },
        command: args.cmd.as_deref(),
        keyword: args.keyword.as_deref(),
        root: Some(&root),
    };
    let index = in_force::index(app)?;
    let corrupt = |error| in_force::cannot_be_read(app, error);
    let session = args.session.as_deref().map(|id| {
        SessionClaims::new(SessionFolder::of(&app.home, Some(id)), Some(CONTEXT), DedupScope::Context)
    });
    let mut suppressed = 0;
    let found = match &index {
        None => Vec::new(),
        Some(index) => recall(&index.ask().map_err(corrupt)?, &question, &place, &app.now_ms(), |terms| {
            let seen = session.as_ref().is_some_and(|session| session.has_shown(&terms.id));
            suppressed += usize::from(seen);
            seen
        })
        .map_err(corrupt)?,
    };
    let by_keyword_alone = |found: &Found| found.by.keyword && !found.by.file && !found.by.command;
    let shown = |Found { entry: Entry { id, rule, topics, created_at }, signals, .. }| {
        // The signals that it was ranked by.
        let Signals { specificity, coherence, relevance, places } = signals;
        let why = json!({
            "specificity": specificity, "coherence": coherence, "relevance": relevance, "places": places,
        });
        let fields = json!({ "id": id, "rule": rule, "topics": topics, "createdAt": created_at, "why": why });
        Shown { id, rule, fields }
    };
    Ok(Given {
        keyword_only: !found.is_empty() && found.iter().all(by_keyword_alone),
        file: named,
        lessons: found.into_iter().map(shown).collect(),
        root,
        suppressed,
        session,
    })
}

/// The settings in a project, and what is wrong with them: a question is answered all the same.
fn settings(app: &App, root: &str) -> (Config, Vec<String>) {
    match app.settings_at(root) {
        Ok((config, bad)) => (config, bad.iter().map(ToString::to_string).collect()),
        Err(error) => (Config::default(), vec![format!("{}; the defaults are used", sentence(&error))]),
    }
}

/// Prints the lessons that are asked for, cut to the limits that hold in the project, counts the answer if the user wants that,
/// and says on standard error what is not in it. Returns the lessons that it gave.
pub(crate) fn shown_for(app: &App, args: &Query) -> Result<Vec<QualifiedId>> {
    let given = if args.text.is_empty() { about_work(app, args)? } else { with_words(app, args)? };
    let Given { root, file, mut lessons, suppressed, keyword_only, session } = given;
    let (config, notes) = settings(app, &root);
    let found = lessons.len();
    let most = args.top.unwrap_or(config.recall_limit);
    let limits = Limits { lessons: most, tokens: args.max_tokens.unwrap_or(config.recall_max_tokens) };
    let limits = if args.all { Limits::NONE } else { limits };
    lessons.truncate(limits.cut(lessons.iter().map(|lesson| &lesson.rule)));
    let (matches, more) = (found + suppressed, found - lessons.len());
    let shown: Vec<QualifiedId> = lessons.iter().map(|lesson| lesson.id.clone()).collect();
    let check = checked(app, args, &mut lessons);
    let with_ids = args.ids || std::io::stdout().is_terminal();
    let id = |id: &QualifiedId| if with_ids { format!("[{id}] ") } else { String::new() };
    let lines = lessons.iter().map(|shown| format!("{}{}", id(&shown.id), line(&shown.rule)));
    let mut lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        lines.push("(no matches)".to_owned());
    }
    let rows: Vec<&Value> = lessons.iter().map(|lesson| &lesson.fields).collect();
    let fields = json!({ "totalMatches": matches, "suppressed": suppressed, "lessons": rows });
    app.recorded(&Answer::new(lines, fields).given("file", file).given("lessonCheck", &check))?;
    if config.telemetry {
        let session = args.session.as_deref().or(app.session());
        let mut recall = Recall {
            t: app.now_ms(),
            session: session.map(claims::session_hash),
            matches,
            keyword_only,
            tokens: lessons.iter().map(|lesson| tokens(&lesson.rule)).sum(),
            lessons: None,
            all: args.all,
        };
        recall.name(lessons.iter().map(|lesson| lesson.id.to_string()));
        // A row that cannot be written is dropped: counting never fails a command.
        let _ = telemetry::record(&app.home, &Row::Recall(recall));
    }
    let more = (more > 0)
        .then(|| format!("{more} more matched; --all shows them, --top and --max-tokens some of them"));
    let before = (suppressed > 0).then(|| format!("{suppressed} shown before in this session"));
    let of_check = check.map(|check| check.lines).unwrap_or_default();
    for text in more.into_iter().chain(before).chain(of_check).chain(notes) {
        messages::note(&text);
    }
    if let Some(mut session) = session {
        for id in &shown {
            session.show(id);
        }
    }
    Ok(lessons.into_iter().map(|lesson| lesson.id).collect())
}

/// The path of a file from the root of its project.
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

/// The agent in these events: the variables of a shell do not say which one it is.
const AGENT: &str = "shell";
/// The lessons of one event, as many as always fit into its line.
const IN_ONE: usize = 3;
/// The most lessons that are recorded of one command. The client cuts what an agent reads at 30,000 characters, in which not
/// more of them are listed.
const MOST: usize = 300;

/// Records that a command of an agent showed it these lessons. A person who reads them is not a session.
pub(crate) fn note_shown<'l>(app: &App, lessons: impl IntoIterator<Item = &'l QualifiedId>) {
    if app.session().is_some() && app.printed.is_none() {
        append_shown(app, Outcome::Shown, AGENT, lessons);
    }
}

/// Adds what an agent got to the events of its session.
pub(crate) fn append_shown<'l>(
    app: &App,
    outcome: Outcome,
    agent: &str,
    lessons: impl IntoIterator<Item = &'l QualifiedId>,
) {
    let lessons: Vec<String> = lessons.into_iter().take(MOST).map(ToString::to_string).collect();
    for part in lessons.chunks(IN_ONE) {
        let event = Event {
            session: app.session().map(claims::session_hash).unwrap_or_default(),
            agent: agent.to_owned(),
            ..Event::new(outcome, part.to_vec(), app.now_ms())
        };
        event.append(&app.home.events());
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
