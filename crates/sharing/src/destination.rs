//! Where shared events go: the project's folder, another one, or a relay.

use std::path::{Path, PathBuf};

use lessons_context::context::Context;
use lessons_context::error::{Coded, Error, Result, WhileDoing as _};
use lessons_home::machine::ThisMachine;
use lessons_ledger::projects;
use lessons_lesson::project::find_roots;
use lessons_share::project_tag::ProjectTag;
use lessons_store::identity;
use lessons_store::shared_folder::{self, OwnEvents};
use lessons_text::neutral::line;

/// What carries the events to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// The project's repository.
    Git,
    /// A folder that the person named.
    Folder,
    /// Whatever reads standard output.
    Relay,
}

/// Where a person wants events to go.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// Into the project's repository.
    Project,
    /// Into this folder, such as one that is synced.
    Folder(&'a Path),
    /// To a relay: they are printed, and nothing is written.
    Relay,
}

/// Where events go.
#[derive(Debug)]
pub struct Destination {
    /// What carries them.
    pub carrier: Carrier,
    /// The folder of earlier events; unless they go to a relay, new ones are written there too.
    pub folder: PathBuf,
    /// The key of the project that they are for.
    pub key: String,
    /// The same as its events have it.
    pub project: ProjectTag,
}

impl Destination {
    /// The destination of events for the project at `folder`.
    pub fn of(folder: &Path, target: Target<'_>) -> Result<Self> {
        let folder = folder.canonicalize().while_doing(|| folder.display().to_string())?;
        let root = find_roots(&folder.to_string_lossy(), &ThisMachine).root;
        let key = projects::key_of(Path::new(&root)).key;
        let project = ProjectTag::of_key(&key).map_err(|error| {
            let text = format!("{}: {error}. Add one with `git remote add origin URL`", line(&root));
            Coded::refused("LOCAL_PROJECT", text)
        })?;
        let own = shared_folder::of_project(Path::new(&root))?;
        let (carrier, folder) = match target {
            Target::Folder(folder) => (Carrier::Folder, std::path::absolute(folder)?),
            Target::Relay => (Carrier::Relay, own),
            Target::Project => (Carrier::Git, own),
        };
        Ok(Self { carrier, folder, key, project })
    }

    /// The user's own events there; none before the first share.
    pub fn own_events(&self, context: &Context) -> Result<OwnEvents> {
        Ok(match identity::read(&context.home).map_err(Error::of)? {
            Some(key) => OwnEvents::read(&self.folder, key.public())?,
            None => OwnEvents::default(),
        })
    }

    /// Who can read what goes there.
    pub fn audience(&self) -> String {
        match self.carrier {
            Carrier::Git => format!("with everybody who has {}", line(&self.key)),
            Carrier::Folder => {
                format!("with everybody who can read {}", line(&self.folder.to_string_lossy()))
            }
            Carrier::Relay => "with everybody, on whatever relay it is given to".to_owned(),
        }
    }
}
