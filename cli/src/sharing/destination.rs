//! Where shared events go: the project's folder, another one, or a relay.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lessons_home::machine::ThisMachine;
use lessons_ledger::projects;
use lessons_lesson::project::find_roots;
use lessons_share::project_tag::ProjectTag;
use lessons_store::identity;
use lessons_store::shared_folder::{self, OwnEvents};
use lessons_text::neutral::line;

use crate::app::{App, Coded};
use crate::args::Share;

/// What carries the events to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// The project's repository.
    Git,
    /// A folder that the person named.
    Folder,
    /// Whatever reads standard output.
    Relay,
}

/// Where events go.
#[derive(Debug)]
pub(crate) struct Destination {
    /// What carries them.
    pub(crate) carrier: Carrier,
    /// The folder of earlier events; unless they go to a relay, new ones are written there too.
    pub(crate) folder: PathBuf,
    /// The key of the project that they are for.
    pub(crate) key: String,
    /// The same as its events have it.
    pub(crate) project: ProjectTag,
}

impl Destination {
    /// The destination that the options name.
    pub(crate) fn of(args: &Share) -> Result<Self> {
        let folder = args.project.canonicalize().with_context(|| args.project.display().to_string())?;
        let root = find_roots(&folder.to_string_lossy(), &ThisMachine).root;
        let key = projects::key_of(Path::new(&root)).key;
        let project = ProjectTag::of_key(&key).map_err(|error| {
            let text = format!("{}: {error}. Add one with `git remote add origin URL`", line(&root));
            Coded::refused("LOCAL_PROJECT", text)
        })?;
        let own = shared_folder::of_project(Path::new(&root))?;
        let (carrier, folder) = match &args.to {
            Some(folder) => (Carrier::Folder, std::path::absolute(folder)?),
            None if args.print => (Carrier::Relay, own),
            None => (Carrier::Git, own),
        };
        Ok(Self { carrier, folder, key, project })
    }

    /// The user's own events there; none before the first share.
    pub(crate) fn own_events(&self, app: &App) -> Result<OwnEvents> {
        Ok(match identity::read(&app.home)? {
            Some(key) => OwnEvents::read(&self.folder, key.public())?,
            None => OwnEvents::default(),
        })
    }

    /// Who can read what goes there.
    pub(crate) fn audience(&self) -> String {
        match self.carrier {
            Carrier::Git => format!("with everybody who has {}", line(&self.key)),
            Carrier::Folder => {
                format!("with everybody who can read {}", line(&self.folder.to_string_lossy()))
            }
            Carrier::Relay => "with everybody, on whatever relay it is given to".to_owned(),
        }
    }
}
