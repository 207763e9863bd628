//! The one shape of every hook: read the payload, open the data folder and its index, answer, print, write down.

use lessons_core::claims::{Ledger, Memory, SessionFolder};
use lessons_core::compiled::Settings;
use lessons_core::events::Outcome;
use lessons_core::home::{Home, HomeError};
use lessons_core::id::QualifiedId;
use lessons_core::index::file::IndexFile;
use lessons_core::index::{Corrupt, Index};
use lessons_core::payload::{Contents, End, Payload};

use crate::surroundings::{Surroundings, record};
use crate::{input, output, repair, standard};

/// What a hook answers from.
pub(crate) struct Given<'g> {
    pub(crate) surroundings: &'g Surroundings,
    pub(crate) payload: &'g Payload,
    pub(crate) end: PayloadEnd,
    /// The data folder, or why none is used.
    pub(crate) home: &'g Result<Home, HomeError>,
    /// What is in force. `None` where that cannot be said.
    pub(crate) index: Option<&'g OpenIndex<'g>>,
}

/// An index that a hook asks.
pub(crate) type OpenIndex<'f> = Index<'f>;

/// What a hook has to say.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// The JSON object to print.
    pub(crate) object: Option<String>,
    /// What is to be written down when it has been printed: what happened, with which lessons.
    pub(crate) events: Vec<(Outcome, Vec<QualifiedId>)>,
}

/// What makes one hook differ from another.
pub(crate) trait Hook {
    /// Whether there can be an answer to this payload.
    fn concerns(&self, payload: &Payload, end: PayloadEnd) -> bool;

    /// Whether an index that was opened is the one to answer from.
    fn accepts(&self, _home: &Home, _index: &IndexFile) -> bool {
        true
    }

    /// Answers, and claims through `ledger` what the answer tells. Where the index turns out to be corrupt, what was
    /// claimed is taken back, and the hook is asked once more.
    fn answer(&mut self, given: &Given<'_>, ledger: &mut Ledger<SessionFolder>) -> Result<Reply, Corrupt>;

    /// Follows an answer that has reached the client.
    fn printed(&self, _home: &Home) {}
}

/// Runs a hook from its payload to its events.
pub(crate) fn run(hook: &mut impl Hook) {
    let surroundings = Surroundings::of_process();
    let home = surroundings.home();
    let index = home.as_ref().ok().and_then(IndexFile::open);
    // Without an index nobody knows yet whether a lesson looks at contents.
    let contents = match &index {
        Some(index) if !index.header().reads_contents => Contents::Skip,
        _ => Contents::Keep,
    };
    let (payload, end) = input::read(input::Unbuffered(standard::input()), contents);
    if !hook.concerns(&payload, end) {
        return;
    }
    let home = home.and_then(|home| surroundings.believed(home, payload.call.cwd.as_deref()));
    let asked = Asked { surroundings: &surroundings, payload: &payload, end, home: &home };
    let Some((reply, mut ledger)) = asked.settled(hook, index) else { return };
    if let Some(object) = &reply.object
        && output::print(object).is_err()
    {
        ledger.take_back();
        return;
    }
    if let Ok(home) = &home {
        hook.printed(home);
        for (outcome, lessons) in &reply.events {
            record(home, &payload, *outcome, lessons);
        }
    }
}

/// A payload that is to be answered.
struct Asked<'a> {
    surroundings: &'a Surroundings,
    payload: &'a Payload,
    end: PayloadEnd,
    home: &'a Result<Home, HomeError>,
}

impl Asked<'_> {
    /// The answer from the index that was found, else from one that was made anew, else without one.
    fn settled(
        &self,
        hook: &mut impl Hook,
        found: Option<IndexFile>,
    ) -> Option<(Reply, Ledger<SessionFolder>)> {
        let mut unusable = None;
        if let (Ok(home), Some(index)) = (self.home, found) {
            if hook.accepts(home, &index)
                && let Ok(answered) = self.answer(hook, Some(&index))
            {
                return Some(answered);
            }
            unusable = Some(index);
        }
        if let Ok(home) = self.home {
            // The one that is there stays open meanwhile, so that no other file gets its number.
            let identity = unusable.as_ref().map(IndexFile::identity);
            let renewed = repair::renewed(home, &self.surroundings.environment, identity);
            if let Some(index) = renewed
                && let Ok(answered) = self.answer(hook, Some(&index))
            {
                return Some(answered);
            }
        }
        self.answer(hook, None).ok()
    }

    fn answer(
        &self,
        hook: &mut impl Hook,
        file: Option<&IndexFile>,
    ) -> Result<(Reply, Ledger<SessionFolder>), Corrupt> {
        let Self { surroundings, payload, end, home } = *self;
        let index = file.map(IndexFile::index).transpose()?;
        let scope = index
            .as_ref()
            .map_or_else(|| Settings::default().dedup_scope, |index| index.settings().dedup_scope);
        // Without a data folder nothing is claimed.
        let files =
            home.as_ref().ok().and_then(|home| SessionFolder::of(home, payload.session_id.as_deref()));
        let mut ledger = Ledger::new(files, payload.agent_id.as_deref(), scope);
        let given = Given { surroundings, payload, end, home, index: index.as_ref() };
        let reply = hook.answer(&given, &mut ledger).inspect_err(|_| ledger.take_back())?;
        Ok((reply, ledger))
    }
}
