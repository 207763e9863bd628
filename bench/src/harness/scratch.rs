//! Stores to measure over: generated, built by the plugin's own `lessons build`, and kept between runs until the
//! generator or the builder changes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use lessons_bench::generator::{self, Mixture, Recipe};
use lessons_home::home::Home;
use lessons_ledger::database::Database;
use lessons_ledger::decisions;
use lessons_ledger::journal::Deed;
use lessons_manifest_builder::seeds;
use lessons_store::accepted::Accepted;
use lessons_store::config::ConfigFile;
use lessons_store::lock::{Lock, PATIENCE};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::floors::{self, Floors};

/// The words of the measured call that many lessons share.
pub(crate) const SHARED_WORDS: [&str; 3] = ["git", "npm", "test"];

/// The folders and programs of a measurement.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// The folder with a fresh copy of the plugin's programs.
    pub(crate) bin: PathBuf,
    /// The floors.
    pub(crate) floors: Floors,
    /// The root of the project that the sessions work in.
    pub(crate) project: PathBuf,
    /// A private folder in memory, for `XDG_RUNTIME_DIR`.
    pub(crate) runtime: PathBuf,
    /// The parent of `project` and `runtime`, removed when this is dropped.
    _private: tempfile::TempDir,
    work: PathBuf,
    stores: RefCell<HashMap<Recipe, Rc<Store>>>,
}

/// A store that has been built.
#[derive(Debug)]
pub(crate) struct Store {
    /// The value for `HOME`.
    pub(crate) home: PathBuf,
    /// The counts of its lessons.
    pub(crate) facts: StoreFacts,
}

/// The counts of a store's lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoreFacts {
    /// The number of lessons.
    pub(crate) lessons: usize,
    /// The number of lessons that have a trigger with one of [`SHARED_WORDS`].
    pub(crate) sharing: usize,
}

/// The programs that made a store. It is made again when one of them changes.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoreOrigin {
    generator: String,
    builder: String,
    facts: StoreFacts,
}

impl Store {
    /// Returns the data folder of the store.
    pub(crate) fn data(&self) -> PathBuf {
        data(&self.home)
    }
}

impl Scratch {
    pub(crate) fn new(plugin: &Path, work: &Path) -> Result<Self> {
        let bin = plugin.join("bin");
        ensure!(bin.is_dir(), "{} does not exist; run: cargo xtask dist", bin.display());
        // The project's path is part of every call. Were it in `work`, a word of its name could make a lesson
        // likely, and the counts would depend on where somebody keeps this repository. For the same reason
        // it does not say `lessons`, which the rules of approval look for.
        let private = tempfile::Builder::new()
            .prefix(&format!("bench-{}", std::process::id()))
            .rand_bytes(0)
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in("/dev/shm")
            .context("the claims in memory need a folder in /dev/shm")?;
        let (project, runtime) = (private.path().join("project"), private.path().join("run"));
        fs::create_dir_all(project.join(".git"))
            .with_context(|| format!("cannot create {}", project.display()))?;
        fs::DirBuilder::new().mode(0o700).create(&runtime)?;
        let installed = work.join("bin");
        install(&bin, &installed)?;
        Ok(Self {
            bin: installed.canonicalize()?,
            floors: floors::compile(&work.join("floors"))?,
            project,
            runtime,
            _private: private,
            work: work.canonicalize()?,
            stores: RefCell::default(),
        })
    }

    /// Returns a built store, from an earlier run if the same programs made it.
    pub(crate) fn store(&self, lessons: usize, mixture: Mixture) -> Result<Rc<Store>> {
        let recipe = Recipe { lessons, mixture, changed: None };
        if let Some(known) = self.stores.borrow().get(&recipe) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(
            self.find_or_make(recipe)
                .with_context(|| format!("the store of {lessons} lessons ({})", name(mixture)))?,
        );
        self.stores.borrow_mut().insert(recipe, Rc::clone(&made));
        Ok(made)
    }

    fn find_or_make(&self, recipe: Recipe) -> Result<Store> {
        let folder = self.work.join("stores").join(format!("{}-{}", recipe.lessons, name(recipe.mixture)));
        let home = folder.join("home");
        let note = folder.join("made-by.json");
        let (generator, builder) = (hash(&std::env::current_exe()?)?, hash(&self.bin.join("lessons"))?);
        let known: Option<StoreOrigin> =
            fs::read(&note).ok().and_then(|text| serde_json::from_slice(&text).ok());
        if let Some(known) = known
            && (&known.generator, &known.builder) == (&generator, &builder)
        {
            return Ok(Store { home, facts: known.facts });
        }
        remove(&folder)?;
        println!("  making a store of {} lessons ({})", recipe.lessons, name(recipe.mixture));
        let facts = write_lessons(&home, recipe)?;
        let built = self.json(&home, &["build", "--json"])?;
        ensure!(built["user"] == recipe.lessons, "`lessons build` left lessons out: {}", first_out(&built));
        fs::write(&note, serde_json::to_vec(&StoreOrigin { generator, builder, facts })?)?;
        Ok(Store { home, facts })
    }

    /// Runs `lessons` and returns the JSON that it printed.
    pub(crate) fn json(&self, home: &Path, arguments: &[&str]) -> Result<Value> {
        let output = self.lessons(home).args(arguments).output().context("cannot start lessons")?;
        // The exit code is not zero for warnings too, so the callers check the JSON instead.
        serde_json::from_slice(&output.stdout).with_context(|| {
            format!("`lessons {}` printed no JSON: {}", arguments.join(" "), show(&output.stderr))
        })
    }

