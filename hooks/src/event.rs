//! The common course of every hook: read the payload, open the data folder and its index, answer, print, record events.

use lessons_decide::answer::Advice;
use lessons_decide::claims::{Memory, SessionClaims, SessionFolder};
use lessons_decide::events::Outcome;
use lessons_home::home::{Home, HomeError};
use lessons_index::file::IndexFile;
use lessons_index::{Corrupt, Index};
use lessons_lesson::compiled::Settings;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lot::Lot;
use lessons_lesson::payload::{Contents, Payload, PayloadEnd};

use crate::environment::{HookEnvironment, record};
use crate::input::{self, Input};
use crate::{output, repair, stdio};

/// The input from which a hook answers.
pub(crate) struct HookContext<'g> {
    pub(crate) environment: &'g HookEnvironment,
    pub(crate) payload: &'g Payload,
    pub(crate) end: PayloadEnd,
    /// The payload as it came, for a tool whose input may be passed on or looked through; else empty.
    pub(crate) raw: &'g [u8],
    /// The data folder, or the reason why none is used.
    pub(crate) home: &'g Result<Home, HomeError>,
    /// The index of the lessons in force. `None` if there is no usable one.
    pub(crate) index: Option<&'g OpenIndex<'g>>,
}

/// An index that a hook asks.
pub(crate) type OpenIndex<'f> = Index<'f>;

/// The reply of a hook.
#[derive(Debug, Default)]
pub(crate) struct HookReply {
    /// The JSON object to print.
    pub(crate) object: Option<String>,
    /// The events to record after printing: outcomes with their lessons.
    pub(crate) events: Vec<(Outcome, Vec<QualifiedId>)>,
}

impl HookContext<'_> {
    /// What the environment and the lot say about advice.
    pub(crate) fn advice(&self) -> Advice {
        let settings = self.index.map(Index::settings);
        HookEnvironment::advice().drawn(settings, self.payload.session_id.as_deref())
    }
}

/// The part of a hook that differs from the others.
pub(crate) trait Hook {
    /// Whether this payload can have an answer.
    fn expects_answer(&self, payload: &Payload, end: PayloadEnd) -> bool;

    /// Whether an open index is the one to answer from.
    fn accepts(&self, _home: &Home, _index: &IndexFile) -> bool {
        true
    }

    /// Called before an index is rebuilt, which needs a data folder.
    fn prepare(&self, _home: &Home) {}

    /// Answers, and claims through `claims` what the answer tells. Where the index turns out to be corrupt, what was
    /// claimed is taken back, and the hook is asked once more.
    fn answer(
        &mut self,
        context: &HookContext<'_>,
        claims: &mut SessionClaims<SessionFolder>,
    ) -> Result<HookReply, Corrupt>;

    /// Called after the reply has been printed.
    fn printed(&self, _home: &Home) {}
}

/// Runs a hook from its payload to its events.
pub(crate) fn run(hook: &mut impl Hook) {
    let environment = HookEnvironment::of_process();
    let home = environment.home();
    let index = home.as_ref().ok().and_then(IndexFile::open);
    // Without an index it is unknown whether a lesson looks at contents.
    let contents = match &index {
        Some(index) if !index.header().reads_contents => Contents::Skip,
        _ => Contents::Keep,
    };
    let Input { payload, end, raw } =
        input::read(input::UnbufferedInput(stdio::input()), contents, input::of_calls);
    if !hook.expects_answer(&payload, end) {
        return;
    }
    let home = home.and_then(|home| environment.trusted_home(home, payload.call.cwd.as_deref()));
    let call = HookCall { environment: &environment, payload: &payload, end, raw: &raw, home: &home };
    let Some((reply, mut claims, lot)) = call.answer_or_repair(hook, index) else { return };
    if let Some(object) = &reply.object
        && output::print(object).is_err()
    {
        claims.take_back();
        return;
    }
    if let Ok(home) = &home {
        hook.printed(home);
    }
    for (outcome, lessons) in &reply.events {
        match &home {
            Ok(home) => record(home, &payload, *outcome, lessons, lot),
            // That the folder which a variable names is not used is recorded where no variable reaches.
            Err(_) if *outcome == Outcome::Lost => {
                if let Some(home) = environment.machines_home() {
                    record(&home, &payload, *outcome, lessons, None);
                }
            }
            Err(_) => {}
        }
    }
}

/// What a hook answered, what it claimed for that, and the lot that the session draws.
type Answered = (HookReply, SessionClaims<SessionFolder>, Option<Lot>);

/// One call of a hook: a payload and where it is answered.
struct HookCall<'a> {
    environment: &'a HookEnvironment,
    payload: &'a Payload,
    end: PayloadEnd,
    raw: &'a [u8],
    home: &'a Result<Home, HomeError>,
}

impl HookCall<'_> {
    /// The reply from the given index, else from a rebuilt one, else from the given one as far as it is readable, else
    /// without an index.
    fn answer_or_repair(&self, hook: &mut impl Hook, found: Option<IndexFile>) -> Option<Answered> {
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
            // The unusable index stays open meanwhile, so that no other file gets its inode number.
            let identity = unusable.as_ref().map(IndexFile::identity);
            hook.prepare(home);
            let rebuilt = repair::rebuilt_index(home, &self.environment.variables, identity);
            if let Some(index) = rebuilt
                && let Ok(answered) = self.answer(hook, Some(&index))
            {
                return Some(answered);
            }
        }
        // What was in force stays in force where nothing better can be made.
        let kept = unusable.as_ref().and_then(|index| self.answer(hook, Some(index)).ok());
        kept.or_else(|| self.answer(hook, None).ok())
    }

    fn answer(&self, hook: &mut impl Hook, file: Option<&IndexFile>) -> Result<Answered, Corrupt> {
        let Self { environment, payload, end, raw, home } = *self;
        let index = file.map(IndexFile::index).transpose()?;
        let scope = index
            .as_ref()
            .map_or_else(|| Settings::default().dedup_scope, |index| index.settings().dedup_scope);
        // Without a data folder nothing can be claimed.
        let files =
            home.as_ref().ok().and_then(|home| SessionFolder::of(home, payload.session_id.as_deref()));
        let mut claims = SessionClaims::new(files, payload.agent_id.as_deref(), scope);
        let context = HookContext { environment, payload, end, raw, home, index: index.as_ref() };
        let reply = hook.answer(&context, &mut claims).inspect_err(|_| claims.take_back())?;
        Ok((reply, claims, index.and_then(|index| index.settings().lot)))
    }
}
