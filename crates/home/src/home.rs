//! The data folder: where it is, and whether a process may trust the variable that names it.
//!
//! The client passes the `env` of a project's settings to every hook, so neither `LESSONS_HOME` nor `XDG_DATA_HOME` is the
//! user's word. A process under the client accepts a folder by them only if it is absolute, and either the person has used that folder
//! from a terminal, or it lies outside the project, links resolved, and identifies itself (in the file `home`) as one that
//! `lessons` has set up. Otherwise the machine's own data folder counts.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::files::{self, FileError};

/// The variable that names the data folder.
pub const HOME_VARIABLE: &str = "LESSONS_HOME";
/// The variable that names the folder for data of all programs, by the conventions of freedesktop.org.
pub const DATA_VARIABLE: &str = "XDG_DATA_HOME";
/// The variable that names the user's home.
const USER_HOME_VARIABLE: &str = "HOME";
/// The list of the folders that the person has used, in the machine's data folder.
const USED_HOMES: &str = "homes";
/// The data folder, from the user's home.
const DATA_FOLDER: &str =
    if cfg!(target_os = "macos") { "Library/Application Support/lessons" } else { ".local/share/lessons" };
/// The variable that marks background work of the program. A process that has it spawns no other one.
pub const GUARD_VARIABLE: &str = "LESSONS_SCANNER_GUARD";
/// The variable that the client sets in everything it starts.
pub const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

/// The longest `home` file that is read, in bytes: a path and a newline.
const MARKER_LIMIT: u64 = 8192;
/// The longest list of folders that is read, in bytes.
const USED_HOMES_LIMIT: u64 = 64 << 10;

/// The data folder and the paths of everything in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
    /// The runtime folder of the machine. Its owner is not checked yet.
    runtime: Option<PathBuf>,
}

impl Home {
    /// The data folder at `root`, with the claims inside it.
    pub fn at(root: PathBuf) -> Self {
        Self { root, runtime: None }
    }

    /// The path of the data folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The claims per session. They are in the runtime folder of the machine if that is private to this user, so that they
    /// stay in memory. Accesses the disk.
    pub fn sessions(&self) -> PathBuf {
        let in_memory = self.runtime.as_deref().and_then(private_runtime_folder);
        in_memory.unwrap_or_else(|| self.root.join("sessions"))
    }
}

