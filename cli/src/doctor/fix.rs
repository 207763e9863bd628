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

    /// What holds after the fix.
    pub(crate) fn result(self) -> &'static str {
        match self {
            Self::Permissions => "only you can write the data folder",
            Self::Marker => "the marker of the data folder is rewritten",
            Self::Database => "the corrupt database is replaced with its last backup, or with an empty one",
            Self::Settle => "interrupted changes are finished or undone",
            Self::Store => "lessons.json, which is gone or corrupt, holds what you accepted",
            Self::Sweep => "unfinished files are removed",
            Self::Build => "manifest and index are rebuilt",
        }
    }

    /// Applies the fix and returns what was done, in a sentence.
    pub fn apply(self, app: &App) -> Result<String> {
        match self {
            Self::Permissions => files::make_private(app.home.root())?,
            Self::Marker => {
                ensure!(
                    app.actor == Actor::Person,
                    "only you can say in a terminal that this folder is yours"
                );
                durable::remove(&app.home.marker())?;
                app.mark_home()?;
            }
            Self::Store => {
                let lock = app.lock()?;
                let mut database = Database::open(&app.home)?;
                accepting::restore_store(&lock, &mut database, &app.deed("restored"))?;
            }
            Self::Database => return database(app),
            Self::Settle => {
                let lock = app.lock()?;
                transaction::recover(&lock, &mut Database::open(&app.home)?)?;
            }
            Self::Sweep => {
                for folder in Self::folders(app) {
                    durable::sweep(&folder)?;
                }
            }
            Self::Build => drop(building::build(app)?),
        }
        Ok(self.result().to_owned())
    }
}

fn database(app: &App) -> Result<String> {
    let copy = backup::latest(&app.home)?;
    let _lock = app.lock()?;
    let _scans = ScanLock::take(&app.home)?.context("a scan is running; try again when it has ended")?;
    let path = app.home.database();
    let aside = free_name(&path)?;
    let read = |copy: PathBuf| {
        let bytes = files::read(&copy, u64::MAX)?.with_context(|| copy.display().to_string())?;
        anyhow::Ok((copy, bytes))
    };
    let copy = copy.map(read).transpose()?;
    // The latest commits may be in the write-ahead log, which is moved too. If the process dies from here on, the
    // corrupt database keeps its name.
    for extension in ["-wal", "-shm"] {
        let (from, to) = (beside(&path, extension), beside(&aside, extension));
        if from.exists() {
            durable::rename(&from, &to)?;
        }
    }
    let what = if let Some((copy, bytes)) = copy {
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
