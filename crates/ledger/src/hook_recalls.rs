//! Reminders and blocks of the hooks, counted as recalls.

use std::collections::BTreeMap;

use lessons_store::telemetry::Recall;

use crate::database::{Database, DatabaseError};

/// Returns every call with a reminder or a block. `tokens` gives the number of tokens of a lesson's rule; an
/// event does not, so a lesson that was changed since counts as it is now. Of one that is gone nothing is known,
/// and neither is of the recall which lessons it told.
pub fn told(
    database: &Database,
    tokens: &dyn Fn(&str) -> Option<usize>,
) -> Result<Vec<Recall>, DatabaseError> {
    let sql = "SELECT event.id, time, session, more, lesson FROM event JOIN event_lesson ON event = event.id
                WHERE outcome IN ('told', 'refused') ORDER BY event.id";
    let mut recalls: BTreeMap<i64, (Recall, Vec<String>)> = BTreeMap::new();
    let mut read = || -> rusqlite::Result<()> {
        let mut select = database.connection.prepare(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (time, session, more): (i64, String, usize) = (row.get(1)?, row.get(2)?, row.get(3)?);
            let (recall, ids) = recalls.entry(row.get(0)?).or_insert_with(|| {
                let recall = Recall {
                    t: time.cast_unsigned(),
                    session: Some(session).filter(|session| !session.is_empty()),
                    matches: more,
                    ..Recall::default()
                };
                (recall, Vec::new())
            });
            recall.matches += 1;
            ids.push(row.get(4)?);
        }
        Ok(())
    };
    read().map_err(|error| database.explain(error))?;
    let whole = recalls.into_values().map(|(mut recall, ids)| {
        let known: Vec<usize> = ids.iter().filter_map(|id| tokens(id)).collect();
        recall.tokens = known.iter().sum();
        if known.len() == recall.matches {
            recall.name(&ids);
        }
        recall
    });
    Ok(whole.collect())
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
                v: 1,
                t,
                session: session.into(),
                call: String::new(),
                agent: "main".into(),
                outcome,
                lessons: lessons.iter().map(|&id| id.into()).collect(),
                more,
                us: 1,
                lot: String::new(),
            };
            event.append(&home.events());
        };
        happens(1, Outcome::Told, "s", &["user/a", "user/b"], 0);
        happens(2, Outcome::Refused, "", &["user/a"], 0);
        happens(3, Outcome::Passed, "s", &["user/a"], 0);
        happens(4, Outcome::Told, "s", &["user/a", "user/gone"], 0);
        happens(5, Outcome::Told, "s", &["user/a"], 7);
        crate::events::take_in(&home, &mut database, 5).unwrap();
        let recalls = told(&database, &|id| ["user/a", "user/b"].contains(&id).then_some(10)).unwrap();
        let of = |recall: &Recall| {
            (recall.t, recall.matches, recall.tokens, recall.lessons.as_ref().map(Vec::len))
        };
        let all: Vec<_> = recalls.iter().map(of).collect();
        assert_eq!(all, [(1, 2, 20, Some(2)), (2, 1, 10, Some(1)), (4, 2, 10, None), (5, 8, 10, None)]);
        assert_eq!((recalls[0].session.as_deref(), recalls[1].session.as_deref()), (Some("s"), None));
    }
}
