//! Counts the findings in texts: how many of some attacks are seen, and how many ordinary texts are suspected.
//!
//!     cargo run --release -p lessons-incident --example measure -- FOLDER | FILE.jsonl ...
//!
//! Each file below a folder is a text, as far as a hook would read it; of a `.jsonl` file, the field `text` of each line. Of a
//! transcript of the client it is each result of a tool, from which the client's own markup is taken, as a scan does.
//! Prints a line for each text with a finding, then the counts and the time.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement prints, and reads any files"
)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lessons_incident::finding::{self, Cluster};
use lessons_incident::kind::Severity;
use lessons_incident::{Pattern, response};
use serde_json::Value;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The counts over all texts.
#[derive(Default)]
struct Counts {
    texts: usize,
    bytes: usize,
    found: usize,
    critical: usize,
    rules: BTreeMap<&'static str, usize>,
    spent: Duration,
    longest: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut counts = Counts::default();
    for argument in std::env::args_os().skip(1).map(PathBuf::from) {
        if argument.is_dir() {
            folder(&argument, &mut counts)?;
        } else {
            lines(&argument, &mut counts)?;
        }
    }
    let Counts { texts, bytes, found, critical, rules, spent, longest } = counts;
    println!("{texts} texts, {bytes} bytes: {found} with a finding, {critical} critical");
    println!("{rules:?}; {spent:.0?} in all, {longest:.1?} for one at most");
    Ok(())
}

/// Adds every text below a folder. Links are not followed, and what is no UTF-8 is no text.
fn folder(folder: &Path, counts: &mut Counts) -> Result<(), Box<dyn Error>> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.filter_map(Result::ok).collect();
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            self::folder(&entry.path(), counts)?;
        } else if entry.path().extension().is_some_and(|extension| extension == "jsonl") {
            lines(&entry.path(), counts)?;
        } else if kind.is_file()
            && entry.metadata()?.len() <= MOST_BYTES
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            counts.add(&entry.path().display().to_string(), &text);
        }
    }
    Ok(())
}

/// Adds the texts of a `.jsonl` file. A line that cannot be read has none.
fn lines(path: &Path, counts: &mut Counts) -> Result<(), Box<dyn Error>> {
    for (number, line) in BufReader::new(fs::File::open(path)?).split(b'\n').enumerate() {
        let Ok(value) = serde_json::from_slice::<Value>(&line?) else { continue };
        let name = format!("{}:{}", path.display(), number + 1);
        if let Some(text) = value["text"].as_str() {
            counts.add(&name, text);
        }
        let blocks = value["message"]["content"].as_array().into_iter().flatten();
        for block in blocks.filter(|block| block["type"] == "tool_result") {
            let text = match &block["content"] {
                Value::Array(parts) => {
                    parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
                }
                other => other.as_str().unwrap_or_default().to_owned(),
            };
            counts.add(&name, &response::without(&text));
        }
    }
    Ok(())
}

impl Counts {
    fn add(&mut self, name: &str, text: &str) {
        let start = Instant::now();
        let clusters = finding::clusters(text);
        let spent = start.elapsed();
        self.texts += 1;
        self.bytes += text.len();
        self.spent += spent;
        self.longest = self.longest.max(spent);
        let Some(severity) = clusters.iter().map(Cluster::severity).max() else { return };
        self.found += 1;
        self.critical += usize::from(severity == Severity::Critical);
        for rule in finding::rules(text) {
            *self.rules.entry(rule.name()).or_default() += 1;
        }
        for cluster in &clusters {
            let rules: Vec<_> = cluster.rules.iter().map(|rule| rule.name()).collect();
            println!("{name}: {}: {}", rules.join(", "), Pattern::of_parts(text, &cluster.sentences).text());
        }
    }
}
