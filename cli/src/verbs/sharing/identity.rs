//! `lessons identity`: the public key with which this machine signs shared lessons.

use std::fmt;

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_share::key::PublicKey;
use lessons_store::identity;
use serde::Serialize;

use crate::app::App;

/// The answer: the key in both forms, once there is one.
#[derive(Debug, Serialize)]
struct Answer {
    key: Option<PublicKey>,
    npub: Option<String>,
}

pub(crate) fn run(app: &App) -> Result<Exit> {
    let key = identity::read(&app.home)?.map(|key| key.public());
    app.done(&Answer { key, npub: key.map(|key| key.to_npub()) })
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key {
            Some(key) => {
                let npub = key.to_npub();
                write!(
                    f,
                    "{npub}\n{key} (the same in hexadecimal digits)\n\
                     Next, on the other machine: lessons peers trust {npub} --name NAME"
                )
            }
            None => f.write_str("this machine has no key yet; the first `lessons share` makes one"),
        }
    }
}
