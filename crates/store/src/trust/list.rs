//! The list of trusted stores, by the roots of their projects: a part of `decisions.json` (see [`crate::decisions`]).

use std::collections::{BTreeMap, BTreeSet};

use lessons_home::home::Home;
use lessons_lesson::id::LessonId;
use lessons_text::digest;
use serde::{Deserialize, Serialize};

use crate::config::Tuning;
use crate::decisions_file::{self, DecisionsError};

/// Whether the lessons of a store may refuse calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusals {
    /// Lessons that would refuse calls advise instead.
    BecomeAdvice,
    /// Lessons may refuse calls.
    Allowed,
}

/// A store that the user trusts. Its fields stand in the order of its form in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TrustedStore {
    /// The project's root, which names it in the list and in the journal.
    #[serde(skip)]
    pub root: String,
    /// Flagged lessons that were accepted by id.
    #[serde(rename = "acceptedFlags")]
    pub accepted: BTreeSet<LessonId>,
    /// The person who approved it.
    pub actor: String,
    /// The time of the approval, RFC 3339.
    pub approved_at: String,
    /// Whether its lessons may refuse calls.
    pub refusals: Refusals,
    /// The settings of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<TrustedSettings>,
    /// The SHA-256 of the approved bytes, 64 hex digits.
    pub sha256: String,
}

/// The settings of a project, as they were approved: they count as they are here, whatever becomes of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TrustedSettings {
    /// The SHA-256 of the file, 64 hex digits.
    pub sha256: String,
    /// The settings.
    pub values: Tuning,
}

/// The trusted stores, by root.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, TrustedStore>")]
pub struct TrustList(BTreeMap<String, TrustedStore>);

/// The error for a text that is no hash, and would become the name of a file.
#[derive(Debug, thiserror::Error)]
#[error("the `sha256` of {root} is no SHA-256")]
pub struct NoHash {
    root: String,
}

impl TryFrom<BTreeMap<String, TrustedStore>> for TrustList {
    type Error = NoHash;
    fn try_from(mut stores: BTreeMap<String, TrustedStore>) -> Result<Self, NoHash> {
        for (root, store) in &mut stores {
            if !is_sha256(&store.sha256) {
                return Err(NoHash { root: root.clone() });
            }
            store.root.clone_from(root);
        }
        Ok(Self(stores))
    }
}

impl TrustedStore {
    /// Returns its form in the journal: everything but the root, which names it there.
    pub fn journalled(&self) -> String {
        // Plain data; it cannot fail to become JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads it from its form in the journal. Returns `None` for an invalid text, as when a forgotten text was removed.
    pub fn of_journal(root: &str, text: &str) -> Option<Self> {
        let store: Self = serde_json::from_str(text).ok()?;
        is_sha256(&store.sha256).then(|| Self { root: root.to_owned(), ..store })
    }
}

impl TrustList {
    /// Reads those of `home`.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        decisions_file::part(home, |file| &file.trusted)
    }

    /// Iterates over the trusted stores, ascending by root.
    pub fn stores(&self) -> impl Iterator<Item = &TrustedStore> {
        self.0.values()
    }

    /// Returns the trusted store of the project at `root`.
    pub fn get(&self, root: &str) -> Option<&TrustedStore> {
        self.0.get(root)
    }

    /// Trusts a store. Returns what was trusted at its root before.
    pub fn insert(&mut self, store: TrustedStore) -> Option<TrustedStore> {
        self.0.insert(store.root.clone(), store)
    }

    /// Ends the trust in the project at `root`. Returns what was trusted there.
    pub fn remove(&mut self, root: &str) -> Option<TrustedStore> {
        self.0.remove(root)
    }
}

/// Returns the SHA-256 of bytes in 64 hex digits.
pub fn sha256(bytes: &[u8]) -> String {
    digest::hex(bytes, 64)
}

/// Returns whether a text is a SHA-256 in 64 lower-case hex digits.
pub fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
