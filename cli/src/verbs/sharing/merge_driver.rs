//! `lessons merge-driver`: git calls it to merge two versions of a project's lessons.

use lessons_context::Actor;
use lessons_store::{durable, interchange, load};

use crate::prelude::*;
use crate::ui::input::Input;

/// Arguments of `lessons merge-driver`.
#[derive(Debug, Args)]
pub struct MergeDriver {
    /// The version before both
    pub base: PathBuf,
    /// The version of this branch, which the result replaces
    pub ours: PathBuf,
    /// The version of the other branch
    pub theirs: PathBuf,
}

pub(crate) fn run(app: &App, args: &MergeDriver) -> Result<Exit> {
    let target = std::path::absolute(&args.ours)?;
    refuse_our_own(app, &target)?;
    let (base, ours, theirs) = (read(&args.base)?, read(&args.ours)?, read(&args.theirs)?);
    let merged = interchange::merge(&base, &ours, &theirs)?;
    durable::replace_elsewhere(&target, &merged.bytes)?;
    let renamed = merged.renamed.iter().map(|(id, free)| {
        format!("lesson {id} of the other branch is called {free}, as this one has another {id}")
    });
    let conflicts = merged.conflicts.iter();
    let conflicts = conflicts.map(|entry| format!("both branches changed {entry}; keep one of the two"));
    let lines: Vec<String> = renamed.chain(conflicts).collect();
    if !lines.is_empty() {
        app.say(&lines.join("\n"))?;
    }
    Ok(if merged.conflicts.is_empty() { Exit::Done } else { Exit::Findings })
}

/// Refuses to write into the data folder: git calls this without asking anyone, for agents too.
fn refuse_our_own(app: &App, target: &Path) -> Result<()> {
    let folder = target.parent().unwrap_or(target);
    let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
    let home = app.home.root().canonicalize().unwrap_or_else(|_| app.home.root().to_owned());
    if app.actor != Actor::Person && folder.starts_with(home) {
        bail!(Coded::refused("USAGE", "the lessons of this machine are not git's to merge"));
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    Ok(Input::read(path, load::MAX_BYTES)?.bytes)
}
