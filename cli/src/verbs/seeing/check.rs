//! `lessons incidents check`: say whether a text is like an incident, or gives orders itself.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use lessons_context::error::{Exit, Refused};
use lessons_decide::inspection::Owner;
use lessons_incident::kind::SourceKind;
use lessons_incident_check::check::{self, IncidentChecker, TextCheck, check_text};
use lessons_text::wording::counted;

use crate::app::App;
use crate::ui::answer::Answer;

/// Arguments of `lessons incidents check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The file; `-` is standard input
    #[arg(default_value = "-", hide_default_value = true)]
    pub file: PathBuf,
    /// The kind of source that the text comes from; in a file, an incident that you have not confirmed only warns
    #[arg(long, value_name = "KIND")]
    pub from: Option<SourceKind>,
}

/// The longest text that is checked, in bytes.
const MOST_BYTES: u64 = 64 << 20;

pub(crate) fn run(app: &App, args: &Check) -> Result<Exit> {
    let text = text(&args.file)?;
    let enabled = check::settings(app).enabled;
    let checker = if enabled { IncidentChecker::of(app) } else { None };
    let check = match &checker {
        Some(checker) => {
            let is_file = args.from == Some(SourceKind::File);
            check_text(checker, &text, if is_file { Owner::Project } else { Owner::Foreign })
        }
        None if enabled => {
            bail!("the index of incidents is missing or corrupt; `lessons build` writes it again")
        }
        None => TextCheck::of(Vec::new()),
    };
    let mut lines = check.warnings.clone();
    if enabled {
        let verdict = if check.safe { "safe" } else { "not safe" };
        lines.push(format!("{verdict}: like {}", counted(check.matched_count, "incident")));
        lines.extend((check.matched_count > 0).then(|| "Next: lessons incidents".to_owned()));
    } else {
        lines.push("Not checked: incidents are switched off (`incidents.enabled` in config.toml)".to_owned());
    }
    let mut fields = serde_json::to_value(&check)?;
    fields["enabled"] = enabled.into();
    app.recorded(&Answer::new(lines, fields))?;
    Ok(if check.safe { Exit::Done } else { Exit::Findings })
}

/// The text of a file or of standard input. Bytes that are no UTF-8 are replaced.
fn text(path: &Path) -> Result<String> {
    let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(path).with_context(|| name.clone())?)
    };
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes).with_context(|| name.clone())?;
    if bytes.len() as u64 > MOST_BYTES {
        bail!(Refused(format!("{name} has more than {} MiB; check it in parts", MOST_BYTES >> 20)));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
