//! Readings without a person: at night, and what a night would cost.

use std::collections::BTreeMap;
use std::time::Duration;

use lessons_context::{Context, DAY, Result, error, refused};
use lessons_ledger::Database;
use lessons_scanner::digest::Wanted;
use lessons_store::{Config, ConfigFile, accepted};
use lessons_text::counted;

use super::next::{self, ReadProject, instruction};
use super::reader::Reader;
use super::take::{self, Taken};

/// The longest time of one reading.
const LIMIT: Duration = Duration::from_mins(10);
/// The nights from which it is said what one would cost.
const NIGHTS: u32 = 14;

/// The settings of readings that a person accepted.
pub fn settings(context: &Context) -> Result<Config> {
    let file = ConfigFile::read(&context.home.config())?;
    let accepted = accepted::settings(&context.home)?.unwrap_or_default();
    Ok(file.with_accepted(&accepted).settings().0)
}

/// Has a program read the next reading of a project, and takes its answer in. `None` where nothing is unread, or no more is
/// taken today.
pub fn read(
    context: &Context,
    database: &mut Database,
    project: &ReadProject,
    reader: &Reader,
) -> Result<Option<(Taken, usize)>> {
    if context.is_agent() {
        return refused("an agent may not start a reading; the user does, in a terminal");
    }
    let Some(open) = next::next(context, database, project)? else { return Ok(None) };
    let text = format!("{}\n{}", instruction(open.most), open.reading.text);
    let answer = reader.read(text, LIMIT)?;
    let taken = take::take(context, database, &open, &answer, &reader.name())?;
    Ok(Some((taken, open.reading.tokens)))
}

/// The readings of a night, in a sentence; `None` where a person has not switched them on, or nothing is unread.
pub fn readings(context: &Context, warnings: &mut Vec<String>) -> Result<Option<String>> {
    let config = settings(context)?;
    if !config.reflect.nightly {
        return Ok(None);
    }
    let mut database = Database::open(&context.home)?;
    next::refresh(context, &mut database)?;
    let sized = |project: ReadProject| Ok((project.unread(context, &database)?.size, project));
    let mut unread = ReadProject::each(&database)?.into_iter().map(sized).collect::<Result<Vec<_>>>()?;
    // Those with most new items first.
    unread.sort_by_key(|(size, _)| std::cmp::Reverse(size.items));
    let reader = Reader::named(&config.reflect.command);
    let (mut done, mut tokens, mut candidates) = (0, 0, 0);
    'projects: for (size, project) in &unread {
        for _ in 0..size.readings.min(config.reflect.readings - done) {
            match read(context, &mut database, project, &reader) {
                Ok(Some((taken, read))) => {
                    (done, tokens, candidates) = (done + 1, tokens + read, candidates + taken.candidates());
                }
                Ok(None) => break,
                Err(error) => {
                    // The next one would fail as well; tomorrow it is tried again.
                    warnings.push(format!("Nothing more was read: {}", error::sentence(&error)));
                    break 'projects;
                }
            }
        }
    }
    let wait: usize = unread.iter().map(|(size, _)| size.readings).sum::<usize>().saturating_sub(done);
    if done == 0 && wait == 0 {
        return Ok(None);
    }
    let waiting = if wait > 0 { format!(", {} left", counted(wait, "reading")) } else { String::new() };
    let (done, name, tokens) = (counted(done, "reading"), reader.name(), counted(tokens, "token"));
    let candidates = counted(candidates, "candidate");
    Ok(Some(format!("{done} by {name}, about {tokens}: {candidates}{waiting}")))
}

/// What a night would have cost, in words: what came up in the last two weeks, what is unread, and what a night may read.
pub fn costs(context: &Context, database: &Database) -> Result<String> {
    let since = context.now_ms().saturating_sub(u64::from(NIGHTS) * DAY);
    let mut nights: BTreeMap<u64, usize> = BTreeMap::new();
    ReadProject::every().each_reading(context, database, &Wanted::All, &mut |reading| {
        for item in reading.items.values().filter(|item| item.time >= since) {
            *nights.entry(item.time / DAY).or_default() += item.text.chars().count().div_ceil(4);
        }
    })?;
    let average = nights.values().sum::<usize>() / NIGHTS as usize;
    let most = nights.values().copied().max().unwrap_or_default();
    let unread = ReadProject::every().unread(context, database)?.size;
    let (readings, tokens) = (counted(unread.readings, "reading"), counted(unread.tokens, "token"));
    let a_night = context.settings()?.0.reflect.readings;
    Ok(format!(
        "In the last two weeks a night would have read {average} tokens on average, {most} at most. \
         Unread now: {readings} of {tokens}; a night reads {a_night} at most"
    ))
}
