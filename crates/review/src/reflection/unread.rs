//! What nobody has read, for a person who writes a lesson from it by hand.

use std::cmp::Reverse;

use lessons_context::context::Context;
use lessons_context::error::{Refused, Result};
use lessons_ledger::candidates::{Candidate, CandidateStatus, MIN_PREFIX, id_of};
use lessons_ledger::database::Database;
use lessons_scanner::digest::{Item, Wanted};

use super::candidate;
use super::next::{self, ReadProject};
use crate::candidates::carry_out::find;
use crate::lookup;

/// The most items that are offered: each is chosen with a digit.
const MOST: usize = 9;

/// An item that nobody has read, and that no candidate explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadItem(Item);

impl UnreadItem {
    /// The id of the candidate that it becomes when a person chooses it.
    pub fn id(&self) -> String {
        id_of(&candidate::finding_of_item(&self.0))
    }

    /// It in a line: the person's words, or the calls. The text is recorded.
    pub fn text(&self) -> String {
        candidate::finding_of_item(&self.0).mistake
    }
}

/// The strongest unread items, the strongest first: of the project of the working folder, or where it has none of all
/// projects. Reads what is new in the transcripts.
pub fn strongest(context: &Context) -> Result<Vec<UnreadItem>> {
    let mut database = Database::open(&context.home)?;
    next::refresh(context, &mut database)?;
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
            items.truncate(MOST);
        })?;
        if !items.is_empty() {
            return Ok(items.into_iter().map(UnreadItem).collect());
        }
    }
    Ok(Vec::new())
}

/// Makes an item the candidate of which a person writes a lesson.
pub fn choose(context: &Context, item: &UnreadItem) -> Result<Candidate> {
    let mut database = Database::open(&context.home)?;
    match database.record_chosen(&candidate::of_item(&item.0), context.now_ms())? {
        Some(id) => find(&database, &id),
        None => Err(Refused("it holds a text that you had forgotten".into()).into()),
    }
}

/// The candidate that `text` names by its id or the start of it; one of the strongest unread items becomes one with that, unless
/// an agent names it.
pub fn candidate(context: &Context, text: &str) -> Result<Candidate> {
    let known = find(&Database::open(&context.home)?, text);
    if known.is_ok() || text.len() < MIN_PREFIX || context.is_agent() {
        return known;
    }
    match strongest(context)?.iter().find(|item| item.id().starts_with(text)) {
        Some(item) => choose(context, item),
        None => known,
    }
}
