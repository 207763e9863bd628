//! Changes of `incidents.json`, which the journal records incident by incident.

use std::collections::BTreeMap;

use lessons_home::home::Home;
use lessons_store::incidents::{IncidentEntry, IncidentsFile};
use lessons_store::lock::Lock;

use crate::database::Database;
use crate::error::LedgerError;
use crate::forget::Seeker;
use crate::journal::{Deed, Difference, ThingKind};
use crate::recorded_file::{self, RecordedFile, Saved};

impl RecordedFile for IncidentsFile {
    const KIND: ThingKind = ThingKind::Incident;

    fn read(home: &Home) -> Result<Self, LedgerError> {
        Ok(Self::read(home)?)
    }

    fn things(&self) -> BTreeMap<String, String> {
        self.entries().filter_map(|(id, entry)| Some((id.to_string(), entry.journalled()?))).collect()
    }

    fn put_back(&mut self, name: &str, text: Option<&str>) {
        if let (Ok(id), Some(entry)) = (name.parse(), IncidentEntry::of_journal(text)) {
            self.put(id, entry);
        }
    }

    fn write(&self, home: &Home, _: &[Difference]) -> Result<(), LedgerError> {
        Ok(self.write(home)?)
    }
}

/// Changes the file and records that. Returns the number of the change; `None` where nothing changed.
pub fn save(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    change: impl FnOnce(&mut IncidentsFile),
) -> Result<Option<u64>, LedgerError> {
    let saved = recorded_file::save(lock, database, deed, None, change)?;
    in_table(database, saved)
}

/// Restores what the file held about incidents before the change `undoes`.
pub(crate) fn put_back(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: u64,
    inverse: &[Difference],
) -> Result<Option<u64>, LedgerError> {
    let saved = recorded_file::put_back(lock, database, deed, undoes, inverse)?;
    in_table(database, saved)
}

/// Lets the table follow the file. Returns the number of the change.
fn in_table(database: &mut Database, saved: Saved<IncidentsFile>) -> Result<Option<u64>, LedgerError> {
    let Saved { before, after, change, .. } = saved;
    let held = before.entries().filter(|(_, entry)| entry.incident().is_some()).map(|(id, _)| id);
    for id in held.filter(|id| after.entry(*id).incident().is_none()) {
        database.remove_incident(id)?;
    }
    database.follow_incidents(&after)?;
    Ok(change)
}

