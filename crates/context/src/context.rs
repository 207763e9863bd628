//! The context of a command: the data folder, the actor, the ground on which it may decide, and the time.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lessons_decide::claims;
use lessons_home::{Environment, Home, files};
use lessons_ledger::{Database, Deed, transaction};
use lessons_replay::ReadingWatcher;
use lessons_store::config::BadSetting;
use lessons_store::{Config, ConfigFile, Lock, StoreLocation, accepted, decisions::trust, durable};
use lessons_text::{neutral, quoted};

use crate::authority::Authority;
use crate::error::{Coded, Error, Result, WhileDoing as _};
use crate::local_time::LocalTime;
use crate::person::{self, NoPerson};
use crate::proposal::Proposal;

/// How long a command waits for the store's lock: several builds on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The most folders that are remembered as ones that a person has used.
const MOST_USED_HOMES: usize = 50;

/// A day, in milliseconds.
pub const DAY: u64 = 24 * 3600 * 1000;

/// The setting by which a person lets their own scripts decide.
const GATE_SCRIPTS: &str = "gate.scripts";

/// The one who is responsible for a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person at a terminal.
    Person,
    /// An agent's command that the person approved in the client.
    Agent {
        /// The client's session id.
        session: String,
    },
    /// Background work: no person is involved.
    Background,
}

impl Actor {
    /// The actor in words, for the journal and for messages.
    pub fn words(&self) -> String {
        match self {
            Self::Person => "you, in a terminal".to_owned(),
            Self::Agent { session } => {
                format!("you, when the agent asked in session {:.8}", claims::session_hash(session))
            }
            Self::Background => "background work".to_owned(),
        }
    }
}

/// The context that every command gets. Nothing in it prints.
#[derive(Debug, Clone)]
pub struct Context {
    /// The data folder.
    pub home: Home,
    /// The actor.
    pub actor: Actor,
    /// The ground on which it may decide.
    pub authority: Authority,
    /// The time at which the command started.
    pub now: Timestamp,
    /// The zone in which a person reads times.
    pub local: LocalTime,
    /// Who is told how much of the past sessions is read.
    pub watcher: Arc<dyn ReadingWatcher>,
    /// The arguments, without the program's name.
    pub argv: Vec<String>,
    /// The store that the command changes.
    pub store: StoreLocation,
}

impl Context {
    /// The context of a program that reads this data folder, or builds what was accepted in it.
    pub fn at(home: Home) -> Self {
        Self {
            home,
            actor: Actor::Background,
            authority: Authority::Background,
            now: Timestamp::now(),
            local: LocalTime::default(),
            watcher: Arc::new(()),
            argv: Vec::new(),
            store: StoreLocation::User,
        }
    }

    /// The same context, for a change of another store.
    #[must_use]
    pub fn changing(&self, store: StoreLocation) -> Self {
        Self { store, ..self.clone() }
    }

    /// The session of the agent that runs the command, where it is known.
    pub fn session(&self) -> Option<&str> {
        match &self.actor {
            Actor::Agent { session } => Some(session.as_str()).filter(|session| !session.is_empty()),
            Actor::Person | Actor::Background => None,
        }
    }

    /// Whether an agent runs the command.
    pub fn is_agent(&self) -> bool {
        matches!(self.actor, Actor::Agent { .. })
    }

    /// Whether a person at a terminal runs the command.
    pub fn is_person(&self) -> bool {
        matches!(self.authority, Authority::Person)
    }

    /// The same context with the authority to decide.
    ///
    /// It comes from a terminal, from an approved call, or from the accepted setting `gate.scripts`. Otherwise the error
    /// names the command to type.
    pub fn permitted(&self) -> Result<Self> {
        let Authority::Missing(why) = &self.authority else { return Ok(self.clone()) };
        let mut why = why.clone();
        if why == NoPerson::NoTerminal && self.accepts_scripts()? {
            // A script that the agent starts is the agent's, also where the agent has let go of it.
            match person::client_beside() {
                Some(client) => why = client,
                None => return Ok(self.as_script()),
            }
        }
        let typed = neutral::shortened(&neutral::line(&typed(&self.argv)), 2000);
        let way_on = match why {
            NoPerson::NoTerminal => {
                "Your own scripts may decide once you have accepted `gate.scripts = true` in config.toml"
            }
            NoPerson::Beside(..) => {
                "A script of yours decides where cron, ssh or a service starts it, or while no Claude Code runs"
            }
            NoPerson::Variable(_) | NoPerson::Ancestor(..) => {
                "Or the agent makes it the whole command, with its arguments written out, and Claude Code asks the user. A \
                 command that the user types with `!` asks nobody, and an approved call that something else has rewritten \
                 since is refused too"
            }
        };
        Err(Coded::failed(
            "NEEDS_PERSON",
            format!(
                "only a person decides that, and none is shown: {why}. Nothing was changed. Type it in a terminal of \
                 your own:\n  lessons {typed}\n{way_on}"
            )
        ).into())
    }

    /// The same context with the authority of a script that sets up a data folder which is not there yet: nothing is in
    /// force that it could change. `None` where there is one, and under the client.
    pub fn in_new_home(&self) -> Option<Self> {
        let is_under_client = match &self.authority {
            Authority::Missing(why) => why.is_under_client() || person::client_beside().is_some(),
            _ => return Some(self.clone()),
        };
        (!is_under_client && !self.home.root().exists()).then(|| self.as_script())
    }

    fn as_script(&self) -> Self {
        Self { authority: Authority::Script, ..self.clone() }
    }

