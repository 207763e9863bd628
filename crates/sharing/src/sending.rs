//! Sharing: where an event goes (the project's folder, another one, or a relay), why a lesson may not leave this machine, and
//! the key and the date of an event.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lessons_context::{Coded, Context, Error, Result, random};
use lessons_incident_check::check::IncidentChecker;
use lessons_ledger::{Database, projects, transaction::shared_files};
use lessons_lesson::{Layer, Lesson, Level, QualifiedId, Status, flags, validate};
use lessons_review::project_names;
use lessons_share::event::Unsigned;
use lessons_share::{ProjectTag, SecretKey, SharedLesson, Verified, portable};
use lessons_store::shared_folder::OwnEvents;
use lessons_store::{Lock, shared_folder, shared_folder::identity};
use lessons_text::{line, listed, redact};
use zeroize::Zeroizing;

/// What carries the events to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// The project's repository.
    Git,
    /// A folder that the person named, such as one that is synced.
    Folder,
    /// Whatever reads standard output: nothing is written.
    Relay,
}

/// Where events go.
#[derive(Debug)]
pub struct Destination {
    /// What carries them.
    pub carrier: Carrier,
    /// The folder of earlier events; unless they go to a relay, new ones are written there too.
    pub folder: PathBuf,
    /// The key of the project that they are for.
    pub key: String,
    /// The same as its events have it.
    pub project: ProjectTag,
}

impl Destination {
    /// The destination of events for the project at `project`: what carries them, and a folder that a person named.
    pub fn of(project: &Path, carrier: Carrier, folder: Option<&Path>) -> Result<Self> {
        let root = project_names::roots_of(project)?.root;
        let key = projects::key_of(Path::new(&root)).key;
        let project = ProjectTag::of_key(&key).map_err(|error| {
            let text = format!("{}: {error}. Add one with `git remote add origin URL`", line(&root));
            Coded::refused("LOCAL_PROJECT", text)
        })?;
        let folder = match folder {
            Some(folder) => std::path::absolute(folder)?,
            None => shared_folder::of_project(Path::new(&root))?,
        };
        Ok(Self { carrier, folder, key, project })
    }

    /// The user's own events there; none before the first share.
    pub fn own_events(&self, context: &Context) -> Result<OwnEvents> {
        Ok(match identity::read(&context.home).map_err(Error::of)? {
            Some(key) => OwnEvents::read(&self.folder, key.public())?,
            None => OwnEvents::default(),
        })
    }

    /// Who can read what goes there.
    pub fn audience(&self) -> String {
        match self.carrier {
            Carrier::Git => format!("with everybody who has {}", line(&self.key)),
            Carrier::Folder => {
                format!("with everybody who can read {}", line(&self.folder.to_string_lossy()))
            }
            Carrier::Relay => "with everybody, on whatever relay it is given to".to_owned(),
        }
    }
}

/// The tags whose values are patterns: they name what a lesson warns of, and say nothing themselves.
const PATTERNS: [&str; 3] = ["trigger", "also", "unless"];

/// Fails unless the lesson may be shared, with every reason.
pub fn check(
    context: &Context,
    id: &QualifiedId,
    lesson: &Lesson,
    shared: &SharedLesson,
    to: &Destination,
) -> Result<()> {
    let mut reasons = of_kind(id, lesson);
    reasons.extend(of_scope(lesson, to));
    let flaws = validate::flaws(shared.lesson()).into_iter().filter(|flaw| flaw.level == Level::Error);
    reasons.extend(flaws.map(|flaw| ("INVALID_LESSON", flaw.to_string())));
    reasons.extend(of_texts(shared));
    if let Some(checker) = IncidentChecker::of(context) {
        let like = checker.about(lesson);
        reasons.extend(like.iter().map(|found| ("INCIDENT", format!("it is like {}", found.words()))));
    }
    let Some((code, _)) = reasons.first() else { return Ok(()) };
    let words: Vec<&str> = reasons.iter().map(|(_, reason)| reason.as_str()).collect();
    Err(Coded::refused(code, format!("{id} is not shared: {}. Nothing was written", words.join("; "))).into())
}

fn of_kind(id: &QualifiedId, lesson: &Lesson) -> Vec<(&'static str, String)> {
    let not_yours = "it is not your own, and only your own lessons are signed with your key";
    let not_yours = (id.layer != Layer::User).then(|| ("NOT_YOURS", not_yours.into()));
    let not_active = (lesson.status != Status::Active).then(|| ("NOT_ACTIVE", "it is retired".into()));
    not_yours.into_iter().chain(not_active).collect()
}

fn of_scope(lesson: &Lesson, to: &Destination) -> Vec<(&'static str, String)> {
    let projects = &lesson.scope.projects;
    if projects.iter().any(|key| key.starts_with("root-")) {
        return vec![("LOCAL_SCOPE", "it is for a folder of this machine, which others do not have".into())];
    }
    if projects.is_empty() || projects.contains(&to.key) {
        return Vec::new();
    }
    let names = listed(projects.iter().map(|key| line(key)));
    vec![("OTHER_SCOPE", format!("it is only for {names}; name the folder with --project"))]
}

/// What its texts say that must not leave.
fn of_texts(shared: &SharedLesson) -> Vec<(&'static str, String)> {
    let texts = shared.texts();
    let mut reasons = Vec::new();
    for (name, text) in &texts {
        let kinds: BTreeSet<&str> = redact::redact(text).kinds.into_iter().collect();
        if !kinds.is_empty() {
            reasons.push(("SECRET", format!("`{name}` holds a secret ({})", listed(kinds))));
        }
        if let Some(path) = portable::absolute_path(text) {
            let what =
                format!("`{name}` holds an absolute path, {}; write it from the project on", line(&path));
            reasons.push(("ABSOLUTE_PATH", what));
        }
    }
    let said = texts.iter().filter(|(name, _)| !PATTERNS.contains(name));
    let raised: BTreeSet<&str> =
        said.flat_map(|(_, text)| flags::flags(text)).map(|flag| flag.name).collect();
    reasons.extend(raised.into_iter().map(|flag| ("FLAGGED", format!("it is flagged, {flag}"))));
    reasons
}

/// The key of this machine, made now if there is none.
pub fn key(lock: &Lock) -> Result<SecretKey> {
    identity::ensure(lock, &Zeroizing::new(random::bytes()?)).map_err(Error::of)
}

/// Signs an event. The randomness is the system's.
pub fn signed(unsigned: Unsigned, key: &SecretKey) -> Result<Verified> {
    unsigned.sign(key, &random::bytes()?).map_err(Error::of)
}

/// Writes an event into its file in `into`. Returns the path.
pub fn write(context: &Context, lock: &Lock, action: &str, into: &Path, event: &Verified) -> Result<String> {
    let path = shared_folder::file_of(into, event.id());
    let mut database = Database::open(&context.home)?;
    shared_files::add(lock, &mut database, &context.deed(action), &path, &event.to_json())?;
    Ok(path.display().to_string())
}

/// The date of an event that is made now, in seconds since 1970: after `last`, so that it counts.
pub fn date(context: &Context, last: u64) -> u64 {
    (context.now_ms() / 1000).max(last.saturating_add(1))
}
