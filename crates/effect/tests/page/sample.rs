//! A year of one person's work, as numbers: every section has something to show, and something to leave out.

use std::collections::BTreeMap;

use lessons_effect::join::lessons::Measure;
use lessons_effect::statistics::answer::Answer;
use lessons_effect::statistics::comparison::Comparison;
use lessons_effect::statistics::summary::{
    AfterRefusal, AfterTelling, Arms, LessonEffect, LookedAt, Proposal, Reach, Summary, Untold, Verdict,
};
use lessons_lesson::id::{Layer, LessonId, QualifiedId};
use lessons_lesson::lesson::Mode;
use lessons_replay::tally::{NotEnoughData, Tally};

const DAY: u64 = 86_400_000;
/// 2026-11-24, 3:30 UTC.
const NOW: u64 = 1_795_491_000_000;
const OPUS: &str = "claude-opus-5-5";

/// A lesson that has come up in no session.
fn lesson(layer: Layer, id: &str, title: &str) -> LessonEffect {
    LessonEffect {
        id: QualifiedId { layer, id: LessonId::new(id).unwrap() },
        title: title.into(),
        mode: Mode::Advise,
        measure: Measure::Repeat,
        sessions: 0,
        again: Arms::default(),
        followed: AfterTelling::default(),
        refused: AfterRefusal::default(),
        untold: Vec::new(),
        clients: BTreeMap::new(),
        corrected: 0,
        cost: 0,
        recent: Vec::new(),
        comparison: Comparison::default(),
        verdict: Verdict::Open,
        proposal: None,
    }
}

/// A lesson that reminds: `room` in sessions without a reminder, `next` right, wrong and without a chance.
fn reminds(id: &str, title: &str, room: (u64, u64), next: [u64; 3]) -> LessonEffect {
    let [followed, not_followed, no_chance] = next;
    let mut lesson = lesson(Layer::User, id, title);
    lesson.followed = AfterTelling { followed, not_followed, no_chance };
    lesson.again.told = Tally::new(not_followed, lesson.followed.sessions());
    lesson.again.quiet = Tally::new(room.0, room.1);
    lesson.sessions = room.1 + lesson.followed.sessions();
    lesson.cost = lesson.followed.sessions() * 290;
    if lesson.sessions < 12 {
        lesson.verdict = Verdict::NotEnough { data: NotEnoughData { sessions: lesson.sessions } };
    }
    lesson
}

/// A built-in lesson that blocks: calls made another way, made again and given up.
fn blocks(id: &str, title: &str, next: [u64; 3]) -> LessonEffect {
    let [changed, overruled, given_up] = next;
    let mut lesson = lesson(Layer::Seed, id, title);
    lesson.mode = Mode::Bump;
    let sessions = changed + overruled;
    lesson.refused = AfterRefusal { changed, overruled, given_up, sessions, overruled_in: overruled };
    lesson.sessions = sessions + 2;
    lesson.cost = lesson.refused.calls() * 1200;
    lesson
}

/// The same lesson with what is proposed for it.
fn proposed(mut lesson: LessonEffect, verdict: Verdict, reason: &str, command: &str) -> LessonEffect {
    lesson.verdict = verdict;
    lesson.proposal = Some(Proposal { reason: reason.into(), command: command.into() });
    lesson
}

fn lessons() -> Vec<LessonEffect> {
    let adr = proposed(
        reminds("adr-before-schema", "a change of the schema needs a decision record", (2, 61), [3, 1, 57]),
        Verdict::CannotHelp,
        "comes once in 59 of 61 sessions, and advice comes after it",
        "lessons edit adr-before-schema --mode bump",
    );
    let mut venv = reminds("venv-pip", "pip installs into the system without a venv", (8, 46), [12, 3, 5]);
    venv.untold = vec![Untold { model: OPUS.into(), right: Tally::new(45, 46) }];
    let venv = proposed(
        venv,
        Verdict::NoLongerNeeded,
        "right 45 of 46 times untold since claude-opus-5-5",
        "lessons retire venv-pip",
    );
    let mut pnpm = reminds("pnpm-not-npm", "npm writes a second lock file: use pnpm", (24, 45), [64, 9, 19]);
    pnpm.corrected = 4;
    let mut not_come_up = lesson(Layer::User, "terraform-plan-first", "plan before apply");
    not_come_up.sessions = 3;
    not_come_up.verdict = Verdict::NotComeUp { sessions: 140, model: OPUS.into(), last: 1_780_000_000_000 };
    vec![
        adr,
        venv,
        pnpm,
        blocks("git-stash-untracked", "git stash leaves untracked files behind", [21, 3, 2]),
        blocks("force-with-lease", "a push with --force overwrites the work of others", [12, 2, 0]),
        reminds(
            "compose-v2-and-a-name-that-is-longer-than-its-column",
            "docker-compose is gone: docker compose",
            (1, 2),
            [2, 1, 2],
        ),
        not_come_up,
        lesson(Layer::User, "kubectl-context", "name the context at every kubectl call"),
    ]
}

/// A whole summary.
pub(crate) fn summary() -> Summary {
    Summary {
        as_of: NOW,
        looked_at: LookedAt {
            sessions: 412,
            calls: 31_840,
            projects: 6,
            from: Some(NOW - 180 * DAY),
            to: Some(NOW - DAY),
            forks: 3,
            events_lost: 1,
            only_queried: 0,
        },
        lessons: lessons(),
        reach: Reach { calls: 371, told: 118, kept_quiet: 21, waiting: 64, rejected: 27 },
        answer: Answer::default(),
        clients: Vec::new(),
    }
}

/// The summary of a home in which nothing has happened.
pub(crate) fn empty() -> Summary {
    let seed = lesson(Layer::Seed, "git-stash-untracked", "git stash leaves untracked files behind");
    Summary { as_of: NOW, lessons: vec![seed], ..Summary::default() }
}

/// The summary of a first week: a few sessions, too few for any share.
pub(crate) fn first_week() -> Summary {
    let mut summary = empty();
    let (from, to) = (Some(NOW - 5 * DAY), Some(NOW));
    summary.looked_at = LookedAt { sessions: 9, calls: 640, projects: 1, from, to, ..LookedAt::default() };
    summary.lessons.extend([
        reminds("pnpm-not-npm", "npm writes a second lock file: use pnpm", (2, 3), [3, 1, 0]),
        blocks("force-with-lease", "a push with --force overwrites the work of others", [1, 0, 0]),
    ]);
    summary.reach = Reach { calls: 11, told: 2, ..Reach::default() };
    summary
}
