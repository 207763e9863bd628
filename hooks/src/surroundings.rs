//! What a hook finds around it: variables, and the data folder.

use std::path::{Path, PathBuf};

use lessons_core::answer::Advice;
use lessons_core::clock::{self, SystemClock};
use lessons_core::compiled::Clock;
use lessons_core::disk::RealDisk;
use lessons_core::events::{Event, Outcome};
use lessons_core::home::{self, Caller, Environment, Home, HomeError};
use lessons_core::id::QualifiedId;
use lessons_core::payload::Payload;
use lessons_core::project::Place;

/// What a hook finds around it.
pub(crate) struct Surroundings {
    /// `CLAUDE_PROJECT_DIR`.
    pub(crate) project: Option<PathBuf>,
    /// Where our files are, before it is known whether that may be believed.
    pub(crate) environment: Environment,
}

impl Surroundings {
    pub(crate) fn of_process() -> Self {
        Self {
            project: std::env::var_os("CLAUDE_PROJECT_DIR")
                .map(PathBuf::from)
                .filter(|path| path.is_absolute()),
            environment: Environment::of_process(),
        }
    }

    /// The data folder, as far as this can be said without the payload.
    pub(crate) fn home(&self) -> Result<Home, HomeError> {
        home::locate(&self.environment, &Caller::Client { project: self.project.clone(), cwd: None })
    }

    /// The same folder, if this process may believe in it for a call in a working folder.
    pub(crate) fn believed(&self, home: Home, cwd: Option<&str>) -> Result<Home, HomeError> {
        let outside = cwd.map_or(Ok(()), |cwd| home::outside(&self.environment, &home, Path::new(cwd)));
        outside.map(|()| home)
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
}

/// Writes down what happened.
pub(crate) fn record(home: &Home, payload: &Payload, outcome: Outcome, lessons: &[QualifiedId]) {
    let us = u64::try_from(clock::spent().as_micros()).unwrap_or(u64::MAX);
    Event::of(payload, outcome, lessons, SystemClock.now(), us).append(&home.events());
}
