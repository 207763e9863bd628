//! What a tool call gets.
//!
//! [`answer`] is the one place where this is decided. The hook prints what it says; `replay`,
//! `explain` and `test` ask it too, with another [`Memory`].

use crate::approval::{self, Grant, Guarded, Verdict};
use crate::call::Call;
use crate::claims::{Bump, Claim, Memory};
use crate::id::QualifiedId;
use crate::lesson::Mode;
use crate::manifest::{LessonEntry, Manifest, Settings};
use crate::matching::{self, Match, Views};
use crate::project::Place;
use crate::render;

/// Whether advice may be given, as the environment has it. It never silences a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    /// `LESSONS_ENABLED` says no.
    pub silenced: bool,
    /// `LESSONS_SEEN`: lessons that were told by other means. Bare ids and ids with their layer.
    pub seen: Vec<String>,
}

impl Advice {
    /// Reads the values of `LESSONS_ENABLED` and `LESSONS_SEEN`.
    pub fn from_variables(enabled: Option<&str>, seen: Option<&str>) -> Self {
        let off = |value: &str| matches!(value.trim(), "0" | "false" | "off" | "no");
        let ids = seen.unwrap_or_default().split(',').map(str::trim).filter(|id| !id.is_empty());
        Self { silenced: enabled.is_some_and(off), seen: ids.map(str::to_owned).collect() }
    }

    pub(crate) fn allows(&self, id: &QualifiedId) -> bool {
        !self.silenced && !self.seen.iter().any(|seen| seen == id.id.as_str() || *seen == id.to_string())
    }
}

/// Everything that bears on the answer.
pub struct Situation<'a> {
    /// The compiled lessons; `None` where there are none that can be used.
    pub manifest: Option<&'a Manifest>,
    /// The call.
    pub call: &'a Call<'a>,
    /// The agent's type, `main` for the main thread.
    pub agent: &'a str,
    /// Where the call happens.
    pub place: &'a Place,
    /// What only a person may touch.
    pub guarded: &'a Guarded<'a>,
    /// What the environment asks for.
    pub advice: &'a Advice,
    /// Milliseconds since 1970.
    pub now: u64,
}

/// What the client is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Nothing.
    Silent,
    /// Run the call, and give the model this text.
    Advise {
        /// The text.
        text: String,
        /// The lessons in it.
        lessons: Vec<QualifiedId>,
    },
    /// Refuse the call with this reason.
    Refuse {
        /// The reason, for the model.
        text: String,
        /// The lessons in it.
        lessons: Vec<QualifiedId>,
    },
    /// Put the call to the person.
    Ask {
        /// The reason, for the person.
        reason: String,
        /// What to leave for the command, so that it knows the person was asked.
        grant: Option<Grant>,
    },
    /// Refuse a call that only a person may make, in a form that a person could not judge.
    Deny {
        /// The reason, for the model.
        reason: String,
    },
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What the client is to do.
    pub decision: Decision,
    /// Bumps that let this call pass because it was refused before.
    pub passed: Vec<QualifiedId>,
}

/// Decides what a call gets. Claims through `memory` what it is about to say.
pub fn answer(situation: &Situation<'_>, memory: &mut dyn Memory) -> Answer {
    let only = |decision| Answer { decision, passed: Vec::new() };
    let call = situation.call;
    let otherwise = match approval::judge(call, situation.guarded) {
        Verdict::Deny { reason } => return only(Decision::Deny { reason }),
        Verdict::Ask { reason, grant } => Some(Decision::Ask { reason, grant }),
        Verdict::Pass => None,
    };
    let Some(manifest) = situation.manifest.filter(|manifest| in_force(&manifest.settings, situation.now))
    else {
        return only(otherwise.unwrap_or(Decision::Silent));
    };
    let views = Views::new(call, situation.place);
    let found = matching::matches(manifest, &views, situation.agent, situation.now);
    let mut budget = Budget::new(&manifest.settings);

    let blocks: Vec<_> = found.iter().filter(|found| found.lesson.mode == Mode::Block).collect();
    if !blocks.is_empty() {
        return only(block(&blocks, &mut budget));
    }
    let bumped = bump(&found, &views, &mut budget, memory);
    let passed = bumped.passed;
    if let Some(refusal) = bumped.refusal {
        return Answer { decision: refusal, passed };
    }
    // A question to the person carries no advice: it would be claimed for a call that may never run.
    let decision = otherwise.unwrap_or_else(|| {
        let candidates: Vec<&LessonEntry> = found
            .iter()
            .map(|found| found.lesson)
            .filter(|lesson| lesson.mode == Mode::Advise || bumped.unrecorded.contains(&&lesson.id))
            .filter(|lesson| situation.advice.allows(&lesson.id))
            .collect();
        advise(&candidates, &mut Budget::new(&manifest.settings), memory)
    });
    Answer { decision, passed }
}

