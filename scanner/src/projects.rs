//! The projects that sessions worked on. With them a scope can be compiled to folders of this machine.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use lessons_home::machine::ThisMachine;
use lessons_ledger::database::{Database, DatabaseError};
use lessons_ledger::projects::key_of;
use lessons_lesson::project::find_roots;
use lessons_text::path::lexical;

use crate::timestamp::Timestamp;

/// The projects of one scan.
#[derive(Debug, Default)]
pub(crate) struct Projects {
    by_folder: HashMap<String, String>,
    /// The roots that the database may not know yet.
    new: BTreeSet<String>,
}

impl Projects {
    /// The root of the project that holds `folder`. For a linked work tree it is the main one, because that is the
    /// same project.
    pub(crate) fn root_of(&mut self, folder: &str) -> String {
        let root = self.by_folder.entry(folder.to_owned()).or_insert_with(|| {
            let roots = find_roots(&lexical(folder), &ThisMachine);
            let root = roots.main.unwrap_or(roots.root);
            self.new.insert(root.clone());
            root
        });
        root.clone()
    }

    /// Records the projects that the database does not know yet, except folders that are gone.
    ///
    /// This has to happen before a cursor moves past the lines that name them: the next scan does not read those
    /// again.
    pub(crate) fn remember(&mut self, database: &mut Database, now: Timestamp) -> Result<(), DatabaseError> {
        if self.new.is_empty() {
            return Ok(());
        }
        let known: BTreeSet<(String, String)> = database.project_roots()?.into_iter().collect();
        for root in std::mem::take(&mut self.new).into_iter().filter(|root| Path::new(root).is_dir()) {
            let project = key_of(Path::new(&root));
            if !known.contains(&(root.clone(), project.key.clone())) {
                database.remember_project(&root, &project.key, &project.label, now.millis())?;
            }
        }
        Ok(())
    }
}