    /// Makes a command of the program `lessons`, with `home` for `HOME`.
    pub(crate) fn lessons(&self, home: &Path) -> Command {
        self.program("lessons", home)
    }

    /// Makes a command of a program of the plugin, with `home` for `HOME`.
    pub(crate) fn program(&self, name: &str, home: &Path) -> Command {
        let mut command = Command::new(self.bin.join(name));
        command.env_clear().env("HOME", home).env("LANG", "C.UTF-8").current_dir(&self.project);
        command
    }

    /// Moves the files that sessions have left in a store out of it.
    pub(crate) fn put_sessions_aside(&self, store: &Store) -> Result<()> {
        let data = store.data();
        put_aside(&["sessions", "events"].map(|name| data.join(name)), &self.work.join("aside"))
    }

    /// Makes a folder that is removed when the returned value is dropped.
    pub(crate) fn temporary_folder(&self) -> Result<tempfile::TempDir> {
        let folder = tempfile::Builder::new().prefix("passing-").tempdir_in(&self.work);
        folder.with_context(|| format!("cannot create a folder in {}", self.work.display()))
    }

    /// Makes an empty folder `name`, in place of one that may be there.
    pub(crate) fn empty_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.work.join(name);
        remove(&folder)?;
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

/// Copies programs as an installation does. The page cache holds a file that was just written in larger pieces than one
/// that was evicted and read again, and a process that maps large pieces starts faster, by 20 us where this was found.
/// Without a copy the times would depend on what the machine did before.
fn install(from: &Path, to: &Path) -> Result<()> {
    remove(to)?;
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let program = entry?;
        let copied = fs::copy(program.path(), to.join(program.file_name()));
        copied.with_context(|| format!("cannot copy {}", program.path().display()))?;
    }
    Ok(())
}

/// Writes the store of `recipe` where `lessons` looks for it below `home`.
pub(crate) fn write_lessons(home: &Path, recipe: Recipe) -> Result<StoreFacts> {
    let graph = generator::store(recipe)?;
    let data = data(home);
    fs::create_dir_all(&data).with_context(|| format!("cannot create {}", data.display()))?;
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700))?;
    fs::write(data.join("lessons.json"), graph.to_bytes())?;
    let mut settings = String::new();
    if recipe.mixture != Mixture::Mixed {
        // The shipped lessons look at content too.
        let ids: Vec<String> =
            seeds::lessons().iter().map(|lesson| format!("{:?}", lesson.id.as_str())).collect();
        settings = format!("[seeds]\noff = [{}]\n", ids.join(", "));
        fs::write(data.join("config.toml"), &settings)?;
    }
    let facts = StoreFacts { lessons: recipe.lessons, sharing: generator::sharing(&graph, &SHARED_WORDS) };
    let settings = ConfigFile::parse("config.toml", settings.into_bytes())?.deciding();
    let home = Home::at(data);
    let lock = Lock::acquire(&home, PATIENCE)?;
    let deed = Deed::new("the benchmark", "accepted", 0);
    decisions::save(&lock, &mut Database::open(&home)?, &deed, |decisions| {
        decisions.accepted = Accepted::of(graph, settings);
    })?;
    Ok(facts)
}

/// Returns the data folder below a home.
pub(crate) fn data(home: &Path) -> PathBuf {
    home.join(".local/share/lessons")
}

/// Moves those folders that exist below `aside`.
///
/// The folders are not removed. For up to six minutes ext4 does not use an inode again (`recently_deleted` in its `ialloc.c`),
/// and to make a file it passes over all of those one by one. Claims of a run that followed the removal of another run's
/// claims took five times as long.
fn put_aside(folders: &[PathBuf], aside: &Path) -> Result<()> {
    fs::create_dir_all(aside)?;
    let aside = tempfile::tempdir_in(aside)?.keep();
    for folder in folders.iter().filter(|folder| folder.exists()) {
        fs::rename(folder, aside.join(folder.file_name().unwrap_or_default()))
            .with_context(|| format!("cannot put {} aside", folder.display()))?;
    }
    Ok(())
}

/// Removes a folder if it exists.
pub(crate) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Returns the name of a mixture in file names and messages.
fn name(mixture: Mixture) -> &'static str {
    match mixture {
        Mixture::Mixed => "mixed",
        Mixture::WithoutContents => "without-contents",
        Mixture::TwentyContents => "twenty-contents",
        Mixture::OneCommand => "one-command",
    }
}

fn first_out(report: &Value) -> String {
    let counts = ["user", "seeds", "compiled"].map(|name| format!("{name} {}", report[name]));
    format!("{}; the first is {}", counts.join(", "), report["left_out"][0])
}

fn show(text: &[u8]) -> String {
    String::from_utf8_lossy(text).trim().to_owned()
}

fn hash(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(format!("{:x}", Sha256::digest(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sessions_left_is_put_aside_and_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (sessions, aside) = (folder.path().join("sessions"), folder.path().join("aside"));
        for _ in 0..2 {
            fs::create_dir_all(sessions.join("one")).unwrap();
            put_aside(&[sessions.clone(), folder.path().join("events")], &aside).unwrap();
            assert!(!sessions.exists());
        }
        let kept = fs::read_dir(&aside).unwrap().map(|entry| entry.unwrap().path());
        assert_eq!(kept.filter(|kept| kept.join("sessions/one").is_dir()).count(), 2);
    }
}
