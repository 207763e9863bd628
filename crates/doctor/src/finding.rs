//! A problem of the installation, or a note about it.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use lessons_context::{Actor, Context};
use lessons_home::file_error::beside;
use lessons_home::files;
use lessons_ledger::{Database, backup, decisions::accepting, transaction};
use lessons_lesson::{Lesson, QualifiedId, Status};
use lessons_manifest_builder::index::LoadedIndex;
use lessons_publish::building;
use lessons_scanner::run::lock::ScanLock;
use lessons_store::durable;
use lessons_text::line;
use serde::Serialize;

lessons_text::named! {
    /// The severity of a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum FindingSeverity {
        /// Something does not work.
        Error = "error",
        /// Something works, but not as it should.
        Warning = "warning",
        /// Information.
        Note = "note",
    }
}

/// A problem of the installation, or a note about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// Its severity.
    pub severity: FindingSeverity,
    /// A stable code for programs.
    pub code: &'static str,
    /// The problem in one sentence. It may hold recorded text.
    pub message: String,
    /// The command that fixes it, or the one to investigate with.
    pub remedy: String,
    /// The fix that `--fix` applies, if there is a safe one.
    pub fix: Option<Fix>,
}

/// What the checks have found so far.
#[derive(Default)]
pub(crate) struct Findings(pub(crate) Vec<DoctorFinding>);

impl Findings {
    /// Adds a finding and returns it, for the fix that it may have.
    pub(crate) fn add(
        &mut self,
        severity: FindingSeverity,
        code: &'static str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> &mut DoctorFinding {
        let (at, message, remedy) = (self.0.len(), message.into(), remedy.into());
        self.0.push(DoctorFinding { severity, code, message, remedy, fix: None });
        &mut self.0[at]
    }

    /// Adds the finding of an error, with the remedy that the error knows, or else another.
    pub(crate) fn add_error(
        &mut self,
        code: &'static str,
        error: &impl Display,
        remedy: Option<String>,
        otherwise: &str,
    ) -> &mut DoctorFinding {
        let remedy = remedy.unwrap_or_else(|| otherwise.to_owned());
        self.add(FindingSeverity::Error, code, line(&error.to_string()), remedy)
    }
}

/// The result of a check or a fix. What kept it from being done is told and handled by nobody, so any error will do.
pub(crate) type CheckResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The data that the checks share, read once.
pub(crate) struct Examined<'a> {
    pub(crate) context: &'a Context,
    pub(crate) index: Option<LoadedIndex>,
    /// Every lesson of every layer.
    pub(crate) lessons: Vec<(QualifiedId, Lesson)>,
    pub(crate) database: Option<Database>,
}

impl Examined<'_> {
    /// The active lessons in the manifest.
    pub(crate) fn in_force(&self) -> impl Iterator<Item = &(QualifiedId, Lesson)> {
        let compiled: HashSet<QualifiedId> =
            self.index.iter().flat_map(|index| index.ids().unwrap_or_default()).collect();
        let lessons = self.lessons.iter();
        lessons.filter(move |(id, lesson)| lesson.status == Status::Active && compiled.contains(id))
    }
}

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
    pub(crate) fn folders(context: &Context) -> [PathBuf; 4] {
        let home = &context.home;
        [home.root().to_owned(), home.backups(), home.reports(), home.trusted_copies()]
    }

    /// What holds after the fix.
    pub fn result(self) -> &'static str {
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
    pub fn apply(self, context: &Context) -> CheckResult<String> {
        match self {
            Self::Permissions => files::make_private(context.home.root())?,
            Self::Marker => {
                if context.actor != Actor::Person {
                    return Err("only you can say in a terminal that this folder is yours".into());
                }
                durable::remove(&context.home.marker())?;
                context.mark_home()?;
            }
            Self::Store => {
                let (lock, mut database) = context.lock_database()?;
                accepting::restore_store(&lock, &mut database, &context.deed("restored"))?;
            }
            Self::Database => return database(context),
            Self::Settle => {
                let (lock, mut database) = context.lock_database()?;
                transaction::recover(&lock, &mut database)?;
            }
            Self::Sweep => {
                for folder in Self::folders(context) {
                    durable::sweep(&folder)?;
                }
            }
            Self::Build => drop(building::build(context)?),
        }
        Ok(self.result().to_owned())
    }
}

fn database(context: &Context) -> CheckResult<String> {
    let copy = backup::latest(&context.home)?;
    let _lock = context.lock()?;
    let _scans = ScanLock::take(&context.home)?.ok_or("a scan is running; try again when it has ended")?;
    let path = context.home.database();
    let aside = free_name(&path)?;
    let bytes = copy.as_deref().map(|copy| files::read(copy, u64::MAX)).transpose()?.flatten();
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
        drop(Database::open(&context.home)?);
        "a new database is created".into()
    };
    let aside = aside.display();
    Ok(format!("{what}; the corrupt database is kept as {aside}. `lessons scan` finds what came since"))
}

/// An unused name for the corrupt database.
fn free_name(path: &Path) -> CheckResult<PathBuf> {
    let mut names = (1..=1000).map(|number| match number {
        1 => path.with_extension("db.damaged"),
        number => path.with_extension(format!("db.damaged-{number}")),
    });
    let free = names.find(|name| !name.exists());
    free.ok_or_else(|| "there are a thousand damaged databases already".into())
}
