//! What lies below a folder.

use std::fs;
use std::path::{Path, PathBuf};

/// Every file below a folder, at any depth.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
}

/// The files below a folder in which `text` stands, whatever the case of its letters.
pub fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let text = text.to_lowercase();
    let holds = |path: &PathBuf| {
        String::from_utf8_lossy(&fs::read(path).expect("a file")).to_lowercase().contains(&text)
    };
    below(folder).into_iter().filter(holds).collect()
}
