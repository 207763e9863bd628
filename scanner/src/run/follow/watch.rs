//! The notifications that transcripts have grown, from the system or by polling.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::time::Duration;

use notify::event::{CreateKind, MetadataKind, ModifyKind};
use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};

/// A change that a follower is told of.
#[derive(Debug)]
pub(super) enum Change {
    /// Transcripts that have grown or are new.
    Changed(Vec<PathBuf>),
    /// Something was written in another folder; see [`super::Follower::others`].
    Elsewhere,
    /// A notification was lost, so everything has to be scanned.
    Missed,
    /// The request to end.
    Stop,
}

/// The interval of polling where the system has no notifications.
const EVERY: Duration = Duration::from_secs(2);

/// The watch on the folders, until it is dropped.
pub(super) struct Watch {
    watchers: Vec<Box<dyn Watcher>>,
    others: BTreeSet<PathBuf>,
    sender: Sender<Change>,
}

impl Watch {
    /// Watches those of `roots` that are there, for transcripts. One that the system cannot watch, as where all its watches are
    /// taken or on some network drives, is looked at again and again.
    pub(super) fn start(roots: &[PathBuf], sender: Sender<Change>) -> Self {
        let mut watch = Self { watchers: Vec::new(), others: BTreeSet::new(), sender };
        roots.iter().filter(|root| root.is_dir()).for_each(|root| watch.begin(root, change));
        watch
    }

    /// Watches other folders too. Returns whether one of them was not watched before.
    pub(super) fn add(&mut self, others: Vec<PathBuf>) -> bool {
        let known = self.others.len();
        for folder in others.into_iter().filter(|folder| folder.is_dir()) {
            if self.others.insert(folder.clone()) {
                self.begin(&folder, elsewhere);
            }
        }
        self.others.len() > known
    }

    fn begin(&mut self, folder: &Path, change: ChangeOf) {
        let watcher = watcher::<RecommendedWatcher>(folder, change, self.sender.clone())
            .or_else(|_| watcher::<PollWatcher>(folder, change, self.sender.clone()));
        // Where neither works there is nothing to follow, and the follower ends for want of changes.
        self.watchers.extend(watcher);
    }
}

/// The change that an event stands for.
type ChangeOf = fn(notify::Result<Event>) -> Option<Change>;

fn watcher<W: Watcher + 'static>(
    root: &Path,
    change: ChangeOf,
    sender: Sender<Change>,
) -> notify::Result<Box<dyn Watcher>> {
    let config = Config::default().with_poll_interval(EVERY).with_follow_symlinks(false);
    // Without a receiver the follower is about to end.
    let tell = move |event| change(event).into_iter().for_each(|change| drop(sender.send(change)));
    let mut watcher = W::new(tell, config)?;
    watcher.watch(root, RecursiveMode::Recursive)?;
    Ok(Box::new(watcher))
}

/// The change that an event stands for. Opening a file is none.
fn change(event: notify::Result<Event>) -> Option<Change> {
    let Ok(event) = event else { return Some(Change::Missed) };
    if event.need_rescan() {
        return Some(Change::Missed);
    }
    // What is in a new folder may have been written before it was watched.
    if event.kind == EventKind::Create(CreateKind::Folder) {
        return Some(Change::Changed(event.paths));
    }
    let grows = writes(event.kind);
    let is_transcript = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    let paths: Vec<PathBuf> = event.paths.into_iter().filter(is_transcript).collect();
    (grows && !paths.is_empty()).then_some(Change::Changed(paths))
}

/// The change of a folder of other things, where something was written or may have been.
fn elsewhere(event: notify::Result<Event>) -> Option<Change> {
    let is_writing = event.map_or(true, |event| event.need_rescan() || writes(event.kind));
    is_writing.then_some(Change::Elsewhere)
}

