//! Every command that a message names works in the state in which the message appears.
//!
//! A command of a person fails, its message names a command, the person types that, and so on: in the end the first
//! command works. The same with what `lessons doctor` names.

mod sharing;

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use lessons_tests::binaries::{PROGRAMS, copy_program};
use lessons_tests::controlling_terminal::with_terminal;
use lessons_tests::env::{TestEnv, said};
use lessons_tests::person;
use lessons_tests::plugin::Plugin;
use lessons_tests::scratch::Scratch;
use serde_json::Value;

use crate::scene::{machine, rewrite_the_store, told_at_start};

/// The most commands that a person types to get out of a state.
const MOST_STEPS: usize = 5;
/// A user who is not root, where these tests are run by root.
const ORDINARY: u32 = 65_534;

/// Something that is wrong with a data folder.
type State = (&'static str, fn(&Path));

fn garbage(path: &Path) {
    fs::write(path, "{ this is nothing").expect("a file");
}

fn remove(path: &Path) {
    fs::remove_file(path).expect("a file");
}

fn link(path: &Path) {
    let aside = path.with_extension("elsewhere");
    fs::rename(path, &aside).expect("a move");
    symlink(aside, path).expect("a link");
}

fn link_to_nowhere(path: &Path) {
    remove(path);
    symlink("nowhere", path).expect("a link");
}

fn folder(path: &Path) {
    remove(path);
    fs::create_dir(path).expect("a folder");
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

/// Gives a file to another user. Only root can.
fn give_away(path: &Path) {
    if nix::unistd::geteuid().is_root() {
        chown(path, Some(12_345), None).expect("another owner");
    }
}

/// States that are the same for root and for everybody else.
const STATES: &[State] = &[
    ("others can write the data folder", |data| mode(data, 0o777)),
    ("the data folder is another user's", give_away),
    ("the data folder is a link", link),
    ("the data folder was moved", |data| fs::write(data.join("home"), "/elsewhere").expect("a file")),
    ("the store is garbage", |data| garbage(&data.join("lessons.json"))),
    ("the store is gone", |data| remove(&data.join("lessons.json"))),
    ("the store is a link", |data| link(&data.join("lessons.json"))),
    ("the store is a link to nowhere", |data| link_to_nowhere(&data.join("lessons.json"))),
    ("the store is a folder", |data| folder(&data.join("lessons.json"))),
    ("the store is another user's", |data| give_away(&data.join("lessons.json"))),
    ("others can write the store", |data| mode(&data.join("lessons.json"), 0o666)),
    ("the store is in conflict", |data| {
        let store = fs::read_to_string(data.join("lessons.json")).expect("the store");
        let both = format!("<<<<<<< ours\n{store}=======\n{store}>>>>>>> theirs\n");
        fs::write(data.join("lessons.json"), both).expect("the store");
    }),
    ("the decisions are garbage", |data| garbage(&data.join("decisions.json"))),
    ("the decisions and the journal are garbage", |data| {
        garbage(&data.join("decisions.json"));
        garbage_database(data);
    }),
    ("the decisions are a link", |data| link(&data.join("decisions.json"))),
    ("the decisions are a folder", |data| folder(&data.join("decisions.json"))),
    ("others can write the decisions", |data| mode(&data.join("decisions.json"), 0o666)),
    ("the index is gone", |data| remove(&data.join("lesson-manifest.idx"))),
    ("the index is garbage", |data| garbage(&data.join("lesson-manifest.idx"))),
    ("the index is a folder", |data| folder(&data.join("lesson-manifest.idx"))),
    ("the index is another user's", |data| give_away(&data.join("lesson-manifest.idx"))),
    ("the manifest is a folder", |data| folder(&data.join("lesson-manifest.json"))),
    ("the database is garbage", garbage_database),
    ("the database is a link", |data| link(&data.join("lessons.db"))),
    ("the database is a folder", |data| {
        remove_database(data);
        fs::create_dir(data.join("lessons.db")).expect("a folder");
    }),
    ("others can write the database", |data| mode(&data.join("lessons.db"), 0o666)),
    ("the settings are garbage", |data| garbage(&data.join("config.toml"))),
    ("the settings are a link", |data| link(&data.join("config.toml"))),
    ("others can write the settings", |data| mode(&data.join("config.toml"), 0o666)),
    ("the lock is a link", |data| link(&data.join("lock"))),
    ("the lock is a folder", |data| folder(&data.join("lock"))),
];

/// States that root does not notice.
const DENIED: &[State] = &[
    ("the data folder cannot be written", |data| mode(data, 0o500)),
    ("the data folder cannot be looked into", |data| mode(data, 0o000)),
    ("the store cannot be read", |data| mode(&data.join("lessons.json"), 0)),
    ("the decisions cannot be read", |data| mode(&data.join("decisions.json"), 0)),
    ("the index cannot be read", |data| mode(&data.join("lesson-manifest.idx"), 0)),
    ("the database cannot be read", |data| mode(&data.join("lessons.db"), 0)),
    ("the database cannot be written", |data| mode(&data.join("lessons.db"), 0o400)),
    ("the settings cannot be read", |data| mode(&data.join("config.toml"), 0)),
    ("the lock cannot be opened", |data| mode(&data.join("lock"), 0)),
];

fn remove_database(data: &Path) {
    for name in ["lessons.db", "lessons.db-wal", "lessons.db-shm"] {
        drop(fs::remove_file(data.join(name)));
    }
}

fn garbage_database(data: &Path) {
    remove_database(data);
    fs::write(data.join("lessons.db"), [7; 4096]).expect("a file");
}

/// What a person types of an ordinary day.
const EVERYDAY: [&[&str]; 3] = [
    &["status"],
    &["add", "--rule", "Ask before you frob twice.", "--trigger", "cmd=frob twice"],
    &["candidates"],
];

/// A person at a machine who does what messages say.
struct Person {
    env: TestEnv,
    /// Programs of a person: an editor that empties a file, and a sudo that asks for no password.
    tools: PathBuf,
    user: Option<u32>,
}

impl Person {
    /// Root, or whoever runs the tests.
    fn new(env: TestEnv) -> Self {
        let tools = env.home().join("tools");
        fs::create_dir(&tools).expect("a folder");
        for (name, script) in [("emptier", ": > \"$1\""), ("sudo", "exec \"$@\"")] {
            fs::write(tools.join(name), format!("#!/bin/sh\n{script}\n")).expect("a script");
            mode(&tools.join(name), 0o755);
        }
        for name in PROGRAMS {
            let program = env.command(name).get_program().to_owned();
            let beside = tools.join(name);
            if fs::hard_link(&program, &beside).is_err() {
                copy_program(Path::new(&program), &beside);
            }
        }
        Self { env, tools, user: None }
    }

    /// A person who is not root. The machine's files are theirs.
    fn ordinary(env: TestEnv) -> Self {
        if !nix::unistd::geteuid().is_root() {
            return Self::new(env);
        }
        let root = env.home().parent().expect("a scratch folder").to_owned();
        for part in [env.home(), env.project(), root.join("tmp")] {
            give_all(&part, ORDINARY);
        }
        mode(&root, 0o711);
        Self { user: Some(ORDINARY), ..Self::new(env) }
    }

    /// Types a command line.
    fn types(&self, line: &str) -> Output {
        let lessons = self.env.command("lessons");
        let mut shell = Command::new("/bin/sh");
        shell.env_clear().envs(lessons.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.tools.display());
        shell.env("PATH", path).env("EDITOR", self.tools.join("emptier")).current_dir(self.env.project());
        if let Some(user) = self.user {
            shell.uid(user).gid(user);
        }
        with_terminal(shell.args(["-c", line]).stdin(Stdio::null()));
        shell.output().expect("a shell")
    }

    fn lessons(&self, words: &[&str]) -> Output {
        let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        self.types(&format!("lessons {}", words.join(" ")))
    }

    /// Types a command, and as long as it fails what its message names.
    fn gets_done(&self, state: &str, words: &[&str]) {
        let (mut story, mut typed) = (Vec::new(), Vec::new());
        for _ in 0..=MOST_STEPS {
            let output = self.lessons(words);
            if output.status.success() {
                return;
            }
            let message = said(&output);
            let named = commands(&message);
            // What did not help is not typed again if there is something else.
            let fresh = named.iter().find(|command| !typed.contains(*command));
            let command = fresh.or(named.last()).unwrap_or_else(|| {
                panic!("{state}: lessons {words:?} names no command: {message}\nafter {story:#?}")
            });
            typed.push(command.clone());
            story.push(format!("{command}: {}", said(&self.types(command))));
        }
        panic!("{state}: lessons {words:?} still fails: {}\nafter {story:#?}", said(&self.lessons(words)));
    }

    fn doctor(&self) -> Value {
        let output = self.lessons(&["doctor", "--json"]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
    }

    /// Types what the doctor names for the first error, until there is none.
    fn is_cured(&self, state: &str) {
        let mut story = Vec::new();
        for _ in 0..=MOST_STEPS {
            let report = self.doctor();
            let errors = report["findings"].as_array().expect("findings").iter();
            let Some(error) = errors.into_iter().find(|finding| finding["severity"] == "error") else {
                return;
            };
            let remedy = error["remedy"].as_str().expect("a command");
            let done = said(&self.types(remedy));
            story.push(format!("{}: {remedy}: {done}", error["message"]));
            // Who has seen what it would do does it.
            if let Some(command) = remedy.strip_suffix(" --dry-run") {
                self.types(command);
            }
        }
        panic!("{state}: the doctor still finds {:#}\nafter {story:#?}", self.doctor());
    }
}

fn give_all(path: &Path, user: u32) {
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).expect("a folder").flatten() {
            give_all(&entry.path(), user);
        }
    }
    std::os::unix::fs::lchown(path, Some(user), Some(user)).expect("another owner");
}

/// The commands that a message names between backticks.
fn commands(message: &str) -> Vec<String> {
    let starts = ["lessons ", "chmod ", "sudo ", "mv ", "rm ", "cp ", "${EDITOR"];
    let quoted = message.split('`').skip(1).step_by(2);
    quoted.filter(|text| starts.iter().any(|start| text.starts_with(start))).map(str::to_owned).collect()
}

/// A machine with a block, a reminder, settings and a trusted project. Its data folder is made once and copied.
fn full_machine() -> TestEnv {
    static MADE: OnceLock<TestEnv> = OnceLock::new();
    copied(MADE.get_or_init(|| {
        let env = machine();
        let store = env.project().join(".lessons/lessons.json");
        fs::create_dir_all(store.parent().expect("a folder")).expect("a folder");
        fs::copy(env.data().join("lessons.json"), &store).expect("a copy");
        env.must(&["trust", "--yes"]);
        env.must(&["init"]);
        env
    }))
}

/// Another machine with the same data folder.
fn copied(made: &TestEnv) -> TestEnv {
    let env = TestEnv::new();
    copy_folder(&made.data(), &env.data());
    // The folder names itself.
    fs::write(env.data().join("home"), env.data().to_str().expect("a path")).expect("a file");
    env
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    mode(to, 0o700);
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

#[test]
fn whatever_is_wrong_a_message_leads_out_of_it() {
    for (state, set) in STATES {
        for words in EVERYDAY {
            let person = Person::new(full_machine());
            set(&person.env.data());
            person.gets_done(state, words);
        }
    }
}

#[test]
fn whatever_is_wrong_the_doctor_cures() {
    for (state, set) in STATES {
        let person = Person::new(full_machine());
        set(&person.env.data());
        person.is_cured(state);
    }
}

#[test]
fn what_only_root_can_open_a_message_opens_for_its_owner() {
    for (state, set) in DENIED {
        for words in EVERYDAY {
            let person = Person::ordinary(full_machine());
            set(&person.env.data());
            person.gets_done(state, words);
        }
        let person = Person::ordinary(full_machine());
        set(&person.env.data());
        person.is_cured(state);
    }
}

#[test]
fn what_a_session_start_says_leads_out_of_it() {
    let states: &[State] = &[
        ("others can write the data folder", |data| mode(data, 0o777)),
        ("the data folder is another user's", give_away),
        ("the data folder is a link", link),
        ("the index is a folder", |data| folder(&data.join("lesson-manifest.idx"))),
    ];
    for (state, set) in states {
        let person = Person::new(full_machine());
        set(&person.env.data());
        let told = told_at_start(&person.env);
        assert!(told.contains("/lessons:doctor"), "{state}: {told}");
        person.is_cured(state);
        let told = told_at_start(&person.env);
        assert!(!told.contains("doctor"), "{state}: {told}");
    }
}

#[test]
fn each_way_out_of_a_changed_store_works() {
    for way in ["lessons accept", "lessons restore --store"] {
        let person = Person::new(full_machine());
        rewrite_the_store(&person.env);
        let status = said(&person.lessons(&["status"]));
        assert!(commands(&status).iter().any(|command| command == way), "{status}");
        let told = told_at_start(&person.env);
        assert!(commands(&told).iter().any(|command| command == way), "{told}");
        assert!(person.types(way).status.success());
        let status = said(&person.lessons(&["status"]));
        assert!(!status.contains("not accepted"), "{way}: {status}");
    }
}

/// A state that commands lead to: what was typed before, the command that names a way out, and what it says.
type Saying = (&'static [&'static [&'static str]], &'static [&'static str], &'static str);

const SAYINGS: [Saying; 8] = [
    (&[], &["list"], "`lessons build`"),
    (&[], &["status"], "`lessons build`"),
    (&[], &["explain", "--command", "ls"], "`lessons build`"),
    (&[&["build"], &["off", "all"]], &["status"], "`lessons on all`"),
    (&[&["build"], &["off", "all"]], &["list"], "`lessons on all`"),
    (&[&["build"], &["off", "all"]], &["explain", "--command", "ls"], "`lessons on all`"),
    (&[], &["report"], "`lessons nightly`"),
    (
        &[&["add", "--rule", "Frob once.", "--trigger", "cmd=frob"], &["undo"]],
        &["undo", "1"],
        "`lessons undo 2` brings it back",
    ),
];

#[test]
fn a_command_that_names_a_way_out_no_longer_does_after_it() {
    for (before, words, says) in SAYINGS {
        let person = Person::new(TestEnv::new().without_seeds());
        for typed in before {
            assert!(person.lessons(typed).status.success(), "{typed:?}");
        }
        let message = said(&person.lessons(words));
        assert!(message.contains(says), "{words:?}: {message}");
        let command = commands(&message).into_iter().next().unwrap_or_else(|| panic!("{words:?}: {message}"));
        let done = person.types(&command);
        assert!(done.status.success(), "{words:?}: {command}: {}", said(&done));
        let message = said(&person.lessons(words));
        assert!(!message.contains(says), "{words:?}: after {command}: {message}");
    }
}

#[test]
fn what_is_refused_is_done_by_the_command_that_the_refusal_names() {
    let person = Person::new(machine());
    for (words, command) in [
        (
            &["add", "--rule", "Ask before you frob.", "--trigger", "cmd=frob mine", "--priority", "9"][..],
            "lessons edit mine",
        ),
        (&["show", "no-such-lesson"], "lessons list --all"),
        (&["log", "no-such-lesson"], "lessons log"),
        (&["undo", "999"], "lessons log"),
        (&["help", "frob"], "lessons help all"),
    ] {
        let output = person.lessons(words);
        let message = said(&output);
        assert!(
            !output.status.success() && commands(&message).iter().any(|named| named == command),
            "{message}"
        );
        // Whoever leaves a form as it is has edited as well.
        let done = person.types(&format!("EDITOR=true {command}"));
        assert!(done.status.success(), "{command}: {}", said(&done));
    }
}

#[test]
fn without_a_client_an_installation_names_the_commands_for_one() {
    let scratch = Scratch::new();
    let installed = person::Person::new(&scratch, &Plugin::new()).types(&["install", "--yes"]);
    let named: Vec<&str> =
        installed.lines().map(str::trim).filter(|line| line.starts_with("claude plugin")).collect();
    let [add, install] = named.as_slice() else { panic!("{installed}") };
    let marketplace = add.strip_prefix("claude plugin marketplace add ").expect("a marketplace");
    assert!(Path::new(marketplace).join(".claude-plugin/marketplace.json").is_file(), "{add}");
    assert_eq!(*install, "claude plugin install lessons@lessons");
    let removed = person::Person::new(&scratch, &Plugin::new()).types(&["uninstall"]);
    assert!(removed.contains("claude plugin uninstall lessons@lessons"), "{removed}");
}