/// Defines a function of [`Home`] for each file and folder that has one place in the data folder.
macro_rules! places {
    ($($(#[$what:meta])+ $name:ident = $place:literal;)+) => {
        impl Home {$(
            $(#[$what])+
            pub fn $name(&self) -> PathBuf {
                self.root.join($place)
            }
        )+}
    };
}

places! {
    /// The store of reviewed lessons, the source of truth.
    lessons = "lessons.json";
    /// Everything that a person has decided.
    decisions = "decisions.json";
    /// The database of candidates, cursors, events and the journal.
    database = "lessons.db";
    /// The manifest of the compiled lessons.
    manifest = "lesson-manifest.json";
    /// The index beside the manifest.
    index = "lesson-manifest.idx";
    /// The index of the active incidents, beside the manifest.
    incident_index = "incidents.idx";
    /// The folder of the records of texts that hooks withheld, until a scan reads them.
    withheld = "incidents/new";
    /// The settings.
    config = "config.toml";
    /// The accepted copies of trusted project stores.
    trusted_copies = "trust";
    /// The secret key with which lessons are shared, made by the first share.
    identity = "identity";
    /// The marker with this folder's canonical path, written by the first `lessons` that a person runs.
    marker = "home";
    /// The position of the person in an interrupted review.
    bookmark = "bookmark";
    /// The questions that were put to the person and wait for an approved call, named by the hash of its token.
    questions = "questions";
    /// The lock of the store, the trust list and publishing.
    lock = "lock";
    /// The events of what was told and refused, one file a day.
    events = "events";
    /// The backups of the store and the database.
    backups = "backups";
    /// The reports of the nightly run.
    reports = "reports";
    /// The lock of a rebuild of the index for a hook, written when the rebuild begins and removed when it is done.
    index_attempt = "log/index-attempt";
    /// The number of candidates that wait for a decision, as of the last command that could change it.
    waiting = "log/waiting";
    /// The file whose modification time says when the user was last told of waiting candidates.
    waiting_told = "log/waiting-told";
    /// The incidents that the user is asked about at the start of a session.
    withheld_notices = "log/withheld";
    /// The file that names the newest incident that the user was asked about.
    withheld_told = "log/withheld-told";
    /// The files with instructions for the agent in which the last look found a text like an incident.
    memory_look = "log/memory-look";
    /// A text that is being forgotten, until it is gone everywhere else.
    forgetting = "forgetting";
    /// Lines for the person that commands left for the next session start.
    notice = "log/notice";
    /// What the person was told last at a session start; the time of the file is when.
    looked = "log/looked";
    /// The logs of background work.
    log = "log";
}

/// The caller of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A person typed the command.
    Person,
    /// The client, or a process under it, started this one.
    Client {
        /// The value of `CLAUDE_PROJECT_DIR`.
        project: Option<PathBuf>,
        /// The working folder of the session.
        cwd: Option<PathBuf>,
    },
}

/// The environment variables that decide where files are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// The value of `LESSONS_HOME`.
    pub lessons_home: Option<OsString>,
    /// The machine's data folder for this program, without a variable that names another one.
    pub data_folder: Option<PathBuf>,
    /// The data folder that `XDG_DATA_HOME` names, if it is another one.
    pub xdg_folder: Option<PathBuf>,
    /// The value of `XDG_RUNTIME_DIR`.
    pub runtime_folder: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process.
    pub fn of_process() -> Self {
        let user_home = std::env::home_dir().filter(|folder| folder.is_absolute());
        let data_folder = user_home.map(|folder| folder.join(DATA_FOLDER));
        let data_home = if cfg!(target_os = "macos") { None } else { absolute(DATA_VARIABLE) };
        let xdg_folder = data_home.map(|folder| folder.join("lessons"));
        Self {
            lessons_home: std::env::var_os(HOME_VARIABLE).filter(|value| !value.is_empty()),
            xdg_folder: xdg_folder.filter(|folder| Some(folder) != data_folder.as_ref()),
            data_folder,
            runtime_folder: absolute("XDG_RUNTIME_DIR"),
        }
    }

    /// Whether a variable names the data folder.
    pub fn names_folder(&self) -> bool {
        self.lessons_home.is_some() || self.xdg_folder.is_some()
    }

    /// The list of the folders that the person has used by a variable from a terminal, a line each. It is in the machine's
    /// data folder, whatever the variables say.
    pub fn used_homes_list(&self) -> Option<PathBuf> {
        self.data_folder.as_ref().map(|folder| folder.join(USED_HOMES))
    }

    /// The canonical paths in that list. Empty where it cannot be read.
    pub fn used_homes(&self) -> Vec<PathBuf> {
        used_homes(self.data_folder.as_deref())
    }
}

/// The value of a variable, if it is an absolute path.
pub fn absolute(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The reason why no data folder can be used.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// `LESSONS_HOME` is not an absolute path.
    #[error("LESSONS_HOME is not an absolute path, so it is not used. Unset it, or set a full path")]
    NotAbsolute,
    /// The folder that a variable names is in the project of the session.
    #[error("{0} points into the project, so it is not used: a project may not bring its own")]
    InsideProject(&'static str),
    /// The folder has no marker that names it.
    #[error(
        "{0} points to a folder that no `lessons` of yours has set up there, so it is not used. \
         If it is yours, run `lessons doctor --fix` in a terminal with it set"
    )]
    NotMarked(&'static str),
    /// The machine has no data folder.
    #[error("no home folder: set HOME, or LESSONS_HOME to a full path")]
    Nowhere,
    /// A file of the folder cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The data folder of a process, and why it is not the one that the variable names.
#[derive(Debug)]
pub struct Located {
    /// The data folder.
    pub home: Home,
    /// The variable that names it; `None` for the machine's own.
    pub variable: Option<&'static str>,
    /// The reason why a folder that a variable names was not accepted, and another one counts instead.
    pub refused: Option<HomeError>,
}

/// Finds the data folder. Creates nothing.
pub fn locate(environment: &Environment, caller: &Caller) -> Result<Located, HomeError> {
    let runtime = || environment.runtime_folder.clone();
    let (machines, mut refused) = machines_folder(environment, caller);
    let xdg_folder = environment.xdg_folder.as_deref().map(Path::as_os_str);
    let named = [(HOME_VARIABLE, environment.lessons_home.as_deref()), (DATA_VARIABLE, xdg_folder)];
    for (variable, given) in named {
        let Some(given) = given else { continue };
        match accepted((variable, given), machines.as_deref(), caller) {
            Ok(home) => {
                let runtime = runtime().filter(|_| variable == DATA_VARIABLE);
                return Ok(Located { home: Home { runtime, ..home }, variable: Some(variable), refused });
            }
            Err(error) if *caller == Caller::Person => return Err(error),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    let root = machines.ok_or(HomeError::Nowhere)?;
    Ok(Located { home: Home { root, runtime: runtime() }, variable: None, refused })
}

/// The machine's data folder, and why it is not the one below `HOME`: a project can set that too. A folder below it that lies in
/// the project is the user's only where the client was started with the same `HOME`.
fn machines_folder(environment: &Environment, caller: &Caller) -> (Option<PathBuf>, Option<HomeError>) {
    if let (Some(root), Caller::Client { project: Some(project), .. }) = (&environment.data_folder, caller)
        && (root.starts_with(project) || root.starts_with("/proc"))
        && let Some(users) = other_home_above()
    {
        return (Some(users.join(DATA_FOLDER)), Some(HomeError::InsideProject(USER_HOME_VARIABLE)));
    }
    (environment.data_folder.clone(), None)
}

/// The `HOME` with which the process above this one or the one above that was started, if it is another than this one has. That
/// of the client cannot be changed by a project. `None` where the system does not tell.
fn other_home_above() -> Option<PathBuf> {
    let parent = |process: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name is in parentheses and may contain some; behind it are the state and the parent.
        Some(stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.to_owned())
    };
    let own = std::env::var_os(USER_HOME_VARIABLE)?;
    let above = std::iter::successors(parent("self"), |process| parent(process)).take(2);
    let given = above.filter_map(|process| {
        let variables = std::fs::read(format!("/proc/{process}/environ")).ok()?;
        let mut variables = variables.split(|byte| *byte == 0);
        let home = variables.find_map(|variable| variable.strip_prefix(b"HOME="))?;
        Some(OsStr::from_bytes(home).to_owned())
    });
    given.filter(|home| *home != own).map(PathBuf::from).find(|home| home.is_absolute())
}

/// The user's home, by the data folder in it.
pub fn user_home_of(data_folder: &Path) -> Option<&Path> {
    data_folder.ancestors().nth(Path::new(DATA_FOLDER).components().count())
}

/// The canonical paths of the folders that the person has used, by the list in the machine's data folder.
fn used_homes(machines: Option<&Path>) -> Vec<PathBuf> {
    let read = |folder: &Path| files::read(&folder.join(USED_HOMES), USED_HOMES_LIMIT).ok().flatten();
    let lines = machines.and_then(read).unwrap_or_default();
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| PathBuf::from(OsStr::from_bytes(line))).collect()
}

/// The folder that the variable names, if the caller may use it.
fn accepted(
    (variable, given): (&'static str, &OsStr),
    machines: Option<&Path>,
    caller: &Caller,
) -> Result<Home, HomeError> {
    let root = lexical(Path::new(given));
    if !root.is_absolute() {
        return Err(HomeError::NotAbsolute);
    }
    let Caller::Client { project, cwd } = caller else { return Ok(Home::at(root)) };
    // What is checked is what is used: a link in the path, such as `/proc/self/cwd`, may lead elsewhere the next time.
    let home = Home::at(canonical(Path::new(given)));
    if used_homes(machines).contains(&home.root) {
        return Ok(home);
    }
    if [project, cwd].into_iter().flatten().any(|folder| is_in_project(&home.root, folder)) {
        return Err(HomeError::InsideProject(variable));
    }
    if names_itself(&home)? { Ok(home) } else { Err(HomeError::NotMarked(variable)) }
}

/// Whether `root` is in a folder of a session, or in a repository around that folder.
fn is_in_project(root: &Path, folder: &Path) -> bool {
    let folder = canonical(folder);
    let is_project = |above: &Path| above == folder || above.join(".git").symlink_metadata().is_ok();
    folder.ancestors().any(|above| root.starts_with(above) && is_project(above))
}

/// The path without links, as far as it exists.
fn canonical(path: &Path) -> PathBuf {
    let plain = || lexical(path);
    if files::passes_no_link(path) { plain() } else { path.canonicalize().unwrap_or_else(|_| plain()) }
}

/// Whether the folder's `home` file contains the folder's own canonical path: not where the folder was moved.
pub fn names_itself(home: &Home) -> Result<bool, HomeError> {
    let Some(marked) = files::read(&home.marker(), MARKER_LIMIT)? else { return Ok(false) };
    Ok(canonical(&home.root).as_os_str().as_encoded_bytes() == marked.trim_ascii_end())
}

/// The path of `lessons/` in the runtime folder, if that folder is private to this user.
fn private_runtime_folder(folder: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(folder).ok()?;
    let ours = found.is_dir() && found.uid() == nix::unistd::geteuid().as_raw() && found.mode() & 0o077 == 0;
    ours.then(|| folder.join("lessons"))
}

/// The path without `.` and `..`, resolved textually: links are not followed.
pub fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    out.push("..");
                }
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests;
