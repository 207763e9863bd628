use super::*;

fn client(project: &str, cwd: &str) -> Caller {
    Caller::Client { project: Some(project.into()), cwd: Some(cwd.into()) }
}

fn environment(home: &Path) -> Environment {
    Environment { lessons_home: Some(home.into()), ..Environment::default() }
}

#[test]
fn without_the_variable_the_machines_data_folder_is_used() {
    let environment =
        Environment { data_folder: Some("/home/u/.local/share/lessons".into()), ..Environment::default() };
    let home = locate(&environment, &client("/p", "/p")).unwrap().home;
    assert_eq!(home.lessons(), Path::new("/home/u/.local/share/lessons/lessons.json"));
    assert!(matches!(locate(&Environment::default(), &Caller::Person), Err(HomeError::Nowhere)));
}

#[test]
fn claims_live_in_a_private_runtime_folder_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let environment = Environment {
        data_folder: Some("/data".into()),
        runtime_folder: Some(dir.path().to_owned()),
        ..Environment::default()
    };
    let sessions = || locate(&environment, &Caller::Person).unwrap().home.sessions();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(sessions(), Path::new("/data/sessions"));
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(sessions(), dir.path().join("lessons"));
}

/// Where the client finds the data folder, if the variable names `home` and the machine's folder is `data`.
fn refused(home: &Path, data: &Path, caller: &Caller) -> Option<HomeError> {
    let environment = Environment { data_folder: Some(data.to_owned()), ..environment(home) };
    let found = locate(&environment, caller).unwrap();
    let expected = if found.refused.is_some() { data.to_owned() } else { home.canonicalize().unwrap() };
    assert_eq!(found.home.root(), expected);
    found.refused
}

fn made_home(root: &Path) {
    std::fs::create_dir_all(root).unwrap();
    let canonical = root.canonicalize().unwrap();
    std::fs::write(root.join("home"), format!("{}\n", canonical.display())).unwrap();
}

#[test]
fn a_person_may_name_any_folder_but_the_client_only_one_that_names_itself() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    assert!(locate(&environment(&root), &Caller::Person).is_ok());
    let refused = || refused(&root, Path::new("/data"), &client("/p", "/p"));
    assert!(matches!(refused(), Some(HomeError::NotMarked(HOME_VARIABLE))));
    std::fs::write(root.join("home"), "/elsewhere\n").unwrap();
    assert!(matches!(refused(), Some(HomeError::NotMarked(HOME_VARIABLE))));
    made_home(&root);
    assert!(refused().is_none());
    let relative = locate(&environment(Path::new("data")), &Caller::Person);
    assert!(matches!(relative, Err(HomeError::NotAbsolute)));
}

#[test]
fn a_home_in_the_repository_is_refused_whatever_its_spelling_unless_the_person_has_used_it() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let (repository, data) = (root.join("repository"), root.join("data"));
    let (package, brought) = (repository.join("packages/app"), repository.join(".x"));
    std::fs::create_dir_all(&package).unwrap();
    std::fs::create_dir_all(&data).unwrap();
    std::fs::create_dir_all(repository.join(".git")).unwrap();
    made_home(&brought);
    std::os::unix::fs::symlink(&brought, root.join("link")).unwrap();
    std::os::unix::fs::symlink(&repository, root.join("linked-project")).unwrap();
    let at = |folder: &Path| client(folder.to_str().unwrap(), folder.to_str().unwrap());
    let spellings = [
        brought.clone(),
        root.join("link"),
        root.join("linked-project/.x"),
        repository.join("packages/../.x"),
        PathBuf::from(format!("/proc/self/root{}", brought.display())),
    ];
    for folder in [&repository, &package, &root.join("linked-project")] {
        for spelling in &spellings {
            let refused = refused(spelling, &data, &at(folder));
            assert!(
                matches!(refused, Some(HomeError::InsideProject(HOME_VARIABLE))),
                "{}",
                spelling.display()
            );
        }
    }
    std::fs::write(data.join("homes"), format!("/other\n{}\n", brought.display())).unwrap();
    for spelling in &spellings {
        assert!(refused(spelling, &data, &at(&package)).is_none(), "{}", spelling.display());
    }
}

#[test]
fn a_folder_by_another_variable_is_refused_as_well_and_the_list_of_those_in_use_is_not_read_there() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let (brought, data) = (root.join("repository/lessons"), root.join("data"));
    made_home(&brought);
    std::fs::write(brought.join("homes"), format!("{}\n", brought.display())).unwrap();
    let environment = Environment {
        data_folder: Some(data.clone()),
        xdg_folder: Some(brought.clone()),
        ..Environment::default()
    };
    let repository = root.join("repository");
    let caller = client(repository.to_str().unwrap(), "/p");
    let found = locate(&environment, &caller).unwrap();
    assert_eq!((found.home.root(), found.variable), (data.as_path(), None));
    assert!(matches!(found.refused, Some(HomeError::InsideProject(DATA_VARIABLE))));
    let elsewhere = locate(&environment, &client("/p", "/p")).unwrap();
    assert_eq!((elsewhere.home.root(), elsewhere.variable), (brought.as_path(), Some(DATA_VARIABLE)));
    let both = Environment { lessons_home: Some("x".into()), ..environment };
    assert_eq!(locate(&both, &client("/p", "/p")).unwrap().home.root(), brought);
    assert!(locate(&both, &Caller::Person).is_err());
}

#[test]
fn dots_are_worked_out_on_the_text() {
    assert_eq!(lexical(Path::new("/a/./b/../c")), Path::new("/a/c"));
    assert_eq!(lexical(Path::new("/..")), Path::new("/.."));
}
