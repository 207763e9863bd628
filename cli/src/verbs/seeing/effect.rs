//! `lessons effect`: show what each lesson does.

use std::fmt;

use anyhow::{Result, bail};
use clap::Args;
use jiff::civil::Date;
use lessons_context::error::{Exit, Refused};
use lessons_effect::episodes::{self, Arm};
use lessons_effect::join::measure::Measure;
use lessons_effect::statistics::answer::Answer;
use lessons_effect::statistics::comparison::TwoArms;
use lessons_effect::statistics::summary::{LessonEffect, Summary, Untold};
use lessons_effect::statistics::verdict::Verdict;
use lessons_ledger::database::Database;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_replay::tally::Tally;
use lessons_review::effects::{self, Renewed};
use lessons_review::lookup;
use lessons_text::neutral::{line, shortened};
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::App;
use crate::ui::local_time::LocalTime;
use crate::ui::messages::Message;

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
const HEADINGS: [&str; 9] = [
    "does harm",
    "helps",
    "no useful effect",
    "cannot help as advice",
    "too wide",
    "no longer needed",
    "open",
    "has not come up",
    "not enough data",
];

pub(crate) fn run(app: &App, args: &Effect) -> Result<Exit> {
    if let Some(id) = &args.forget {
        return forget(app, id);
    }
    let named = args.id.as_deref().map(|id| lookup::find_lesson(app, id)).transpose()?;
    let Some(Renewed { mut summary, problems }) = effects::renewed(app)? else {
        bail!(Refused("nothing is compiled yet, so no lesson does anything. Run `lessons build`".into()));
    };
    let local = app.ui.local.clone();
    if let Some((id, _)) = named {
        summary.lessons.retain(|effect| effect.id == id);
        let Some(effect) = summary.lessons.pop() else {
            bail!(Refused(format!("{id} is not in force, so nothing is measured. Next: lessons show {id}")));
        };
        app.recorded(&One { effect, problems, local })?;
    } else {
        app.recorded(&All { summary, problems, local })?;
    }
    Ok(Exit::Done)
}

/// Forgets what is known of one lesson.
fn forget(app: &App, id: &str) -> Result<Exit> {
    let (id, _) = lookup::find_lesson(app, id)?;
    app.agree(&format!(
        "forget what is known of the effect of {id}; what happened before now does not count again"
    ))?;
    let mut database = Database::open(&app.home)?;
    let sessions = episodes::forget_series(&mut database, &id.to_string(), app.now_ms())?;
    let said = format!("forgot what {id} did in {}", counted(sessions, "session"));
    app.done(&Message::new("forgotten", id.to_string(), said).then("lessons effect"))
}

/// All lessons.
#[derive(Serialize)]
struct All {
    #[serde(flatten)]
    summary: Summary,
    problems: Vec<String>,
    #[serde(skip)]
    local: LocalTime,
}

/// One lesson.
#[derive(Serialize)]
struct One {
    #[serde(flatten)]
    effect: LessonEffect,
    problems: Vec<String>,
    #[serde(skip)]
    local: LocalTime,
}

