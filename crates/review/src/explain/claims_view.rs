//! A read-only view of the claims of a session: what it was told before.

use std::collections::HashSet;

use lessons_context::context::Context;
use lessons_decide::claims::{Claim, Fresh, Memory, SessionClaims, SessionFiles, SessionFolder};
use lessons_lesson::compiled::DedupScope;

use super::AskedCall;

/// The claim files of a session, none of which is written: new claims are only kept in memory.
struct ReadOnlyClaims {
    files: SessionFolder,
    created: HashSet<String>,
}

impl SessionFiles for ReadOnlyClaims {
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
pub(super) fn memory(context: &Context, asked: &AskedCall, scope: DedupScope) -> Box<dyn Memory> {
    match SessionFolder::of(&context.home, asked.session.as_deref()) {
        Some(files) => {
            let claims = ReadOnlyClaims { files, created: HashSet::new() };
            Box::new(SessionClaims::new(Some(claims), asked.agent_id.as_deref(), scope))
        }
        None => Box::new(Fresh),
    }
}
