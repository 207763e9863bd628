//! `lessons identity`: the public key with which this machine signs shared lessons.

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_store::identity;
use serde_json::json;

use crate::app::App;
use crate::ui::answer::Answer;

pub(crate) fn run(app: &App) -> Result<Exit> {
    let key = identity::read(&app.home)?.map(|key| key.public());
    let lines = match key {
        Some(key) => vec![
            key.to_npub(),
            format!("{key} (the same in hexadecimal digits)"),
            format!("Next, on the other machine: lessons peers trust {} --name NAME", key.to_npub()),
        ],
        None => vec!["this machine has no key yet; the first `lessons share` makes one".to_owned()],
    };
    app.done(&Answer::new(lines, json!({ "key": key, "npub": key.map(|key| key.to_npub()) })))
}
