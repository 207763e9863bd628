//! `lessons nightly`: do the nightly work.

use std::time::SystemTime;

use anyhow::Result;
use lessons_context::error::Exit;

use crate::app::App;
use crate::nightly;

/// Does the nightly work.
pub(crate) fn run(app: &App) -> Result<Exit> {
    let night = nightly::run(app, SystemTime::now())?;
    app.recorded(&night)?;
    Ok(if night.is_quiet() { Exit::Done } else { Exit::Findings })
}
