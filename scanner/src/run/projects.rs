//! The projects that sessions worked on. With them a scope can be compiled to folders of this machine.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use lessons_home::ThisMachine;
use lessons_ledger::projects::{Repository, key_of};
use lessons_ledger::{Database, DatabaseError, ProjectKey};
use lessons_lesson::project::find_roots;
use lessons_text::path::lexical;

use crate::transcript::SessionFolder;
use crate::transcript::timestamp::Timestamp;

/// The projects of one scan.
#[derive(Debug, Default)]
pub(crate) struct Projects {
    by_folder: HashMap<String, String>,
    /// The roots that the database may not know yet.
    new: BTreeSet<String>,
    /// The roots that are gone, each with what its sessions say of the repository that it belonged to.
    gone: BTreeMap<String, Option<SessionFolder>>,
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

    /// Notes a folder in which a session began, or that was made for one.
    pub(crate) fn begun_in(&mut self, place: &SessionFolder) {
        let root = self.root_of(&place.folder);
        if !Path::new(&root).is_dir() {
            let known = self.gone.entry(root).or_default();
            if known.as_ref().is_none_or(|known| known.made_for.is_none()) {
                *known = Some(place.clone());
            }
        }
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
        for root in std::mem::take(&mut self.new) {
            if !Path::new(&root).is_dir() {
                self.gone.entry(root).or_default();
                continue;
            }
            let project = key_of(Path::new(&root));
            if !known.contains(&(root.clone(), project.key.clone())) {
                database.remember_project(&root, &project.key, &project.label, now.millis())?;
            }
        }
        Ok(())
    }

    /// Records folders that are gone, and were work trees of known projects, with the keys of these. The client says whose
    /// they were, or a repository still registers them, or a branch that only one repository has does.
    pub(crate) fn remember_work_trees(
        &mut self,
        database: &mut Database,
        now: Timestamp,
    ) -> Result<(), DatabaseError> {
        let known = database.project_roots()?;
        let mut gone = std::mem::take(&mut self.gone);
        gone.retain(|root, _| !known.iter().any(|(other, _)| other == root));
        if gone.is_empty() {
            return Ok(());
        }
        let read = |root: &String| Some((key_of(Path::new(root)), Repository::at(Path::new(root))?));
        let repositories: Vec<_> = known.iter().filter_map(|(root, _)| read(root)).collect();
        for (root, said) in gone {
            let made_for = said.as_ref().and_then(|said| said.made_for.as_deref());
            let main = made_for.map(|folder| self.root_of(folder)).filter(|main| Path::new(main).is_dir());
            let owner = main.map(|main| key_of(Path::new(&main))).or_else(|| {
                let branch = said.as_ref().and_then(|said| said.branch.as_deref());
                let may_have =
                    |repository: &Repository| branch.is_some_and(|it| repository.may_have_elsewhere(it));
                owner(&repositories, |repository| repository.registers(&root))
                    .or_else(|| owner(&repositories, may_have))
            });
            if let Some(ProjectKey { key, label }) = owner {
                database.remember_project(&root, &key, &label, now.millis())?;
            }
        }
        Ok(())
    }
}

/// The project of the repositories for which `is` holds, if all of them are one project.
fn owner(repositories: &[(ProjectKey, Repository)], is: impl Fn(&Repository) -> bool) -> Option<ProjectKey> {
    let mut owners = repositories.iter().filter(|(_, repository)| is(repository)).map(|(key, _)| key);
    let first = owners.next()?;
    owners.all(|other| other.key == first.key).then(|| first.clone())
}
