use super::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    (dir, path)
}

fn names(folder: &Path) -> Vec<OsString> {
    std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name()).collect()
}

#[test]
fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
    let (dir, path) = scratch();
    replace(&path, b"old").unwrap();
    replace(&path, b"new").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    assert_eq!(names(dir.path()), ["file"]);
}

#[test]
fn a_link_is_refused_and_what_it_points_to_untouched() {
    let (dir, path) = scratch();
    let target = dir.path().join("target");
    std::fs::write(&target, "theirs").unwrap();
    std::os::unix::fs::symlink(&target, &path).unwrap();
    assert!(matches!(replace(&path, b"x"), Err(WriteError::File(FileError::Link { .. }))));
    assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
}

#[test]
fn a_folder_that_others_may_write_is_refused() {
    let (dir, path) = scratch();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(replace(&path, b"x").unwrap_err().to_string().contains("chmod go-w"));
}

#[test]
fn a_file_of_a_project_keeps_its_mode_and_is_never_written_through_a_link() {
    let (dir, _) = scratch();
    let path = dir.path().join(".lessons/lessons.json");
    replace_in_project(&path, b"new").unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&path) & 0o600, 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
    replace_in_project(&path, b"newer").unwrap();
    assert_eq!((std::fs::read(&path).unwrap(), mode(&path)), (b"newer".to_vec(), 0o664));
    assert_eq!(names(parent(&path)), ["lessons.json"]);
    let linked = dir.path().join("linked");
    std::os::unix::fs::symlink(parent(&path), &linked).unwrap();
    let error = replace_in_project(&linked.join("lessons.json"), b"x").unwrap_err();
    assert!(matches!(error, WriteError::File(FileError::Link { .. })), "{error}");
    remove_elsewhere(&path).unwrap();
    remove_if_empty(dir.path());
    remove_if_empty(parent(&path));
    assert!(dir.path().exists() && !parent(&path).exists());
}

#[test]
fn what_is_not_finished_leaves_the_old_and_nothing_beside_it() {
    let (dir, path) = scratch();
    replace(&path, b"old").unwrap();
    let mut unfinished = Unfinished::begin(&path).unwrap();
    unfinished.write_all(b"new").unwrap();
    let (finished, meanwhile) = unfinished.finish_while(|| names(dir.path()).len());
    assert_eq!(meanwhile, 2);
    drop(finished.unwrap());
    assert_eq!((std::fs::read(&path).unwrap(), names(dir.path())), (b"old".to_vec(), vec!["file".into()]));
}

#[test]
fn a_file_for_others_takes_the_place_of_nothing() {
    let (dir, _) = scratch();
    let path = dir.path().join("shared/file");
    create_for_others(&path, b"new").unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o700, 0o600);
    assert!(matches!(create_for_others(&path, b"newer"), Err(WriteError::Io { step: "create", .. })));
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    assert_eq!(names(&dir.path().join("shared")), ["file"], "nothing is left beside it");
}

#[test]
fn removing_what_is_not_there_is_no_error() {
    let (_dir, path) = scratch();
    remove(&path).unwrap();
    replace(&path, b"x").unwrap();
    remove(&path).unwrap();
    assert!(!path.exists());
}

#[test]
fn only_what_dead_processes_left_is_swept() {
    let (dir, _) = scratch();
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let left = ["", "-journal", "-wal", "-shm"]
        .map(|suffix| format!(".nightly.db.{}-0.unfinished{suffix}", gone.id()));
    let ours =
        ["", "-journal"].map(|suffix| format!(".lessons.db.{}-7.unfinished{suffix}", std::process::id()));
    let others =
        ["lessons.db", "lessons.db-journal", ".x.unfinished", ".x.-1-0.unfinished"].map(str::to_owned);
    for name in left.iter().chain(&ours).chain(&others) {
        std::fs::write(dir.path().join(name), "").unwrap();
    }
    assert_eq!(unfinished(dir.path()).unwrap().len(), left.len());
    sweep(dir.path()).unwrap();
    let mut kept = names(dir.path());
    kept.sort();
    let mut expected: Vec<OsString> = ours.iter().chain(&others).map(OsString::from).collect();
    expected.sort();
    assert_eq!(kept, expected);
}

#[test]
fn a_process_that_nobody_has_reaped_is_gone() {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let id = i32::try_from(child.id()).unwrap();
    let started = std::time::Instant::now();
    while cfg!(target_os = "linux") && !is_gone(id) {
        assert!(started.elapsed().as_secs() < 20);
    }
    child.wait().unwrap();
    assert!(is_gone(id) && !is_gone(i32::try_from(std::process::id()).unwrap()) && !is_gone(0));
}
