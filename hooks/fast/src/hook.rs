//! Before a tool call: the right lesson in front of the model, or the call refused.

use core::mem;

use lessons_core::answer::{Advice, Answer, Decision, Situation, answer};
use lessons_core::approval::Guarded;
use lessons_core::claims::{Ledger, Memory};
use lessons_core::compiled::{Clock, Lessons};
use lessons_core::events::{Event, Outcome};
use lessons_core::id::QualifiedId;
use lessons_core::payload::{Contents, End, Payload};
use lessons_core::project::Place;
use lessons_core::reply;
use rustix::fd::AsFd;

use crate::clock::SystemClock;
use crate::disk::RealDisk;
use crate::environment::Environment;
use crate::handover::{Next, put_back};
use crate::home::Home;
use crate::index::OpenIndex;
use crate::session::Session;
use crate::{clock, files, home, index, input, log, standard};

/// Reads the call, decides, prints, and writes down what happened.
pub fn run(environment: &Environment<'_>) -> Next {
    // Before standard input is touched: the other program reads it itself.
    let Some(home) = home::find(environment) else { return Next::HandOver };
    let Some(index) = index::open(&home) else { return Next::HandOver };
    let contents = if index.header().reads_contents { Contents::Keep } else { Contents::Skip };
    let (payload, end) = input::payload(contents);
    match end {
        End::Whole if !payload.call.tool.is_empty() => {}
        End::Beyond => {}
        End::Whole | End::Broken => return Next::Done,
    }
    if !home.is_allowed(payload.call.cwd.as_deref()) {
        return put_back(&payload);
    }
    let next = Hook { environment, home: &home, index: &index, payload: &payload }.run(end);
    // Files are closed when the process ends, which is now.
    mem::forget((home, index));
    next
}

struct Hook<'h> {
    environment: &'h Environment<'h>,
    home: &'h Home<'h>,
    index: &'h OpenIndex,
    payload: &'h Payload,
}

impl Hook<'_> {
    fn run(&self, end: End) -> Next {
        let payload = self.payload;
        let files = Session::of(self.home, payload.session_id.as_deref());
        let scope = self.index.settings().dedup_scope;
        let mut ledger = Ledger::new(files, payload.agent_id.as_deref(), scope);
        let Ok(answer) = self.decide(&mut ledger) else {
            ledger.take_back();
            return put_back(payload);
        };
        // The other program leaves the grant that goes with a question.
        if matches!(answer.decision, Decision::Ask { .. }) {
            ledger.take_back();
            return put_back(payload);
        }
        if let Some(object) = reply::before_tool(&answer.decision)
            && files::write_all(standard::output(), object.as_bytes()).is_err()
        {
            ledger.take_back();
            return Next::Done;
        }
        if end == End::Beyond {
            self.record(Outcome::Overflow, &[]);
        }
        self.record_answer(&answer);
        Next::Done
    }

    fn decide(&self, memory: &mut dyn Memory) -> Result<Answer, lessons_core::index::Damaged> {
        let call = &self.payload.call;
        let start = self.environment.project.or(call.cwd.as_deref());
        let situation = Situation {
            lessons: Some(self.index),
            call,
            agent: self.payload.agent(),
            place: &Place::at(start, &RealDisk),
            guarded: &Guarded { home: &self.home.path, user_home: self.environment.home },
            advice: &Advice::from_variables(self.environment.enabled, self.environment.seen),
            clock: &SystemClock,
        };
        answer(&situation, memory)
    }

    fn record_answer(&self, answer: &Answer) {
        if !answer.passed.is_empty() {
            self.record(Outcome::Passed, &answer.passed);
        }
        match &answer.decision {
            Decision::Silent => {}
            Decision::Advise { lessons, .. } => self.record(Outcome::Told, lessons),
            Decision::Refuse { lessons, .. } => self.record(Outcome::Refused, lessons),
            Decision::Ask { .. } | Decision::Deny { .. } => self.record(Outcome::Asked, &[]),
        }
    }

    fn record(&self, outcome: Outcome, lessons: &[QualifiedId]) {
        let us = u64::try_from(clock::worked().as_micros()).unwrap_or(u64::MAX);
        let event = Event::of(self.payload, outcome, lessons, SystemClock.now(), us);
        log::append(self.home.folder.as_fd(), &event);
    }
}
