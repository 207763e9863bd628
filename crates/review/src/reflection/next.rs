//! The next reading of a project. It is kept until its answer was taken, so that ids mean the same until then.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::Path;

use lessons_context::{Context, DAY, Result, refused};
use lessons_ledger::candidates::{MIN_PREFIX, id_of};
use lessons_ledger::projects::key_of;
use lessons_ledger::{Candidate, CandidateStatus, Database, ReflectedFinding};
use lessons_scanner::digest::{self, Item, Reading, Wanted};
use lessons_scanner::transcript::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::candidate;
use crate::candidates::carry_out::find;
use crate::{lookup, project_names};

/// The most lessons of a reading, and of the first one of a project.
const MOST: usize = 8;
const MOST_AT_FIRST: usize = 20;
/// The most candidates of readings in 24 hours, but for first readings.
const MOST_A_DAY: usize = 10;

/// What is read: a project, or all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadProject {
    /// The key of the project; empty for all.
    pub key: String,
    /// Its roots; `None` for all projects.
    roots: Option<Vec<String>>,
}

impl ReadProject {
    /// All projects, in one reading after the other.
    pub fn every() -> Self {
        Self { key: String::new(), roots: None }
    }

    /// The project of the working folder.
    pub fn here(database: &Database) -> Result<Self> {
        let root = project_names::here().map(|root| project_names::main_root(&root)).unwrap_or_default();
        let key = key_of(&root).key;
        let mut roots = database.roots_of(&key)?;
        let root = root.to_string_lossy().into_owned();
        if !roots.contains(&root) {
            roots.push(root);
        }
        Ok(Self { key, roots: Some(roots) })
    }

    /// Every project that was noted, each by itself.
    pub fn each(database: &Database) -> Result<Vec<Self>> {
        let keys: std::collections::HashMap<String, String> = database.project_roots()?.into_iter().collect();
        let mut all: Vec<Self> = Vec::new();
        for root in database.noted_projects()? {
            let key = keys.get(&root).cloned().unwrap_or_else(|| key_of(Path::new(&root)).key);
            match all.iter_mut().find(|project| project.key == key) {
                Some(project) => project.roots.get_or_insert_default().push(root),
                None => all.push(Self { key, roots: Some(vec![root]) }),
            }
        }
        Ok(all)
    }

    /// The most lessons that a reading of it may give now.
    pub fn most(&self, context: &Context, database: &Database) -> Result<usize> {
        if !database.was_project_read(&self.key)? {
            return Ok(MOST_AT_FIRST);
        }
        let today = database.candidates_of_later_readings(context.now_ms().saturating_sub(DAY))?;
        Ok(MOST.min(MOST_A_DAY.saturating_sub(today)))
    }

    /// Gives on its readings one by one, the oldest items first.
    pub fn each_reading(
        &self,
        context: &Context,
        database: &Database,
        wanted: &Wanted,
        give: &mut dyn FnMut(Reading),
    ) -> Result<()> {
        let tokens = context.settings()?.0.reflect.tokens;
        Ok(digest::each_reading(database, self.roots.as_deref(), wanted, tokens, give)?)
    }

    /// The first reading with what nobody has read, and no lesson says, and the size of all of them.
    pub fn unread(&self, context: &Context, database: &Database) -> Result<Unread> {
        let mut unread = Unread::default();
        let wanted = Wanted::Unread(lookup::promoted_candidates(context)?);
        self.each_reading(context, database, &wanted, &mut |reading| {
            unread.size.readings += 1;
            unread.size.items += reading.items.len();
            unread.size.tokens += reading.tokens;
            unread.first.get_or_insert(reading);
        })?;
        Ok(unread)
    }
}

/// What nobody has read. Only its first reading is held: years of sessions would fill the memory.
#[derive(Debug, Default)]
pub struct Unread {
    /// Its first reading.
    pub first: Option<Reading>,
    /// The size of all of it.
    pub size: Size,
}

/// The size of some readings.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Their number.
    pub readings: usize,
    /// The items in them.
    pub items: usize,
    /// Their tokens, estimated.
    pub tokens: usize,
}

impl Size {
    /// What is left once a reading is read.
    #[must_use]
    pub fn without(self, reading: &Reading) -> Self {
        Self {
            readings: self.readings.saturating_sub(1),
            items: self.items.saturating_sub(reading.items.len()),
            tokens: self.tokens.saturating_sub(reading.tokens),
        }
    }
}

