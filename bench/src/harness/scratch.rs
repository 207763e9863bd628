//! Stores to measure over: made by the generator, compiled by the plugin's own `lessons build`, kept
//! between runs until the generator or the builder is another one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use lessons_bench::generator::{self, Mixture, Recipe};
use lessons_manifest_builder::seeds;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::floors::{self, Floors};

/// The words that the call has which shares them with many lessons.
pub(crate) const SHARED_WORDS: [&str; 3] = ["git", "npm", "test"];

/// Everything that is needed to measure.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// A fresh copy of the plugin's `bin/`.
    pub(crate) bin: PathBuf,
    /// The floors.
    pub(crate) floors: Floors,
    /// The folder that the sessions work in: a project's root.
    pub(crate) project: PathBuf,
    /// A private folder in memory, as `XDG_RUNTIME_DIR` is.
    pub(crate) runtime: PathBuf,
    /// Holds both, and goes with us.
    _private: tempfile::TempDir,
    work: PathBuf,
    stores: RefCell<HashMap<Recipe, Rc<Store>>>,
}

/// A store that has been built.
#[derive(Debug)]
pub(crate) struct Store {
    /// What `HOME` is set to.
    pub(crate) home: PathBuf,
    /// What it holds.
    pub(crate) facts: Facts,
}

/// What a store holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// How many lessons.
    pub(crate) lessons: usize,
    /// How many of them have a trigger with one of [`SHARED_WORDS`].
    pub(crate) sharing: usize,
}

/// What a store was made by and from: it is made again when that changes.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Origin {
    generator: String,
    builder: String,
    facts: Facts,
}

impl Store {
    /// Our data folder.
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

    /// The store of this recipe, built.
    pub(crate) fn store(&self, lessons: usize, mixture: Mixture) -> Result<Rc<Store>> {
        let recipe = Recipe { lessons, mixture, changed: None };
        if let Some(known) = self.stores.borrow().get(&recipe) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(
            self.find_or_make(recipe)
                .with_context(|| format!("the store of {lessons} lessons ({})", words(mixture)))?,
        );
        self.stores.borrow_mut().insert(recipe, Rc::clone(&made));
        Ok(made)
    }

    fn find_or_make(&self, recipe: Recipe) -> Result<Store> {
        let folder = self.work.join("stores").join(format!("{}-{}", recipe.lessons, words(recipe.mixture)));
        let home = folder.join("home");
        let note = folder.join("made-by.json");
        let (generator, builder) = (hash(&std::env::current_exe()?)?, hash(&self.bin.join("lessons"))?);
        let known: Option<Origin> = fs::read(&note).ok().and_then(|text| serde_json::from_slice(&text).ok());
        if let Some(known) = known
            && (&known.generator, &known.builder) == (&generator, &builder)
        {
            return Ok(Store { home, facts: known.facts });
        }
        remove(&folder)?;
        println!("  making a store of {} lessons ({})", recipe.lessons, words(recipe.mixture));
        let facts = write_lessons(&home, recipe)?;
        let built = self.build(&home, &["build", "--json"])?;
        ensure!(built["user"] == recipe.lessons, "`lessons build` left lessons out: {}", first_out(&built));
        fs::write(&note, serde_json::to_vec(&Origin { generator, builder, facts })?)?;
        Ok(Store { home, facts })
    }

    /// Runs `lessons` as a person would, and returns the JSON that it printed.
    pub(crate) fn build(&self, home: &Path, arguments: &[&str]) -> Result<Value> {
        let output = self.lessons(home).args(arguments).output().context("cannot start lessons")?;
        // Warnings alone are worth an exit code too; what must hold is checked by who asks.
        serde_json::from_slice(&output.stdout).with_context(|| {
            format!("`lessons {}` printed no JSON: {}", arguments.join(" "), show(&output.stderr))
        })
    }

    /// The program `lessons` with `home` for the home.
    pub(crate) fn lessons(&self, home: &Path) -> Command {
        self.program("lessons", home)
    }

    /// A program of the plugin with `home` for the home.
    pub(crate) fn program(&self, name: &str, home: &Path) -> Command {
        let mut command = Command::new(self.bin.join(name));
        command.env_clear().env("HOME", home).env("LANG", "C.UTF-8").current_dir(&self.project);
        command
    }

    /// Puts aside what sessions have left in a store.
    pub(crate) fn put_sessions_aside(&self, store: &Store) -> Result<()> {
        let data = store.data();
        put_aside(&["sessions", "events"].map(|name| data.join(name)), &self.work.join("aside"))
    }

    /// A folder that goes with what is returned.
    pub(crate) fn passing(&self) -> Result<tempfile::TempDir> {
        let folder = tempfile::Builder::new().prefix("passing-").tempdir_in(&self.work);
        folder.with_context(|| format!("cannot create a folder in {}", self.work.display()))
    }

    /// A folder for something that is made every time.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.work.join(name);
        remove(&folder)?;
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

/// Copies programs as an installation does. What the page cache holds of a file that was written just now are
/// larger pieces than what it holds of one that was pushed out and read again, and a process that maps large
/// pieces starts faster, by 20 us where this was found: without a copy it would depend on what the machine did before.
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
pub(crate) fn write_lessons(home: &Path, recipe: Recipe) -> Result<Facts> {
    let graph = generator::store(recipe)?;
    let data = data(home);
    fs::create_dir_all(&data).with_context(|| format!("cannot create {}", data.display()))?;
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700))?;
    fs::write(data.join("lessons.json"), graph.to_bytes())?;
    if recipe.mixture != Mixture::Mixed {
        // The shipped lessons look at content too.
        let ids: Vec<String> =
            seeds::lessons().iter().map(|lesson| format!("{:?}", lesson.id.as_str())).collect();
        fs::write(data.join("config.toml"), format!("[seeds]\noff = [{}]\n", ids.join(", ")))?;
    }
    Ok(Facts { lessons: recipe.lessons, sharing: generator::sharing(&graph, &SHARED_WORDS) })
}

/// Our data folder below a home.
pub(crate) fn data(home: &Path) -> PathBuf {
    home.join(".local/share/lessons")
}

/// Puts those of the folders that are there below `aside`.
///
/// They are not removed. For up to six minutes ext4 does not use an inode again (`recently_deleted` in its `ialloc.c`),
/// and to make a file it passes over all of those one by one: claims of a run that came after the removal of another's
/// took five times as long.
fn put_aside(folders: &[PathBuf], aside: &Path) -> Result<()> {
    fs::create_dir_all(aside)?;
    let aside = tempfile::tempdir_in(aside)?.keep();
    for folder in folders.iter().filter(|folder| folder.exists()) {
        fs::rename(folder, aside.join(folder.file_name().unwrap_or_default()))
            .with_context(|| format!("cannot put {} aside", folder.display()))?;
    }
    Ok(())
}

/// Removes a folder, if it is there.
pub(crate) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn words(mixture: Mixture) -> &'static str {
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
