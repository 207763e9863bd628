//! `lessons receive`: take in the lessons that colleagues share.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use lessons_review::project_names;
use lessons_sharing::receiving::{self, places};

use crate::app::{App, Coded, Exit};

/// Arguments of `lessons receive`.
#[derive(Debug, Args)]
pub struct Receive {
    /// A folder with events, or `-` for events on standard input, one on each line; without it the folders of trusted
    /// projects, of this project and of the setting `share.folders`
    #[arg(value_name = "FOLDER|-")]
    pub from: Option<PathBuf>,
}

/// The most bytes that are read from a pipe: a thousand events of the largest size.
const MOST_BYTES: u64 = 64 << 20;

pub(crate) fn run(app: &App, args: &Receive) -> Result<Exit> {
    // An event may be for this project, wherever it comes from.
    if let Some(here) = project_names::here() {
        project_names::remember(app, &here)?;
    }
    let receipt = match args.from.as_deref() {
        None => receiving::receive(app, &places::with_here(app)?, None)?,
        Some(stdin) if stdin == Path::new("-") => {
            let mut lines = Vec::new();
            std::io::stdin().take(MOST_BYTES).read_to_end(&mut lines)?;
            receiving::receive(app, &[], Some(&lines))?
        }
        Some(folder) if folder.is_dir() => {
            let folder = std::path::absolute(folder)?;
            receiving::receive(app, &[places::of_folder(&folder)], None)?
        }
        Some(folder) => {
            let message = format!("there is no folder {} to receive from", folder.display());
            bail!(Coded::refused("NO_SUCH_FOLDER", message));
        }
    };
    app.done(&receipt)
}
