//! The common course of every hook: read the payload, open the data folder and its index, answer, print, record events.

use lessons_client::claude::Answer;
use lessons_client::{Client, Event, Verdict};
use lessons_decide::answer::{self, answer};
use lessons_decide::{Advice, GuardedPaths, Memory, Outcome, SessionClaims, SessionFolder, Situation};
use lessons_home::{Home, HomeError, SystemClock};
use lessons_index::{Corrupt, Index, IndexFile};
use lessons_lesson::{Call, Contents, Lot, Payload, PayloadEnd, ProjectLocation, QualifiedId};

use crate::environment::{HookEnvironment, record};
use crate::input::{self, Input};
use crate::{output, repair, stdio};

/// The input from which a hook answers.
pub(crate) struct HookContext<'g> {
    /// The call.
    pub(crate) call: &'g HookCall<'g>,
    /// The data folder, or the reason why none is used.
    pub(crate) home: &'g Result<Home, HomeError>,
    /// The index of the lessons in force. `None` if there is no usable one.
    pub(crate) index: Option<&'g Index<'g>>,
    /// What the session was told. What an answer tells is claimed here.
    pub(crate) claims: SessionClaims<SessionFolder>,
}

/// An outcome with its lessons.
pub(crate) type Occurrence = (Outcome, Vec<QualifiedId>);

/// The reply of a hook.
#[derive(Debug, Default)]
pub(crate) struct HookReply {
    /// What is said.
    pub(crate) answer: Answer,
    /// The events to record after printing.
    pub(crate) events: Vec<Occurrence>,
}

impl HookReply {
    /// The reply that gives the model a text, which may be empty, with the lessons in it, and those that the lot left out.
    pub(crate) fn advice(text: String, told: Vec<QualifiedId>, held: Vec<QualifiedId>) -> Self {
        let verdict = (!text.is_empty()).then_some(Verdict::Advice(text));
        let answer = verdict.map(Answer::told).unwrap_or_default();
        Self { answer, events: with_lessons([(Outcome::Told, told), (Outcome::Held, held)]) }
    }
}

/// Those of some events that concern any lesson.
pub(crate) fn with_lessons(events: impl IntoIterator<Item = Occurrence>) -> Vec<Occurrence> {
    events.into_iter().filter(|(_, lessons)| !lessons.is_empty()).collect()
}

impl HookContext<'_> {
    /// What the environment and the lot say about advice.
    pub(crate) fn advice(&self) -> Advice {
        self.drawn(HookEnvironment::advice())
    }

    /// The same with what the lot says.
    fn drawn(&self, advice: Advice) -> Advice {
        advice.drawn(self.index.map(Index::settings), self.call.payload.session_id.as_deref())
    }

    /// Where the call is made.
    pub(crate) fn place(&self) -> ProjectLocation<'static> {
        self.call.environment.place(self.call.payload)
    }

    /// Decides what `call` gets, which is that of the payload in one of its forms.
    pub(crate) fn decide(
        &mut self,
        call: &Call<'_>,
        guarded: &GuardedPaths<'_>,
        advice: &Advice,
    ) -> Result<answer::Answer, Corrupt> {
        let situation = Situation {
            index: self.index,
            call,
            agent: self.call.payload.agent(),
            place: &self.place(),
            guarded,
            advice: &self.drawn(advice.clone()),
            clock: &SystemClock,
        };
        answer(&situation, &mut self.claims)
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

    /// Answers, and claims what the answer tells. Where the index turns out to be corrupt, what was claimed is taken back,
    /// and the hook is asked once more.
    fn answer(&mut self, context: &mut HookContext<'_>) -> Result<HookReply, Corrupt>;

    /// Called after the reply has been printed.
    fn printed(&self, _home: &Home) {}
}

/// Runs a hook of Claude Code from its payload to its events.
pub(crate) fn run(hook: &mut impl Hook, event: Event) {
    let mut environment = HookEnvironment::of_process();
    let found = |environment: &mut HookEnvironment, cwd| {
        let home = environment.home(cwd);
        let index = home.as_ref().ok().and_then(IndexFile::open);
        (home, index)
    };
    // Whether a folder that a variable names may be used depends on where the call is made.
    let is_named = environment.variables.names_folder();
    let early = (!is_named).then(|| found(&mut environment, None));
    // Without an index it is unknown whether a lesson looks at contents.
    let contents = match &early {
        Some((_, Some(index))) if !index.header.reads_contents => Contents::Skip,
        _ => Contents::Keep,
    };
    let Input { payload, end, raw } =
        input::read(input::UnbufferedInput(stdio::input()), contents, input::of_calls);
    if !hook.expects_answer(&payload, end) {
        return;
    }
    let (home, index) = early.unwrap_or_else(|| found(&mut environment, payload.call.cwd.as_deref()));
    let call =
        HookCall { environment: &environment, client: Client::ClaudeCode, payload: &payload, end, raw: &raw };
    let Some((answer, mut said)) = call.answered(hook, &home, index.as_ref()) else { return };
    if answer.write(event).is_some_and(|object| output::print(&object).is_err()) {
        said.take_back();
        return;
    }
    if let Ok(home) = &home {
        hook.printed(home);
    }
    said.record();
}

/// One call of a hook: a payload and where it comes from.
pub(crate) struct HookCall<'a> {
    pub(crate) environment: &'a HookEnvironment,
    /// The client that raised the hook.
    pub(crate) client: Client,
    pub(crate) payload: &'a Payload,
    pub(crate) end: PayloadEnd,
    /// The payload as it came, for a tool whose input may be passed on or looked through; else empty.
    pub(crate) raw: &'a [u8],
}

