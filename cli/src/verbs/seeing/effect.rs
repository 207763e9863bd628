//! `lessons effect`: show what each lesson does.

use jiff::civil::Date;
use lessons_client::Client;
use lessons_context::LocalTime;
use lessons_effect::statistics::answer::Answer as StatedAnswer;
use lessons_effect::statistics::from_rows::REPEATS_OF_RETIRED;
use lessons_effect::{Arm, ClientEffect, LessonEffect, Measure, Summary, TwoArms, Verdict, episodes};
use lessons_lesson::{Layer, Lesson, QualifiedId, Status};
use lessons_replay::Tally;
use lessons_review::effects;

use crate::prelude::*;

/// Arguments of `lessons effect`.
#[derive(Debug, Args)]
pub struct Effect {
    /// Show one lesson: its id, or the start of it
    pub id: Option<String>,
    /// Delete the numbers of this lesson; sessions before now do not count again
    #[arg(long, value_name = "ID", conflicts_with = "id")]
    pub forget: Option<String>,
}

/// The most lessons that are shown under one heading.
const MOST_SHOWN: usize = 10;
/// The longest title, in characters.
const TITLE: usize = 90;
/// The verdicts that are shown, in their order.
const HEADINGS: &str = "does harm, came back, helps, no useful effect, cannot help as advice, too wide, no longer needed, open, \
                        has not come up, not enough data";

pub(crate) fn run(app: &App, args: &Effect) -> Result<Exit> {
    if let Some(id) = &args.forget {
        return forget(app, id);
    }
    let named = args.id.as_deref().map(|id| lookup::find_lesson(app, id)).transpose()?;
    let Some((mut summary, problems)) = effects::renewed(app)? else {
        bail!(Refused("nothing is compiled yet, so no lesson does anything. Run `lessons build`".into()));
    };
    let mut lines: Vec<String> = problems.iter().map(|it| format!("Warning: {}", line(it))).collect();
    let local = &app.local;
    let fields = match named {
        None => {
            all(&mut lines, &summary, local);
            json!(summary)
        }
        Some((id, lesson)) => {
            summary.lessons.retain(|effect| effect.id == id);
            let Some(effect) = summary.lessons.pop() else { bail!(Refused(unmeasured(&id, &lesson))) };
            one(&mut lines, &effect, local);
            json!(effect)
        }
    };
    app.recorded(&Answer::new(lines, fields).with("problems", problems))
}

/// Why nothing is said of a lesson.
fn unmeasured(id: &QualifiedId, lesson: &Lesson) -> String {
    let watched = format!(
        "retired. It is watched: if the mistake comes again in {REPEATS_OF_RETIRED} sessions, that is said here"
    );
    let is_retired = lesson.status == Status::Deprecated;
    let what = if is_retired { &watched } else { "not in force, so nothing is measured" };
    format!("{id} is {what}. Next: lessons show {id}")
}

/// Forgets what is known of one lesson.
fn forget(app: &App, id: &str) -> Result<Exit> {
    let (id, _) = lookup::find_lesson(app, id)?;
    app.agree(&format!(
        "forget what is known of the effect of {id}; what happened before now does not count again"
    ))?;
    let mut database = app.database()?;
    let sessions = episodes::forget_series(&mut database, &id.to_string(), app.now_ms())?;
    let said = format!("forgot what {id} did in {}", counted(sessions, "session"));
    app.done(&Message::new("forgotten", id.to_string(), said).then("lessons effect"))
}

