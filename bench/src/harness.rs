//! The harness, in reading order:
//!
//! - [`floors`]: programs that do next to nothing, to compare with.
//! - [`scratch`]: stores that `lessons build` has compiled, kept between runs.
//! - [`payload`], [`contender`]: a call as the client makes it, and a program that answers it.
//! - [`pipe`], [`spawn`]: one run, timed.
//! - [`sampling`]: many runs, interleaved.
//! - [`count`]: system calls and instructions of one run.
//! - [`cases`]: what is measured, and the limits.
//! - [`rebuild`]: how long a build takes. [`asking`]: how long a query does.
//! - [`process`], [`scanning`], [`replaying`]: what it costs to read a history.
//! - [`table`], [`machine`], [`document`]: what is told of it.
//! - [`gates`]: what must hold at every change.

mod asking;
mod cases;
mod contender;
mod count;
mod document;
mod floors;
mod gates;
mod machine;
mod payload;
mod pipe;
mod process;
mod rebuild;
mod replaying;
mod sampling;
mod scanning;
mod scratch;
mod spawn;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use cases::Topic;
use sampling::Effort;
use scratch::Scratch;

/// Measures what a call of the hook costs.
#[derive(Debug, Parser)]
#[command(name = "lessons-bench")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Measure times, and write them into a document
    Table(Table),
    /// Count what does not wobble, and fail over the limits
    Gates(Places),
}

#[derive(Debug, Args)]
struct Places {
    /// The plugin, as `cargo xtask dist` assembles it
    #[arg(long, value_name = "DIR")]
    plugin: PathBuf,
    /// Where stores are kept between runs
    #[arg(long, value_name = "DIR")]
    work: PathBuf,
}

#[derive(Debug, Args)]
struct Table {
    #[command(flatten)]
    places: Places,
    /// The document with the table. It is written only when everything was measured
    #[arg(long, value_name = "FILE")]
    document: PathBuf,
    /// How often each program is run in each case
    #[arg(long, default_value_t = 1000)]
    runs: usize,
    /// The longest that one case may take, in seconds; what is not run by then is not run
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// Leave out stores with more lessons
    #[arg(long, default_value_t = 100_000)]
    largest: usize,
    /// Measure only this; may be given more than once
    #[arg(long, value_enum, value_name = "TOPIC")]
    only: Vec<Topic>,
}

impl Table {
    fn is_whole(&self) -> bool {
        self.only.is_empty() && self.largest >= 100_000 && self.runs >= sampling::LEAST_RUNS
    }
}

pub(crate) fn main() -> ExitCode {
    match run(Arguments::parse().verb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(verb: Verb) -> Result<()> {
    match verb {
        Verb::Table(table) => measure(&table),
        Verb::Gates(places) => gates::run(&Scratch::new(&places.plugin, &places.work)?),
    }
}

fn measure(what: &Table) -> Result<()> {
    let scratch = Scratch::new(&what.places.plugin, &what.places.work)?;
    let machine = machine::describe(&what.places.work)?;
    let effort = Effort { runs: what.runs, limit: Duration::from_secs(what.seconds) };
    let topics = if what.only.is_empty() { Topic::ALL.to_vec() } else { what.only.clone() };
    let mut report = table::Report::default();
    for topic in topics {
        println!("Measuring {}", topic.words());
        topic.measure(&scratch, what.largest, effort, &mut report)?;
    }
    let text = report.markdown();
    println!("\n{machine}\n{text}");
    if !what.is_whole() {
        println!("This is a part, so {} stays as it is.", what.document.display());
        return Ok(());
    }
    document::write(&what.document, &format!("{machine}\n{text}"))?;
    println!("Written into {}", what.document.display());
    Ok(())
}
