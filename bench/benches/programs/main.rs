//! The time of whole programs: builds, queries, scans and replays, each beside what it is compared with.
//!
//! `cargo xtask dist && cargo bench -p lessons-bench --bench programs -- scan` measures the plugin as a user has it. Divan
//! prints the times; below a name stands the highest peak of the memory of its runs. BENCHMARKS.md has the limits.
#![cfg_attr(test, allow(dead_code, unused_imports, reason = "its tests run elsewhere"))]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]
#![allow(clippy::disallowed_methods, reason = "what it writes is measured, not kept")]
#![allow(clippy::print_stdout, reason = "divan prints to standard output too")]
#![allow(missing_docs, reason = "the names say it; a benchmark is called by its name alone")]

mod history;
mod process;
mod transcripts;

use std::path::PathBuf;
use std::sync::LazyLock;

use divan::Bencher;
use lessons_bench::generator::{Mixture, Recipe, TOLD_COMMAND, TOLD_PATH};
use lessons_bench::stores;
use tempfile::TempDir;

use history::{History, ScannedHome};
use process::{Measured, PROGRAMS, lessons};

fn main() {
    assert!(PROGRAMS.join("lessons").exists(), "there is no {}; run: cargo xtask dist", PROGRAMS.display());
    divan::main();
}

/// `lessons build` on one core.
mod build {
    use super::{Bencher, Measured, Mixture, Recipe, TempDir, lessons, stores};

    const RECIPE: Recipe = Recipe { lessons: 0, mixture: Mixture::Mixed, changed: None };

    fn built(home: &TempDir, lessons_in_it: usize) {
        let mut build = std::process::Command::new("taskset");
        let inner = lessons(home.path(), &["build", "--json"]);
        build.args(["-c", "0"]).arg(inner.get_program()).args(inner.get_args()).env_clear();
        build.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let report: serde_json::Value = serde_json::from_slice(&build.output().unwrap().stdout).unwrap();
        assert_eq!(report["user"], lessons_in_it, "lessons were left out");
    }

    #[divan::bench(args = [10_000, 100_000], sample_count = 3, sample_size = 1)]
    fn from_nothing(bencher: Bencher<'_, '_>, lessons: usize) {
        let home = || {
            let home = tempfile::tempdir().unwrap();
            stores::write(home.path(), Recipe { lessons, ..RECIPE }).unwrap();
            home
        };
        bencher.with_inputs(home).bench_local_refs(|home| built(home, lessons));
    }

    #[divan::bench(args = [10_000, 100_000], sample_count = 3, sample_size = 1)]
    fn after_one_change(bencher: Bencher<'_, '_>, lessons: usize) {
        let home = || {
            let home = tempfile::tempdir().unwrap();
            stores::write(home.path(), Recipe { lessons, ..RECIPE }).unwrap();
            built(&home, lessons);
            stores::write(home.path(), Recipe { lessons, changed: Some(lessons / 2), ..RECIPE }).unwrap();
            home
        };
        bencher.with_inputs(home).bench_local_refs(|home| built(home, lessons));
    }

    /// The peak of a build from nothing.
    #[divan::bench(args = [10_000], sample_count = 1, sample_size = 1)]
    fn memory(bencher: Bencher<'_, '_>, lessons_in_it: usize) {
        let home = tempfile::tempdir().unwrap();
        stores::write(home.path(), Recipe { lessons: lessons_in_it, ..RECIPE }).unwrap();
        let measured = Measured::default();
        bencher.bench_local(|| measured.run(&mut lessons(home.path(), &["build"])));
        measured.print();
    }
}

/// `lessons query` over 10,000 lessons.
mod query {
    use super::{Bencher, LazyLock, Mixture, Recipe, TOLD_COMMAND, TOLD_PATH, TempDir, lessons, stores};

    static HOME: LazyLock<TempDir> = LazyLock::new(|| {
        let home = tempfile::tempdir().unwrap();
        let recipe = Recipe { lessons: 10_000, mixture: Mixture::Mixed, changed: None };
        stores::write(home.path(), recipe).unwrap();
        assert!(lessons(home.path(), &["build"]).output().unwrap().status.success());
        home
    });

