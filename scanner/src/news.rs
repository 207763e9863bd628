//! In which sessions there may be something new: in few, of thousands that lie there.
//!
//! Every file is looked at, and none is opened. A session all of whose files are as they were is done with that;
//! nothing waits for it, and no thread is woken.

use lessons_store::cursors::Cursors;

use crate::resume;
use crate::stamp::Stamp;
use crate::walk::{Session, Walked};

/// What there is to read.
#[derive(Debug)]
pub(crate) struct News<'w> {
    /// What was walked.
    pub(crate) walked: &'w Walked,
    /// Where reading stopped before.
    pub(crate) cursors: &'w Cursors,
    /// The sessions in which something may be new, in their order.
    pub(crate) sessions: Vec<&'w Session>,
    /// The bytes of all files.
    pub(crate) total: u64,
    /// The bytes of the files of all other sessions.
    pub(crate) done: u64,
    /// The paths of cursors at which no file was found.
    pub(crate) unseen: Vec<&'w str>,
}

/// Looks for them.
pub(crate) fn look<'w>(walked: &'w Walked, cursors: &'w Cursors) -> News<'w> {
    let mut news = News { walked, cursors, sessions: Vec::new(), total: 0, done: 0, unseen: Vec::new() };
    let mut seen = vec![false; cursors.all().len()];
    for session in &walked.sessions {
        let (mut size, mut is_as_it_was) = (0, true);
        for file in &session.files {
            // Of one that is not there any more, the reading tells.
            let found = Stamp::at(file).ok();
            size += found.map_or(0, |found| found.size);
            let place = cursors.place_of(&resume::name_of(file));
            let cursor = place.and_then(|place| cursors.all().get(place));
            is_as_it_was &=
                found.zip(cursor).is_some_and(|(found, cursor)| resume::is_as_it_was(cursor, &found));
            if let Some(seen) = place.and_then(|place| seen.get_mut(place)) {
                *seen = true;
            }
        }
        news.total += size;
        if is_as_it_was {
            news.done += size;
        } else {
            news.sessions.push(session);
        }
    }
    let unseen = cursors.all().iter().zip(seen).filter(|(_, seen)| !seen);
    news.unseen = unseen.map(|(cursor, _)| cursor.path.as_str()).collect();
    news
}
