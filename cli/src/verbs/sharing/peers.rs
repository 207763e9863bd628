//! `lessons peers` and `lessons receive`: whose shared lessons are wanted, and taking them in.

use std::collections::BTreeMap;
use std::io::Read as _;

use clap::Subcommand;
use lessons_ledger::decisions;
use lessons_review::project_names;
use lessons_share::PublicKey;
use lessons_sharing::receiving::{self, places};
use lessons_store::{
    Decisions, Peer, PeerName, PeerTrust, decisions::peers, shared_folder, shared_folder::identity,
};

use crate::prelude::*;

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
    /// List the key of this machine, those that you trust, and unknown ones with held events (the same as without an action)
    List,
    /// Trust a key: lessons signed with it become candidates
    Trust {
        /// The public key, as `lessons peers` prints it on the other machine: npub1… or hexadecimal digits
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

/// The most unknown keys that are listed, those with the most events first.
const MOST_UNKNOWN: usize = 10;

pub(crate) fn run(app: &App, args: &Peers) -> Result<Exit> {
    match &args.action {
        None | Some(PeersAction::List) => list(app),
        Some(PeersAction::Trust { key, name, auto }) => {
            let trust = if *auto { PeerTrust::Auto } else { PeerTrust::Review };
            give_trust(app, *key, name.as_ref(), trust)
        }
        Some(PeersAction::Distrust { peer }) => withdraw_trust(app, peer),
    }
}

fn give_trust(app: &App, key: PublicKey, name: Option<&PeerName>, trust: PeerTrust) -> Result<Exit> {
    if identity::read(&app.home)?.is_some_and(|own| own.public() == key) {
        bail!(Coded::refused("OWN_KEY", "that is the key of this machine; your own lessons need no peer"));
    }
    let file = peers::Peers::read(&app.home)?;
    let known = file.0.get(&key);
    let Some(name) = name.or(known.map(|peer| &peer.name)).cloned() else {
        bail!(Coded::refused("NO_NAME", "give the key a name of yours: --name ana"));
    };
    if file.named(&name).is_some_and(|other| other != key) {
        let message = format!("another peer has the name {name}; `lessons peers` lists them");
        bail!(Coded::refused("NAME_TAKEN", message));
    }
    let since = known.map_or_else(|| app.now_text(), |peer| peer.since.clone());
    let message = match trust {
        PeerTrust::Review => format!("{name} is trusted: lessons signed with this key become candidates"),
        PeerTrust::Auto => format!("{name} is trusted: lessons signed with this key advise at once"),
    };
    let said = Message::new("trusted", name.as_str(), message);
    set(app, key, Some(Peer { name, since, trust }), said)
}

fn withdraw_trust(app: &App, text: &str) -> Result<Exit> {
    let file = peers::Peers::read(&app.home)?;
    let named = || text.parse().ok().and_then(|name| file.named(&name));
    let found = PublicKey::typed(text).ok().or_else(named).and_then(|key| Some((key, file.0.get(&key)?)));
    let Some((key, peer)) = found else {
        bail!(Coded::refused("UNKNOWN_PEER", "you trust no such key or name; `lessons peers` lists them"));
    };
    let message = format!("{} is no longer trusted; no lesson signed with this key is in force", peer.name);
    set(app, key, None, Message::new("distrusted", peer.name.as_str(), message))
}

fn set(app: &App, key: PublicKey, peer: Option<Peer>, said: Message) -> Result<Exit> {
    let (lock, mut database) = app.lock_database()?;
    let save = |decisions: &mut Decisions| lessons_store::decisions::put(&mut decisions.peers.0, key, peer);
    let change = decisions::save(&lock, &mut database, &app.deed(said.done), save)?.change;
    drop(lock);
    // Also where nothing changed: an interrupted run may have left its lessons in force.
    building::build(app)?;
    app.done(&if change.is_some() {
        said.then("lessons peers")
    } else {
        let before = format!("{} was trusted like that before", said.id);
        Message::new("unchanged", said.id, before)
    })
}

fn list(app: &App) -> Result<Exit> {
    let file = peers::Peers::read(&app.home)?;
    let mut events = claimed_authors()?;
    for (key, held) in app.database()?.unknown_authors()? {
        let here = events.entry(key).or_default();
        *here = held.max(*here);
    }
    let own = identity::read(&app.home)?.map(|key| key.public());
    let mut lines = match own {
        Some(own) => vec![
            format!("this machine signs with {}", own.to_npub()),
            format!("  {own} (the same in hexadecimal digits)"),
            format!("  On the other machine: lessons peers trust {} --name NAME", own.to_npub()),
        ],
        None => vec!["this machine has no key yet; the first `lessons share` makes one".to_owned()],
    };
    events.retain(|key, _| Some(*key) != own);
    let mut trusted = Vec::new();
    for (key, Peer { name, trust, since }) in &file.0 {
        let events = events.remove(key).unwrap_or(0);
        let short: String = key.to_string().chars().take(8).collect();
        lines.push(format!("{name}  {trust}  {} here  peer-{short}", counted(events, "event")));
        trusted.push(json!({ "name": name, "key": key, "trust": trust, "since": since, "events": events }));
    }
    if trusted.is_empty() {
        lines.push("you trust no peer; `lessons peers trust KEY --name NAME` adds one".to_owned());
    }
    let mut unknown: Vec<(PublicKey, u64)> = events.into_iter().collect();
    unknown.sort_by_key(|(key, events)| (std::cmp::Reverse(*events), *key));
    if !unknown.is_empty() {
        lines.push("unknown keys, whose events are held and not used:".to_owned());
    }
    let shown = unknown.iter().take(MOST_UNKNOWN);
    lines.extend(shown.map(|(key, events)| format!("  {}  {}", key.to_npub(), counted(*events, "event"))));
    if let more @ 1.. = unknown.len().saturating_sub(MOST_UNKNOWN) {
        lines.push(format!("  … and {more} more: `lessons --json peers`"));
    }
    let row = |(key, events): &(PublicKey, u64)| json!({ "key": key, "events": events });
    let unknown: Vec<_> = unknown.iter().map(row).collect();
    let fields = json!({
        "key": own, "npub": own.map(|own| own.to_npub()), "peers": trusted, "unknown": unknown,
    });
    app.done(&Answer::new(lines, fields))
}

/// The authors whom the events in this project name, and the number of events of each.
fn claimed_authors() -> Result<BTreeMap<PublicKey, u64>> {
    let Some(root) = project_names::here() else { return Ok(BTreeMap::new()) };
    Ok(shared_folder::claimed_authors(&shared_folder::of_project(&root)?)?)
}

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

pub(crate) fn receive(app: &App, args: &Receive) -> Result<Exit> {
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
