//! The data folder, where it is beyond doubt. The rules are those of `lessons_core::home`.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::mem;

use lessons_core::path;

use crate::environment::Environment;
use crate::files::{self, Folder, Form};

/// The longest `home` file that is read: a path and a newline.
const MARKER_LIMIT: usize = 4096 + 1;

/// The data folder.
pub(crate) struct Home<'e> {
    /// Its path.
    pub(crate) path: String,
    /// `XDG_RUNTIME_DIR`, where claims may be.
    runtime: Option<&'e str>,
    /// The folder, open.
    pub(crate) folder: Folder,
    /// Whether a variable led to it, so that it must not lie in the working folder either.
    pub(crate) given: bool,
}

/// The folder of all claims.
pub(crate) enum Sessions {
    /// In the data folder.
    OnDisk(String),
    /// In the machine's runtime folder.
    InMemory(String),
}

impl Sessions {
    /// Its path.
    pub(crate) fn path(&self) -> &str {
        let (Self::OnDisk(path) | Self::InMemory(path)) = self;
        path
    }
}

/// Finds it. `None` where anything is not as it should be.
pub(crate) fn find<'e>(environment: &Environment<'e>) -> Option<Home<'e>> {
    if environment.odd {
        return None;
    }
    match environment.lessons_home {
        Some(given) => named(given, environment.project),
        None => standard(environment),
    }
}

/// The machine's own data folder: where the `directories` crate puts it on Linux.
#[cfg(not(target_os = "macos"))]
fn standard_path(environment: &Environment<'_>) -> Option<String> {
    let data = environment.data.filter(|data| path::is_absolute(data));
    match (data, environment.home) {
        (Some(data), _) => Some(path::join(data, "lessons")),
        (None, Some(home)) => Some(path::join(home, ".local/share/lessons")),
        (None, None) => None,
    }
}

/// The machine's own data folder: where the `directories` crate puts it on macOS.
#[cfg(target_os = "macos")]
fn standard_path(environment: &Environment<'_>) -> Option<String> {
    environment.home.map(|home| path::join(home, "Library/Application Support/lessons"))
}

fn standard<'e>(environment: &Environment<'e>) -> Option<Home<'e>> {
    let root = standard_path(environment)?;
    let folder = Folder::open(&root)?;
    let runtime = environment.runtime.filter(|runtime| path::is_absolute(runtime));
    Some(Home { path: root, runtime, folder, given: false })
}

/// A folder that a variable names: absolute, outside the project, and one that names itself.
fn named(given: &str, project: Option<&str>) -> Option<Home<'static>> {
    let root = path::lexical(given);
    let outside = |folder: &str| path::below(&root, &path::lexical(folder)).is_none();
    if !path::is_absolute(&root) || !project.is_none_or(outside) {
        return None;
    }
    let (folder, form) = Folder::open_told(&root)?;
    let (marker, found) = folder.file("home")?;
    let size = usize::try_from(found.st_size).ok().filter(|size| *size <= MARKER_LIMIT)?;
    let content = files::contents(&marker, size)?;
    // Files are closed when the process ends, which is soon.
    mem::forget(marker);
    let named = content.trim_ascii_end();
    let names_itself = match form {
        Form::Canonical => named == root.as_bytes(),
        Form::Unknown => named == canonical(&folder)?.as_bytes(),
    };
    if !names_itself {
        return None;
    }
    Some(Home { path: root, runtime: None, folder, given: true })
}

impl Home<'_> {
    /// Where claims are. Asks the disk whether the folder for them is ours alone, so only those who claim ask.
    pub(crate) fn sessions(&self) -> Sessions {
        match self.runtime.filter(|runtime| files::is_private_folder(runtime)) {
            Some(runtime) => Sessions::InMemory(path::join(runtime, "lessons")),
            None => Sessions::OnDisk(path::join(&self.path, "sessions")),
        }
    }

    /// Whether a variable may name it for a call in this working folder.
    pub(crate) fn is_allowed(&self, cwd: Option<&str>) -> bool {
        !self.given || cwd.is_none_or(|cwd| path::below(&self.path, &path::lexical(cwd)).is_none())
    }
}

/// The path of an open folder, links resolved.
#[cfg(target_os = "linux")]
fn canonical(folder: &Folder) -> Option<String> {
    use rustix::fd::{AsFd, AsRawFd};
    let link = alloc::format!("/proc/self/fd/{}", folder.as_fd().as_raw_fd());
    let path = rustix::fs::readlinkat(rustix::fs::CWD, link, alloc::vec::Vec::with_capacity(256)).ok()?;
    path.to_str().ok().map(str::to_owned)
}

/// The path of an open folder, links resolved.
#[cfg(target_os = "macos")]
fn canonical(folder: &Folder) -> Option<String> {
    rustix::fs::getpath(folder).ok()?.to_str().ok().map(str::to_owned)
}