/// An answer that was given: what it claimed, and what is recorded of it.
pub(crate) struct Said<'a> {
    call: &'a HookCall<'a>,
    home: &'a Result<Home, HomeError>,
    claims: SessionClaims<SessionFolder>,
    events: Vec<Occurrence>,
    lot: Option<Lot>,
}

impl Said<'_> {
    /// Removes what was claimed: the answer did not arrive.
    pub(crate) fn take_back(&mut self) {
        self.claims.take_back();
    }

    /// Records what was printed.
    pub(crate) fn record(&self) {
        let Ok(home) = self.home else { return };
        for (outcome, lessons) in &self.events {
            record(home, (self.call.client, self.call.payload), *outcome, lessons, self.lot);
        }
    }
}

impl HookCall<'_> {
    /// The answer from a data folder that is trusted for this call: from the given index, else from a rebuilt one, else from
    /// the given one as far as it is readable, else without an index. `None` where none can be given.
    pub(crate) fn answered<'a>(
        &'a self,
        hook: &mut impl Hook,
        home: &'a Result<Home, HomeError>,
        found: Option<&IndexFile>,
    ) -> Option<(Answer, Said<'a>)> {
        let Ok(usable) = home else { return self.answer(hook, home, None).ok() };
        if let Some(index) = found
            && hook.accepts(usable, index)
            && let Ok(answered) = self.answer(hook, home, Some(index))
        {
            return Some(answered);
        }
        // The unusable index stays open meanwhile, so that no other file gets its inode number.
        let identity = found.map(|index| index.identity);
        hook.prepare(usable);
        let rebuilt = repair::rebuilt_index(usable, &self.environment.variables, identity);
        // What was in force stays in force where nothing better can be made.
        let mut indexes = [rebuilt.as_ref(), found].into_iter().flatten();
        let answered = indexes.find_map(|index| self.answer(hook, home, Some(index)).ok());
        answered.or_else(|| self.answer(hook, home, None).ok())
    }

    fn answer<'a>(
        &'a self,
        hook: &mut impl Hook,
        home: &'a Result<Home, HomeError>,
        file: Option<&IndexFile>,
    ) -> Result<(Answer, Said<'a>), Corrupt> {
        let index = file.map(IndexFile::index).transpose()?;
        let settings = index.as_ref().map(Index::settings);
        let scope = settings.map(|settings| settings.dedup_scope).unwrap_or_default();
        let session = self.payload.session_id.as_deref();
        // Without a data folder nothing can be claimed.
        let files = home.as_ref().ok().and_then(|home| SessionFolder::of(home, session));
        let claims = SessionClaims::new(files, self.payload.agent_id.as_deref(), scope);
        let mut context = HookContext { call: self, home, index: index.as_ref(), claims };
        let reply = hook.answer(&mut context);
        let mut claims = context.claims;
        let HookReply { answer, events } = reply.inspect_err(|_| claims.take_back())?;
        let lot = settings.and_then(|settings| settings.lot);
        Ok((answer, Said { call: self, home, claims, events, lot }))
    }
}
