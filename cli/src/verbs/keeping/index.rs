//! `lessons index`: the manifest and its index, made anew from what was accepted, for a hook that finds none.
//!
//! It makes a session of its own, so that nothing that happens to the client reaches it; it does not wait for another
//! command that changes something, which publishes itself; and the system ends it after [`LIFETIME_SECONDS`].

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_publish::building;
use lessons_store::durable;
use nix::unistd::alarm;

use crate::app::App;
use crate::background;
use crate::ui::failure;

/// How long it may work: many times what the largest store takes. What it has published by then is whole.
const LIFETIME_SECONDS: u32 = 600;

pub(crate) fn run(app: &App) -> Result<Exit> {
    background::detach();
    alarm::set(LIFETIME_SECONDS);
    let built = building::build_if_free(app);
    // What is left there tells hooks of a failure, and keeps them from trying again at once.
    let attempt = app.home.index_attempt();
    if attempt.exists() {
        match &built {
            Ok(_) => durable::remove(&attempt)?,
            Err(error) => durable::replace(&attempt, failure::sentence(error).as_bytes())?,
        }
    }
    built?;
    Ok(Exit::Done)
}
