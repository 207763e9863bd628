//! `lessons export`: write your lessons to standard output, for another machine or another tool.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;

use clap::ValueEnum;
use lessons_store::interchange::{EvidenceIn, LeftOut};
use lessons_store::{Accepted, ConfigFile, Graph, interchange};
use lessons_text::neutral;

use crate::prelude::*;

/// The field with the version of a file that holds everything.
pub(super) const EXPORT: &str = "lessonsExport";
/// The version.
pub(super) const EXPORT_VERSION: u64 = 1;

/// The settings, and the tables of them, that belong to one machine: which folders are scanned, who may decide, which program
/// reads at night, and what is measured. A file that somebody else made must not bring a program.
const OF_ONE_MACHINE: [&str; 5] = ["scan.roots", "gate.", "reflect.command", "reflect.nightly", "measure."];

/// Whether a setting holds on another machine too. Quotes and blanks in a key change nothing, and escapes have no place in one.
pub(super) fn moves(key: &str) -> bool {
    let plain: String = key.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect();
    let is_table = |own: &str| own.split('.').next() == Some(&plain);
    let is_own = |own: &str| plain == own || own.ends_with('.') && plain.starts_with(own);
    !key.contains('\\') && !OF_ONE_MACHINE.into_iter().any(|own| is_table(own) || is_own(own))
}

/// Arguments of `lessons export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The format of another tool; without one, everything that another machine needs, for `lessons import` there
    #[arg(long, value_enum)]
    pub format: Option<ExportFormat>,
    /// Exit with 1 if the format cannot hold something
    #[arg(long)]
    pub strict: bool,
    /// With jsonl, also export where each lesson comes from, such as session ids
    #[arg(long)]
    pub evidence: bool,
}

/// A format for another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A lessons graph of version 1, without fields that only this tool knows
    LessonsGraph,
    /// One lesson a line in JSON, with all its fields, for retrieval or to tune a model on
    Jsonl,
}

pub(crate) fn run(app: &App, args: &Export) -> Result<Exit> {
    match args.format {
        None => everything(app),
        Some(ExportFormat::Jsonl) => lines(app, args),
        Some(ExportFormat::LessonsGraph) => graph(app, args),
    }
}

/// Writes all lessons with all their fields, and the settings that hold on another machine too.
fn everything(app: &App) -> Result<Exit> {
    let lessons: Value = serde_json::from_slice(&accepted(app)?.to_bytes())?;
    let mut settings = ConfigFile::read(&app.home.config())?.entries();
    settings.retain(|key, _| moves(key));
    let file = json!({ EXPORT: EXPORT_VERSION, "lessons": lessons, "settings": settings });
    print(app, format!("{file:#}\n").as_bytes())?;
    Ok(Exit::Done)
}

/// Prints JSON.
fn print(app: &App, json: &[u8]) -> Result<()> {
    if app.is_agent() {
        // For an agent the text is made neutral, whatever form it asks for.
        let value: Value = serde_json::from_slice(json)?;
        let text = format!("{:#}", messages::neutral_json(value.clone()));
        return app.recorded(&Answer::new(vec![text], value)).map(drop);
    }
    let text = String::from_utf8_lossy(json);
    // A terminal would act on hidden characters; a file holds them as they are.
    let is_terminal = std::io::stdout().is_terminal();
    app.say(&if is_terminal { messages::visible_json(&text).into() } else { text })
}

/// Writes what another tool can hold.
fn graph(app: &App, args: &Export) -> Result<Exit> {
    let exported = interchange::export(&accepted(app)?);
    print(app, &exported.bytes)?;
    exported.left_out.iter().for_each(|out| messages::beside(&neutral::visible(&sentence(out))));
    if !exported.left_out.is_empty() {
        let (kept, cut) = (counted(exported.lessons, "lesson"), counted(exported.left_out.len(), "lesson"));
        messages::note(&format!("{kept} written; of {cut} the format could not hold everything"));
    }
    Ok(if args.strict && !exported.left_out.is_empty() { Exit::Findings } else { Exit::Done })
}

/// The lessons as a person accepted them. That `lessons.json` has others is said beside them.
fn accepted(app: &App) -> Result<Graph> {
    let differing = building::differing(app).map(|unaccepted| unaccepted.lessons.len()).unwrap_or_default();
    if differing > 0 {
        let changes = counted(differing, "change");
        messages::note(&format!(
            "{changes} of lessons.json not accepted, and exported as accepted: lessons accept --dry-run"
        ));
    }
    Ok(Accepted::read(&app.home)?.graph)
}

/// Writes one lesson a line.
fn lines(app: &App, args: &Export) -> Result<Exit> {
    let evidence = if args.evidence { EvidenceIn::Exported } else { EvidenceIn::LeftOut };
    let roots = app.database()?.project_roots()?;
    let folders: BTreeSet<String> =
        roots.into_iter().map(|(root, _)| root).chain(std::env::var("HOME")).collect();
    let lines = interchange::lines(accepted(app)?.lessons(), evidence, &folders);
    if app.is_agent() {
        let texts = lines.lessons.iter().map(|lesson| messages::neutral_json(lesson.clone()).to_string());
        app.recorded(&Answer::new(texts.collect(), json!(lines.lessons)))?;
    } else {
        for lesson in &lines.lessons {
            app.say(&messages::visible_json(&lesson.to_string()))?;
        }
    }
    for id in &lines.replaced {
        messages::beside(&format!("user/{id}: a folder of this machine is written as `~`"));
    }
    Ok(if args.strict && !lines.replaced.is_empty() { Exit::Findings } else { Exit::Done })
}

fn sentence(out: &LeftOut) -> String {
    let fields = listed(&out.fields);
    if out.whole {
        format!("left out user/{}: without its {fields} it would be told where it should not", out.id)
    } else {
        format!("left out of user/{}: {fields}", out.id)
    }
}

#[cfg(test)]
mod tests {
    use super::moves;

    #[test]
    fn no_program_and_no_right_to_decide_moves() {
        for key in ["reflect.command", "reflect.nightly", "gate.scripts", "scan.roots", "measure.salt"] {
            assert!(!moves(key), "{key}");
            let (table, name) = key.split_once('.').unwrap();
            for other in
                [table, &format!(" {key}"), &format!("\"{table}\".{name}"), &format!("{table} .{name}")]
            {
                assert!(!moves(other), "{other}");
            }
        }
        assert!(moves("seeds.off") && moves("budget.bytes") && moves("reflect.tokens"));
    }
}
