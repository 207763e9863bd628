//! Everything that can be recalled in a project: what ships with us, what it brings along, what the user has.

use anyhow::{Context, Result};
use lessons_core::id::{Layer, ProjectHash, QualifiedId};
use lessons_core::path;
use lessons_core::recall::Corpus;
use lessons_manifest_builder::seeds;
use lessons_store::config::Config;
use lessons_store::recall::own::Own;
use lessons_store::{recall, trust};

use crate::app::App;
use crate::building::VERSION;

/// What the lessons are read from.
pub(crate) struct Sources {
    own: Own,
    trusted: Vec<trust::Approved>,
}

impl Sources {
    /// What stands on this machine.
    pub(crate) fn of(app: &App) -> Result<Self> {
        Ok(Self { own: Own::open(&app.home)?, trusted: trust::approved(&app.home)? })
    }

    /// Everything that is in force in the project at `root`, and how many lessons of the user cannot be read.
    pub(crate) fn corpus(&self, app: &App, config: &Config, root: &str) -> Result<(Corpus<'_>, usize)> {
        let mut corpus = Corpus::default();
        let off = config.lessons_off();
        let now = app.now_ms();
        let is_on = |id: &str| match off.get(id) {
            None => true,
            Some(until) => until.is_some_and(|until| until <= now),
        };
        for (name, text) in seeds::files() {
            recall::read(&mut corpus, &Layer::Seed, text.as_bytes(), &is_on)
                .with_context(|| (*name).to_owned())?;
        }
        let here = |approved: &&trust::Approved| path::below(root, &approved.store.root).is_some();
        for approved in self.trusted.iter().filter(here) {
            let layer = Layer::Project(ProjectHash::of_root(&approved.store.root));
            for lesson in &approved.lessons {
                let id = QualifiedId { layer: layer.clone(), id: lesson.id.clone() };
                if is_on(&id.to_string()) {
                    corpus.add_lesson(&id, lesson);
                }
            }
        }
        let unread = self.own.read(&mut corpus, VERSION, &is_on)?;
        Ok((corpus, unread))
    }
}
