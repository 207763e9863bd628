//! `lessons reject`: reject a candidate.

use anyhow::Result;

use crate::app::{App, Exit};
use crate::args::Reject;
use crate::proof::Way;
use crate::review::decision::Decision;
use crate::review::execute::{self, Done};

pub(crate) fn run(app: &App, args: &Reject) -> Result<Exit> {
    let decision = Decision::Reject { candidate: args.id.clone(), reason: args.reason.clone() };
    match execute::one(app, "rejected", Way::Typed, &decision)?.0 {
        Done::Lesson(changed) => changed.tell(app),
        Done::Candidate(said) => {
            app.answer(&said)?;
            Ok(Exit::Done)
        }
    }
}
