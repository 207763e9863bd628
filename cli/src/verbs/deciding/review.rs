//! `lessons review`: decide about candidates, on a screen or by a file of decisions.

use std::collections::HashSet;

use lessons_context::Actor;
use lessons_ledger::{Candidate, CandidateStatus};
use lessons_review::reflection::next;
use lessons_review::{ChangeOrigin, Terms, carry_out, effects, too_broad};
use serde::Deserialize;

use crate::change::{self, Saved};
use crate::prelude::*;
use crate::review::Decision;
use crate::review::candidate_details::DetailsReader;
use crate::review::screen::{self, Beginning};
use crate::ui::input::{self, Input};

const REVIEW: &str = r#"Without an option it opens a screen with one candidate at a time; ? shows every key.
With --json alone it lists all waiting candidates.

A file of decisions:
  {"decisions": [
    {"do": "promote", "candidate": "3f2a", "fields": {"rule": "…", "mode": "bump"}},
    {"do": "promote", "candidate": "77ab", "accept": {"flags": ["echo"], "reason": "…"}},
    {"do": "merge",   "candidate": "9c01", "lesson": "git-stash"},
    {"do": "edit",    "candidate": "52d0", "lesson": "git-stash", "fields": {"rule": "…"}},
    {"do": "reject",  "candidate": "10fe", "reason": "…"},
    {"do": "skip",    "candidate": "e4b8"}
  ]}
`fields` are named like the flags of `lessons promote`, without dashes: scopeProject for
--scope-project."#;

/// Arguments of `lessons review`.
#[derive(Debug, Args)]
#[command(after_help = REVIEW)]
pub struct Review {
    /// Print the first waiting candidate with all its details
    #[arg(long, conflicts_with_all = ["check", "apply"])]
    pub next: bool,
    /// Print the one after this candidate instead
    #[arg(long, value_name = "ID", requires = "next")]
    pub after: Option<String>,
    /// Show the strongest of what nobody has read, to write a lesson from it
    #[arg(long, conflicts_with_all = ["next", "check", "apply"])]
    pub unread: bool,
    /// Show what a file of decisions would do, and the command that does it; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "apply")]
    pub check: Option<PathBuf>,
    /// Carry out a file of decisions, all of them or none
    #[arg(long, value_name = "FILE")]
    pub apply: Option<PathBuf>,
}

pub(crate) fn run(app: &App, args: &Review) -> Result<Exit> {
    match (&args.check, &args.apply) {
        (Some(file), _) => check(app, file),
        (None, Some(file)) => apply(app, file),
        (None, None) if args.next => next(app, args.after.as_deref()),
        (None, None) if args.unread => unread(app),
        (None, None) if app.output == Output::Json => list(app),
        (None, None) => screen(app),
    }
}

/// Whether the screen can be shown: to a person at a suitable terminal.
fn has_screen(app: &App) -> bool {
    let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    app.is_person() && prompt::is_possible(app) && !is_dumb
}

/// Opens the screen.
fn screen(app: &App) -> Result<Exit> {
    if has_screen(app) {
        return screen::run(app, Beginning::Candidates);
    }
    let why = match &app.actor {
        Actor::Person if prompt::is_possible(app) => "this terminal (TERM=dumb) can show no screen",
        Actor::Person => "the screen needs a terminal",
        Actor::Agent { .. } | Actor::Background => "the screen is for a person at a terminal",
    };
    bail!(Refused(format!(
        "{why}. Without it: `lessons review --next` shows what waits, `lessons promote ID` and `lessons reject ID` \
         decide, `lessons review --apply FILE` carries out many decisions at once, and `lessons review --unread` shows what \
         nobody has read"
    )))
}

/// Shows what nobody has read: on the screen, or in print with the command that goes on.
fn unread(app: &App) -> Result<Exit> {
    if has_screen(app) {
        return screen::run(app, Beginning::Unread);
    }
    let items = next::strongest(app)?;
    let entries = items.iter().map(|(id, item)| {
        let text = &item.finding.mistake;
        Answer::new(vec![format!("{id}  {}", line(text))], json!({ "id": id, "text": text }))
    });
    app.recorded(&Answer::of_all(entries).and(match items.as_slice() {
        [] => "Nothing is unread that no candidate explains.",
        _ => "Next: lessons promote ID --rule TEXT, or lessons reject ID",
    }))
}

fn list(app: &App) -> Result<Exit> {
    let waiting = too_broad::waiting(app)?;
    told(app, waiting.len(), waiting)
}

