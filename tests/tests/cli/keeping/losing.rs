//! An accepted block never ends silently, whatever is lost: it is made anew, or the person is told what is not in force.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use crate::scene::{add, advice, answer, by_hand, is_blocked, machine, told_at_start};

/// Something that happens to a data folder.
type Damage = (&'static str, fn(&Path));

fn garbage(path: &Path) {
    fs::write(path, "{ this is nothing").expect("a file");
}

fn cut(path: &Path) {
    let bytes = fs::read(path).expect("a file");
    fs::write(path, &bytes[..bytes.len() / 2]).expect("a file");
}

fn remove(path: &Path) {
    fs::remove_file(path).expect("a file");
}

fn link(path: &Path) {
    let aside = path.with_extension("elsewhere");
    fs::rename(path, &aside).expect("a move");
    symlink(aside, path).expect("a link");
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

/// Gives a file to another user, where this test may do that.
fn give_away(path: &Path) {
    if nix::unistd::geteuid().is_root() {
        chown(path, Some(12_345), None).expect("another owner");
    }
}

/// Puts the files of another home in the place of these, which holds other lessons.
pub(crate) fn of_another_home(data: &Path, names: &[&str]) {
    let other = TestEnv::new().without_seeds();
    add(&other, &advice("theirs", "Frob as they do.", "frob theirs"), &[]);
    for name in names {
        fs::copy(other.data().join(name), data.join(name)).expect("a copy");
    }
}

pub(crate) fn remove_database(data: &Path) {
    for name in ["lessons.db", "lessons.db-wal", "lessons.db-shm"] {
        drop(fs::remove_file(data.join(name)));
    }
}

/// What can happen to files from which others are made, or that others tell of.
const MADE_ANEW: &[Damage] = &[
    ("the index is lost", |data| remove(&data.join("lesson-manifest.idx"))),
    ("the index is cut", |data| cut(&data.join("lesson-manifest.idx"))),
    ("the index is garbage", |data| garbage(&data.join("lesson-manifest.idx"))),
    ("the index cannot be read", |data| mode(&data.join("lesson-manifest.idx"), 0)),
    ("the index is another user's", |data| give_away(&data.join("lesson-manifest.idx"))),
    ("others can write the index", |data| mode(&data.join("lesson-manifest.idx"), 0o666)),
    ("the index is a link", |data| link(&data.join("lesson-manifest.idx"))),
    ("the manifest is lost", |data| remove(&data.join("lesson-manifest.json"))),
    ("the manifest is cut", |data| cut(&data.join("lesson-manifest.json"))),
    ("the manifest is a link", |data| link(&data.join("lesson-manifest.json"))),
    ("the manifest is another home's", |data| of_another_home(data, &["lesson-manifest.json"])),
    ("the decisions are lost", |data| remove(&data.join("decisions.json"))),
    ("the decisions are cut", |data| cut(&data.join("decisions.json"))),
    ("the decisions are empty", |data| fs::write(data.join("decisions.json"), "").expect("a file")),
    ("decisions and journal are lost", |data| {
        remove(&data.join("decisions.json"));
        remove_database(data);
    }),
    ("the store is lost", |data| remove(&data.join("lessons.json"))),
    ("the store is empty", |data| fs::write(data.join("lessons.json"), "").expect("a file")),
    ("the store is garbage", |data| garbage(&data.join("lessons.json"))),
    ("the store holds no lesson", |data| {
        let none = json!({ "version": 1, "lessons": {}, "topics": {}, "triggers": {} });
        fs::write(data.join("lessons.json"), none.to_string()).expect("a file");
    }),
    ("the store is a link", |data| link(&data.join("lessons.json"))),
    ("the store is another home's", |data| of_another_home(data, &["lessons.json"])),
    ("the settings are garbage", |data| garbage(&data.join("config.toml"))),
    ("all is switched off by hand", |data| {
        fs::write(data.join("config.toml"), "enabled = false\n[off]\n\"user/guard\" = \"\"\n")
            .expect("a file");
    }),
    ("the database is garbage", |data| {
        remove_database(data);
        fs::write(data.join("lessons.db"), [7; 4096]).expect("a file");
    }),
    ("the database is lost", |data| remove_database(data)),
];

/// A machine with a block, after damage.
fn damaged(damage: fn(&Path)) -> TestEnv {
    let env = machine();
    told_at_start(&env);
    damage(&env.data());
    env
}

#[test]
fn a_block_is_in_force_after_any_damage_that_something_else_makes_good() {
    for (what, damage) in MADE_ANEW {
        let env = damaged(*damage);
        assert!(is_blocked(&env), "{what}: at the next call");
        let told = told_at_start(&env);
        assert!(
            !told.contains("nothing is blocked") && is_blocked(&env),
            "{what}: at a session start: {told}"
        );
        drop(env.lessons(&["status"]));
        drop(env.lessons(&["build"]));
        assert!(is_blocked(&env), "{what}: after commands");
    }
}

#[test]
fn the_same_holds_where_the_index_is_lost_besides() {
    for (what, damage) in MADE_ANEW {
        let env = damaged(*damage);
        drop(fs::remove_file(env.data().join("lesson-manifest.idx")));
        assert!(is_blocked(&env), "{what}");
    }
}

#[test]
fn an_index_of_another_home_ends_at_the_next_session_start_or_command() {
    for with in [&["lesson-manifest.idx"][..], &["lesson-manifest.idx", "lesson-manifest.json"]] {
        let env = machine();
        of_another_home(&env.data(), with);
        told_at_start(&env);
        assert!(is_blocked(&env), "{with:?}: after a session start");
        of_another_home(&env.data(), with);
        env.must(&["status"]);
        assert!(is_blocked(&env), "{with:?}: after a command");
        of_another_home(&env.data(), with);
        remove(&env.data().join("lesson-manifest.json"));
        told_at_start(&env);
        assert!(is_blocked(&env), "{with:?}: without a manifest");
    }
}

/// The outcomes of the events in a data folder.
fn outcomes(data: &Path) -> Vec<Value> {
    let files = fs::read_dir(data.join("events")).into_iter().flatten().flatten();
    let texts = files.map(|file| fs::read_to_string(file.path()).expect("events"));
    let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.map(|line| serde_json::from_str::<Value>(&line).expect("an event")["outcome"].clone()).collect()
}

/// What the doctor finds.
pub(crate) fn codes(env: &TestEnv) -> Vec<String> {
    let output = env.lessons(&["doctor", "--json"]);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    let findings = report["findings"].as_array().expect("findings").iter();
    findings.map(|finding| finding["code"].as_str().expect("a code").to_owned()).collect()
}

/// Damage that nothing makes good: what the user is told, what the doctor calls it, and what ends it.
struct Unmended {
    damage: fn(&Path),
    told: &'static str,
    code: &'static str,
    ended_by: &'static [&'static str],
}

#[test]
fn where_a_block_cannot_be_made_anew_the_user_is_told_and_the_log_and_the_doctor_name_it() {
    let index = |data: &Path| data.join("lesson-manifest.idx");
    let table = [
        Unmended {
            damage: |data| {
                remove(&data.join("lesson-manifest.idx"));
                mode(data, 0o777);
            },
            told: "the data folder can be written by others",
            code: "HOME_UNUSABLE",
            ended_by: &["doctor", "--fix"],
        },
        Unmended {
            damage: |data| {
                remove(&data.join("lesson-manifest.idx"));
                link(&data.join("decisions.json"));
            },
            told: "decisions.json is a link",
            code: "DECISIONS_UNREADABLE",
            ended_by: &[],
        },
        Unmended {
            damage: |data| {
                remove(&data.join("lesson-manifest.idx"));
                remove(&data.join("lesson-manifest.json"));
                garbage(&data.join("decisions.json"));
                remove_database(data);
            },
            told: "decisions.json: ",
            code: "DECISIONS_UNREADABLE",
            ended_by: &["accept"],
        },
        Unmended {
            damage: |data| {
                remove(&data.join("lesson-manifest.idx"));
                fs::create_dir(data.join("lesson-manifest.idx")).expect("a folder");
            },
            told: "lesson-manifest.idx",
            code: "INDEX_UNREADABLE",
            ended_by: &[],
        },
    ];
    for Unmended { damage, told, code, ended_by } in table {
        let env = damaged(damage);
        let notice = told_at_start(&env);
        assert!(notice.contains("nothing is blocked") && notice.contains(told), "{told}: {notice}");
        assert!(
            !notice.contains(env.home().to_str().expect("a path")),
            "{told}: no path of this machine: {notice}"
        );
        assert_eq!(outcomes(&env.data()), ["lost"], "{told}");
        assert!(codes(&env).iter().any(|it| it == code), "{told}: {:?}", codes(&env));
        if ended_by.is_empty() {
            // The person follows the advice by hand.
            let accepted = env.data().join("decisions.json");
            if accepted.is_symlink() {
                let copy = env.data().join("decisions.json.new");
                fs::copy(&accepted, &copy).expect("a copy");
                fs::rename(&copy, &accepted).expect("a move");
            } else {
                fs::remove_dir(index(&env.data())).expect("a folder");
            }
        } else {
            let ended = env.lessons(ended_by);
            assert!(ended.status.success() || ended_by == ["doctor", "--fix"], "{told}: {}", said(&ended));
        }
        env.must(&["status"]);
        assert!(is_blocked(&env), "{told}: afterwards");
        assert!(!told_at_start(&env).contains("nothing is blocked"), "{told}: afterwards");
    }
}

#[test]
fn decisions_that_somebody_writes_are_not_in_force_and_what_was_decided_is() {
    type Edit = fn(&mut Value);
    let edits: [Edit; 3] = [
        |decisions| drop(decisions["graph"]["lessons"].as_object_mut().expect("lessons").remove("guard")),
        |decisions| decisions["settings"]["enabled"] = "false".into(),
        |decisions| decisions["change"] = 999.into(),
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let env = machine();
        told_at_start(&env);
        let before = fs::read(env.data().join("decisions.json")).expect("decisions");
        by_hand(&env, "decisions.json", |decisions| {
            edit(decisions);
            decisions["graph"]["lessons"]["slipped-in"] = decisions["graph"]["lessons"]["guard"].clone();
            decisions["graph"]["lessons"]["slipped-in"]["mode"] = "advise".into();
        });
        let told = told_at_start(&env);
        assert!(told.contains("decisions.json"), "{number}: the user is told: {told}");
        assert!(is_blocked(&env), "{number}");
        assert_eq!(told_at_start(&env), "", "{number}: once");
        env.must(&["build"]);
        let after = fs::read(env.data().join("decisions.json")).expect("decisions");
        assert!(is_blocked(&env) && !String::from_utf8_lossy(&after).contains("slipped-in"), "{number}");
        if number < 2 {
            assert_eq!(after, before, "{number}");
        }
    }
}

#[test]
fn another_file_of_decisions_is_seen_though_it_has_the_size_and_the_time_of_the_old_one() {
    let env = machine();
    told_at_start(&env);
    let path = env.data().join("decisions.json");
    let before = fs::metadata(&path).expect("decisions");
    let other = fs::read_to_string(&path).expect("decisions").replace("\"block\"", "\"bump\" ");
    let aside = env.data().join("aside");
    fs::write(&aside, other).expect("a file");
    let file = fs::File::options().write(true).open(&aside).expect("a file");
    file.set_modified(before.modified().expect("a time")).expect("a time");
    assert_eq!(file.metadata().expect("a file").len(), before.len(), "the swap keeps the length");
    fs::rename(&aside, &path).expect("a move");
    assert!(told_at_start(&env).contains("decisions.json was changed, restored or lost outside"));
    assert!(is_blocked(&env));
}

#[test]
fn without_its_database_or_with_an_older_one_a_file_of_decisions_is_believed_if_the_index_was_made_of_it() {
    for older in [false, true] {
        let env = machine();
        env.must(&["nightly"]);
        add(&env, &advice("later", "Frob later.", "frob later"), &[]);
        let backup = fs::read_dir(env.data().join("backups")).expect("backups").flatten();
        let backup = backup.map(|it| it.path()).find(|it| it.extension().is_some_and(|it| it == "db"));
        remove_database(&env.data());
        if older {
            fs::copy(backup.expect("a backup"), env.data().join("lessons.db")).expect("a database");
        }
        env.must(&["build"]);
        assert!(is_blocked(&env) && answer(&env, "frob later").contains("Frob later."), "{older}");
        // Not of the index: only what refuses calls is believed.
        remove_database(&env.data());
        if older {
            let backup = env.data().join("backups");
            let copy = fs::read_dir(backup).expect("backups").flatten().map(|it| it.path());
            let copy = copy.into_iter().find(|it| it.extension().is_some_and(|it| it == "db"));
            fs::copy(copy.expect("a backup"), env.data().join("lessons.db")).expect("a database");
        }
        by_hand(&env, "decisions.json", |decisions| {
            decisions["change"] = 999.into();
            decisions["settings"]["enabled"] = "false".into();
        });
        drop(env.lessons(&["build"]));
        assert!(is_blocked(&env), "{older}: the block stays");
        assert_eq!(answer(&env, "frob later"), "", "{older}: nothing new is");
        assert!(told_at_start(&env).contains("until `lessons accept`"), "{older}");
        env.must(&["accept"]);
        assert!(answer(&env, "frob later").contains("Frob later."), "{older}");
    }
}

#[test]
fn a_database_of_another_home_decides_nothing_against_the_file_that_the_index_was_made_of() {
    let env = machine();
    add(&env, &advice("later", "Frob later.", "frob later"), &[]);
    let other = TestEnv::new().without_seeds();
    for name in ["one", "two", "three", "four", "theirs"] {
        add(&other, &advice(name, "Frob as they do.", &format!("frob {name}")), &[]);
    }
    remove_database(&env.data());
    fs::copy(other.data().join("lessons.db"), env.data().join("lessons.db")).expect("a copy");
    env.must(&["build"]);
    assert!(is_blocked(&env) && answer(&env, "frob later").contains("Frob later."));
    assert_eq!(answer(&env, "frob theirs"), "");
    assert!(told_at_start(&env).contains("decisions.json is in force"));
}

#[test]
fn what_was_decided_last_and_could_not_be_built_is_told_at_every_start_with_the_reason() {
    let env = machine();
    told_at_start(&env);
    let manifest = env.data().join("lesson-manifest.json");
    fs::remove_file(&manifest).expect("a manifest");
    fs::create_dir(&manifest).expect("a folder");
    let lesson = advice("later", "Frob later.", "frob later");
    let added = env.lessons_given(&["add", "--json-input", "-"], lesson.to_string().as_bytes());
    assert!(!added.status.success(), "{}", said(&added));
    for _ in 0..2 {
        let told = told_at_start(&env);
        assert!(
            told.contains("latest changes are not in force") && told.contains("lesson-manifest.json"),
            "{told}"
        );
        assert!(is_blocked(&env), "what was in force is");
    }
    fs::remove_dir(&manifest).expect("a folder");
    env.must(&["build"]);
    assert!(!told_at_start(&env).contains("not in force"));
}

#[test]
fn a_block_of_a_trusted_project_is_named_when_its_copy_is_lost_and_kept_when_the_list_is() {
    let env = TestEnv::new().without_seeds();
    let store = json!({
        "version": 1, "topics": { "frob": { "summary": "Frob" } },
        "triggers": { "wipe": { "kind": "command_pattern", "pattern": "frob wipe" } },
        "lessons": { "guard": {
            "rule": "Never wipe with frob.", "mode": "block", "topics": ["frob"], "triggers": ["wipe"], "evidence": [],
            "status": "active", "createdAt": "2026-01-01",
            "examples": { "fires": [{ "tool": "Bash", "command": "frob wipe" }] },
        } },
    });
    fs::create_dir_all(env.project().join(".lessons")).expect("a folder");
    fs::write(env.project().join(".lessons/lessons.json"), store.to_string()).expect("a store");
    env.must(&["trust", "--yes", "--allow-refusals"]);
    assert!(is_blocked(&env));
    let list: [Damage; 2] = [
        ("garbage", |data| garbage(&data.join("decisions.json"))),
        ("lost", |data| remove(&data.join("decisions.json"))),
    ];
    for (what, damage) in list {
        damage(&env.data());
        drop(env.lessons(&["build"]));
        remove(&env.data().join("lesson-manifest.idx"));
        assert!(is_blocked(&env), "the list is {what}");
    }
    for copy in fs::read_dir(env.data().join("trust")).expect("a folder").flatten() {
        remove(&copy.path());
    }
    drop(env.lessons(&["build"]));
    assert!(!is_blocked(&env));
    let told = told_at_start(&env);
    assert!(told.contains("/guard blocks nothing at present: the copy is gone"), "{told}");
    env.must(&["trust", "--yes", "--allow-refusals"]);
    assert!(is_blocked(&env) && !told_at_start(&env).contains("blocks nothing"));
    let before = fs::read(env.data().join("decisions.json")).expect("decisions");
    remove_database(&env.data());
    by_hand(&env, "decisions.json", |decisions| decisions["change"] = 999.into());
    drop(env.lessons(&["build"]));
    let told = told_at_start(&env);
    assert!(is_blocked(&env) && told.contains("what blocks stays in force"), "{told}");
    assert_ne!(fs::read(env.data().join("decisions.json")).expect("decisions"), before);
    remove_database(&env.data());
    for built in ["lesson-manifest.idx", "lesson-manifest.json"] {
        remove(&env.data().join(built));
    }
    assert!(is_blocked(&env), "nothing says what was in force, and the copy that was approved is there");
    env.must(&["untrust"]);
    assert!(!is_blocked(&env) && !told_at_start(&env).contains("blocks nothing"), "a person has ended it");
}

#[test]
fn a_block_that_older_copies_of_everything_lose_is_told_until_a_person_accepts_that_it_is_gone() {
    let env = TestEnv::new().without_seeds();
    add(&env, &advice("first", "Frob first.", "frob first"), &[]);
    env.must(&["nightly"]);
    let block = [
        "add",
        "--rule",
        "Never wipe with frob.",
        "--mistake",
        "it loses data",
        "--trigger",
        "cmd=frob wipe",
    ];
    env.must(&[&block[..], &["--mode", "bump", "--fires", "frob wipe"]].concat());
    assert!(is_blocked(&env));
    let copies = fs::read_dir(env.data().join("backups")).expect("backups").flatten().map(|it| it.path());
    let copies: Vec<_> = copies.collect();
    remove_database(&env.data());
    for (end, name) in
        [(".decisions.json", "decisions.json"), (".db", "lessons.db"), (".json", "lessons.json")]
    {
        let of_it = copies.iter().filter(|it| it.to_string_lossy().contains("nightly-"));
        let copy = of_it.min_by_key(|it| (!it.to_string_lossy().ends_with(end), it.as_os_str().len()));
        fs::copy(copy.expect("a copy"), env.data().join(name)).expect("a copy");
    }
    env.must(&["build"]);
    assert!(told_at_start(&env).contains("blocks nothing at present") && !is_blocked(&env));
    let accepted = env.must(&["accept"]);
    assert!(accepted.contains("removed  user/never-wipe-with-frob"), "{accepted}");
    assert!(!told_at_start(&env).contains("blocks nothing"));
    assert!(env.must(&["accept"]).contains("Nothing differs"));
}

#[test]
fn a_block_that_a_person_ends_is_not_called_lost() {
    for ending in [&["deprecate", "guard"][..], &["edit", "guard", "--mode", "advise"], &["off", "guard"]] {
        let env = machine();
        told_at_start(&env);
        env.must(ending);
        env.lessons(&["build"]);
        assert!(!is_blocked(&env), "{ending:?}");
        let told = told_at_start(&env);
        assert!(
            told.contains("stops calls no more") && !told.contains("blocks nothing"),
            "{ending:?}: {told}"
        );
        assert_eq!(told_at_start(&env), "", "{ending:?} is said once");
    }
    let env = machine();
    told_at_start(&env);
    by_hand(&env, "lessons.json", |store| {
        store["lessons"].as_object_mut().expect("lessons").remove("guard");
    });
    env.must(&["accept"]);
    assert!(!is_blocked(&env));
    let told = told_at_start(&env);
    assert!(told.contains("guard (no longer in force"), "a person has accepted that it is gone: {told}");
}

#[test]
fn the_doctor_names_and_fixes_what_became_of_the_store_and_the_database() {
    let table: [Damage; 3] = [
        ("STORE_GONE", |data| remove(&data.join("lessons.json"))),
        ("STORE_UNREADABLE", |data| garbage(&data.join("lessons.json"))),
        ("DATABASE_UNUSABLE", |data| {
            remove_database(data);
            fs::write(data.join("lessons.db"), [7; 4096]).expect("a file");
        }),
    ];
    for (code, damage) in table {
        let env = damaged(damage);
        let before = codes(&env);
        assert!(before.iter().any(|it| it == code), "{code}: {before:?}");
        let fixed = said(&env.lessons(&["doctor", "--fix"]));
        assert!(fixed.contains("Fixed: ") && !fixed.contains("not fixed"), "{code}: {fixed}");
        assert!(!codes(&env).iter().any(|it| it == code), "{code}: {fixed}");
        assert!(is_blocked(&env) && said(&env.lessons(&["list"])).contains("user/guard"), "{code}");
    }
}