    fn accepts_scripts(&self) -> Result<bool> {
        let says_so = || -> Result<bool> {
            let settings = accepted::settings(&self.home)?.unwrap_or_default();
            Ok(settings.get(GATE_SCRIPTS).is_some_and(|value| value == "true"))
        };
        // What somebody has written into the file does not count, and is known when the log has been asked.
        Ok(says_so()? && {
            transaction::recover(&self.lock()?, &mut Database::open(&self.home)?)?;
            says_so()?
        })
    }

    /// Permits something that the journal does not record, given in a sentence.
    pub fn agree(&self, what: &str) -> Result<()> {
        Ok(self.authority.agree(Proposal::said(what))?)
    }

    /// The journal entry for a change that happens now; `action` is one word.
    pub fn deed(&self, action: &str) -> Deed {
        Deed {
            consent: self.authority.consent(&self.home),
            ..Deed::new(self.author(), action, self.now_ms())
        }
    }

    /// The one who decides, in words: the same in the journal and in what is told of a change.
    pub fn author(&self) -> String {
        match self.authority {
            Authority::Script => "a script of yours".to_owned(),
            _ => self.actor.words(),
        }
    }

    /// Acquires the lock of the store, waiting for it if necessary.
    pub fn lock(&self) -> Result<Lock> {
        Ok(Lock::acquire(&self.home, PATIENCE)?)
    }

    /// Opens the database.
    pub fn database(&self) -> Result<Database> {
        Ok(Database::open(&self.home)?)
    }

    /// Acquires the lock of the store and opens the database, for a change.
    pub fn lock_database(&self) -> Result<(Lock, Database)> {
        Ok((self.lock()?, self.database()?))
    }

    /// The settings. Environment variables count only for a person: under the client a project may have set them.
    pub fn settings(&self) -> Result<(Config, Vec<BadSetting>)> {
        Ok(self.settings_of(ConfigFile::read(&self.home.config())?))
    }

    /// The settings that a file holds.
    pub fn settings_of(&self, file: ConfigFile) -> (Config, Vec<BadSetting>) {
        let file = match self.actor {
            Actor::Person => file.overridden_by(|name| std::env::var(name).ok()),
            Actor::Agent { .. } | Actor::Background => file,
        };
        file.settings()
    }

    /// The settings for the project at `root`, with those that it brings along and the user has trusted.
    pub fn settings_at(&self, root: &str) -> Result<(Config, Vec<BadSetting>)> {
        let (config, bad) = self.settings()?;
        // A corrupt trust list is the doctor's business.
        let tuning = trust::tuning_at(&self.home, root).unwrap_or_default();
        Ok((config.tuned(&tuning), bad))
    }

    /// Writes the marker file of the data folder, if no client runs the command and there is none yet. A machine may be set up
    /// without a terminal.
    pub fn mark_home(&self) -> Result<()> {
        let is_set_up = match &self.authority {
            Authority::Person | Authority::Script => true,
            Authority::Missing(why) => *why == NoPerson::NoTerminal,
            Authority::Approved(_) | Authority::Planning(_) | Authority::Background => false,
        };
        if !is_set_up {
            return Ok(());
        }
        if self.home.marker().exists() {
            return self.note_use();
        }
        files::ensure_folder(self.home.root())?;
        let canonical = self.home.root().canonicalize().while_doing(|| "the data folder".to_owned())?;
        let mut line = canonical.into_os_string().into_encoded_bytes();
        line.push(b'\n');
        durable::replace(&self.home.marker(), &line)?;
        self.note_use()
    }

    /// Notes that a person at a terminal uses the folder that a variable names, so that hooks accept it wherever it lies.
    fn note_use(&self) -> Result<()> {
        let environment = Environment::of_process();
        let (Authority::Person, true, Some(list)) =
            (&self.authority, environment.names_folder(), environment.used_homes_list())
        else {
            return Ok(());
        };
        let Ok(canonical) = self.home.root().canonicalize() else { return Ok(()) };
        let mut used = environment.used_homes();
        if used.contains(&canonical) {
            return Ok(());
        }
        used.push(canonical);
        let latest = used.iter().rev().take(MOST_USED_HOMES).rev();
        let lines: Vec<u8> =
            latest.flat_map(|path| [path.as_os_str().as_encoded_bytes(), b"\n"].concat()).collect();
        let folder = list.parent().ok_or_else(|| Error::Failed(format!("{} is no file", list.display())))?;
        files::ensure_folder(folder)?;
        durable::replace(&list, &lines)?;
        Ok(())
    }

    /// The time in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.now.as_millisecond()).unwrap_or(0)
    }

    /// The time in the form that lessons hold: RFC 3339, to the second.
    pub fn now_text(&self) -> String {
        self.now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}

/// The words of a call without some of its options, each of which has a value, and with others behind them.
pub fn retyped(
    argv: &[String],
    without: &[&str],
    with: impl IntoIterator<Item = impl Into<String>>,
) -> Vec<String> {
    let mut words = Vec::new();
    let mut typed = argv.iter();
    while let Some(word) = typed.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        match without.contains(&name) {
            true if name == word => drop(typed.next()),
            true => {}
            false => words.push(word.clone()),
        }
    }
    words.extend(with.into_iter().map(Into::into));
    words
}

/// The arguments quoted for a shell.
pub fn typed(argv: &[String]) -> String {
    argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_typed_again() {
        let argv = ["add", "--rule", "don't", "cmd=a b", ""].map(str::to_owned);
        assert_eq!(typed(&argv), r"add --rule 'don'\''t' 'cmd=a b' ''");
    }
}
