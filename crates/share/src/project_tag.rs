//! The project that a shared lesson is for, as its event names it.
//!
//! The tag `a` is `30078:<author>:<project>`. The project is its key, `github.com/acme/app`, where the event stays with
//! those who have the repository anyway. An event for a relay, which everybody can read, has a hash of the key instead:
//! who knows the key recognises it. A hash hides a key that cannot be guessed; it does not hide a public repository.

use std::fmt;

use lessons_text::digest;

use crate::key::PublicKey;

/// The kind of the coordinate in the tag `a`: application-specific data, NIP-78.
pub const COORDINATE_KIND: u16 = 30078;
/// The longest key of a project, in characters; as long as in the scope of a lesson.
pub const MAX_KEY_CHARS: usize = 200;

/// What the keys begin with that are a hash of a folder, which means nothing on another machine.
const LOCAL: &str = "root-";
/// What a hashed key begins with.
const HASHED: &str = "sha256-";
/// The number of hexadecimal digits in a hash.
const DIGITS: usize = 64;

/// The error for a text that names no project which others could have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoProject {
    /// The key is a hash of a folder of this machine.
    #[error("this project has no git remote, so others cannot tell that it is theirs too")]
    Local,
    /// The text is not a key.
    #[error("a project's key is like github.com/acme/app")]
    Malformed,
}

/// The project of a shared lesson: its key, or `sha256-` and the hash of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectTag(String);

impl ProjectTag {
    /// The project with this key.
    pub fn of_key(key: &str) -> Result<Self, NoProject> {
        if key.starts_with(LOCAL) {
            return Err(NoProject::Local);
        }
        let is_key = !key.is_empty()
            && key.chars().count() <= MAX_KEY_CHARS
            && !key.starts_with(HASHED)
            && !key.chars().any(|c| c.is_whitespace() || c.is_control());
        if is_key { Ok(Self(key.to_owned())) } else { Err(NoProject::Malformed) }
    }

    /// The same project, named by the hash of its key.
    #[must_use]
    pub fn hashed(&self) -> Self {
        self.key().map_or_else(
            || self.clone(),
            |key| Self(format!("{HASHED}{}", digest::hex(key.as_bytes(), DIGITS))),
        )
    }

    /// The key, unless only its hash is known.
    pub fn key(&self) -> Option<&str> {
        Some(self.0.as_str()).filter(|key| !key.starts_with(HASHED))
    }

    /// The value of the tag `a` in an event of `author`.
    pub fn coordinate(&self, author: PublicKey) -> String {
        format!("{COORDINATE_KIND}:{author}:{self}")
    }

    /// Reads the value of a tag `a`. Whose key it names does not matter: only the project is compared.
    pub fn of_coordinate(text: &str) -> Result<Self, NoProject> {
        let named = text.strip_prefix(&format!("{COORDINATE_KIND}:")).and_then(|rest| rest.split_once(':'));
        let (_, project) =
            named.filter(|(key, _)| key.parse::<PublicKey>().is_ok()).ok_or(NoProject::Malformed)?;
        match project.strip_prefix(HASHED) {
            Some(hash) if crate::hex::read::<32>(hash).is_some() => Ok(Self(project.to_owned())),
            Some(_) => Err(NoProject::Malformed),
            None => Self::of_key(project),
        }
    }
}

impl fmt::Display for ProjectTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "github.com/acme/app";

    #[test]
    fn a_project_is_recognised_by_its_key_and_by_the_hash_of_it() {
        let author = PublicKey::of([7; 32]);
        for tag in [ProjectTag::of_key(KEY).unwrap(), ProjectTag::of_key(KEY).unwrap().hashed()] {
            let read = ProjectTag::of_coordinate(&tag.coordinate(author)).unwrap();
            assert_eq!(read, tag);
            assert_eq!(read.hashed(), ProjectTag::of_key(KEY).unwrap().hashed());
            assert_ne!(read.hashed(), ProjectTag::of_key("github.com/acme/other").unwrap().hashed());
        }
    }

    #[test]
    fn a_hashed_key_does_not_hold_the_key() {
        let hashed = ProjectTag::of_key(KEY).unwrap().hashed();
        assert!(!hashed.to_string().contains("acme"));
        assert_eq!((hashed.key(), hashed.hashed()), (None, hashed.clone()));
    }

    #[test]
    fn a_folder_of_one_machine_is_no_project_of_others() {
        assert_eq!(ProjectTag::of_key("root-0123456789abcdef"), Err(NoProject::Local));
        let coordinate = format!("30078:{}:root-0123456789abcdef", PublicKey::of([7; 32]));
        assert_eq!(ProjectTag::of_coordinate(&coordinate), Err(NoProject::Local));
    }

    #[test]
    fn what_is_no_coordinate_is_refused() {
        let key = PublicKey::of([7; 32]).to_string();
        for bad in [
            String::new(),
            KEY.into(),
            format!("30079:{key}:{KEY}"),
            format!("30078:{}:{KEY}", key.to_uppercase().replace('0', "A")),
            format!("30078:{key}"),
            format!("30078:{key}:"),
            format!("30078:{key}:a b"),
            format!("30078:{key}:a\u{1b}b"),
            format!("30078:{key}:sha256-12"),
            format!("30078:{key}:{}", "a".repeat(MAX_KEY_CHARS + 1)),
        ] {
            assert_eq!(ProjectTag::of_coordinate(&bad), Err(NoProject::Malformed), "{bad}");
        }
    }
}