/// Notes what is new in the transcripts.
pub fn refresh(context: &Context, database: &mut Database) -> Result<()> {
    let roots = lookup::transcript_folders(context, &[])?;
    Ok(digest::refresh(database, &roots, Timestamp::from_millis(context.now_ms()))?)
}

/// A reading that waits for its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OpenReading {
    /// Its number, which is not stored with it.
    #[serde(skip)]
    pub id: i64,
    /// The most lessons that its answer may give, as its reader is told.
    pub most: usize,
    /// The reading.
    pub reading: Reading,
}

/// The reading of a project that waits for its answer, if one does. One of which a part was read meanwhile, in a reading over
/// all projects or of this one, is made again.
pub fn open(database: &Database, project: &ReadProject) -> Result<Option<OpenReading>> {
    let Some(row) = database.open_reading(&project.key)? else { return Ok(None) };
    // One of another version is made again.
    let Ok(open) = serde_json::from_str::<OpenReading>(&row.content) else { return Ok(None) };
    let read: HashSet<String> = database.read_marks()?.into_iter().collect();
    let is_whole = !open.reading.items.values().any(|item| read.contains(&item.mark));
    Ok(is_whole.then_some(OpenReading { id: row.id, ..open }))
}

/// The next reading of a project, which waits for its answer from now on. `None` where nothing is unread, or no lesson may be
/// given any more today.
pub fn next(
    context: &Context,
    database: &mut Database,
    project: &ReadProject,
) -> Result<Option<OpenReading>> {
    if let Some(open) = open(database, project)? {
        return Ok(Some(open));
    }
    let most = project.most(context, database)?;
    let first = project.unread(context, database)?.first;
    let Some(reading) = first.filter(|_| most > 0) else { return Ok(None) };
    let tokens = reading.tokens as u64;
    let stored = serde_json::to_string(&OpenReading { id: 0, most, reading })?;
    database.begin_reading(&project.key, tokens, &stored, context.now_ms())?;
    open(database, project)
}

/// The most items that are offered: each is chosen with a digit.
const STRONGEST: usize = 9;

/// The strongest items that nobody has read and no candidate explains, the strongest first: of the project of the working folder,
/// or where it has none of all projects. Each is what it becomes when a person chooses it, with the id. Reads what is new in the
/// transcripts.
pub fn strongest(context: &Context) -> Result<Vec<(String, ReflectedFinding)>> {
    let mut database = Database::open(&context.home)?;
    refresh(context, &mut database)?;
    let mut explained = lookup::promoted_candidates(context)?;
    let waiting = database.candidates(&[CandidateStatus::New])?;
    explained.extend(waiting.into_iter().map(|candidate| candidate.id));
    let wanted = Wanted::Unread(explained);
    for project in [ReadProject::here(&database)?, ReadProject::every()] {
        let mut items: Vec<Item> = Vec::new();
        project.each_reading(context, &database, &wanted, &mut |reading| {
            items.extend(reading.items.into_values());
            items.sort_by_key(|item| {
                Reverse((candidate::strength(&[item]).0, item.sessions, item.times, item.time))
            });
            items.truncate(STRONGEST);
        })?;
        if !items.is_empty() {
            let chosen = items.iter().map(candidate::of_item);
            return Ok(chosen.map(|chosen| (id_of(&chosen.finding), chosen)).collect());
        }
    }
    Ok(Vec::new())
}

/// The candidate that `text` names by its id or the start of it; one of the strongest unread items becomes one with that, unless
/// an agent names it.
pub fn candidate(context: &Context, text: &str) -> Result<Candidate> {
    let known = find(&Database::open(&context.home)?, text);
    if known.is_ok() || text.len() < MIN_PREFIX || context.is_agent() {
        return known;
    }
    let Some((_, item)) = strongest(context)?.into_iter().find(|(id, _)| id.starts_with(text)) else {
        return known;
    };
    let mut database = Database::open(&context.home)?;
    match database.record_chosen(&item, context.now_ms())? {
        Some(id) => find(&database, &id),
        None => refused("it holds a text that you had forgotten"),
    }
}

/// The text, with `MOST` in the place of the number of lessons.
const TEXT: &str = include_str!("instruction.md");

/// The instruction, for at most this many lessons.
pub fn instruction(most: usize) -> String {
    TEXT.replace("MOST", &most.to_string())
}
