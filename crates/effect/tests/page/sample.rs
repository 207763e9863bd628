//! Half a year of one person's work, as numbers: every figure has something to show, and something to leave out.

use lessons_effect::join::measure::Measure;
use lessons_effect::statistics::conduct::{AfterRefusal, Untold};
use lessons_effect::statistics::summary::{
    AfterTelling, Arms, Lane, LessonEffect, LookedAt, Mending, NewModel, Reach, RecentSession, Summary,
    TopicWeek, Week,
};
use lessons_effect::statistics::verdict::{Proposal, Verdict};
use lessons_lesson::id::{Layer, LessonId, QualifiedId, TopicId};
use lessons_lesson::lesson::Mode;
use lessons_replay::tally::{NotEnoughData, Tally};

const DAY: u64 = 86_400_000;
/// 2026-11-24, 3:30 UTC.
const NOW: u64 = 1_795_491_000_000;
/// A Monday, 26 weeks before.
const FIRST_WEEK: u64 = 1_779_667_200_000;

/// Numbers that look like chance and are the same every time.
struct Dice(u64);

impl Dice {
    /// A number below `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A lesson that has come up in no session.
pub(crate) fn lesson(layer: Layer, id: &str, topic: &str, title: &str) -> LessonEffect {
    LessonEffect {
        id: QualifiedId { layer, id: LessonId::new(id).unwrap() },
        title: title.into(),
        rule: title.into(),
        topics: vec![TopicId::new(topic).unwrap()],
        mode: Mode::Advise,
        is_in_force: true,
        recorded: None,
        revision: "5b1c8a90".into(),
        measure: Measure::Repeat,
        sessions: 0,
        room: Tally::default(),
        again: Arms::default(),
        followed: AfterTelling::default(),
        refused: AfterRefusal::default(),
        untold: Vec::new(),
        corrected: 0,
        failed_first: Tally::default(),
        cost: 0,
        mending: None,
        recent: Vec::new(),
        verdict: Verdict::Open,
        proposal: None,
    }
}

/// A lesson that reminds: `room` in sessions without a reminder, `next` right, wrong and without a chance.
fn reminds(mut lesson: LessonEffect, room: (u64, u64), next: [u64; 3], dice: &mut Dice) -> LessonEffect {
    lesson.room = Tally::new(room.0, room.1);
    let [followed, not_followed, no_chance] = next;
    lesson.followed = AfterTelling { followed, not_followed, no_chance };
    lesson.again.told = Tally::new(not_followed, lesson.followed.sessions());
    lesson.again.quiet = lesson.room;
    lesson.sessions = room.1 + lesson.followed.sessions();
    lesson.cost = lesson.followed.sessions() * (210 + dice.roll(160));
    lesson.recent = recent(&lesson, Lane::Told, dice);
    if lesson.sessions < 12 {
        lesson.verdict = Verdict::NotEnough { data: NotEnoughData { sessions: lesson.sessions } };
    }
    lesson
}

/// A lesson that blocks: calls made another way, made again and given up.
fn blocks(mut lesson: LessonEffect, next: [u64; 3], dice: &mut Dice) -> LessonEffect {
    let [changed, overruled, given_up] = next;
    lesson.mode = Mode::Bump;
    lesson.refused = AfterRefusal { changed, overruled, given_up, sessions: changed + overruled };
    lesson.sessions = lesson.refused.sessions + 2;
    lesson.cost = lesson.refused.calls() * (900 + dice.roll(700));
    lesson.again.refused = Tally::new(overruled, lesson.refused.sessions);
    lesson.recent = recent(&lesson, Lane::Refused, dice);
    lesson
}

/// Its last sessions; half a year, more of them lately.
fn recent(lesson: &LessonEffect, lane: Lane, dice: &mut Dice) -> Vec<RecentSession> {
    let acted = match lane {
        Lane::Told => lesson.again.told,
        Lane::Refused | Lane::Quiet => lesson.again.refused,
    };
    let quiet = lesson.again.quiet;
    let all = (acted.n + quiet.n).min(60);
    let mut sessions: Vec<_> = (0..all)
        .map(|_| {
            let days = dice.roll(176 * 176);
            let time = NOW - days.isqrt().abs_diff(176) * DAY - dice.roll(DAY);
            let acts = dice.roll(acted.n + quiet.n) < acted.n;
            let tally = if acts { acted } else { quiet };
            RecentSession {
                time,
                lane: if acts { lane } else { Lane::Quiet },
                again: dice.roll(tally.n.max(1)) < tally.k,
                model: if time > NOW - 70 * DAY { "claude-opus-5-5" } else { "claude-opus-5-1" }.into(),
            }
        })
        .collect();
    sessions.sort_by_key(|session| session.time);
    sessions
}

/// The same lesson with what is proposed for it.
fn proposed(mut lesson: LessonEffect, verdict: Verdict, reason: &str, command: &str) -> LessonEffect {
    lesson.verdict = verdict;
    lesson.proposal = Some(Proposal { reason: reason.into(), command: command.into() });
    lesson
}

fn weeks(dice: &mut Dice) -> Vec<Week> {
    let topics =
        [("packages", 22, 9), ("tests", 14, 20), ("git", 10, 4), ("database", 7, 30), ("python", 3, 30)];
    (0..26)
        .map(|number| {
            let calls = if number == 11 { 0 } else { 700 + dice.roll(900) };
            let of_topic = |(topic, most, recorded): (&str, u64, u64)| {
                let most = most * calls / 1_000;
                let first = most / 3 + dice.roll(most / 2 + 1);
                let again = if number < recorded { dice.roll(first + 1) } else { dice.roll(first / 3 + 1) };
                let stopped = if topic == "git" && number >= recorded { first / 2 + 1 } else { 0 };
                TopicWeek { topic: TopicId::new(topic).unwrap(), first, again, stopped }
            };
            let mut topics: Vec<_> = topics.map(of_topic).into_iter().filter(|it| it.first > 0).collect();
            topics.sort_by(|a, b| a.topic.cmp(&b.topic));
            Week { start: FIRST_WEEK + number * 7 * DAY, calls, topics }
        })
        .collect()
}

fn lessons(dice: &mut Dice) -> Vec<LessonEffect> {
    let user = |id: &str, topic: &str, title: &str| lesson(Layer::User, id, topic, title);
    let seed = |id: &str, topic: &str, title: &str| lesson(Layer::Seed, id, topic, title);
    let recorded = |mut lesson: LessonEffect, week: u64| {
        lesson.recorded = Some(FIRST_WEEK + week * 7 * DAY);
        lesson
    };
    let adr = proposed(
        reminds(
            user("adr-before-schema", "database", "a change of the schema needs a decision record first"),
            (2, 61),
            [3, 1, 57],
            dice,
        ),
        Verdict::CannotHelp,
        "comes once in 59 of 61 sessions, and advice comes after it",
        "lessons edit adr-before-schema --mode bump",
    );
    let mut venv = reminds(
        user("venv-pip", "python", "pip installs into the system without a venv"),
        (8, 46),
        [12, 3, 5],
        dice,
    );
    venv.untold = vec![Untold { model: "claude-opus-5-5".into(), right: 45, wrong: 1 }];
    let venv = proposed(
        venv,
        Verdict::NoLongerNeeded { model: "claude-opus-5-5".into() },
        "right 45 of 46 times untold since claude-opus-5-5",
        "lessons deprecate venv-pip",
    );
    let mut pnpm = reminds(
        recorded(user("pnpm-not-npm", "packages", "npm writes a second lock file: use pnpm"), 9),
        (24, 45),
        [64, 9, 19],
        dice,
    );
    pnpm.mending = Some(Mending { tokens: 2_140, seconds: 96, repeats: 31 });
    pnpm.corrected = 4;
    let mut not_come_up = user("terraform-plan-first", "general", "plan before apply");
    not_come_up.verdict =
        Verdict::NotComeUp { sessions: 140, model: "claude-opus-5-5".into(), last: 1_780_000_000_000 };
    vec![
        adr,
        venv,
        pnpm,
        reminds(
            recorded(user("vitest-run", "tests", "vitest without `run` waits forever"), 20),
            (10, 20),
            [25, 5, 11],
            dice,
        ),
        blocks(
            recorded(seed("git-stash-untracked", "git", "git stash leaves untracked files behind"), 4),
            [21, 3, 2],
            dice,
        ),
        blocks(
            seed("force-with-lease", "git", "a push with --force overwrites the work of others"),
            [12, 2, 0],
            dice,
        ),
        reminds(
            user("rg-glob-order", "general", "rg takes the last glob that matches"),
            (6, 13),
            [9, 4, 14],
            dice,
        ),
        reminds(
            user("prisma-generate", "database", "generate the client after a migration"),
            (5, 9),
            [7, 2, 9],
            dice,
        ),
        reminds(
            seed("tsc-before-commit", "tests", "the types are not checked by the build"),
            (2, 6),
            [3, 3, 6],
            dice,
        ),
        reminds(
            user(
                "compose-v2-and-a-name-that-is-longer-than-its-column",
                "general",
                "docker-compose is gone: docker compose",
            ),
            (1, 2),
            [2, 1, 2],
            dice,
        ),
        reminds(
            user("kubectl-context", "general", "name the context at every kubectl call"),
            (0, 2),
            [1, 0, 3],
            dice,
        ),
        not_come_up,
    ]
}

/// A whole summary.
pub(crate) fn summary() -> Summary {
    let mut dice = Dice(7);
    Summary {
        as_of: NOW,
        looked_at: LookedAt {
            sessions: 412,
            calls: 31_840,
            projects: 6,
            from: Some(FIRST_WEEK + DAY),
            to: Some(NOW - DAY),
            forks: 3,
            events_lost: 1,
            only_queried: 0,
        },
        newest_model: Some(NewModel { model: "claude-opus-5-5".into(), since: NOW - 30 * DAY }),
        lessons: lessons(&mut dice),
        weeks: weeks(&mut dice),
        reach: Reach { calls: 371, told: 118, kept_quiet: 21, waiting: 64, rejected: 27 },
        mending: Some(Mending { tokens: 2_300, seconds: 96, repeats: 74 }),
    }
}

/// The summary of a home in which nothing has happened.
pub(crate) fn empty() -> Summary {
    Summary {
        as_of: NOW,
        looked_at: LookedAt::default(),
        newest_model: None,
        lessons: vec![lesson(
            Layer::Seed,
            "git-stash-untracked",
            "git",
            "git stash leaves untracked files behind",
        )],
        weeks: Vec::new(),
        reach: Reach::default(),
        mending: None,
    }
}

/// The summary of a first week: a few sessions, too few for any share.
pub(crate) fn first_week() -> Summary {
    let mut dice = Dice(3);
    let mut summary = empty();
    summary.looked_at = LookedAt {
        sessions: 9,
        calls: 640,
        projects: 1,
        from: Some(NOW - 5 * DAY),
        to: Some(NOW),
        ..LookedAt::default()
    };
    summary.lessons.push(reminds(
        lesson(Layer::User, "pnpm-not-npm", "packages", "npm writes a second lock file: use pnpm"),
        (2, 3),
        [3, 1, 0],
        &mut dice,
    ));
    summary.lessons.push(blocks(
        lesson(Layer::Seed, "force-with-lease", "git", "a push with --force overwrites the work of others"),
        [1, 0, 0],
        &mut dice,
    ));
    summary.reach = Reach { calls: 11, told: 2, ..Reach::default() };
    summary
}
