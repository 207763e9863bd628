//! The tasks of this workspace: `cargo xtask VERB`.
#![allow(clippy::disallowed_methods, reason = "what it writes is built again, not kept")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a person in a terminal")]

mod bounded;
mod cargo;
mod client;
mod demo;
mod dist;
mod docs;
mod install;
mod licences;
mod measure;
mod mutants;
mod prerequisites;
mod programs;
mod quality;
mod release;
mod test;
mod tidy;
mod user_home;
mod workspace;

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::builder::NonEmptyStringValueParser;
use clap::{Parser, Subcommand};

use prerequisites::ClientTests;
use release::platform::Platform;
use user_home::UserHome;
use workspace::Workspace;

/// The tasks of this workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Build the plugin, install it into Claude Code, and demonstrate it
    Install {
        #[command(flatten)]
        home: HomeOption,
        /// The fix that the lesson of the demonstration tells
        #[arg(long, value_name = "TEXT", default_value = demo::FIX, hide_default_value = true)]
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        demo_text: String,
    },
    /// Remove an installation and keep the user's lessons
    Uninstall {
        #[command(flatten)]
        home: HomeOption,
    },
    /// Check the prerequisites and run all tests
    Test {
        /// Leave out the tests that drive the real Claude Code client
        #[arg(long)]
        without_client: bool,
        /// Run only the tests that drive the other agents: codex, copilot, opencode, pi, gemini and qwen, fetched by npm
        #[arg(long, conflicts_with = "without_client")]
        clients: bool,
    },
    /// Build the plugin as one folder: target/dist/lessons
    Dist,
    /// Build the archives and marketplaces of every platform from this Linux machine: target/dist/release
    Release {
        /// Refuse what must not be published, such as a README with a placeholder for its address
        #[arg(long)]
        publish: bool,
        /// Build for this platform only; may be given several times
        #[arg(long, value_enum, value_name = "PLATFORM")]
        platform: Vec<Platform>,
    },
    /// Validate the clone and target/dist/lessons with the pinned Claude Code client
    Validate,
    /// Measure the cost of a call of the hook and write it into BENCHMARKS.md
    #[command(disable_help_flag = true)]
    Bench {
        /// Options of the harness; --help lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
        harness: Vec<OsString>,
    },
    /// Count the system calls, instructions and memory of a call of the hook, and fail over the limits
    Gates,
    /// Count the good proposals and firings over a folder of transcripts that a person has read
    Measure(quality::MeasureOptions),
    /// Write what README.md and docs/ show of the program: two pictures, the help of every verb
    Docs,
    /// Check the rules about our sources that the compiler does not know
    Tidy,
    /// Change the code that decides in many small ways, and count the changes that no test notices
    Mutants {
        /// The number of changes; 100 take most of an hour
        #[arg(long, default_value = "100", value_parser = mutants::parse_count)]
        count: usize,
    },
    /// Check the licences of all dependencies
    Licences,
}

/// The option that names another home than the user's own.
#[derive(Debug, clap::Args)]
struct HomeOption {
    /// Use this folder instead of your own home
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
}

impl HomeOption {
    /// Finds the home.
    fn find(&self) -> Result<UserHome> {
        self.home.as_deref().map_or_else(UserHome::own, UserHome::scratch)
    }

    /// Finds the home, and creates a scratch home if it does not exist.
    fn find_or_create(&self) -> Result<UserHome> {
        if let Some(home) = &self.home {
            fs::create_dir_all(home).with_context(|| format!("cannot create {}", home.display()))?;
        }
        self.find()
    }
}

fn main() -> ExitCode {
    let Err(error) = run(Arguments::parse().verb) else { return ExitCode::SUCCESS };
    eprintln!("error: {error:#}");
    ExitCode::FAILURE
}

fn run(verb: Verb) -> Result<()> {
    let workspace = Workspace::find()?;
    match verb {
        Verb::Install { home, demo_text } => install::run(&workspace, &home.find_or_create()?, &demo_text),
        Verb::Uninstall { home } => install::undo(&home.find()?),
        Verb::Test { clients: true, .. } => client::agents::run(&workspace),
        Verb::Test { without_client: false, .. } => test::run(&workspace, ClientTests::Included),
        Verb::Test { without_client: true, .. } => test::run(&workspace, ClientTests::LeftOut),
        Verb::Dist => dist::run(&workspace).map(drop),
        Verb::Release { publish, platform } => {
            if publish {
                release::readiness::check(&workspace)?;
            }
            release::run(&workspace, &platform)
        }
        Verb::Validate => client::validate::run(&workspace),
        Verb::Bench { harness } => measure::bench(&workspace, &harness),
        Verb::Gates => measure::gates(&workspace),
        Verb::Measure(options) => quality::run(&workspace, &options),
        Verb::Docs => docs::run(&workspace),
        Verb::Tidy => tidy::run(&workspace),
        Verb::Mutants { count } => mutants::run(&workspace, count),
        Verb::Licences => licences::run(&workspace),
    }
}