impl fmt::Display for All {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        warn(f, &self.problems)?;
        let summary = &self.summary;
        let looked_at = &summary.looked_at;
        let (Some(from), Some(to)) = (looked_at.from, looked_at.to) else {
            return write!(
                f,
                "There are no sessions to look at yet. A session counts once it has been quiet for an hour"
            );
        };
        let answer = &summary.answer;
        writeln!(f, "All together   {}", answer.headline())?;
        if let Some(since) = answer.since.filter(|_| answer.again.difference.is_some()) {
            self.by_lot(f, since)?;
        }
        if answer.of_other_series > 0 {
            let before = counted(answer.of_other_series, "session");
            writeln!(f, "{before} of an earlier series do not count: the salt of the lot is a new one")?;
        }
        writeln!(
            f,
            "{} with {} in {}, {} to {}",
            counted(looked_at.sessions, "session"),
            counted(looked_at.calls, "call"),
            counted(looked_at.projects, "project"),
            self.local.day(from),
            self.local.day(to)
        )?;
        if looked_at.only_queried > 0 {
            let times = counted(looked_at.only_queried, "time");
            writeln!(
                f,
                "A query showed a lesson of which hooks said nothing {times}; those count neither as told nor as untold"
            )?;
        }
        let came_up = || summary.lessons.iter().filter(|effect| effect.sessions > 0);
        for heading in HEADINGS {
            let under = came_up().filter(|effect| effect.verdict.to_string() == heading);
            section(f, heading, &under.collect::<Vec<_>>(), |effect| self.remark(effect))?;
        }
        let unmeasured =
            summary.lessons.iter().filter(|effect| effect.verdict == Verdict::NotMeasured).count();
        if unmeasured > 0 {
            let have = if unmeasured == 1 { "has" } else { "have" };
            let lessons = counted(unmeasured, "lesson");
            writeln!(f, "{lessons} {have} no trigger, so no call can show what follows")?;
        }
        let never = summary.lessons.len() - came_up().count() - unmeasured;
        if never > 0 {
            let have = if never == 1 { "has" } else { "have" };
            writeln!(f, "{} {have} not come up", counted(never, "lesson"))?;
        }
        let reach = &summary.reach;
        if reach.calls > 0 {
            let were = if reach.calls == 1 { "was" } else { "were" };
            writeln!(
                f,
                "{} failed or {were} refused or corrected by you. A lesson in force fires at {} of them, a candidate waits for \
                 {}, you rejected one for {}, and nobody has noticed {}",
                counted(reach.calls, "call"),
                reach.reached(),
                reach.waiting,
                reach.rejected,
                reach.unnoticed()
            )?;
        }
        let next =
            if answer.next_step() == "lessons effect" { "lessons effect ID" } else { answer.next_step() };
        write!(f, "Next: {next}")
    }
}

impl All {
    /// What the lot drew, and what else differs.
    fn by_lot(&self, f: &mut fmt::Formatter<'_>, since: u64) -> fmt::Result {
        let Answer { again, failed, corrected, cost, cost_per_repeat, .. } = &self.summary.answer;
        let TwoArms { held, told } = again.arms;
        let since = self.local.day(since);
        writeln!(
            f,
            "  {} told and {} left out by lot, each lesson once a session, since {since}",
            told.n, held.n
        )?;
        for (name, arms) in [("went wrong later", failed), ("corrected by you", corrected)] {
            writeln!(f, "  {name}: {} left out, {} told", share(arms.held), share(arms.told))?;
        }
        let each =
            cost_per_repeat.map(|each| format!(", {} for each repeat avoided", counted(each, "token")));
        writeln!(f, "  telling took {} (as fresh input){}", counted(*cost, "token"), each.unwrap_or_default())
    }