/// What is said of all lessons.
fn all(lines: &mut Vec<String>, summary: &Summary, local: &LocalTime) {
    let Summary { looked_at, answer, reach, lessons, .. } = summary;
    let (Some(from), Some(to)) = (looked_at.from, looked_at.to) else {
        let none =
            "There are no sessions to look at yet. A session counts once it has been quiet for an hour";
        return lines.push(none.to_owned());
    };
    lines.push(format!("All together   {}", answer.headline()));
    if let Some(since) = answer.since.filter(|_| answer.again.difference.is_some()) {
        by_lot(lines, answer, local.day(since));
    }
    if answer.of_other_series > 0 {
        let before = counted(answer.of_other_series, "session");
        lines.push(format!("{before} of an earlier series do not count: the salt of the lot is a new one"));
    }
    let (sessions, calls) = (counted(looked_at.sessions, "session"), counted(looked_at.calls, "call"));
    let (projects, from, to) = (counted(looked_at.projects, "project"), local.day(from), local.day(to));
    lines.push(format!("{sessions} with {calls} in {projects}, {from} to {to}"));
    // Of the only client there is nothing to tell apart.
    lines.extend(summary.clients.iter().filter(|_| summary.clients.len() > 1).map(of_client));
    if looked_at.only_queried > 0 {
        let times = counted(looked_at.only_queried, "time");
        lines.push(format!(
            "A query showed a lesson of which hooks said nothing {times}; those count neither as told nor as untold"
        ));
    }
    let came_up = || lessons.iter().filter(|effect| effect.sessions > 0);
    for heading in HEADINGS.split(", ") {
        let under = came_up().filter(|effect| effect.verdict.to_string() == heading);
        section(lines, heading, &under.collect::<Vec<_>>(), local);
    }
    let unmeasured = lessons.iter().filter(|effect| effect.verdict == Verdict::NotMeasured).count();
    let never = lessons.len() - came_up().count() - unmeasured;
    for (number, what) in
        [(unmeasured, "no trigger, so no call can show what follows"), (never, "not come up")]
    {
        let have = if number == 1 { "has" } else { "have" };
        lines.extend((number > 0).then(|| format!("{} {have} {what}", counted(number, "lesson"))));
    }
    if reach.calls > 0 {
        let (calls, were) = (counted(reach.calls, "call"), if reach.calls == 1 { "was" } else { "were" });
        let (reached, unnoticed) = (reach.reached(), reach.unnoticed());
        lines.push(format!(
            "{calls} failed or {were} refused or corrected by you. A lesson in force fires at {reached} of them, a candidate \
             waits for {}, you rejected one for {}, and nobody has noticed {unnoticed}",
            reach.waiting, reach.rejected
        ));
    }
    let next = answer.next_step();
    lines.push(format!("Next: {next}{}", if next == "lessons effect" { " ID" } else { "" }));
}

/// What the lot drew, and what else differs.
fn by_lot(lines: &mut Vec<String>, answer: &StatedAnswer, since: Date) {
    let StatedAnswer { again, failed, corrected, cost, cost_per_repeat, .. } = answer;
    let (held, told) = (again.arms.held.n, again.arms.told.n);
    lines
        .push(format!("  {told} told and {held} left out by lot, each lesson once a session, since {since}"));
    for (name, arms) in [("went wrong later", failed), ("corrected by you", corrected)] {
        lines.push(format!("  {name}: {} left out, {} told", share(arms.held), share(arms.told)));
    }
    let each = cost_per_repeat.map(|each| format!(", {} for each repeat avoided", counted(each, "token")));
    let (cost, each) = (counted(*cost, "token"), each.unwrap_or_default());
    lines.push(format!("  telling took {cost} (as fresh input){each}"));
}

/// What happened in the sessions of one of several clients.
fn of_client(effect: &ClientEffect) -> String {
    let ClientEffect { client, sessions, calls, told, refused, comparison } = effect;
    let drawn = if comparison.sessions > 0 { format!("; by lot {comparison}") } else { String::new() };
    let (sessions, calls) = (counted(*sessions, "session"), counted(*calls, "call"));
    let (told, refused) = (counted(*told, "time"), counted(*refused, "call"));
    format!("  {:<11}  {sessions} with {calls}, told {told}, blocked {refused}{drawn}", client.title())
}

/// What there is to say of a lesson in one line.
fn remark(effect: &LessonEffect, local: &LocalTime) -> String {
    match (&effect.verdict, &effect.proposal) {
        (_, Some(proposal)) => format!("{}: {}", proposal.reason, proposal.command),
        (Verdict::NotComeUp { sessions, model, last }, None) => {
            not_come_up(*sessions, model, local.day(*last))
        }
        (Verdict::NotEnough { data }, None) if effect.refused.calls() > 0 => {
            format!("{}; blocked {}", data.progress(), effect.refused)
        }
        (Verdict::NotEnough { data }, None) => data.progress(),
        (Verdict::Helps, None) => effect.comparison.to_string(),
        (_, None) if effect.comparison.difference.is_some() => {
            format!("{}; {}", effect.comparison, effect.observed())
        }
        _ => effect.observed(),
    }
}

