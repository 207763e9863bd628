//! What was told before, looked at without leaving a trace.

use std::collections::HashSet;

use lessons_decide::claims::{Claim, Fresh, Memory, SessionClaims, SessionFiles, SessionFolder};
use lessons_lesson::compiled::DedupScope;

use super::asked::Asked;
use crate::app::App;

/// The files of a session, of which none is written: what would be created is only remembered.
struct Peek {
    files: SessionFolder,
    created: HashSet<String>,
}

impl SessionFiles for Peek {
    fn create(&mut self, name: &str) -> Claim {
        if self.holds(name) {
            return Claim::Taken;
        }
        self.created.insert(name.to_owned());
        Claim::Won
    }

    fn holds(&self, name: &str) -> bool {
        self.created.contains(name) || self.files.holds(name)
    }

    fn remove(&mut self, name: &str) {
        self.created.remove(name);
    }
}

/// The claims that count for a call.
pub(super) fn memory(app: &App, asked: &Asked, scope: DedupScope) -> Box<dyn Memory> {
    match SessionFolder::of(&app.home, asked.session.as_deref()) {
        Some(files) => {
            let peek = Peek { files, created: HashSet::new() };
            Box::new(SessionClaims::new(Some(peek), asked.agent_id.as_deref(), scope))
        }
        None => Box::new(Fresh),
    }
}