/// Whether lessons are switched on.
pub fn in_force(settings: &Settings, now: u64) -> bool {
    settings.enabled && settings.off_until.is_none_or(|until| now >= until)
}

/// Gives a block's refusal: every time, whatever was told before.
fn block(found: &[&Match<'_>], budget: &mut Budget) -> Decision {
    let ids: Vec<String> = found.iter().map(|found| found.lesson.id.to_string()).collect();
    let names: Vec<&str> = ids.iter().map(String::as_str).collect();
    // A refusal must be able to say something, so what it names is cut rather than its texts.
    let way_on = render::way_on(Mode::Block, &names[..names.len().min(3)]);
    budget.take(render::refusal_frame(&way_on));
    let mut blocks = Vec::new();
    let mut lessons = Vec::new();
    for lesson in found.iter().map(|found| found.lesson) {
        if let Some(text) = budget.fit_in_refusal(lesson, lessons.len()) {
            budget.take(text.len());
            blocks.push(text);
            lessons.push(lesson.id.clone());
        }
    }
    Decision::Refuse { text: render::refusal(&blocks, &way_on), lessons }
}

/// What the bumps among the matches say.
struct Bumped<'m> {
    refusal: Option<Decision>,
    passed: Vec<QualifiedId>,
    /// Bumps that cannot refuse because nothing can be recorded. They advise.
    unrecorded: Vec<&'m QualifiedId>,
}

fn bump<'m>(
    found: &[Match<'m>],
    views: &Views<'_>,
    budget: &mut Budget,
    memory: &mut dyn Memory,
) -> Bumped<'m> {
    let way_on = render::way_on(Mode::Bump, &[]);
    budget.take(render::refusal_frame(&way_on));
    let mut bumped = Bumped { refusal: None, passed: Vec::new(), unrecorded: Vec::new() };
    let mut blocks = Vec::new();
    let mut lessons = Vec::new();
    for lesson in found.iter().map(|found| found.lesson).filter(|lesson| lesson.mode == Mode::Bump) {
        // One that is not shown must not refuse: the model would not know why. It gets its turn when
        // the call is made again.
        let Some(text) = budget.fit_in_refusal(lesson, lessons.len()) else { continue };
        match memory.bump(&lesson.id, &views.identity(lesson.subject)) {
            Bump::Refuses => {
                budget.take(text.len());
                blocks.push(text);
                lessons.push(lesson.id.clone());
            }
            Bump::Passes => bumped.passed.push(lesson.id.clone()),
            Bump::Settled => {}
            Bump::Unrecorded => bumped.unrecorded.push(&lesson.id),
        }
    }
    if !lessons.is_empty() {
        bumped.refusal = Some(Decision::Refuse { text: render::refusal(&blocks, &way_on), lessons });
    }
    bumped
}

/// Walks the order: does it fit? then claim; lost? the next, without using the budget.
pub(crate) fn advise(candidates: &[&LessonEntry], budget: &mut Budget, memory: &mut dyn Memory) -> Decision {
    budget.take(render::ADVICE_FRAME);
    let mut blocks = Vec::new();
    let mut lessons = Vec::new();
    for lesson in candidates {
        if budget.lessons == 0 {
            break;
        }
        let Some(text) = budget.fit(lesson) else { continue };
        if memory.tell(&lesson.id, lesson.priority) == Claim::Taken {
            continue;
        }
        budget.take(text.len());
        budget.lessons -= 1;
        blocks.push(text);
        lessons.push(lesson.id.clone());
    }
    if lessons.is_empty() {
        return Decision::Silent;
    }
    Decision::Advise { text: render::advice(&blocks), lessons }
}

/// What may still be said at this call.
pub(crate) struct Budget {
    /// How many lessons.
    pub(crate) lessons: usize,
    /// How many bytes.
    pub(crate) bytes: usize,
}

impl Budget {
    fn new(settings: &Settings) -> Self {
        Self { lessons: settings.budget_lessons, bytes: settings.budget_bytes }
    }

    /// The form of a lesson that still fits: full, else brief, else none.
    fn fit<'m>(&self, lesson: &'m LessonEntry) -> Option<&'m str> {
        [&lesson.full, &lesson.brief].into_iter().map(String::as_str).find(|text| text.len() <= self.bytes)
    }

    /// The same for a refusal that names `already` lessons. The first is named whatever the budget: a
    /// small one must not switch refusals off.
    fn fit_in_refusal<'m>(&self, lesson: &'m LessonEntry, already: usize) -> Option<&'m str> {
        let name = || lesson.brief.split_inclusive('\n').next().filter(|_| already == 0);
        self.fit(lesson).or_else(name)
    }

    fn take(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}
