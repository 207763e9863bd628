//! How fast is a scan? `cargo run --release -p lessons-scanner --example throughput -- FOLDER DATA`
//! scans the transcripts under FOLDER into a database in DATA and says how long it took; with `tags` after that, no
//! detector looks.

#![allow(clippy::print_stdout, reason = "it is a program for people")]

use std::error::Error;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lessons_home::home::Home;
use lessons_scanner::scan::{self, ScanOptions, ScanOutcome, ScanTarget};
use lessons_scanner::timestamp::Timestamp;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(folder), Some(data)) = (arguments.next(), arguments.next()) else {
        return Err("usage: throughput FOLDER DATA [tags]".into());
    };
    let mut options = ScanOptions::at(Timestamp::START, 10);
    if arguments.next().is_some_and(|what| what == Path::new("tags")) {
        options.wanted = ScanTarget::Tags;
    }
    let start = Instant::now();
    let outcome = scan::run(&Home::at(data), &[folder], &options, &mut |_| ControlFlow::Continue(()))?;
    if let ScanOutcome::Done(report) = outcome {
        print!("{report}");
        println!("{} ms, {} lines", start.elapsed().as_millis(), report.lines);
    }
    Ok(())
}
