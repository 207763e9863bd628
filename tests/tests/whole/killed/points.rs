//! A command killed at each point at which it writes, and then continued as a person would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use lessons_home::files::ensure_folder;
use lessons_home::home::Home;
use lessons_tests::env::{TestEnv, said};
use serde_json::json;
use tempfile::TempDir;

use super::kept::Kept;

/// The most points that a command may have. One that has more goes round in circles.
const MOST: u32 = 500;

/// Kills `lessons` with these words at every point, on the data folder as it stands.
#[track_caller]
pub(super) fn kill_everywhere(env: &TestEnv, words: &[&str]) {
    kill(env, "lessons", words, "");
}

/// The same with something to read.
#[track_caller]
pub(super) fn kill_everywhere_given(env: &TestEnv, words: &[&str], input: &str) {
    kill(env, "lessons", words, input);
}

/// Runs a program to its end, and then kills it at its first point, its second, and so on until it no longer dies.
///
/// Each time, every part of what it leaves must be old or new. Then the same command is given again and a person
/// builds, after which everything must be as if nothing had happened.
#[track_caller]
fn kill(env: &TestEnv, program: &str, words: &[&str], input: &str) {
    let given = tempfile::NamedTempFile::new().expect("a file");
    fs::write(&given, input).expect("a file");
    let run = |crash_at: u32| -> Output {
        let mut command = env.command(program);
        command.stdin(fs::File::open(&given).expect("a file"));
        command.args(words).env("LESSONS_CRASH_AT", crash_at.to_string()).output().expect("a program")
    };
    let scene = Scene::of(env);
    let old = observed(env);
    let whole = run(0);
    assert!(whole.status.success(), "{}", said(&whole));
    let new = Kept::of(env);
    assert!(old != new, "it changes nothing, so nothing can go wrong");
    build(env);
    let end = Kept::in_the_end(env);

    for point in 1..=MOST {
        scene.set();
        let killed = run(point);
        if killed.status.code().is_some() {
            assert!(killed.status.success(), "{}", said(&killed));
            assert!(point > 1, "it passes no point at which it could die");
            return;
        }
        let left = observed(env);
        left.is_old_or_new(&old, &new).unwrap_or_else(|why| panic!("killed at point {point}: {why}"));
        let again = run(0);
        // What had not begun is done now. What had may be refused, as it is there already; if it is not in force,
        // that is told.
        if !again.status.success() {
            let is_there = left != old && again.status.code().is_some();
            let is_told = || {
                let status = env.lessons_json(&["status"]);
                status["inForce"].is_null() || status["notInForce"] != json!([])
            };
            assert!(
                is_there && (Kept::of(env).acts_as(&new) || is_told()),
                "after point {point}: {}",
                said(&again)
            );
        }
        build(env);
        Kept::in_the_end(env).is(&end).unwrap_or_else(|why| panic!("after point {point}: {why}"));
    }
    panic!("it passes more than {MOST} points");
}

/// Kills `lessons` with these words at every point, gives another command, and has `look` look at what stands there then.
#[track_caller]
pub(super) fn kill_and_go_on(
    env: &TestEnv,
    words: &[&str],
    input: &str,
    next: &[&str],
    look: impl Fn(&TestEnv, u32),
) {
    let given = tempfile::NamedTempFile::new().expect("a file");
    fs::write(&given, input).expect("a file");
    let scene = Scene::of(env);
    for point in 1..=MOST {
        scene.set();
        let mut command = env.command("lessons");
        command.stdin(fs::File::open(&given).expect("a file"));
        command.args(words).env("LESSONS_CRASH_AT", point.to_string());
        if command.output().expect("a program").status.code().is_some() {
            return;
        }
        env.lessons(next);
        look(env, point);
    }
    panic!("it passes more than {MOST} points");
}

/// What is left by who died, looked at in a copy: the hook that is asked makes a missing index anew, which would hide what the
/// next command leaves undone. The folder itself is only moved, as an index names its manifest by what the file system says.
fn observed(env: &TestEnv) -> Kept {
    let (data, aside) = (env.data(), env.home().join("aside"));
    if !data.exists() {
        return Kept::of(env);
    }
    fs::rename(&data, &aside).expect("the data folder");
    copy_below(&aside, &data);
    let left = Kept::of(env);
    wait_for_index(env);
    fs::remove_dir_all(&data).expect("the copy");
    fs::rename(&aside, &data).expect("the data folder");
    left
}

/// Waits until a program that a hook started to make the index has ended.
fn wait_for_index(env: &TestEnv) {
    if let Ok(attempt) = fs::File::open(Home::at(env.data()).index_attempt()) {
        attempt.lock().expect("the lock of who makes the index");
    }
}

/// Builds, which ends with 1 where something was changed by hand and is not accepted.
#[track_caller]
fn build(env: &TestEnv) {
    let built = env.lessons(&["build"]);
    assert!(matches!(built.status.code(), Some(0 | 1)), "{}", said(&built));
}

/// The data folder, the one for the settings of other programs, and the lessons of a project, as they stand before a command.
struct Scene {
    folders: Vec<(PathBuf, Option<TempDir>)>,
}

impl Scene {
    fn of(env: &TestEnv) -> Self {
        let copied = |folder: PathBuf| {
            let copy = folder.exists().then(|| {
                let copy = tempfile::tempdir().expect("a folder");
                copy_below(&folder, copy.path());
                copy
            });
            (folder, copy)
        };
        Self {
            folders: [env.data(), env.home().join(".config"), env.project().join(".lessons")]
                .map(copied)
                .into(),
        }
    }

    /// Puts everything back.
    fn set(&self) {
        for (folder, copy) in &self.folders {
            if folder.exists() {
                fs::remove_dir_all(folder).expect("the folder");
            }
            if let Some(copy) = copy {
                copy_below(copy.path(), folder);
            }
        }
    }
}

/// Copies everything in a folder into another one.
fn copy_below(from: &Path, to: &Path) {
    ensure_folder(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let there = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_below(&path, &there);
        } else {
            fs::copy(&path, &there).expect("a copy");
        }
    }
}
