//! How fast is a scan? `cargo run --release -p lessons-scanner --example throughput -- FOLDER DATA`
//! scans the transcripts under FOLDER into a database in DATA, incidents too, and says how long it took; with `tags` after
//! that, only tags count, and with `detectors` all but incidents.

#![allow(clippy::print_stdout, reason = "it is a program for people")]

use std::error::Error;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lessons_home::home::Home;
use lessons_ledger::incidents::IncidentRules;
use lessons_scanner::run::scan::{self, ScanOptions, ScanTarget};
use lessons_scanner::transcript::timestamp::Timestamp;
use lessons_store::config::IncidentSettings;

/// How incidents are recorded where nobody set anything.
fn rules() -> IncidentRules {
    let IncidentSettings { similarity, minimum_trust, .. } = IncidentSettings::default();
    IncidentRules { similarity, minimum_trust }
}

const USAGE: &str = "usage: throughput FOLDER DATA [tags | detectors]";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(folder), Some(data)) = (arguments.next(), arguments.next()) else {
        return Err(USAGE.into());
    };
    let options = ScanOptions::at(Timestamp::START, 10);
    let options = match arguments.next().as_deref().and_then(Path::to_str) {
        None => ScanOptions { incidents: Some(rules()), ..options },
        Some("tags") => ScanOptions { wanted: ScanTarget::Tags, ..options },
        Some("detectors") => options,
        Some(_) => return Err(USAGE.into()),
    };
    let start = Instant::now();
    let outcome = scan::run(&Home::at(data), &[folder], &options, &mut |_| ControlFlow::Continue(()))?;
    if let Some(report) = outcome {
        print!("{report}");
        println!("{} ms, {} lines", start.elapsed().as_millis(), report.lines);
    }
    Ok(())
}
