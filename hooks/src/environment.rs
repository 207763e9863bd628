//! The environment of a hook: its variables, and the data folder.

use std::path::{Path, PathBuf};

use lessons_client::Client;
use lessons_decide::answer::Advice;
use lessons_decide::events::{Event, Outcome};
use lessons_home::clock::{self, SystemClock};
use lessons_home::files;
use lessons_home::home::{self, Caller, Environment, Home, HomeError};
use lessons_home::machine::ThisMachine;
use lessons_lesson::compiled::Clock;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::payload::Payload;
use lessons_lesson::project::ProjectLocation;

/// The environment of a hook.
pub(crate) struct HookEnvironment {
    /// The value of `CLAUDE_PROJECT_DIR`, if it is absolute.
    pub(crate) project: Option<PathBuf>,
    /// The variables that say where files are. They may come from a project, and are not trusted yet.
    pub(crate) variables: Environment,
}

impl HookEnvironment {
    pub(crate) fn of_process() -> Self {
        Self {
            project: std::env::var_os("CLAUDE_PROJECT_DIR")
                .map(PathBuf::from)
                .filter(|path| path.is_absolute()),
            variables: Environment::of_process(),
        }
    }

    /// The environment of another client. What one inherits from the client around it is not its own.
    pub(crate) fn of_client(client: Client) -> Self {
        let own = Self::of_process();
        match client {
            Client::Codex | Client::Opencode | Client::Pi => Self { project: None, ..own },
            Client::ClaudeCode | Client::Copilot | Client::Gemini | Client::Qwen => own,
        }
    }

    /// The data folder, checked as far as is possible without the payload.
    pub(crate) fn home(&self) -> Result<Home, HomeError> {
        home::locate(&self.variables, &Caller::Client { project: self.project.clone(), cwd: None })
    }

    /// The same folder, if it is not in the working folder of the call.
    pub(crate) fn trusted_home(&self, home: Home, cwd: Option<&str>) -> Result<Home, HomeError> {
        let outside = cwd.map_or(Ok(()), |cwd| home::outside(&self.variables, &home, Path::new(cwd)));
        outside.map(|()| home)
    }

    /// The data folder of this machine, for the record that the one which a variable names is not used. `None` where it is
    /// not there.
    pub(crate) fn machines_home(&self) -> Option<Home> {
        let home = Home::at(self.variables.data_folder.clone()?);
        files::check_folder(home.root()).ok().map(|_| home)
    }

    /// The location of the session's project.
    pub(crate) fn place(&self, payload: &Payload) -> ProjectLocation<'static> {
        let project = self.project.as_deref().and_then(Path::to_str);
        ProjectLocation::at(project.or(payload.call.cwd.as_deref()), &ThisMachine)
    }

    /// The settings for advice in the environment.
    pub(crate) fn advice() -> Advice {
        let variable = |name| std::env::var_os(name).and_then(|value| value.into_string().ok());
        Advice::from_variables(variable("LESSONS_ENABLED").as_deref(), variable("LESSONS_SEEN").as_deref())
    }
}

/// Appends an event to the data folder.
pub(crate) fn record(home: &Home, payload: &Payload, outcome: Outcome, lessons: &[QualifiedId]) {
    let us = u64::try_from(clock::spent().as_micros()).unwrap_or(u64::MAX);
    Event::of(payload, outcome, lessons, SystemClock.now(), us).append(&home.events());
}