    /// What there is to say of a lesson in one line.
    fn remark(&self, effect: &LessonEffect) -> String {
        match (&effect.verdict, &effect.proposal) {
            (_, Some(proposal)) => format!("{}: {}", proposal.reason, proposal.command),
            (Verdict::NotComeUp { sessions, model, last }, None) => {
                not_come_up(*sessions, model, self.local.day(*last))
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
}

impl fmt::Display for One {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        warn(f, &self.problems)?;
        let effect = &self.effect;
        writeln!(f, "{}: {}", effect.id, shortened(&line(&effect.title), TITLE))?;
        match (&effect.verdict, &effect.proposal) {
            (Verdict::NotEnough { data }, _) => field(f, "verdict", &data.to_string())?,
            (Verdict::NotMeasured, _) => {
                field(f, "verdict", "not measured: it has no trigger, so no call can show what follows")?;
            }
            (verdict, Some(proposal)) => field(f, "verdict", &format!("{verdict}: {}", proposal.reason))?,
            (Verdict::NotComeUp { sessions, model, last }, None) => {
                field(f, "verdict", &not_come_up(*sessions, model, self.local.day(*last)))?;
            }
            (verdict, None) => field(f, "verdict", &verdict.to_string())?,
        }
        field(f, "measure", &format!("{}: {}", effect.measure, effect.measure.meaning()))?;
        let arms = &effect.again;
        match effect.measure {
            Measure::First => {
                let came = arms.told.k + arms.quiet.k;
                let sessions = counted(effect.sessions, "session");
                field(f, "came up", &format!("in {came} of {sessions} in which it holds"))?;
            }
            Measure::Repeat | Measure::Failure => {
                field(f, "came up", &format!("in {}", counted(effect.sessions, "session")))?;
            }
            Measure::None => {}
        }
        let again = [("told", arms.told), ("blocked", arms.refused), ("nothing said", arms.quiet)];
        let again: Vec<String> = again
            .iter()
            .filter(|(_, tally)| tally.n > 0)
            .map(|(name, tally)| format!("{name} {}", share(*tally)))
            .collect();
        if !again.is_empty() {
            let name = if effect.measure == Measure::First { "of these" } else { "again" };
            field(f, name, &format!("{} (not by lot, so no comparison)", again.join(", ")))?;
        }
        if effect.comparison.sessions > 0 {
            let TwoArms { held, told } = effect.comparison.arms;
            field(
                f,
                "by lot",
                &format!("left out {}, told {}: {}", share(held), share(told), effect.comparison),
            )?;
        }
        if effect.followed.sessions() > 0 {
            field(f, "followed", &effect.after_telling())?;
        }
        if effect.refused.calls() > 0 {
            field(f, "blocked", &effect.refused.to_string())?;
        }
        if let Some(Untold { model, right }) = &effect.untold {
            let right = share(*right);
            field(f, "untold", &format!("{}: right at the first chance in {right}", line(model)))?;
        }
        if effect.corrected > 0 {
            field(f, "corrected", &format!("by you in {}", counted(effect.corrected, "session")))?;
        }
        if effect.measure != Measure::None {
            field(f, "cost", &format!("{} (as fresh input)", counted(effect.cost, "token")))?;
        }
        for session in effect.recent.iter().rev() {
            let lane = match session.arm {
                Arm::Told => "told",
                Arm::Refused => "blocked",
                Arm::Held => "left out by lot",
                Arm::Quiet | Arm::Unprompted | Arm::Queried => "nothing said",
            };
            let measure = effect.measure;
            let outcome = if session.again { measure.came() } else { measure.did_not_come() };
            field(f, &self.local.day(session.time).to_string(), &format!("{lane}, {outcome}"))?;
        }
        match &effect.proposal {
            Some(proposal) => write!(f, "Next: {}", proposal.command),
            None => write!(f, "Next: lessons show {}", effect.id),
        }
    }
}

fn warn(f: &mut fmt::Formatter<'_>, problems: &[String]) -> fmt::Result {
    problems.iter().try_for_each(|problem| writeln!(f, "Warning: {}", line(problem)))
}

fn field(f: &mut fmt::Formatter<'_>, name: &str, text: &str) -> fmt::Result {
    writeln!(f, "  {name:11} {text}")
}

/// A heading and the lessons under it.
fn section(
    f: &mut fmt::Formatter<'_>,
    heading: &str,
    effects: &[&LessonEffect],
    about: impl Fn(&LessonEffect) -> String,
) -> fmt::Result {
    if effects.is_empty() {
        return Ok(());
    }
    writeln!(f, "{heading}")?;
    let shown = || effects.iter().take(MOST_SHOWN);
    let width = shown().map(|effect| name(&effect.id).chars().count()).max().unwrap_or(0);
    for effect in shown() {
        writeln!(f, "  {:width$}  {}", name(&effect.id), about(effect))?;
    }
    if effects.len() > MOST_SHOWN {
        writeln!(f, "  … and {} more: `lessons effect --json`", effects.len() - MOST_SHOWN)?;
    }
    Ok(())
}

/// A lesson as a person names it.
fn name(id: &QualifiedId) -> String {
    match id.layer {
        Layer::User => id.id.to_string(),
        Layer::Seed | Layer::Project(_) | Layer::Peer(_) => id.to_string(),
    }
}

fn not_come_up(sessions: u64, model: &str, last: Date) -> String {
    format!("has not come up in {} of {}, last on {}", counted(sessions, "session"), line(model), last)
}

/// `24 of 45 (53 %)`, and without the percentage below the fewest sessions.
fn share(tally: Tally) -> String {
    match tally.percent() {
        Ok(percent) => format!("{tally} sessions ({percent})"),
        Err(_) => format!("{tally} sessions"),
    }
}
