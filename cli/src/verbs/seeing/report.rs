//! `lessons report`: show the report of the last nightly run, or make a page of what lessons do.

use std::io::IsTerminal as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use lessons_effect::page::{GENERATOR, PageInput};
use lessons_effect::{Summary, page};
use lessons_home::{Home, files};
use lessons_review::effects;
use lessons_store::{durable, night_reports};

use crate::prelude::*;

/// Arguments of `lessons report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Write the page to FILE, which ends in .html; by default to reports/ in the data folder
    #[arg(long, value_name = "FILE")]
    #[allow(clippy::option_option, reason = "the flag may be missing, and its value too")]
    pub html: Option<Option<PathBuf>>,
    /// Open the page in your browser
    #[arg(long, requires = "html")]
    pub open: bool,
}

pub(crate) fn run(app: &App, args: &Report) -> Result<Exit> {
    match &args.html {
        None => last_night(app),
        Some(file) => write_page(app, args, file.as_deref()),
    }
}

/// Makes the page and shows it if that is asked for.
fn write_page(app: &App, args: &Report, file: Option<&Path>) -> Result<Exit> {
    let target = file.map(|file| target(app, file)).transpose()?;
    let (html, problems) = renewed(app)?;
    let file = match target {
        Some(file) => {
            durable::replace_elsewhere(&file, html.as_bytes())?;
            file
        }
        None => keep(&app.home, &html)?,
    };
    let opened = args.open.then(|| open(app, &file));
    let warnings = problems.iter().map(|problem| format!("warning: {}", line(problem)));
    let mut lines: Vec<String> = warnings.chain([file.display().to_string()]).collect();
    lines.extend(opened.iter().filter_map(|it| it.as_ref().err()).map(|why| format!("Not opened: {why}")));
    let opened = opened.map(|it| it.map_or_else(|why| json!({ "not": why }), |()| json!("inBrowser")));
    app.done(&Answer::new(lines, json!({ "file": file, "opened": opened, "problems": problems })))
}

/// Shows the report of the last night.
fn last_night(app: &App) -> Result<Exit> {
    let (file, report) = match night_reports::last(&app.home)? {
        Some(report) => (Some(report.path), as_written(&report.text)),
        None => (None, NO_REPORT.to_owned()),
    };
    app.recorded(&Answer::new(vec![report.clone()], json!({ "file": file, "report": report })))
}

/// What is said before the first night.
const NO_REPORT: &str = "There is no report yet: `lessons nightly` makes one now, `lessons schedule install` has one made \
                         every night.";

/// The report with every line made neutral and its indentation kept; somebody else may have edited the file.
fn as_written(report: &str) -> String {
    let lines = report.lines().map(|written| {
        let indent = if written.starts_with("  ") { "  " } else { "" };
        format!("{indent}{}", line(written))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The name of the newest page, in the folder of reports. There is one, so the folder stays small.
const NEWEST: &str = "lessons.html";
/// The end of the name of every page.
const EXTENSION: &str = "html";
/// The folder of a project's lessons, which is read as lessons.
const PROJECT_FOLDER: &str = ".lessons";
/// The largest file that is looked at before it is replaced, in bytes: more than any page.
const LIMIT: u64 = 16 << 20;
/// The bytes at the beginning of a page that hold its mark.
const HEAD: usize = 512;

/// The page as it is now, after the sessions that are due have been joined, and what is missing on it.
pub(crate) fn renewed(app: &App) -> Result<(String, Vec<String>)> {
    let (summary, problems) = effects::renewed(app)?.unwrap_or_else(|| (nothing(app), Vec::new()));
    Ok((page(app, &summary)?, problems))
}

/// Writes the page of what is known so far, as the newest.
pub(crate) fn keep_known(app: &App) -> Result<PathBuf> {
    let summary = effects::known(app)?.unwrap_or_else(|| nothing(app));
    keep(&app.home, &page(app, &summary)?)
}

/// The summary where nothing is in force, or nothing was joined.
fn nothing(app: &App) -> Summary {
    Summary { as_of: app.now_ms(), ..Summary::default() }
}

fn page(app: &App, summary: &Summary) -> Result<String> {
    let waiting = lookup::waiting_count(app)?.unflagged as u64;
    Ok(page::page(&PageInput { summary, waiting, zone: app.local.zone() }))
}

/// Writes a page as the newest in the folder of reports. Returns its path.
pub(crate) fn keep(home: &Home, html: &str) -> Result<PathBuf> {
    files::ensure_folder(&home.reports())?;
    let path = home.reports().join(NEWEST);
    durable::replace(&path, html.as_bytes())?;
    Ok(path)
}

/// Removes the pages in the folder of reports. Returns the names of those that were there. Their texts are escaped, so
/// no search for a text finds it in them.
pub(crate) fn drop_kept(home: &Home) -> Result<Vec<String>> {
    let path = home.reports().join(NEWEST);
    if !path.exists() {
        return Ok(Vec::new());
    }
    durable::remove(&path)?;
    Ok(vec![path.strip_prefix(home.root()).unwrap_or(&path).display().to_string()])
}

/// The path of a page that is saved for a person, checked: an agent may ask for a page, and it may replace nothing but
/// another page.
pub(crate) fn target(app: &App, file: &Path) -> Result<PathBuf> {
    let shown = file.display();
    if file.extension().is_none_or(|extension| extension != EXTENSION) {
        bail!(Refused(format!("{shown}: the name of a page ends in .html")));
    }
    let file = std::path::absolute(file)?;
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        bail!(Refused(format!("{shown} is no file")));
    };
    let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
    let is_ours = app.home.root().canonicalize().is_ok_and(|root| folder.starts_with(root));
    if is_ours || folder.components().any(|part| part.as_os_str() == PROJECT_FOLDER) {
        bail!(Refused(format!(
            "{shown} is in a folder of Lessons. Without a name, the page is kept in {}",
            app.home.reports().display()
        )));
    }
    let file = folder.join(name);
    if file.symlink_metadata().is_ok() && !is_page(&file) {
        bail!(Refused(format!("{shown} is there and no page of Lessons. Choose another name")));
    }
    Ok(file)
}

/// Whether a file is a page that an earlier command wrote.
fn is_page(path: &Path) -> bool {
    let bytes = files::read(path, LIMIT).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(&bytes)).contains(GENERATOR)
}

/// Asks the person's desktop to open a file, or says why not. Only at their own terminal: nobody else can see it.
fn open(app: &App, path: &Path) -> Result<(), String> {
    if !app.is_person() || !std::io::stdout().is_terminal() {
        return Err("only a person at a terminal can see it".to_owned());
    }
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    // A group of its own, so that an interrupt of the terminal does not reach the browser.
    let started = Command::new(opener)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    started.map(drop).map_err(|error| format!("`{opener}` cannot be started: {error}"))
}
