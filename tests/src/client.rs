//! One run of the real Claude Code client against a scripted model.
//!
//! The client sees a scratch home, a dummy key and no network: `run-client`, a program of this crate, is started in
//! a network namespace that has only loopback, and plays the model there too. Where that is not allowed, proxies
//! that lead nowhere take its place, and the tests say so.

mod attended;
mod isolation;
mod job;
mod run;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

pub use isolation::Isolation;
pub use job::{Ending, Job, Step};

use crate::model::Script;
use crate::requests::Requests;
use crate::scratch::Scratch;

/// A version of the client that the tests are run with. `xtask` fetches the same two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// The version that everything was observed with.
    Current,
    /// The version that npm installs on Node 20.
    Node20,
}

impl Pin {
    /// Every pinned version.
    pub const ALL: [Self; 2] = [Self::Current, Self::Node20];

    /// The version as the registry spells it.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Current => "2.1.332",
            Self::Node20 => "2.1.197",
        }
    }

    /// The client's program: `<version>/claude` in the folder that `LESSONS_TEST_CLIENT_DIR` names, else in
    /// `<target>/claude-code`.
    #[track_caller]
    pub fn program(self) -> PathBuf {
        let folder = env::var_os("LESSONS_TEST_CLIENT_DIR")
            .map_or_else(|| target_folder().join("claude-code"), PathBuf::from);
        let program = folder.join(self.version()).join("claude");
        assert!(
            program.is_file(),
            "the Claude Code client {} is missing at {}: `cargo xtask test` fetches it",
            self.version(),
            program.display()
        );
        program
    }
}

/// Runs a test with every pinned client, at the same time.
#[track_caller]
pub fn with_each_client(test: impl Fn(Pin) + Sync) {
    let failed: Vec<&str> = thread::scope(|scope| {
        let test = &test;
        let start = |pin: Pin| {
            let named = thread::Builder::new().name(format!("client {}", pin.version()));
            (pin, named.spawn_scoped(scope, move || test(pin)).expect("a thread"))
        };
        let running = Pin::ALL.map(start);
        running.into_iter().filter_map(|(pin, run)| run.join().err().map(|_| pin.version())).collect()
    });
    assert!(failed.is_empty(), "failed with client {}", failed.join(" and "));
}

/// The folder that cargo builds into: the nearest one above this program that cargo has marked.
pub(crate) fn target_folder() -> PathBuf {
    let program = env::current_exe().expect("the path of this program");
    let marked = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    marked.expect("a target folder above this program").to_owned()
}

/// How long a run may take before it is killed and the test fails.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A session to be: what is asked, and how the client is started.
#[must_use = "a session does nothing until it is run"]
pub struct Session<'a> {
    scratch: &'a Scratch,
    pin: Pin,
    script: Script,
    prompts: Vec<String>,
    steps: Vec<Step>,
    arguments: Vec<String>,
    environment: BTreeMap<String, String>,
    permissions: String,
    folder: PathBuf,
    timeout: Duration,
    isolation: &'static Isolation,
}

impl<'a> Session<'a> {
    /// A session in the scratch project, in which every tool is permitted.
    pub fn new(scratch: &'a Scratch, pin: Pin, script: Script) -> Self {
        Self {
            scratch,
            pin,
            script,
            prompts: Vec::new(),
            steps: Vec::new(),
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            permissions: "bypassPermissions".to_owned(),
            folder: scratch.project(),
            timeout: TIMEOUT,
            isolation: isolation::of_this_machine(),
        }
    }

    /// Adds a prompt. It is sent when the one before has its result. Without any, one prompt says `go`.
    pub fn prompt(mut self, prompt: &str) -> Self {
        self.prompts.push(prompt.to_owned());
        self
    }

    /// Lets a person attend the session at a terminal, instead of sending prompts.
    pub fn attended(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.steps = steps.into_iter().collect();
        self
    }

    /// Loads the plugin in this folder.
    pub fn plugin(self, folder: &Path) -> Self {
        let folder = folder.to_str().expect("a path in UTF-8").to_owned();
        self.arguments(["--plugin-dir", &folder])
    }

    /// Goes on with an earlier session of the same scratch home.
    pub fn resume(self, session: &str) -> Self {
        self.arguments(["--resume", session])
    }

    /// Adds arguments of the client.
    pub fn arguments<const N: usize>(mut self, arguments: [&str; N]) -> Self {
        self.arguments.extend(arguments.map(str::to_owned));
        self
    }

    /// Sets a variable in the environment of the client, and so of hooks and tools.
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    /// What may be done without asking: a permission mode of the client.
    pub fn permissions(mut self, mode: &str) -> Self {
        mode.clone_into(&mut self.permissions);
        self
    }

