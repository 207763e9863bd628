//! The models of past sessions, and which of them is the newest.

use std::collections::HashMap;

use crate::episodes::JoinedSession;

use super::summary::NewModel;

/// The time over which a model must have made its share of the calls, in milliseconds: 14 days.
const SPAN: u64 = 14 * 24 * 3600 * 1000;
/// A model counts as in use from one call in this many on.
const ONE_IN: u64 = 5;

/// The models, each with the time of its first session.
#[derive(Debug, Default)]
pub(super) struct Models {
    since: HashMap<String, u64>,
    newest: Option<String>,
}

impl Models {
    /// The models of some sessions.
    pub(super) fn of(sessions: &[JoinedSession]) -> Self {
        let named = || sessions.iter().filter(|session| !session.model.is_empty() && session.calls > 0);
        let mut since: HashMap<String, u64> = HashMap::new();
        for session in named() {
            let first = since.entry(session.model.clone()).or_insert(session.first);
            *first = session.first.min(*first);
        }
        let last = named().map(|session| session.first).max().unwrap_or(0);
        let mut lately: HashMap<&str, u64> = HashMap::new();
        for session in named().filter(|session| session.first + SPAN > last) {
            *lately.entry(&session.model).or_default() += session.calls;
        }
        let calls: u64 = lately.values().sum();
        let newest = lately
            .into_iter()
            .filter(|(_, own)| own * ONE_IN >= calls)
            .max_by_key(|(model, _)| (since.get(*model).copied(), *model))
            .map(|(model, _)| model.to_owned());
        Self { since, newest }
    }

    /// The newest model that is in use: of those that made a fifth of the calls of the last 14 days, the one that came last.
    pub(super) fn newest(&self) -> Option<&str> {
        self.newest.as_deref()
    }

    /// The newest model that is in use, if another one was there before it.
    pub(super) fn new_model(&self) -> Option<NewModel> {
        let model = self.newest.clone()?;
        let since = self.since(&model);
        self.since.values().any(|&other| other < since).then_some(NewModel { model, since })
    }

    /// The time of the first session of a model; 0 of one that is not known.
    pub(super) fn since(&self, model: &str) -> u64 {
        self.since.get(model).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 3600 * 1000;

    #[test]
    fn a_model_is_new_once_it_makes_a_fifth_of_the_calls() {
        let session = |model: &str, day: u64, calls| JoinedSession {
            model: model.into(),
            first: day * DAY,
            calls,
            ..JoinedSession::default()
        };
        let mut sessions = vec![session("old", 100, 100), session("old", 110, 81), session("new", 112, 19)];
        assert_eq!(Models::of(&sessions).newest(), Some("old"));
        sessions.push(session("new", 113, 40));
        let models = Models::of(&sessions);
        assert_eq!((models.newest(), models.since("new")), (Some("new"), 112 * DAY));
        assert_eq!(models.new_model(), Some(NewModel { model: "new".into(), since: 112 * DAY }));
        sessions.push(session("old", 140, 5));
        assert_eq!(Models::of(&sessions).newest(), Some("old"), "the other is no longer in use");
        assert_eq!(Models::of(&sessions).new_model(), None, "it was there first");
        assert_eq!(Models::of(&[]).newest(), None);
    }
}
