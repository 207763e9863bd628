//! The hook at the start of a session, which tells the protocol and the lessons that are told every time, shows notices
//! to the user, and starts the scanner.

use lessons_client::claude::Answer;
use lessons_client::{Client, Event, Verdict};
use lessons_decide::opening::opening;
use lessons_decide::{Outcome, Source, compaction};
use lessons_home::{Environment, Home, SystemClock, files};
use lessons_index::{Corrupt, Identity, IndexFile};
use lessons_lesson::{Clock, Payload, PayloadEnd};

use crate::event::{self, Hook, HookContext, HookReply, with_lessons};
use crate::notices::{Notice, is_of_decisions};
use crate::{background, notices};

/// Runs the hook.
pub fn run() {
    let mut hook = SessionStart::default();
    event::run(&mut hook, Event::Start);
    hook.start_scanner();
}

/// The hook.
#[derive(Default)]
pub(crate) struct SessionStart {
    /// The notice for the user in the reply.
    notice: Option<Notice>,
    /// The variables for the scanner, if this start asks for a scan.
    scan: Option<Environment>,
}

impl Hook for SessionStart {
    /// Every payload is answered, also one that cannot be read: the fields that were readable count.
    fn expects_answer(&self, _: &Payload, _: PayloadEnd) -> bool {
        true
    }

    /// Accepts only the index of the present manifest, made of the present decisions: a crash between the two renames of a
    /// build leaves an older index, one without its manifest may be another home's, and a crash before a build leaves newer
    /// decisions, as does who writes them by other means.
    fn accepts(&self, home: &Home, index: &IndexFile) -> bool {
        let manifest = home.manifest().symlink_metadata();
        manifest.is_ok_and(|found| Identity::of(&found) == index.header.manifest)
            && index
                .index()
                .and_then(|index| index.build_notes())
                .is_ok_and(|notes| is_of_decisions(&notes, home))
    }

    /// Creates the data folder at the first session of somebody who only has the plugin, so that the built-in lessons are
    /// in force from then on.
    fn prepare(&self, home: &Home) {
        // Without the folder nothing is in force, which is the state before.
        let _ = files::ensure_folder(home.root());
    }

    fn answer(&mut self, context: &mut HookContext<'_>) -> Result<HookReply, Corrupt> {
        let home = match context.home {
            Ok(home) => home,
            Err(error) => {
                let off = format!("Lessons is off in this session: {error}");
                return Ok(nothing_in_force(Some(off)));
            }
        };
        let source = Source::parse(context.call.payload.source.as_deref());
        let scans = matches!(source, Source::Startup | Source::Clear);
        self.scan = scans.then(|| context.call.environment.variables.clone());
        self.opening_reply(context, home, source)
    }

    fn printed(&self, home: &Home) {
        if let Some(notice) = &self.notice {
            notice.record(home);
        }
    }
}

impl SessionStart {
    /// Starts the scanner, where the start asked for it.
    pub(crate) fn start_scanner(&self) {
        if let Some(environment) = &self.scan {
            background::start_scanner(environment);
        }
    }

    fn opening_reply(
        &mut self,
        context: &mut HookContext<'_>,
        home: &Home,
        source: Source,
    ) -> Result<HookReply, Corrupt> {
        let refused = context.call.environment.refused.as_ref();
        let refused =
            refused.map(|error| format!("Lessons: {error}. Your own data folder is used in this session."));
        // Only Claude Code shows notices to the user, and what was not shown must not count as told.
        let is_due = context.call.client == Client::ClaudeCode
            && matches!(source, Source::Startup | Source::Clear | Source::Resume);
        let Some(index) = context.index else {
            return Ok(nothing_in_force(joined(refused, is_due.then(|| notices::nothing_in_force(home)))));
        };
        let (place, advice) = (context.place(), context.advice());
        if source == Source::Compact {
            compaction::forget(index, &context.claims)?;
        }
        let told = opening(index, source, &place, &advice, SystemClock.now(), &mut context.claims)?;
        let notes = index.build_notes()?;
        self.notice = is_due.then(|| notices::for_user(source, &notes, &place, home)).flatten();
        let person = joined(refused, self.notice.as_ref().map(|notice| notice.text.clone()));
        let lost = notes.lost_refusals.into_iter().filter(|_| is_due).map(|lost| lost.id).collect();
        let (text, lessons, held) = told.map(|told| (told.text, told.lessons, told.held)).unwrap_or_default();
        let verdict = (!text.is_empty()).then_some(Verdict::Advice(text));
        let events = [(Outcome::Told, lessons), (Outcome::Held, held), (Outcome::Lost, lost)];
        Ok(HookReply { answer: Answer::Told { verdict, person }, events: with_lessons(events) })
    }
}

/// Two notices as one.
fn joined(first: Option<String>, second: Option<String>) -> Option<String> {
    let both: Vec<String> = first.into_iter().chain(second).collect();
    (!both.is_empty()).then(|| both.join("\n"))
}

/// The reply where nothing is in force, with a notice that says why.
fn nothing_in_force(notice: Option<String>) -> HookReply {
    let events = notice.as_ref().map(|_| (Outcome::Lost, Vec::new()));
    HookReply { answer: Answer::Told { verdict: None, person: notice }, events: events.into_iter().collect() }
}
