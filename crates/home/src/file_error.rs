//! The reasons why a file or folder of the program cannot be used, each with the command that fixes it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use lessons_text::shell_word::quoted_path as quoted;
use nix::errno::Errno;
use nix::unistd::{AccessFlags, access};

/// The reason why a file or folder of the program cannot be used.
#[derive(Debug)]
pub enum FileError {
    /// It is a symbolic link.
    Link {
        /// The path of the file.
        path: PathBuf,
    },
    /// It is a symbolic link in the place of a folder.
    FolderLink {
        /// The path of the folder.
        path: PathBuf,
    },
    /// It is not a regular file, or not a folder.
    Kind {
        /// The path of the file.
        path: PathBuf,
        /// The kind that was expected.
        expected: &'static str,
    },
    /// Another user owns it.
    Owner {
        /// The path of the file.
        path: PathBuf,
        /// The user id of its owner.
        owner: u32,
        /// The user id of this process.
        me: u32,
    },
    /// Others may write it.
    Writable {
        /// The path of the file.
        path: PathBuf,
    },
    /// It is larger than any file of its kind may be.
    TooLarge {
        /// The path of the file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A system call failed.
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl FileError {
    /// The shell command that fixes it, if there is one.
    pub fn remedy(&self) -> Option<String> {
        Some(match self {
            Self::Link { path } if path.exists() => {
                let (path, new) = (quoted(path), quoted(&beside(path, ".new")));
                format!("cp {path} {new} && mv {new} {path}")
            }
            Self::FolderLink { path } if path.exists() => {
                let target = path.canonicalize().ok()?;
                format!("rm {0} && mv {1} {0}", quoted(path), quoted(&target))
            }
            // It leads nowhere.
            Self::Link { path } | Self::FolderLink { path } => format!("rm {}", quoted(path)),
            Self::Kind { path, .. } => away(path),
            Self::Owner { path, me, .. } => format!("sudo chown -R {me} {}", quoted(path)),
            Self::Writable { path } => format!("chmod go-w {}", quoted(path)),
            Self::Io { path, source } => return permission(path, source),
            Self::TooLarge { .. } => return None,
        })
    }
}

/// The file or folder whose mode denies this user the use of `path`: a folder on the way to it, the file itself, or the folder
/// in which it would be made.
pub fn denied(path: &Path) -> Option<&Path> {
    // On a file system that is read-only no mode helps.
    let lacks =
        |path: &Path, right| path.symlink_metadata().is_ok() && access(path, right) == Err(Errno::EACCES);
    let folders: Vec<&Path> =
        path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).collect();
    let closed = folders.iter().rev().find(|folder| lacks(folder, AccessFlags::X_OK)).copied();
    let itself = || lacks(path, AccessFlags::R_OK | AccessFlags::W_OK).then_some(path);
    let in_folder = || folders.first().filter(|folder| lacks(folder, AccessFlags::W_OK)).copied();
    closed.or_else(itself).or_else(in_folder)
}

/// The end of a message about a system call that failed at `path`: the command that fixes it, or nothing.
pub fn hint(path: &Path, source: &io::Error) -> String {
    let command = if source.kind() == io::ErrorKind::IsADirectory {
        Some(away(path))
    } else {
        permission(path, source)
    };
    command.map_or_else(String::new, |command| format!("; fix it with `{command}`"))
}

/// The command that gives this user the right that a system call missed.
fn permission(path: &Path, source: &io::Error) -> Option<String> {
    let is_denied = source.kind() == io::ErrorKind::PermissionDenied;
    let denied = is_denied.then(|| denied(path)).flatten()?;
    Some(format!("chmod u+rwX {}", quoted(denied)))
}

/// The command that moves a file out of the way.
pub fn away(path: &Path) -> String {
    format!("mv {} {}", quoted(path), quoted(&beside(path, ".old")))
}

/// The path of a file beside another, whose name goes on with `end`.
pub fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link { path } => {
                write!(f, "{} is a link, and our own files may not be links", path.display())
            }
            Self::FolderLink { path } => {
                write!(f, "{} is a link, and our own folders may not be links", path.display())
            }
            Self::Kind { path, expected } => write!(f, "{} is not a {expected}", path.display()),
            Self::Owner { path, owner, .. } => {
                write!(f, "{} belongs to another user (uid {owner})", path.display())
            }
            Self::Writable { path } => write!(f, "{} can be written by others", path.display()),
            Self::TooLarge { path, size, limit } => {
                write!(f, "{} holds {size} bytes, more than the {limit} that are read", path.display())
            }
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
        }?;
        self.remedy().map_or(Ok(()), |command| write!(f, "; fix it with `{command}`"))
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_a_space_is_quoted_in_the_command() {
        let path = PathBuf::from("/Users/me/Application Support/lessons");
        assert_eq!(
            FileError::Writable { path }.to_string(),
            "/Users/me/Application Support/lessons can be written by others; \
             fix it with `chmod go-w '/Users/me/Application Support/lessons'`"
        );
    }

    #[test]
    fn a_link_that_leads_nowhere_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("link");
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        assert_eq!(FileError::Link { path: path.clone() }.remedy(), Some(format!("rm {}", path.display())));
    }
}
