//! The user's own lessons as a question needs them: from the part that a build made, or else from the store.

use std::cell::OnceCell;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::PathBuf;

use lessons_core::files::{self, FileError};
use lessons_core::home::Home;
use lessons_core::id::Layer;
use lessons_core::recall::Corpus;

use super::part::{self, Identity, Literals, Part};
use crate::durable::{self, WriteError};
use crate::graph::usable::Usable;
use crate::load::{LoadError, MAX_BYTES};
use crate::lock::Lock;

/// Why the user's lessons cannot be read, or not be written down for questions.
#[derive(Debug, thiserror::Error)]
pub enum OwnError {
    /// The store cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The part cannot be put together.
    #[error("what questions need of {path} cannot be put together: {source}")]
    Encode {
        /// The store.
        path: PathBuf,
        /// Why.
        source: postcard::Error,
    },
    /// The part cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// In so many bytes a part has said of what store it is, and of what version of this program.
const HEAD_BYTES: u64 = 512;

/// Where the user's lessons stand.
pub struct Own {
    home: Home,
    /// `None` where there is no store.
    store: Option<(File, Identity)>,
    /// The bytes of a part, of whatever store, once they are needed. Empty where there is none.
    part: OnceCell<Vec<u8>>,
    /// Those of the store, once they are needed.
    graph: OnceCell<Vec<u8>>,
}

impl Own {
    /// Those of `home`.
    pub fn open(home: &Home) -> Result<Self, FileError> {
        let path = home.lessons();
        let mut store = None;
        if let Some(file) = files::open(&path)? {
            let found = file.metadata().map_err(|source| FileError::Io { path: path.clone(), source })?;
            store = Some((file, Identity::of(&found)));
        }
        Ok(Self { home: home.clone(), store, part: OnceCell::new(), graph: OnceCell::new() })
    }

    fn part(&self) -> &[u8] {
        // It is only the faster way: whatever is wrong with the file, the store is read.
        self.part.get_or_init(|| {
            files::read(&self.home.recall(), MAX_BYTES).unwrap_or_default().unwrap_or_default()
        })
    }

    /// The first bytes of a part: enough to say of what store it is. Empty where there is none.
    fn head(&self) -> Vec<u8> {
        let mut head = Vec::new();
        if let Ok(Some(file)) = files::open(&self.home.recall())
            && file.take(HEAD_BYTES).read_to_end(&mut head).is_err()
        {
            head.clear();
        }
        head
    }

    /// Adds the active lessons to `corpus`, and returns how many could not be read: see [`super::read`]. `made_by` is
    /// the version of this program.
    pub fn read<'a>(
        &'a self,
        corpus: &mut Corpus<'a>,
        made_by: &str,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<usize, OwnError> {
        let Some((file, identity)) = &self.store else { return Ok(0) };
        if let Some(part) = Part::decode(self.part(), *identity, made_by) {
            return Ok(part.read(corpus, is_wanted));
        }
        let path = self.home.lessons();
        let bytes = files::read_opened(&path, file, MAX_BYTES).map_err(LoadError::File)?;
        Ok(super::read(corpus, &Layer::User, self.graph.get_or_init(|| bytes), is_wanted)
            .map_err(|source| LoadError::Unreadable { path, source })?)
    }

