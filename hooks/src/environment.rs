//! The environment of a hook: its variables, and the data folder.

use std::path::{Path, PathBuf};

use lessons_client::Client;
use lessons_decide::{Advice, Event, Outcome};
use lessons_home::home::{DATA_VARIABLE, HOME_VARIABLE, Located};
use lessons_home::{Caller, Environment, Home, HomeError, SystemClock, ThisMachine, clock, home};
use lessons_lesson::{Clock, Lot, Payload, ProjectLocation, QualifiedId};

/// The environment of a hook.
pub(crate) struct HookEnvironment {
    /// The value of `CLAUDE_PROJECT_DIR`, if it is absolute.
    pub(crate) project: Option<PathBuf>,
    /// The variables that say where files are. They may come from a project, and are not trusted yet.
    pub(crate) variables: Environment,
    /// The reason why the data folder that the variables name is not used.
    pub(crate) refused: Option<HomeError>,
}

impl HookEnvironment {
    pub(crate) fn of_process() -> Self {
        Self {
            project: std::env::var_os("CLAUDE_PROJECT_DIR")
                .map(PathBuf::from)
                .filter(|path| path.is_absolute()),
            variables: Environment::of_process(),
            refused: None,
        }
    }

    /// The data folder for a call in `cwd`. From then on the variables hold the folder that they name only if it is the one.
    pub(crate) fn home(&mut self, cwd: Option<&str>) -> Result<Home, HomeError> {
        let caller = Caller::Client { project: self.project.clone(), cwd: cwd.map(PathBuf::from) };
        let Located { home, variable, refused } = home::locate(&self.variables, &caller)?;
        self.variables.lessons_home =
            (variable == Some(HOME_VARIABLE)).then(|| home.root().as_os_str().to_owned());
        self.variables.xdg_folder.take_if(|_| variable != Some(DATA_VARIABLE));
        if variable.is_none() {
            self.variables.data_folder = Some(home.root().to_owned());
        }
        self.refused = refused.or(self.refused.take());
        Ok(home)
    }

    /// The environment of another client. What one inherits from the client around it is not its own.
    pub(crate) fn of_client(client: Client) -> Self {
        let own = Self::of_process();
        match client {
            Client::Codex | Client::Opencode | Client::Pi => Self { project: None, ..own },
            Client::ClaudeCode | Client::Copilot | Client::Gemini | Client::Qwen => own,
        }
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

/// Appends an event of a client's call to the data folder. `lot` is the lot that the session draws.
pub(crate) fn record(
    home: &Home,
    (client, payload): (Client, &Payload),
    outcome: Outcome,
    lessons: &[QualifiedId],
    lot: Option<Lot>,
) {
    let us = u64::try_from(clock::spent().as_micros()).unwrap_or(u64::MAX);
    let lot = lot.filter(|_| payload.session_id.is_some()).map(|lot| lot.series()).unwrap_or_default();
    Event { lot, client, ..Event::of(payload, outcome, lessons, SystemClock.now(), us) }
        .append(&home.events());
}
