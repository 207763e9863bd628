//! Identifiers of lessons, topics, layers and projects.

use std::fmt;
use std::marker::PhantomData;

use lessons_text::neutral;

/// The longest id, in bytes. Ids are ASCII.
pub const MAX_ID_BYTES: usize = 100;

/// The error for a text that is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id: use lower-case letters, digits and single dashes, at most {MAX_ID_BYTES}")]
pub struct InvalidId {
    /// The text, shortened to fit a message.
    pub text: String,
}

impl InvalidId {
    fn of(text: &str) -> Self {
        Self { text: text.chars().take(80).collect() }
    }
}

/// Whether `text` is kebab-case: runs of `a-z0-9` joined by single dashes.
pub fn is_kebab(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_ID_BYTES
        && text.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

/// The id that a text suggests: in lower case, without accents, with one dash for each run of other characters, cut at a word
/// after at most `max` bytes.
///
/// `None` if no character of the text is allowed in an id, as in a text of CJK characters.
pub fn slug(text: &str, max: usize) -> Option<String> {
    let mut out = String::new();
    for c in neutral::without_accents(text) {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') && c != '\'' {
            out.push('-');
        }
    }
    if out.len() > max {
        let cut = out[..max].rfind('-').filter(|&at| at >= max / 2).unwrap_or(max);
        out.truncate(cut);
    }
    let out = out.trim_end_matches('-');
    (!out.is_empty()).then(|| out.to_owned())
}

/// A kebab-case id of one kind of thing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id<Kind> {
    text: String,
    of: PhantomData<Kind>,
}

/// The kind of a lesson's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OfLesson {}

/// The kind of a topic's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OfTopic {}

/// The id of a lesson inside its layer, chosen by a person or made from the rule.
pub type LessonId = Id<OfLesson>;

/// The id of a topic.
pub type TopicId = Id<OfTopic>;

/// The id of a lesson before it gets its own.
impl Default for LessonId {
    fn default() -> Self {
        Self { text: "new".to_owned(), of: PhantomData }
    }
}

impl<Kind> Id<Kind> {
    /// An id, or an error if `text` is not kebab-case.
    pub fn new(text: &str) -> Result<Self, InvalidId> {
        if is_kebab(text) {
            Ok(Self { text: text.to_owned(), of: PhantomData })
        } else {
            Err(InvalidId::of(text))
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<Kind> std::str::FromStr for Id<Kind> {
    type Err = InvalidId;
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        Self::new(text)
    }
}

impl<Kind> fmt::Display for Id<Kind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The layer from which a lesson comes. Layers are ordered by rank, the user's own first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Layer {
    /// The user's own store.
    #[default]
    User,
    /// The store of a project that the user has trusted, identified by a hash of the project's root.
    Project(ProjectHash),
    /// The lessons of somebody else whose key the user trusts, identified by the start of the key.
    Peer(KeyPrefix),
    /// The lessons that ship with the program.
    Seed,
}

/// The first 12 hex digits of the SHA-256 of a project root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectHash(String);

impl ProjectHash {
    /// The number of hex digits in an id.
    pub const DIGITS: usize = 12;

    /// The hash of a root, which is an absolute path without `.` and `..`.
    pub fn of_root(root: &str) -> Self {
        Self(lessons_text::digest::hex(root.as_bytes(), Self::DIGITS))
    }
}

/// The first 8 hex digits of a public key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPrefix(String);

impl KeyPrefix {
    /// The number of hex digits in an id.
    pub const DIGITS: usize = 8;

    /// The prefix of a key, given in lower-case hex digits. `None` if `key` does not begin with enough of them.
    pub fn of_key(key: &str) -> Option<Self> {
        key.get(..Self::DIGITS).filter(|digits| is_hex(digits)).map(|digits| Self(digits.to_owned()))
    }

    /// The hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether `text` is hexadecimal digits, in lower case.
pub fn is_hex(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User => f.write_str("user"),
            Self::Project(hash) => write!(f, "project-{}", hash.0),
            Self::Peer(prefix) => write!(f, "peer-{}", prefix.0),
            Self::Seed => f.write_str("seed"),
        }
    }
}

impl std::str::FromStr for Layer {
    type Err = InvalidId;
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let is_digits = |digits: &str, count| digits.len() == count && is_hex(digits);
        match (text, text.split_once('-')) {
            ("user", _) => Ok(Self::User),
            ("seed", _) => Ok(Self::Seed),
            (_, Some(("project", hash))) if is_digits(hash, ProjectHash::DIGITS) => {
                Ok(Self::Project(ProjectHash(hash.to_owned())))
            }
            (_, Some(("peer", prefix))) if is_digits(prefix, KeyPrefix::DIGITS) => {
                Ok(Self::Peer(KeyPrefix(prefix.to_owned())))
            }
            _ => Err(InvalidId::of(text)),
        }
    }
}

/// A lesson's id with its layer, `user/git-stash`. It is unique among all lessons in force, so that no
/// layer can shadow another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct QualifiedId {
    /// The layer of the lesson.
    pub layer: Layer,
    /// The id of the lesson in that layer.
    pub id: LessonId,
}

impl fmt::Display for QualifiedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.layer, self.id)
    }
}

impl std::str::FromStr for QualifiedId {
    type Err = InvalidId;
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let (layer, id) = text.split_once('/').ok_or_else(|| InvalidId::of(text))?;
        Ok(Self { layer: layer.parse()?, id: LessonId::new(id)? })
    }
}

lessons_text::serde_as_text!(LessonId, TopicId, QualifiedId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_kebab_case_and_nothing_else() {
        for good in ["a", "git-stash", "l1", "2fa", "a-1-b"] {
            assert!(is_kebab(good), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "A", "a_b", "../x", "é", "a b", &"a".repeat(101)] {
            assert!(!is_kebab(bad), "{bad}");
        }
    }

    #[test]
    fn a_slug_is_an_id_or_nothing() {
        assert_eq!(slug("Use `git stash -u`!", 60).as_deref(), Some("use-git-stash-u"));
        assert_eq!(slug("don't  repeat", 60).as_deref(), Some("dont-repeat"));
        assert_eq!(slug("Führe zuerst Café-Tests aus", 60).as_deref(), Some("fuhre-zuerst-cafe-tests-aus"));
        assert_eq!(slug("one two three four", 12).as_deref(), Some("one-two"));
        assert_eq!(slug("日本語", 60), None);
    }

    #[test]
    fn a_qualified_id_round_trips() {
        let root = ProjectHash::of_root("/srv/app");
        for text in ["user/a", "seed/git-stash", "peer-0123abcd/x", &format!("project-{}/x", root.0)] {
            assert_eq!(text.parse::<QualifiedId>().unwrap().to_string(), *text);
        }
        for bad in
            ["a", "other/a", "project-xyz/a", "peer-0123abcg/a", "peer-0123abc/a", "user/../a", "user/"]
        {
            assert!(bad.parse::<QualifiedId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_users_own_layer_comes_first() {
        let project = Layer::Project(ProjectHash::of_root("/p"));
        let peer = Layer::Peer(KeyPrefix::of_key("0123abcd4567").unwrap());
        assert!(Layer::User < project && project < peer && peer < Layer::Seed);
        assert_eq!(KeyPrefix::of_key("0123abc"), None);
    }
}