    /// Writes down for questions what the store holds, and what is known of its patterns. `graph` is the store, read
    /// after this was opened: where it was changed in between, what is written is of no use to anybody. `now` is a file
    /// that has just been written.
    ///
    /// A store that was changed at the same tick of the file system's clock could be changed once more without anybody
    /// seeing it: of such a one nothing is written down, and questions read it.
    pub fn write_down(
        &self,
        _lock: &Lock,
        graph: &Usable,
        literals: Literals<'_>,
        made_by: &str,
        now: &Metadata,
    ) -> Result<(), OwnError> {
        let settled = self.store.as_ref().filter(|(_, identity)| identity.is_older_than(now));
        let Some((_, identity)) = settled else { return Ok(durable::remove(&self.home.recall())?) };
        // After a change, as mostly, its first bytes say that it is of another store.
        if part::begins_as_part(&self.head(), *identity, made_by)
            && part::is_part(self.part(), *identity, made_by)
        {
            return Ok(());
        }
        let (corpus, unread) = if let Some(corpus) = super::of_sound(&Layer::User, graph) {
            (corpus, 0)
        } else {
            let mut corpus = Corpus::default();
            let unread = self.read(&mut corpus, made_by, &|_| true)?;
            (corpus, unread)
        };
        let bytes = part::encode(&corpus, unread, literals, *identity, made_by)
            .map_err(|source| OwnError::Encode { path: self.home.lessons(), source })?;
        Ok(durable::replace(&self.home.recall(), &bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use lessons_core::recall::Question;

    use super::*;
    use crate::load;
    use crate::lock::Lock;

    const RULE: &str = "Look first.";

    fn graph(rule: &str) -> String {
        format!(
            r#"{{"version":1,"lessons":{{"a":{{"rule":"{rule}","topics":["t"],"evidence":[],"triggers":["a"],
                "status":"active","createdAt":"2026-01-01"}}}},
                "triggers":{{"a":{{"kind":"command_pattern","pattern":"git"}}}}}}"#
        )
    }

    /// A home with a store of one lesson.
    fn scene() -> (tempfile::TempDir, Home) {
        let scratch = tempfile::tempdir().unwrap();
        let home = Home::at(scratch.path().canonicalize().unwrap());
        files::check_folder(home.root()).unwrap();
        fs::write(home.lessons(), graph(RULE)).unwrap();
        (scratch, home)
    }

    /// Writes down what is there, at a time at which the clock of the file system has moved on.
    fn written_down(home: &Home) -> Vec<u8> {
        // A file that others may read is tightened when it is opened, which changes it.
        drop(files::open(&home.lessons()).unwrap());
        let now = home.root().join("now");
        let store = Identity::of(&fs::metadata(home.lessons()).unwrap());
        while {
            fs::write(&now, "").unwrap();
            !store.is_older_than(&fs::metadata(&now).unwrap())
        } {
            std::thread::sleep(Duration::from_millis(1));
        }
        write(home, &now);
        fs::read(home.recall()).unwrap()
    }

    fn write(home: &Home, now: &Path) {
        let lock = Lock::acquire(home, Duration::ZERO).unwrap();
        let now = fs::metadata(now).unwrap();
        let own = Own::open(home).unwrap();
        let graph = load::usable(home).unwrap();
        own.write_down(&lock, &graph, &|_, _| Vec::new(), "1", &now).unwrap();
    }

    /// The rules that are found, and whether the store had to be read for them.
    fn found(home: &Home) -> (Vec<String>, bool) {
        let own = Own::open(home).unwrap();
        let mut corpus = Corpus::default();
        own.read(&mut corpus, "1", &|_| true).unwrap();
        let question = Question { command: Some("git push"), ..Question::default() };
        let rules = corpus.recall(&question).iter().map(|found| found.entry.rule.to_string()).collect();
        (rules, own.graph.get().is_some())
    }

    #[test]
    fn what_was_written_down_is_found_without_the_store() {
        let (_scratch, home) = scene();
        assert_eq!(found(&home), (vec![RULE.to_owned()], true));
        let part = written_down(&home);
        assert_eq!(found(&home), (vec![RULE.to_owned()], false));
        assert_eq!(written_down(&home), part);
    }

    #[test]
    fn a_store_that_was_changed_since_is_read_itself() {
        let (_scratch, home) = scene();
        written_down(&home);
        // In place, with as many bytes, and with the times that it had.
        let before = fs::metadata(home.lessons()).unwrap();
        fs::write(home.lessons(), graph("Stop first.")).unwrap();
        let file = File::options().write(true).open(home.lessons()).unwrap();
        file.set_modified(before.modified().unwrap()).unwrap();
        assert_eq!(fs::metadata(home.lessons()).unwrap().len(), before.len());
        assert_eq!(found(&home), (vec!["Stop first.".to_owned()], true));

        written_down(&home);
        assert_eq!(found(&home), (vec!["Stop first.".to_owned()], false));
        fs::rename(home.lessons(), home.root().join("old")).unwrap();
        assert_eq!(found(&home), (Vec::new(), false));
        fs::write(home.lessons(), graph("Other")).unwrap();
        assert_eq!(found(&home), (vec!["Other".to_owned()], true));
        fs::write(home.lessons(), "{").unwrap();
        assert!(Own::open(&home).unwrap().read(&mut Corpus::default(), "1", &|_| true).is_err());
    }

    #[test]
    fn a_part_that_cannot_be_used_is_passed_over() {
        let (_scratch, home) = scene();
        let mut part = written_down(&home);
        *part.last_mut().unwrap() ^= 1;
        fs::write(home.recall(), &part).unwrap();
        assert_eq!(found(&home), (vec![RULE.to_owned()], true));
        fs::remove_file(home.recall()).unwrap();
        std::os::unix::fs::symlink("/dev/zero", home.recall()).unwrap();
        assert_eq!(found(&home), (vec![RULE.to_owned()], true));
    }

    #[test]
    fn nothing_is_written_down_of_a_store_whose_next_change_might_not_show() {
        let (_scratch, home) = scene();
        written_down(&home);
        fs::write(home.lessons(), graph(RULE)).unwrap();
        drop(files::open(&home.lessons()).unwrap());
        write(&home, &home.lessons());
        assert!(!home.recall().exists());
        fs::remove_file(home.lessons()).unwrap();
        fs::write(home.recall(), "left behind").unwrap();
        write(&home, home.root());
        assert!(!home.recall().exists());
    }
}