    /// Starts the client in another folder.
    pub fn in_folder(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    /// Kills the client, and fails the test, after this time instead of a minute.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Keeps the client off the network in this way instead of the best one there is.
    pub fn isolation(mut self, isolation: &'static Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    /// Runs the session to its end.
    ///
    /// Panics when the client cannot be started, does not end in time, or asks the model nothing.
    #[track_caller]
    pub fn run(self) -> Outcome {
        match self.try_run() {
            Ok(outcome) => outcome,
            Err(failure) => panic!("{failure}"),
        }
    }

    /// Runs the session to its end, or says why that was not possible.
    #[track_caller]
    pub fn try_run(self) -> Result<Outcome, String> {
        let logs = self.scratch.log_folder();
        let (isolation, job) = (self.isolation, self.job(&logs));
        let file = logs.join("job.json");
        fs::write(&file, serde_json::to_vec(&job).expect("a job is JSON")).expect("the job's file");

        let output = isolation.command(&run_client()).arg(&file).output().expect("run-client starts");
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!("run-client: {}\n{said}", output.status));
        }
        let ending: Ending = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("run-client printed no ending ({error}):\n{said}"))?;
        let requests = Requests::read(&job.requests());
        let errors = fs::read_to_string(job.errors()).unwrap_or_default();
        if ending.timed_out {
            let after = job.timeout.as_secs_f32();
            return Err(format!("the client was killed after {after} s\n{errors}\n{}", requests.describe()));
        }
        if requests.asked_nothing() {
            return Err(format!("the client asked the model nothing (exit {:?})\n{errors}", ending.exit));
        }
        Ok(Outcome { requests, session: ending.session, screen: errors })
    }

    fn job(self, logs: &Path) -> Job {
        let mut arguments: Vec<String> = if self.steps.is_empty() {
            ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
                .map(str::to_owned)
                .into()
        } else {
            let settings = attended::settled(&self.folder.to_string_lossy()).to_string();
            let config = self.scratch.home().join(".claude");
            fs::create_dir_all(&config).expect("the client's folder");
            fs::write(config.join(".claude.json"), settings).expect("the client's settings");
            Vec::new()
        };
        arguments.extend(["--permission-mode".to_owned(), self.permissions]);
        arguments.extend(self.arguments);
        let mut environment = environment(self.scratch, self.isolation);
        environment.extend(self.environment);
        Job {
            program: self.pin.program(),
            arguments,
            environment,
            folder: self.folder,
            prompts: if self.prompts.is_empty() { vec!["go".to_owned()] } else { self.prompts },
            steps: self.steps,
            script: self.script,
            timeout: self.timeout,
            only_loopback: matches!(self.isolation, Isolation::Namespace { .. }),
            logs: logs.to_owned(),
        }
    }
}

/// The whole environment of the client, but for the model's address: nothing of ours gets in.
fn environment(scratch: &Scratch, isolation: &Isolation) -> BTreeMap<String, String> {
    let path = |path: PathBuf| path.to_str().expect("a path in UTF-8").to_owned();
    let home = scratch.home();
    let mut environment: BTreeMap<String, String> = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ("HOME", path(home.clone())),
        ("CLAUDE_CONFIG_DIR", path(home.join(".claude"))),
        ("TMPDIR", path(scratch.temporary())),
        ("SHELL", "/bin/bash".to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("TERM", "dumb".to_owned()),
        ("ANTHROPIC_API_KEY", "dummy".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("DISABLE_ERROR_REPORTING", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        // As root, which the user of a namespace is too, the client permits everything only when told that it
        // is in a sandbox.
        ("IS_SANDBOX", "1".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    environment.extend(isolation.environment());
    environment
}

/// Plays the model and runs the client until it ends, its steps are done, or its time is up.
pub fn run(job: &Job) -> io::Result<Ending> {
    if job.steps.is_empty() { run::run(job) } else { attended::run(job) }
}

/// The program that cargo has built from this crate, beside the tests.
fn run_client() -> PathBuf {
    let test = env::current_exe().expect("the path of this program");
    let built = test.ancestors().skip(1).take(2).map(|folder| folder.join("run-client"));
    built
        .into_iter()
        .find(|program| program.is_file())
        .expect("run-client, which cargo builds with the tests")
}

/// What a session left.
#[derive(Debug)]
pub struct Outcome {
    /// What reached the model.
    pub requests: Requests,
    /// The session's id, for [`Session::resume`]; empty if the client named none. After `/clear` the new one.
    pub session: String,
    /// What was last on the screen of a person who attended the session; else the client's standard error.
    pub screen: String,
}
