//! Generated lessons in a home, as if their owner had accepted them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lessons_home::home::Home;
use lessons_ledger::database::Database;
use lessons_ledger::decisions;
use lessons_ledger::journal::Deed;
use lessons_manifest_builder::seeds;
use lessons_store::accepted::Accepted;
use lessons_store::config::ConfigFile;
use lessons_store::durable::lock::{Lock, PATIENCE};
use lessons_store::graph::Graph;

use crate::generator::{self, Mixture, Recipe};

/// Writes the lessons of `recipe` where `lessons` looks for them below `home`, and returns them. They are in force after
/// the next `lessons build`.
pub fn write(home: &Path, recipe: Recipe) -> Result<Graph> {
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
    let settings = ConfigFile::parse("config.toml", settings.into_bytes())?.deciding();
    let home = Home::at(data);
    let lock = Lock::acquire(&home, PATIENCE)?;
    let deed = Deed::new("the benchmark", "accepted", 0);
    decisions::save(&lock, &mut Database::open(&home)?, &deed, |decisions| {
        decisions.accepted = Accepted { graph: graph.clone(), settings };
    })?;
    Ok(graph)
}

/// Returns the data folder below a home.
pub fn data(home: &Path) -> PathBuf {
    home.join(".local/share/lessons")
}