fn next(app: &App, after: Option<&str>) -> Result<Exit> {
    let mut waiting = too_broad::waiting(app)?;
    let all = waiting.len();
    if let Some(after) = after {
        let database = app.database()?;
        let id = carry_out::find(&database, after)?.id;
        // The candidate may have been decided about since, and no longer wait.
        let order = database.candidates(&CandidateStatus::ALL)?;
        let behind = order.into_iter().map(|candidate| candidate.id).skip_while(|other| *other != id).skip(1);
        let behind: HashSet<String> = behind.collect();
        waiting.retain(|candidate| behind.contains(&candidate.id));
    }
    waiting.truncate(1);
    told(app, all, waiting)
}

/// Tells the details of candidates: to a person everything, to an agent a few lines.
fn told(app: &App, waiting: usize, candidates: Vec<Candidate>) -> Result<Exit> {
    let reader = DetailsReader::new(app)?;
    let told = candidates.into_iter().map(|candidate| reader.told(app, candidate));
    let told: Vec<Answer> = told.collect::<Result<_>>()?;
    let number = if app.is_agent() { format!("{waiting} waiting\n") } else { String::new() };
    let mut lines: Vec<String> = told.iter().map(|it| format!("{number}{it}")).collect();
    if lines.is_empty() {
        let nothing =
            "Nothing waits for you. `lessons scan` looks for mistakes in the sessions on this machine.";
        lines.push(nothing.to_owned());
    }
    let came_back = effects::came_back(app)?;
    lines.splice(0..0, came_back.iter().map(ToString::to_string));
    let answer = Answer::new(lines, json!({"waiting": waiting, "candidates": told}));
    app.recorded(&answer.given("cameBack", came_back))
}

/// How the decisions of a file are carried out.
fn terms(app: &App) -> Terms {
    Terms { done: "reviewed", origin: ChangeOrigin::Decisions, remedy: prompt::remedy(app) }
}

fn check(app: &App, file: &Path) -> Result<Exit> {
    let decisions = read(file)?;
    let planned = carry_out::preview(app, terms(app), &decisions)?;
    let words = ["review", "--apply", &file.display().to_string()].map(str::to_owned);
    let next = format!("lessons {}", lessons_context::typed(&words));
    let decisions = &planned.told;
    let warnings: Vec<&str> = planned.warnings().map(|warning| warning.message.as_str()).collect();
    let mut lines: Vec<String> = decisions.iter().map(|decision| format!("  {}", line(decision))).collect();
    lines.extend(warnings.iter().map(|warning| format!("  warning: {}", line(warning))));
    lines.push(format!("Nothing was done yet\nNext: {next}"));
    let fields = json!({"decisions": decisions, "warnings": warnings, "next": next});
    app.recorded(&Answer::new(lines, fields))
}

fn apply(app: &App, file: &Path) -> Result<Exit> {
    let (results, _) = carry_out::all(app, terms(app), &read(file)?)?;
    let (mut changed, mut others, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for result in results {
        match result {
            Saved::Lesson(lesson) => changed.push(lesson),
            Saved::NoLesson(said) => others.push(said),
        }
    }
    lines.extend(changed.iter().map(|changed| format!("  {}", changed.line())));
    lines.extend(others.iter().map(|said| format!("  {}", said.message)));
    lines.push(format!("{} carried out\nNext: lessons list", counted(lines.len(), "decision")));
    app.answer(&Answer::new(lines, json!({"done": "reviewed", "changed": changed, "others": others})))?;
    for changed in &changed {
        change::warn(app, changed);
    }
    let is_in_force = changed.iter().all(|changed| changed.exit() == Exit::Done);
    Ok(if is_in_force { Exit::Done } else { Exit::Findings })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    decisions: Vec<Decision>,
}

/// Reads a file of decisions that are carried out together; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<Decision>> {
    let Input { name, bytes } = Input::json(path)?;
    parse(&bytes).with_context(|| name)
}

fn parse(bytes: &[u8]) -> Result<Vec<Decision>> {
    let file: File = serde_json::from_slice(bytes).map_err(|error| {
        let error = input::complaint(&error);
        Refused(format!("{error}; `lessons review --help` shows what a file of decisions looks like"))
    })?;
    if file.decisions.is_empty() {
        bail!(Refused("there is no decision in it".into()));
    }
    Ok(file.decisions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_a_whole_or_not_at_all() {
        let good = br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}]}"#;
        assert_eq!(parse(good).unwrap().len(), 1);
        for bad in [
            &b"[]"[..],
            br#"{"decisions": []}"#,
            br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}, {}]}"#,
            br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}], "apply": true}"#,
            b"",
        ] {
            let error = parse(bad).unwrap_err();
            assert!(error.is::<Refused>(), "{error}");
        }
    }
}