    fn ask(bencher: Bencher<'_, '_>, question: [&str; 2], answered: bool) {
        let [option, value] = question;
        let asked = || lessons(HOME.path(), &["query", option, value]).output().unwrap();
        assert!(!answered || String::from_utf8_lossy(&asked().stdout).contains("Commit first"));
        bencher.bench_local(|| assert!(asked().status.success()));
    }

    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn about_a_command(bencher: Bencher<'_, '_>) {
        ask(bencher, ["--cmd", TOLD_COMMAND], true);
    }

    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn about_a_command_of_common_words(bencher: Bencher<'_, '_>) {
        ask(bencher, ["--cmd", "git status --short && npm test -- --silent"], false);
    }

    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn about_a_file(bencher: Bencher<'_, '_>) {
        ask(bencher, ["--file", TOLD_PATH], true);
    }

    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn in_words(bencher: Bencher<'_, '_>) {
        ask(bencher, ["--keyword", "deploy a region"], false);
    }
}

/// A first scan of 1 GB of sessions, beside a reading and a search of the same files.
mod scan {
    use super::{Bencher, History, Measured, ScannedHome};

    /// Scans from nothing, and checks that the lessons of the history were found.
    fn with(bencher: Bencher<'_, '_>, settings: &str) {
        let (home, measured) = (ScannedHome::new(History::large(), settings), Measured::default());
        bencher.with_inputs(|| home.forget()).bench_local_values(|()| measured.run(&mut home.scan()));
        assert!(home.candidates() >= History::large().facts.lessons, "lessons were not found");
        measured.print();
    }

    #[divan::bench(sample_count = 5, sample_size = 1)]
    fn beside_it_reading(bencher: Bencher<'_, '_>) {
        bencher.bench_local(|| History::large().read());
    }

    #[divan::bench(sample_count = 5, sample_size = 1)]
    fn beside_it_searching(bencher: Bencher<'_, '_>) {
        bencher.bench_local(|| History::large().search());
    }

    #[divan::bench(sample_count = 5, sample_size = 1)]
    fn for_tags_alone(bencher: Bencher<'_, '_>) {
        with(bencher, "scan.detectors = false\nincidents.enabled = false\n");
    }

    #[divan::bench(sample_count = 5, sample_size = 1)]
    fn with_all_detectors(bencher: Bencher<'_, '_>) {
        with(bencher, "incidents.enabled = false\n");
    }

    #[divan::bench(sample_count = 5, sample_size = 1)]
    fn with_incidents_too(bencher: Bencher<'_, '_>) {
        with(bencher, "");
    }
}

/// A scan of 5,000 files that were scanned before, beside a visit of all of them.
mod scan_of_nothing_new {
    use super::{Bencher, History, Measured, ScannedHome};

    #[divan::bench(sample_count = 5, sample_size = 1)]
    fn beside_it_find(bencher: Bencher<'_, '_>) {
        bencher.bench_local(|| History::small().find());
    }

    #[divan::bench(sample_count = 5, sample_size = 1)]
    fn scan(bencher: Bencher<'_, '_>) {
        let (home, measured) = (ScannedHome::new(History::small(), ""), Measured::default());
        measured.run(&mut home.scan());
        bencher.bench_local(|| measured.run(&mut home.scan()));
        measured.print();
    }
}

/// A scan of one line of 256 MiB, which does not fit the scanner's memory, beside a reading of it.
mod scan_of_one_line {
    use super::{Bencher, History, Measured, ScannedHome};

    #[divan::bench(sample_count = 5, sample_size = 1)]
    fn beside_it_reading(bencher: Bencher<'_, '_>) {
        bencher.bench_local(|| History::line().read());
    }

    #[divan::bench(sample_count = 5, sample_size = 1)]
    fn scan(bencher: Bencher<'_, '_>) {
        let (home, measured) = (ScannedHome::new(History::line(), ""), Measured::default());
        bencher.with_inputs(|| home.forget()).bench_local_values(|()| measured.run(&mut home.scan()));
        measured.print();
    }
}

/// `lessons replay` over 1 GB of sessions.
mod replay {
    use super::transcripts::RARE_WORD;
    use super::{Bencher, History, Measured, ScannedHome};

    fn replay(home: &ScannedHome) -> std::process::Command {
        home.lessons(&["replay", "--trigger", &format!("cmd=\\b{RARE_WORD}\\s+deploy\\b")])
    }

    #[divan::bench(sample_count = 5, sample_size = 1)]
    fn to_its_end(bencher: Bencher<'_, '_>) {
        let (home, measured) = (ScannedHome::new(History::large(), ""), Measured::default());
        let output = replay(&home).arg("--json").output().unwrap();
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["lookedAt"]["calls"], History::large().facts.calls);
        assert_eq!(summary["fired"]["calls"], History::large().facts.rare);
        bencher.bench_local(|| measured.run(&mut replay(&home)));
        measured.print();
    }
}
