//! The harness, in reading order:
//!
//! - [`floors`]: programs that do next to nothing, to compare with.
//! - [`scratch`]: stores that `lessons build` has compiled, kept between runs.
//! - [`payload`], [`contender`]: a call as the client makes it, and a program that answers it.
//! - [`pipe`], [`spawn`]: one run, timed.
//! - [`sampling`]: many runs, interleaved.
//! - [`count`]: system calls and instructions of one run.
//! - [`case`], [`cases`]: which calls are measured, and their limits.
//! - [`run`]: one topic, measured.
//! - [`report`], [`machine`], [`document`]: the tables, and what goes with them into BENCHMARKS.md.
//! - [`gates`]: limits on counts, checked at every change.

mod case;
mod cases;
mod contender;
mod count;
mod document;
mod floors;
mod gates;
mod machine;
mod payload;
mod pipe;
mod report;
mod run;
mod sampling;
mod scratch;
mod spawn;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use case::Topic;
use report::Report;
use sampling::Effort;
use scratch::Scratch;

/// Measures the cost of a call of the hook.
#[derive(Debug, Parser)]
#[command(name = "lessons-bench")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    /// `cargo bench` adds it
    #[arg(long, hide = true, global = true)]
    bench: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Measure times, and write them into a document
    Table(TableOptions),
    /// Count system calls, instructions and memory, and fail over the limits
    Gates(Folders),
}

#[derive(Debug, Args)]
struct Folders {
    /// The plugin, as `cargo xtask dist` assembles it
    #[arg(long, value_name = "DIR")]
    plugin: PathBuf,
    /// The folder in which stores are kept between runs
    #[arg(long, value_name = "DIR")]
    work: PathBuf,
}

#[derive(Debug, Args)]
struct TableOptions {
    #[command(flatten)]
    folders: Folders,
    /// The document with the table. It is written only when everything was measured
    #[arg(long, value_name = "FILE")]
    document: PathBuf,
    /// The number of runs of each program in each case
    #[arg(long, default_value_t = 1000)]
    runs: usize,
    /// The time limit of one case, in seconds; runs after it are left out
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// Leave out stores with more lessons than this
    #[arg(long, default_value_t = 100_000)]
    largest: usize,
    /// Measure only this topic; may be given more than once
    #[arg(long, value_enum, value_name = "TOPIC")]
    only: Vec<Topic>,
}

impl TableOptions {
    fn is_whole(&self) -> bool {
        self.only.is_empty() && self.largest >= 100_000 && self.runs >= sampling::LEAST_RUNS
    }
}

pub(crate) fn main() -> ExitCode {
    match execute(Arguments::parse().verb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(verb: Verb) -> Result<()> {
    match verb {
        Verb::Table(options) => measure(&options),
        Verb::Gates(folders) => gates::run(&Scratch::new(&folders.plugin, &folders.work)?),
    }
}

fn measure(options: &TableOptions) -> Result<()> {
    let scratch = Scratch::new(&options.folders.plugin, &options.folders.work)?;
    let machine = machine::describe(&options.folders.work)?;
    let effort = Effort { runs: options.runs, limit: Duration::from_secs(options.seconds) };
    let topics = if options.only.is_empty() { Topic::ALL.to_vec() } else { options.only.clone() };
    let mut report = Report::default();
    for topic in topics {
        println!("Measuring {}", topic.label());
        run::measure(topic, &scratch, options.largest, effort, &mut report)?;
    }
    let text = report.markdown();
    println!("\n{machine}\n{text}");
    if !options.is_whole() {
        println!("This is a part, so {} stays as it is.", options.document.display());
        return Ok(());
    }
    document::write(&options.document, &format!("{machine}\n{text}"))?;
    println!("Written into {}", options.document.display());
    Ok(())
}