fn writes(kind: EventKind) -> bool {
    match kind {
        // The time of writing is what looking finds; the rest is who may read it.
        EventKind::Modify(ModifyKind::Metadata(kind)) => kind == MetadataKind::WriteTime,
        EventKind::Create(_) | EventKind::Modify(_) | EventKind::Any | EventKind::Other => true,
        EventKind::Access(_) | EventKind::Remove(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver};

    use notify::event::{AccessKind, AccessMode, DataChange, Flag, RemoveKind};

    use super::*;

    fn of(kind: EventKind, path: &str) -> Option<Change> {
        change(Ok(Event::new(kind).add_path(path.into())))
    }

    #[test]
    fn only_what_may_hold_something_new_is_passed_on() {
        let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        assert!(
            matches!(of(data, "/t/a.jsonl"), Some(Change::Changed(paths)) if paths == [PathBuf::from("/t/a.jsonl")])
        );
        assert!(of(EventKind::Create(CreateKind::File), "/t/a.jsonl").is_some());
        assert!(of(EventKind::Create(CreateKind::Folder), "/t/a").is_some());
        let written = EventKind::Modify(ModifyKind::Metadata(MetadataKind::WriteTime));
        assert!(of(written, "/t/a.jsonl").is_some());
        for kind in [
            // We open them ourselves.
            EventKind::Access(AccessKind::Open(AccessMode::Read)),
            EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)),
            EventKind::Remove(RemoveKind::File),
        ] {
            assert!(of(kind, "/t/a.jsonl").is_none(), "{kind:?}");
        }
        assert!(of(data, "/t/a.txt").is_none());
    }

    #[test]
    fn what_was_missed_is_made_up_for() {
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(matches!(change(Ok(overflow)), Some(Change::Missed)));
        assert!(matches!(change(Err(notify::Error::generic("lost"))), Some(Change::Missed)));
    }

    #[test]
    fn in_another_folder_whatever_is_written_is_heard_of() {
        let dir = tempfile::tempdir().unwrap();
        let (sender, changes) = mpsc::channel();
        let mut watch = Watch::start(&[], sender);
        assert!(watch.add(vec![dir.path().to_owned()]) && !watch.add(vec![dir.path().to_owned()]));
        assert!(!watch.add(vec![dir.path().join("none")]), "it is not there");
        let hears = |name: &str| {
            (0..600).any(|n| {
                std::fs::write(dir.path().join(name), format!("{n}")).unwrap();
                matches!(changes.recv_timeout(Duration::from_millis(100)), Ok(Change::Elsewhere))
            })
        };
        assert!(hears("a.json"));
        let read = EventKind::Access(AccessKind::Open(AccessMode::Read));
        assert!(
            elsewhere(Ok(Event::new(read))).is_none()
                && elsewhere(Err(notify::Error::generic("lost"))).is_some()
        );
    }

    /// Writes to a transcript until that is heard of.
    fn is_heard(path: &Path, scan_piece: &Receiver<Change>) -> bool {
        (0..600).any(|n| {
            std::fs::write(path, format!("{n}\n")).unwrap();
            matches!(
                scan_piece.recv_timeout(Duration::from_millis(100)),
                Ok(Change::Changed(paths)) if paths.iter().any(|found| found.ends_with("a.jsonl"))
            )
        })
    }

    #[test]
    fn both_ways_hear_of_a_transcript_in_a_folder_that_is_made_later() {
        let dir = tempfile::tempdir().unwrap();
        for (name, looks) in [("told", false), ("found", true)] {
            let root = dir.path().join(name);
            std::fs::create_dir(&root).unwrap();
            let (sender, scan_piece) = mpsc::channel();
            let _watcher: Box<dyn Watcher> = if looks {
                watcher::<PollWatcher>(&root, change, sender).unwrap()
            } else {
                watcher::<RecommendedWatcher>(&root, change, sender).unwrap()
            };
            std::fs::create_dir(root.join("project")).unwrap();
            assert!(is_heard(&root.join("project/a.jsonl"), &scan_piece), "{name}");
        }
    }
}