/// What is said of one lesson.
fn one(lines: &mut Vec<String>, effect: &LessonEffect, local: &LocalTime) {
    lines.push(format!("{}: {}", effect.id, shortened(&line(&effect.title), TITLE)));
    let mut field = |name: &str, text: &str| lines.push(format!("  {name:11} {text}"));
    let verdict = match (&effect.verdict, &effect.proposal) {
        (Verdict::NotEnough { data }, _) => data.to_string(),
        (Verdict::NotMeasured, _) => {
            "not measured: it has no trigger, so no call can show what follows".to_owned()
        }
        (verdict, Some(proposal)) => format!("{verdict}: {}", proposal.reason),
        (Verdict::NotComeUp { sessions, model, last }, None) => {
            not_come_up(*sessions, model, local.day(*last))
        }
        (verdict, None) => verdict.to_string(),
    };
    field("verdict", &verdict);
    field("measure", &format!("{}: {}", effect.measure, effect.measure.meaning()));
    let (arms, sessions) = (&effect.again, counted(effect.sessions, "session"));
    match effect.measure {
        Measure::First => {
            field("came up", &format!("in {} of {sessions} in which it holds", arms.told.k + arms.quiet.k));
        }
        Measure::Repeat | Measure::Failure => field("came up", &format!("in {sessions}")),
        Measure::None => {}
    }
    if effect.clients.len() > 1 {
        let of = |(client, number): (&Client, &u64)| format!("{} {number}", client.title());
        field("of these", &listed(effect.clients.iter().map(of)));
    }
    let again = [("told", arms.told), ("blocked", arms.refused), ("nothing said", arms.quiet)];
    let again = again.iter().filter(|(_, tally)| tally.n > 0);
    let again = listed(again.map(|(name, tally)| format!("{name} {}", share(*tally))));
    if !again.is_empty() {
        let name = if effect.measure == Measure::First { "of these" } else { "again" };
        field(name, &format!("{again} (not by lot, so no comparison)"));
    }
    if effect.comparison.sessions > 0 {
        let TwoArms { held, told } = effect.comparison.arms;
        field("by lot", &format!("left out {}, told {}: {}", share(held), share(told), effect.comparison));
    }
    if effect.followed.sessions() > 0 {
        field("followed", &effect.after_telling());
    }
    if effect.refused.calls() > 0 {
        field("blocked", &effect.refused.to_string());
    }
    for untold in effect.untold.iter().filter(|untold| untold.right.n > 0) {
        let needless = if untold.is_right() { ", no longer needed" } else { "" };
        let (model, right) = (line(&untold.model), share(untold.right));
        field("untold", &format!("{model}: right at the first chance in {right}{needless}"));
    }
    if effect.corrected > 0 {
        field("corrected", &format!("by you in {}", counted(effect.corrected, "session")));
    }
    if effect.measure != Measure::None {
        field("cost", &format!("{} (as fresh input)", counted(effect.cost, "token")));
    }
    for session in effect.recent.iter().rev() {
        let lane = match session.arm {
            Arm::Told => "told",
            Arm::Refused => "blocked",
            Arm::Held => "left out by lot",
            Arm::Quiet | Arm::Unprompted | Arm::Queried => "nothing said",
        };
        let (came, again) = (if session.again { "came" } else { "did not come" }, effect.measure.again());
        field(&local.day(session.time).to_string(), &format!("{lane}, {came} {again}"));
    }
    let next = effect.proposal.as_ref().map(|proposal| proposal.command.clone());
    lines.push(format!("Next: {}", next.unwrap_or_else(|| format!("lessons show {}", effect.id))));
}

/// A heading and the lessons under it.
fn section(lines: &mut Vec<String>, heading: &str, effects: &[&LessonEffect], local: &LocalTime) {
    if effects.is_empty() {
        return;
    }
    lines.push(heading.to_owned());
    let shown = || effects.iter().take(MOST_SHOWN);
    let width = shown().map(|effect| name(&effect.id).chars().count()).max().unwrap_or(0);
    lines.extend(shown().map(|effect| format!("  {:width$}  {}", name(&effect.id), remark(effect, local))));
    if effects.len() > MOST_SHOWN {
        lines.push(format!("  … and {} more: `lessons effect --json`", effects.len() - MOST_SHOWN));
    }
}

/// A lesson as a person names it.
fn name(id: &QualifiedId) -> String {
    if id.layer == Layer::User { id.id.to_string() } else { id.to_string() }
}

fn not_come_up(sessions: u64, model: &str, last: Date) -> String {
    format!("has not come up in {} of {}, last on {}", counted(sessions, "session"), line(model), last)
}

/// `24 of 45 (53 %)`, and without the percentage below the fewest sessions.
fn share(tally: Tally) -> String {
    let percent = tally.percent().map_or_else(|_| String::new(), |percent| format!(" ({percent})"));
    format!("{tally} sessions{percent}")
}
