//! Runs the real client once, as a job file says, and prints how it ended.
//!
//! The tests start it in a network namespace of its own; it holds the scripted model as well, because a socket
//! outside cannot be reached from there.

use std::error::Error;
use std::io::{self, Write as _};
use std::{env, fs};

use lessons_tests::client;

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args_os().nth(1).ok_or("usage: run-client JOB.json")?;
    let job: client::Job = serde_json::from_slice(&fs::read(file)?)?;
    let ending = client::run(&job)?;
    serde_json::to_writer(io::stdout(), &ending)?;
    io::stdout().flush()?;
    Ok(())
}
