//! Colleagues of a test: keys, and the events that they sign.

use std::fs;
use std::path::{Path, PathBuf};

use lessons_home::home::Home;
use lessons_ledger::database::Database;
use lessons_ledger::decisions;
use lessons_ledger::journal::Deed;
use lessons_lesson::id::{LessonId, TopicId};
use lessons_lesson::lesson::Lesson;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_share::deletion::Deletion;
use lessons_share::event::{EventId, Unsigned, Verified};
use lessons_share::key::SecretKey;
use lessons_share::project_tag::ProjectTag;
use lessons_share::shared_lesson::SharedLesson;
use lessons_store::decisions::Decisions;
use lessons_store::decisions::peers::{Peer, PeerTrust};
use lessons_store::durable::lock::{Lock, PATIENCE};

use crate::env::TestEnv;

/// The project of [`TestEnv::project`], once [`with_remote`] has given it a remote.
pub const PROJECT: &str = "github.com/acme/app";

/// Gives the project of `env` a git remote, by which others know it.
pub fn with_remote(env: &TestEnv) {
    with_remote_at(&env.project(), PROJECT);
}

/// Gives the project at `root` a git remote.
pub fn with_remote_at(root: &Path, project: &str) {
    let git = root.join(".git");
    fs::create_dir_all(&git).expect("a folder");
    let config = format!("[remote \"origin\"]\n\turl = https://{project}.git\n");
    fs::write(git.join("config"), config).expect("git's settings");
}

/// The folder of shared lessons in the project of `env`.
pub fn folder(env: &TestEnv) -> PathBuf {
    let folder = env.project().join(".lessons/shared");
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Somebody with a key.
#[derive(Debug)]
pub struct Colleague(SecretKey);

impl Colleague {
    /// The colleague with this number, from 1 on.
    pub fn new(number: u32) -> Self {
        let mut bytes = [7; SecretKey::BYTES];
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        Self(SecretKey::of(&bytes).expect("a key"))
    }

    /// The public key.
    pub fn key(&self) -> String {
        self.0.public().to_string()
    }

    /// The id of a lesson of theirs that is in force.
    pub fn id_of(&self, lesson: &str) -> String {
        format!("peer-{}/{lesson}", &self.key()[..8])
    }

    /// Signs an event.
    pub fn sign(&self, unsigned: Unsigned) -> Verified {
        unsigned.sign(&self.0, &[0; SecretKey::BYTES]).expect("an event")
    }

    /// The event of a lesson for a project, at a time in seconds since 1970.
    pub fn lesson_for(&self, project: &str, lesson: &Lesson, version: u32, at: u64) -> Verified {
        let mut shared = SharedLesson::of(lesson, ProjectTag::of_key(project).expect("a project"));
        shared.version = version;
        self.sign(shared.to_unsigned(self.0.public(), at))
    }

    /// The same for [`PROJECT`], as its first version.
    pub fn lesson(&self, lesson: &Lesson, at: u64) -> Verified {
        self.lesson_for(PROJECT, lesson, 1, at)
    }

    /// The event by which they delete a lesson and single events.
    pub fn deletion(&self, lesson: &str, events: &[EventId], at: u64) -> Verified {
        let deletion = Deletion {
            events: events.iter().copied().collect(),
            lessons: LessonId::new(lesson).into_iter().collect(),
        };
        self.sign(deletion.to_unsigned(self.0.public(), at))
    }
}

/// A lesson that fires on a command.
pub fn lesson(id: &str, rule: &str, command: &str) -> Lesson {
    let topic = TopicId::new("frob").expect("a topic");
    let mut lesson = Lesson::new(LessonId::new(id).expect("an id"), rule, topic, "2026-01-31");
    lesson.mistake = Some(format!("{command} overwrites what others pushed"));
    lesson.triggers.push(Trigger::new(TriggerKind::CommandPattern, command));
    lesson
}

/// Puts an event into a folder, as git or a synchronised drive does.
pub fn put(folder: &Path, event: &Verified) -> PathBuf {
    let path = folder.join(format!("{}.json", event.id()));
    fs::write(&path, event.to_json() + "\n").expect("a file");
    path
}

/// Trusts many keys, as `lessons peers trust` does.
pub fn trust_all(env: &TestEnv, peers: &[Colleague], trust: PeerTrust) {
    decide(env, |decisions| {
        for (peer, number) in peers.iter().zip(1..) {
            put_peer(decisions, peer, &format!("peer-{number}"), trust);
        }
    });
}

/// Trusts a key, as `lessons peers trust` does.
pub fn trust(env: &TestEnv, peer: &Colleague, name: &str, trust: PeerTrust) {
    decide(env, |decisions| put_peer(decisions, peer, name, trust));
}

fn put_peer(decisions: &mut Decisions, peer: &Colleague, name: &str, trust: PeerTrust) {
    let name = name.parse().expect("a name");
    let known = Peer { name, since: "2026-01-31T10:00:00Z".into(), trust };
    decisions.peers.0.insert(peer.key().parse().expect("a key"), known);
}

/// Changes what is decided on the machine of `env`, as a command does.
pub fn decide(env: &TestEnv, change: impl FnOnce(&mut Decisions)) {
    let home = Home::at(env.data());
    let lock = Lock::acquire(&home, PATIENCE).expect("the lock");
    let mut database = Database::open(&home).expect("the database");
    decisions::save(&lock, &mut database, &Deed::new("a test", "decided", 1), change).expect("a change");
}
