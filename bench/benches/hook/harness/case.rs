//! A case: a call over a store, and what it may cost.

use std::rc::Rc;

use anyhow::{Context, Result};
use clap::ValueEnum;
use lessons_bench::generator::{TOLD, TOLD_COMMAND};
use serde_json::json;

use super::contender::{Answer, Contender};
use super::payload::{CallSession, Payload};
use super::scratch::{Scratch, Store};
use super::spawn::Runner;

/// The program of the hook before a call.
pub(crate) const HOOK: &str = "lessons-pre-tool-use";
/// The sizes of stores, in lessons.
pub(crate) const SIZES: [usize; 4] = [30, 1_000, 10_000, 100_000];
/// The most memory that a hook may have besides its payload, in KiB.
pub(crate) const MOST_MEMORY_KIB: u64 = 4096;
/// The number of instructions after which a program is not followed further.
pub(crate) const MOST_STEPS: u64 = 300_000;

/// A group of cases that are measured together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Topic {
    /// A short command that matches nothing, over all sizes
    Short,
    /// A command that shares its words with many lessons and matches none, over all sizes
    Shared,
    /// A command with quotes that matches nothing, over all sizes
    Quoted,
    /// Three lessons told and claimed, and told before
    Told,
    /// A command that every lesson is about
    Crowd,
    /// An edit, by its path
    Edit,
    /// A command with a heredoc of 10 KB
    Heredoc,
    /// A file of 1 MB written
    Megabyte,
    /// Results from outside, after their call
    Outside,
    /// The short command with a cold page cache
    Cold,
}

/// Whether lessons match a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallClass {
    /// An ordinary call that no lesson matches. It must be faster than `/bin/true`.
    NoMatch,
    /// Any other call.
    Other,
}

/// A call over a store.
pub(crate) struct Case {
    /// The description in tables and messages.
    pub(crate) label: String,
    /// The highest median that is accepted, as a multiple of the exit floor's.
    pub(crate) limit: Option<f64>,
    pub(crate) class: CallClass,
    pub(crate) contender: Contender,
    pub(crate) store: Rc<Store>,
}

/// The highest counts that are accepted for a call: those of the day on which the ceiling was set, and a tenth more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ceiling {
    /// The number of system calls, with the `execve` that starts the program.
    pub(crate) calls: usize,
    /// The number of instructions outside the kernel.
    pub(crate) instructions: u64,
}

impl Topic {
    /// All topics, in the order of the table.
    pub(crate) const ALL: [Self; 10] = [
        Self::Short,
        Self::Shared,
        Self::Quoted,
        Self::Told,
        Self::Crowd,
        Self::Edit,
        Self::Heredoc,
        Self::Megabyte,
        Self::Outside,
        Self::Cold,
    ];

    /// Describes the topic in a few words.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Short => "a short command",
            Self::Shared => "a command that shares its words",
            Self::Quoted => "a command with quotes",
            Self::Told => "three lessons told",
            Self::Crowd => "a command that every lesson is about",
            Self::Edit => "an edit by path",
            Self::Heredoc => "a heredoc of 10 KB",
            Self::Megabyte => "a write of 1 MB",
            Self::Outside => "results from outside",
            Self::Cold => "a cold page cache",
        }
    }
}

impl Case {
    /// Returns the number of lessons in the store.
    pub(crate) fn lessons(&self) -> usize {
        self.store.facts.lessons
    }

    /// Checks that the hook sees the lessons of the store in the environment of this case. A hook that cannot read
    /// them is silent too, and fast.
    pub(crate) fn check_sees_lessons(&self, scratch: &Scratch) -> Result<()> {
        let call = json!({ "command": TOLD_COMMAND });
        let telling = Contender {
            path: scratch.bin.join(HOOK),
            payload: Payload::new(&scratch.project, "Bash", &call, CallSession::Fresh)?,
            answer: Answer::Tells(TOLD.to_vec()),
            chilled: Vec::new(),
            ..self.contender.clone()
        };
        Runner::new(&telling)?
            .run()
            .map(drop)
            .with_context(|| format!("the hook does not see the store of {} lessons", self.lessons()))
    }
}
