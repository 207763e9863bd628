//! What `--fix` does: only what takes nothing from anybody.

use std::path::PathBuf;

use anyhow::{Context, Result};
use lessons_store::database::Database;
use lessons_store::{backup, durable, transaction};
use serde::Serialize;

use crate::app::App;
use crate::building;

/// Something that mends itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fix {
    /// The copy of the last night takes the place of a damaged database, which is kept beside it.
    Database,
    /// Changes that somebody died in are finished or undone.
    Settle,
    /// Unfinished files go.
    Sweep,
    /// Manifest and index are made anew.
    Build,
}

impl Fix {
    /// The folders in which unfinished files may lie.
    pub(super) fn folders(app: &App) -> [PathBuf; 4] {
        let home = &app.home;
        [home.root().to_owned(), home.backups(), home.reports(), home.trusted_copies()]
    }

    /// Does it, and says what was done.
    pub fn apply(self, app: &App) -> Result<String> {
        match self {
            Self::Database => database(app),
            Self::Settle => {
                let lock = app.lock()?;
                transaction::recover(&lock, &mut Database::open(&app.home)?)?;
                Ok("every change is settled".into())
            }
            Self::Sweep => {
                for folder in Self::folders(app) {
                    durable::sweep(&folder)?;
                }
                Ok("unfinished files are gone".into())
            }
            Self::Build => {
                building::build(app)?;
                Ok("manifest and index are made anew".into())
            }
        }
    }
}

fn database(app: &App) -> Result<String> {
    let copy = backup::latest(&app.home)?.context("there is no copy of the database")?;
    let _lock = app.lock()?;
    let path = app.home.database();
    let aside = path.with_extension("db.damaged");
    let bytes = std::fs::read(&copy).with_context(|| copy.display().to_string())?;
    durable::rename(&path, &aside)?;
    // They belong to the damaged one, and would be read into the copy.
    for extension in ["db-wal", "db-shm"] {
        durable::remove(&path.with_extension(extension))?;
    }
    durable::replace(&path, &bytes)?;
    Ok(format!(
        "{} is put in place; the damaged one is {}. `lessons scan` finds what came since",
        copy.display(),
        aside.display()
    ))
}
