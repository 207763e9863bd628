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

/// A store that the user trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedStore {
    /// The project's root.
    pub root: String,
    /// The SHA-256 of the approved bytes, 64 hex digits.
    pub sha256: String,
    /// The time of the approval, RFC 3339.
    pub approved_at: String,
    /// The person who approved it.
    pub actor: String,
    /// Flagged lessons that were accepted by id.
    pub accepted: BTreeSet<LessonId>,
    /// Whether its lessons may refuse calls.
    pub refusals: Refusals,
    /// The settings of the project.
    pub settings: Option<TrustedSettings>,
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
#[serde(try_from = "BTreeMap<String, Row>", into = "BTreeMap<String, Row>")]
pub struct TrustList {
    stores: BTreeMap<String, TrustedStore>,
}

/// The error for a text that is no hash, and would become the name of a file.
#[derive(Debug, thiserror::Error)]
#[error("the `sha256` of {root} is no SHA-256")]
pub struct NoHash {
    root: String,
}

impl TryFrom<BTreeMap<String, Row>> for TrustList {
    type Error = NoHash;
    fn try_from(rows: BTreeMap<String, Row>) -> Result<Self, NoHash> {
        let mut list = Self::default();
        for (root, row) in rows {
            if !is_sha256(&row.sha256) {
                return Err(NoHash { root });
            }
            list.insert(TrustedStore::of_row(root, row));
        }
        Ok(list)
    }
}

impl From<TrustList> for BTreeMap<String, Row> {
    fn from(list: TrustList) -> Self {
        list.stores.into_iter().map(|(root, store)| (root, store.row())).collect()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Row {
    accepted_flags: BTreeSet<LessonId>,
    actor: String,
    approved_at: String,
    refusals: Refusals,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    settings: Option<TrustedSettings>,
    sha256: String,
}

impl TrustedStore {
    fn row(&self) -> Row {
        Row {
            accepted_flags: self.accepted.clone(),
            actor: self.actor.clone(),
            approved_at: self.approved_at.clone(),
            refusals: self.refusals,
            settings: self.settings.clone(),
            sha256: self.sha256.clone(),
        }
    }

    fn of_row(root: String, row: Row) -> Self {
        Self {
            root,
            sha256: row.sha256,
            approved_at: row.approved_at,
            actor: row.actor,
            accepted: row.accepted_flags,
            refusals: row.refusals,
            settings: row.settings,
        }
    }

    /// Returns its form in the journal: everything but the root, which names it there.
    pub fn journalled(&self) -> String {
        // Plain data; it cannot fail to become JSON.
        serde_json::to_string(&self.row()).unwrap_or_default()
    }

    /// Reads it from its form in the journal. Returns `None` for an invalid text, as when a forgotten text was removed.
    pub fn of_journal(root: &str, text: &str) -> Option<Self> {
        let row: Row = serde_json::from_str(text).ok()?;
        is_sha256(&row.sha256).then(|| Self::of_row(root.to_owned(), row))
    }
}

impl TrustList {
    /// Reads those of `home`.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        decisions_file::part(home, |file| &file.trusted)
    }

    /// Iterates over the trusted stores, ascending by root.
    pub fn stores(&self) -> impl Iterator<Item = &TrustedStore> {
        self.stores.values()
    }

    /// Returns the trusted store of the project at `root`.
    pub fn get(&self, root: &str) -> Option<&TrustedStore> {
        self.stores.get(root)
    }

    /// Trusts a store. Returns what was trusted at its root before.
    pub fn insert(&mut self, store: TrustedStore) -> Option<TrustedStore> {
        self.stores.insert(store.root.clone(), store)
    }

    /// Ends the trust in the project at `root`. Returns what was trusted there.
    pub fn remove(&mut self, root: &str) -> Option<TrustedStore> {
        self.stores.remove(root)
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
