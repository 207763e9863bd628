//! What hooks told and stopped, one entry for each time that they spoke.

use lessons_client::Client;
use lessons_store::Recall;
use rusqlite::{Params, params};
use serde::Deserialize;

use crate::database::columns::signed;
use crate::database::{Database, Result};

/// The outcome of a block that something else in the client dropped: the call ran all the same.
pub const OVERRIDDEN: &str = "overridden";

/// A time at which a hook told lessons, held them back, stopped a call or let it pass on retry, or a query showed them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FiredEvent {
    /// The time, in milliseconds since 1970.
    pub time: u64,
    /// The hash of the session.
    pub session: String,
    /// The id of the call, as [`lessons_decide::events::name`] shortens it; empty at the start of a session.
    pub call: String,
    /// The agent's type, `main` for the main thread and `mcp` for a query.
    pub agent: String,
    /// The client that made the call.
    pub client: Client,
    /// The name of the outcome, such as `told`, `refused` or `passed`, or [`OVERRIDDEN`].
    pub outcome: String,
    /// The number of lessons that matched too and were not told.
    pub more: usize,
    /// The series of the lot that the session drew; empty where nothing was drawn.
    pub lot: String,
    /// The lessons, with their layers.
    pub lessons: Vec<String>,
}

const SELECT: &str =
    "SELECT event.*, json_group_array(lesson) AS lessons FROM event JOIN event_lesson ON event = event.id";

impl FiredEvent {
    /// The event as a recall. `tokens` gives the number of tokens of a lesson's rule; an event does not, so a lesson that was
    /// changed since counts as it is now. Of one that is gone nothing is known, and neither is of the recall which lessons
    /// it told.
    pub fn recall(&self, tokens: impl Fn(&str) -> Option<usize>) -> Recall {
        let known: Vec<usize> = self.lessons.iter().filter_map(|id| tokens(id)).collect();
        let mut recall = Recall {
            t: self.time,
            session: Some(self.session.clone()).filter(|session| !session.is_empty()),
            matches: self.more + self.lessons.len(),
            tokens: known.iter().sum(),
            ..Recall::default()
        };
        if known.len() == recall.matches {
            recall.name(&self.lessons);
        }
        recall
    }
}

impl Database {
    /// The newest entries since `from` (in milliseconds since 1970), newest first: at most `limit`. `lesson` is the id of one
    /// lesson, or the start of it, with or without its layer. What a query showed is none of them.
    pub fn fired(&self, from: u64, lesson: Option<&str>, limit: u32) -> Result<Vec<FiredEvent>> {
        let which = "time >= ?1 AND outcome IN ('told', 'refused', 'passed', 'overridden') AND agent != 'mcp'
                     GROUP BY event.id
                     HAVING ?2 IS NULL OR max(instr(lesson, ?2) = 1 OR instr(lesson, '/' || ?2) > 0)
                     ORDER BY time DESC, event.id DESC LIMIT ?3";
        self.fired_where(which, params![signed(from), lesson, limit])
    }

    fn fired_where(&self, which: &str, parameters: impl Params) -> Result<Vec<FiredEvent>> {
        self.rows(&format!("{SELECT} WHERE {which}"), parameters)
    }

    /// The entries of a session, by its hash, in their order: of every outcome.
    pub fn events_of_session(&self, session: &str) -> Result<Vec<FiredEvent>> {
        self.fired_where("session = ?1 GROUP BY event.id ORDER BY event.id", [session])
    }

    /// The entries at calls since `from` (in milliseconds since 1970) with one outcome, newest first.
    pub fn fired_at_calls(&self, outcome: &str, from: u64) -> Result<Vec<FiredEvent>> {
        let which = "time >= ?1 AND outcome = ?2 AND call != ''
                     GROUP BY event.id ORDER BY time DESC, event.id DESC";
        self.fired_where(which, params![signed(from), outcome])
    }

    /// Records that a call ran although a hook blocked it.
    pub fn record_overridden(&self, event: &FiredEvent) -> Result<()> {
        let sql = "UPDATE event SET outcome = 'overridden' WHERE session = ?1 AND call = ?2 AND outcome = 'refused'";
        self.execute(sql, params![event.session, event.call]).map(drop)
    }

    /// Every reminder and block, in their order.
    pub fn told_events(&self) -> Result<Vec<FiredEvent>> {
        self.fired_where("outcome IN ('told', 'refused') GROUP BY event.id ORDER BY event.id", [])
    }
}

#[cfg(test)]
mod tests {
    use lessons_decide::events::{Event, Outcome};
    use lessons_home::home::Home;

    use super::*;

    #[test]
    fn what_was_told_or_refused_is_a_recall_and_nothing_else_is() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        let mut database = Database::open(&home).unwrap();
        let happens = |t, outcome, session: &str, lessons: &[&str], more| {
            let event = Event {
                session: session.into(),
                agent: "main".into(),
                more,
                ..Event::new(outcome, lessons.iter().map(|&id| id.into()).collect(), t)
            };
            event.append(&home.events());
        };
        happens(1, Outcome::Told, "s", &["user/a", "user/b"], 0);
        happens(2, Outcome::Refused, "", &["user/a"], 0);
        happens(3, Outcome::Passed, "s", &["user/a"], 0);
        happens(4, Outcome::Told, "s", &["user/a", "user/gone"], 0);
        happens(5, Outcome::Told, "s", &["user/a"], 7);
        crate::events::take_in(&home, &mut database, 5).unwrap();
        let told = database.told_events().unwrap();
        let tokens = |id: &str| ["user/a", "user/b"].contains(&id).then_some(10);
        let recalls: Vec<Recall> = told.iter().map(|event| event.recall(tokens)).collect();
        let of = |recall: &Recall| {
            (recall.t, recall.matches, recall.tokens, recall.lessons.as_ref().map(Vec::len))
        };
        let all: Vec<_> = recalls.iter().map(of).collect();
        assert_eq!(all, [(1, 2, 20, Some(2)), (2, 1, 10, Some(1)), (4, 2, 10, None), (5, 8, 10, None)]);
        assert_eq!((recalls[0].session.as_deref(), recalls[1].session.as_deref()), (Some("s"), None));
    }
}
