//! The fixes of `lessons doctor --fix`: only those that lose nothing.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use lessons_context::context::Actor;
use lessons_home::files;
use lessons_ledger::database::Database;
use lessons_ledger::{accepting, backup, transaction};
use lessons_publish::building;
use lessons_scanner::run::lock::ScanLock;
use lessons_store::durable;
use serde::Serialize;

use crate::app::App;

/// A fix that is safe to apply without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fix {
    /// Takes the right to write the data folder from everybody else.
    Permissions,
    /// Writes the marker of the data folder again, which was moved.
    Marker,
    /// Replaces a corrupt database with its last nightly backup, or with an empty one; the corrupt file is kept.
    Database,
    /// Finishes or undoes changes during which a command died.
    Settle,
    /// Writes what was accepted in the place of a store that is gone or corrupt; the corrupt file is kept.
    Store,
    /// Removes unfinished files.
    Sweep,
    /// Writes the manifest and the index again.
    Build,
}

impl Fix {
    /// The folders that may hold unfinished files.
    pub(super) fn folders(app: &App) -> [PathBuf; 4] {
        let home = &app.home;
        [home.root().to_owned(), home.backups(), home.reports(), home.trusted_copies()]
    }

    /// What the fix does, for the person who is asked.
    pub(crate) fn purpose(self) -> &'static str {
        match self {
            Self::Permissions => "make the data folder writable by you alone",
            Self::Marker => "rewrite the marker of the data folder",
            Self::Database => "replace the corrupt database with its last backup, or with an empty one",
            Self::Settle => "finish or undo interrupted changes",
            Self::Store => "restore lessons.json, which is gone or corrupt, from what you accepted",
            Self::Sweep => "remove unfinished files",
            Self::Build => "rebuild the manifest and the index",
        }
    }

    /// Applies the fix and returns its result in a sentence.
    pub fn apply(self, app: &App) -> Result<String> {
        match self {
            Self::Permissions => {
                files::make_private(app.home.root())?;
                Ok("only you can write the data folder".into())
            }
            Self::Marker => {
                ensure!(
                    app.actor == Actor::Person,
                    "only you can say in a terminal that this folder is yours"
                );
                durable::remove(&app.home.marker())?;
                app.mark_home()?;
                Ok("the marker of the data folder is rewritten".into())
            }
            Self::Store => {
                let lock = app.lock()?;
                let mut database = Database::open(&app.home)?;
                accepting::restore_store(&lock, &mut database, &app.deed("restored"))?;
                Ok("lessons.json holds what you accepted".into())
            }
            Self::Database => database(app),
            Self::Settle => {
                let lock = app.lock()?;
                transaction::recover(&lock, &mut Database::open(&app.home)?)?;
                Ok("interrupted changes are finished".into())
            }
            Self::Sweep => {
                for folder in Self::folders(app) {
                    durable::sweep(&folder)?;
                }
                Ok("unfinished files are removed".into())
            }
            Self::Build => {
                building::build(app)?;
                Ok("manifest and index are rebuilt".into())
            }
        }
    }
}

fn database(app: &App) -> Result<String> {
    let copy = backup::latest(&app.home)?;
    let _lock = app.lock()?;
    let _scans = ScanLock::take(&app.home)?.context("a scan is running; try again when it has ended")?;
    let path = app.home.database();
    let aside = free_name(&path)?;
    let bytes = match &copy {
        Some(copy) => Some(files::read(copy, u64::MAX)?.with_context(|| copy.display().to_string())?),
        None => None,
    };
    // The latest commits may be in the write-ahead log, which is moved too. If the process dies from here on, the
    // corrupt database keeps its name.
    for extension in ["-wal", "-shm"] {
        let (from, to) = (beside(&path, extension), beside(&aside, extension));
        if from.exists() {
            durable::rename(&from, &to)?;
        }
    }
    let what = if let (Some(copy), Some(bytes)) = (copy, bytes) {
        durable::link(&path, &aside)?;
        durable::replace(&path, &bytes)?;
        format!("{} is restored", copy.display())
    } else {
        durable::rename(&path, &aside)?;
        drop(Database::open(&app.home)?);
        "a new database is created".into()
    };
    Ok(format!(
        "{what}; the corrupt database is kept as {}. `lessons scan` finds what came since",
        aside.display()
    ))
}

/// An unused name for the corrupt database.
fn free_name(path: &Path) -> Result<PathBuf> {
    let names = (1..).map(|number| match number {
        1 => path.with_extension("db.damaged"),
        number => path.with_extension(format!("db.damaged-{number}")),
    });
    names.take(1000).find(|name| !name.exists()).context("there are a thousand damaged databases already")
}

fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(extension);
    name.into()
}
