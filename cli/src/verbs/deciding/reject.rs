//! `lessons reject`: reject a candidate.

use anyhow::Result;
use clap::Args;
use lessons_context::error::Exit;
use lessons_review::candidates::carry_out;
use lessons_review::proof::ChangeOrigin;
use lessons_review::reflection::unread;

use crate::app::App;
use crate::change;
use crate::review::Decision;
use crate::ui::prompt;

/// Arguments of `lessons reject`.
#[derive(Debug, Args)]
pub struct Reject {
    /// The candidate's id, or the start of it
    pub id: String,
    /// The reason
    #[arg(long)]
    pub reason: Option<String>,
}

pub(crate) fn run(app: &App, args: &Reject) -> Result<Exit> {
    unread::candidate(app, &args.id)?;
    let decision = Decision::Reject { candidate: args.id.clone(), reason: args.reason.clone() };
    change::tell(app, &carry_out::one(app, ChangeOrigin::Command, prompt::remedy(app), &decision)?.0)
}