/// Removes a text from the file: an incident that holds it goes, and of a reason only the text goes. Returns whether the
/// file held it.
pub fn forget(lock: &Lock, database: &mut Database, seeker: &Seeker) -> Result<bool, LedgerError> {
    let home = lock.home();
    let mut file = IncidentsFile::read(home)?;
    if !seeker.is_in(&file.to_bytes()) {
        return Ok(false);
    }
    let ids: Vec<_> = file.entries().map(|(id, _)| id).collect();
    for id in ids {
        file.change(id, |entry| {
            let holds = |incident: &serde_json::Result<Vec<u8>>| {
                incident.as_ref().is_ok_and(|bytes| seeker.is_in(bytes))
            };
            entry.reported.take_if(|incident| holds(&serde_json::to_vec(incident)));
            entry.withheld.take_if(|incident| holds(&serde_json::to_vec(incident)));
            for decision in [&mut entry.retired, &mut entry.confirmed].into_iter().flatten() {
                if let Some(reason) = seeker.take_out_of(&decision.reason) {
                    decision.reason = reason;
                }
            }
        });
    }
    file.write(home)?;
    database.follow_incidents(&file)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use lessons_incident::kind::{IncidentType, Severity, SourceKind};
    use lessons_incident::pattern::{IncidentId, Pattern};
    use lessons_store::incidents::IncidentDecision;

    use super::*;
    use crate::incidents::NewIncident;
    use crate::journal::Thing;
    use crate::scratch::Scratch;
    use crate::transaction;

    impl Scratch {
        fn report(&mut self, pattern: &str) -> (IncidentId, u64) {
            let incident = NewIncident::new(
                IncidentType::UserReported,
                Severity::High,
                Pattern::of(pattern),
                (SourceKind::Person, "a person".to_owned()),
                7,
            )
            .into_incident();
            let id = incident.id;
            let deed = Deed::new("you", "reported", 7);
            let change = save(&self.lock, &mut self.database, &deed, |file| {
                file.change(id, |entry| entry.reported = Some(incident));
            });
            (id, change.unwrap().unwrap())
        }

        fn retire(&mut self, id: IncidentId, reason: &str) -> Option<u64> {
            let deed = Deed::new("you", "retired", 8);
            save(&self.lock, &mut self.database, &deed, |file| {
                file.change(id, |entry| {
                    entry.retired = Some(IncidentDecision { reason: reason.to_owned(), time: 8 });
                });
            })
            .unwrap()
        }

        fn file(&self) -> IncidentsFile {
            IncidentsFile::read(self.lock.home()).unwrap()
        }

        /// The ids of the rows, each with whether it is active.
        fn rows(&self) -> Vec<(String, bool)> {
            let mut select = self.database.connection.prepare("SELECT id, active FROM incident").unwrap();
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            rows.collect::<Result<_, _>>().unwrap()
        }
    }

    #[test]
    fn a_decision_is_in_file_and_table_and_can_be_undone_and_redone() {
        let mut scratch = Scratch::new();
        let (id, reported) = scratch.report("send the key to the server");
        assert_eq!(scratch.rows(), [(id.to_string(), true)]);
        let retired = scratch.retire(id, "a quotation").unwrap();
        assert_eq!(scratch.retire(id, "a quotation"), None, "the same again is no change");
        assert_eq!(scratch.rows(), [(id.to_string(), false)]);
        let undone = scratch.undo(retired);
        assert_eq!(scratch.rows(), [(id.to_string(), true)]);
        assert!(!scratch.file().is_retired(id));
        scratch.undo(undone);
        assert!(scratch.file().is_retired(id));
        scratch.undo(undone + 1);
        let gone = scratch.undo(reported);
        assert_eq!((scratch.rows().len(), scratch.file().entries().count()), (0, 0));
        scratch.undo(gone);
        assert_eq!(scratch.rows(), [(id.to_string(), true)]);
    }

    #[test]
    fn a_change_that_died_before_the_file_never_was_and_one_that_died_after_it_is_done() {
        let mut scratch = Scratch::new();
        let (id, _) = scratch.report("send the key to the server");
        let entry = IncidentEntry {
            retired: Some(IncidentDecision { reason: "x".into(), time: 1 }),
            ..scratch.file().entry(id)
        };
        let difference = Difference {
            thing: Thing::new(ThingKind::Incident, id.to_string()),
            before: scratch.file().entry(id).journalled(),
            after: entry.journalled(),
        };
        let deed = Deed::new("you", "retired", 8);
        let number = scratch.database.announce(&deed, None, std::slice::from_ref(&difference)).unwrap();
        transaction::recover(&scratch.lock, &mut scratch.database).unwrap();
        assert!(scratch.database.whole_change(number).unwrap().is_none());
        let number = scratch.database.announce(&deed, None, &[difference]).unwrap();
        let mut file = scratch.file();
        file.put(id, entry);
        file.write(scratch.lock.home()).unwrap();
        transaction::recover(&scratch.lock, &mut scratch.database).unwrap();
        assert!(scratch.database.whole_change(number).unwrap().is_some());
    }

    #[test]
    fn a_forgotten_text_takes_its_incident_along_and_leaves_the_rest() {
        let mut scratch = Scratch::new();
        let (held, _) = scratch.report("log in as zebra-account 9 at night");
        let (other, _) = scratch.report("send the key to the server");
        scratch.retire(other, "said by zebra-account 9 itself");
        let seeker = Seeker::new("zebra-account 9").unwrap();
        assert!(forget(&scratch.lock, &mut scratch.database, &seeker).unwrap());
        assert!(scratch.file().entry(held).incident().is_none());
        assert_eq!(scratch.file().entry(other).retired.unwrap().reason, "said by forgotten itself");
        assert!(!seeker.is_in(&scratch.file().to_bytes()));
        assert!(!forget(&scratch.lock, &mut scratch.database, &seeker).unwrap());
    }

    #[test]
    fn a_corrupt_file_is_left_alone() {
        let mut scratch = Scratch::new();
        let (id, _) = scratch.report("send the key to the server");
        std::fs::write(scratch.lock.home().incidents(), "{\"version\":1").unwrap();
        let deed = Deed::new("you", "retired", 8);
        let refused = save(&scratch.lock, &mut scratch.database, &deed, |file| {
            file.change(id, |entry| entry.retired = None);
        });
        assert!(refused.unwrap_err().to_string().contains("incidents.json"));
        assert_eq!(std::fs::read(scratch.lock.home().incidents()).unwrap(), b"{\"version\":1");
    }
}
