//! What a hook finds around it: variables, the data folder, the clock.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use lessons_core::answer::Advice;
use lessons_core::disk::RealDisk;
use lessons_core::events::{Event, Outcome};
use lessons_core::files;
use lessons_core::home::{self, Caller, Environment, Home, HomeError};
use lessons_core::id::QualifiedId;
use lessons_core::manifest::{self, Manifest};
use lessons_core::payload::Payload;
use lessons_core::project::Place;

/// What a hook finds around it.
pub(crate) struct Surroundings {
    /// When the process began.
    pub(crate) started: Instant,
    /// Milliseconds since 1970.
    pub(crate) now: u64,
    /// `CLAUDE_PROJECT_DIR`.
    pub(crate) project: Option<PathBuf>,
    /// Where our files are, before it is known whether that may be believed.
    pub(crate) environment: Environment,
}

impl Surroundings {
    pub(crate) fn of_process() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            started: Instant::now(),
            now: u64::try_from(since.as_millis()).unwrap_or(0),
            project: std::env::var_os("CLAUDE_PROJECT_DIR")
                .map(PathBuf::from)
                .filter(|path| path.is_absolute()),
            environment: Environment::of_process(),
        }
    }

    /// The data folder, if this process may believe what it was told about it.
    pub(crate) fn home(&self, payload: &Payload) -> Result<Home, HomeError> {
        let cwd = payload.call.cwd.as_deref().map(PathBuf::from);
        home::locate(&self.environment, &Caller::Client { project: self.project.clone(), cwd })
    }

    /// Where the session works.
    pub(crate) fn place(&self, payload: &Payload) -> Place<'static> {
        let project = self.project.as_deref().and_then(Path::to_str);
        Place::at(project.or(payload.call.cwd.as_deref()), &RealDisk)
    }

    /// What the environment says about advice.
    pub(crate) fn advice() -> Advice {
        let variable = |name| std::env::var_os(name).and_then(|value| value.into_string().ok());
        Advice::from_variables(variable("LESSONS_ENABLED").as_deref(), variable("LESSONS_SEEN").as_deref())
    }

    /// Writes down what happened.
    pub(crate) fn record(&self, home: &Home, payload: &Payload, outcome: Outcome, lessons: &[QualifiedId]) {
        let us = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let event = Event::of(payload, outcome, lessons, self.now, us);
        event.append(&home.events());
    }
}

/// The manifest, if there is one that can be used. Why not is for `lessons status` to say.
pub(crate) fn read_manifest(home: &Home) -> Option<Manifest> {
    let bytes = files::read(&home.manifest(), manifest::MAX_BYTES).ok()??;
    Manifest::parse(&bytes).ok()
}
