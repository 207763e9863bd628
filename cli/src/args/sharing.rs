//! Arguments of the verbs about shared lessons.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};
use lessons_share::key::PublicKey;
use lessons_sharing::destination::{Destination, Target};
use lessons_store::peers::PeerName;

/// Arguments of `lessons share` and `lessons unshare`.
#[derive(Debug, Args)]
pub struct Share {
    /// The ids of your lessons
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Write into this folder, such as one that is synced, instead of the project's .lessons/shared
    #[arg(long, value_name = "FOLDER", conflicts_with = "print")]
    pub to: Option<PathBuf>,
    /// Print the signed events for a relay and write nothing; the project is named by a hash
    #[arg(long)]
    pub print: bool,
    /// The folder of the project that the lessons are for
    #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    pub project: PathBuf,
    /// Show what becomes public and share it without asking
    #[arg(long)]
    pub yes: bool,
}

impl Share {
    /// Where the events go.
    pub fn destination(&self) -> Result<Destination> {
        let target = match &self.to {
            Some(folder) => Target::Folder(folder),
            None if self.print => Target::Relay,
            None => Target::Project,
        };
        Destination::of(&self.project, target)
    }
}

/// Arguments of `lessons peers`.
#[derive(Debug, Args)]
pub struct Peers {
    /// The action; without one, peers are listed
    #[command(subcommand)]
    pub action: Option<PeersAction>,
}

/// The actions of `lessons peers`.
#[derive(Debug, Subcommand)]
pub enum PeersAction {
    /// List the keys that you trust, and unknown keys with held events (the same as without an action)
    List,
    /// Trust a key: lessons signed with it become candidates
    Trust {
        /// The public key, as `lessons identity` prints it on the other machine: npub1… or hexadecimal digits
        #[arg(value_parser = PublicKey::typed)]
        key: PublicKey,
        /// Your name for whoever has the key, such as ana
        #[arg(long)]
        name: Option<PeerName>,
        /// Let the lessons that pass every check advise at once, without a review
        #[arg(long)]
        auto: bool,
    },
    /// Stop trusting a key: nothing signed with it stays in force
    Distrust {
        /// Your name for the peer, or the public key
        #[arg(value_name = "NAME|KEY")]
        peer: String,
    },
}
