//! `lessons replay`: show what a lesson would have done in the past sessions; with `--label` a person labels hits as right or wrong.
//!
//! Each answer is saved at once, so stopping early loses nothing. It counts as proof for a lesson that is to block,
//! and becomes an example of the lesson where there is room and the call can be kept.

use std::ops::ControlFlow;

use lessons_context::LocalTime;
use lessons_ledger::events;
use lessons_lesson::{Examples, Label, Layer, Lesson, LessonId, MAX_EXAMPLES, Mode, QualifiedId};
use lessons_replay::{Group, Labels, Proof, Trial, Why, report};
use lessons_review::{
    ChangeOrigin, GivenFields as _, MachineFacts, ProofGap, carry_out, own_advice, promotion, proof, trials,
    typed,
};

use crate::args::Fields;
use crate::change;
use crate::prelude::*;
use crate::review::candidate_details::is_shown;

/// `lessons replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// A lesson's or candidate's id, or the start of it; without one, --trigger says what is tried
    pub id: Option<String>,
    /// Ask about hits whether they are right, and keep the answers as examples of the lesson
    #[arg(long)]
    pub label: bool,
    /// What is tried instead of what the lesson says
    #[command(flatten)]
    pub fields: Fields,
}

/// The most hits and near misses that are shown to a person.
const MOST_SHOWN: usize = 10;
/// The longest line about a call, in characters.
const LINE: usize = 90;

pub(crate) fn run(app: &App, args: &Replay) -> Result<Exit> {
    if args.label {
        only_for_a_person(app)?;
    }
    let tried = Tried::of(app, args)?;
    if args.label {
        return tried.label(app);
    }
    let trial = trials::trial(app, &tried.id, &tried.lesson)?;
    let history = trials::history(app, trial.contents())?;
    let replay = report::Replay::of(&trial, &history, &MachineFacts::of(app).context());
    let (next, about_calls) = (tried.next(&replay), trial.is_about_calls());
    // The client deletes old transcripts; what hooks did is kept.
    let kept = match tried.what {
        Kind::Recorded if replay.looked_at.calls == 0 => fired(app, &tried.id)?,
        _ => None,
    };
    let mut lines = Vec::new();
    if !about_calls {
        let why = "is given when a session starts, not at calls: nothing to try";
        lines.push(format!("{} {why}.", replay.lesson));
    } else if replay.looked_at.calls == 0 {
        lines.push(
            "There are no sessions on this machine to try it on. They are looked for where Claude Code keeps them, and in the \
             folders of the setting scan.roots."
                .to_owned(),
        );
        lines.extend(kept.map(|(times, last)| {
            let (times, last) = (counted(times, "time"), app.local.time(last));
            format!("Hooks gave {0} {times}, last at {last}: lessons log --fired {0}", replay.lesson)
        }));
    } else {
        numbers(&mut lines, &replay, &app.local);
        let hits = replay.hits.len();
        groups(&mut lines, &format!("Hits, the same call taken together ({hits})"), &replay.hits);
        groups(&mut lines, &format!("Near misses ({})", counted(replay.near, "call")), &replay.near_misses);
    }
    lines.extend(next.iter().map(|next| format!("Next: {next}")));
    let answer = Answer::new(lines, json!(replay)).with("aboutCalls", about_calls);
    app.recorded(&answer.given("kept", kept).given("next", next))
}

/// How often hooks gave a lesson or blocked a call with it, and the time of the last.
fn fired(app: &App, id: &QualifiedId) -> Result<Option<(usize, u64)>> {
    let mut database = app.database()?;
    events::take_in(&app.home, &mut database, app.now_ms())?;
    let fired = database.fired(0, Some(&id.to_string()), u32::MAX)?;
    Ok(fired.first().map(|last| (fired.len(), last.time)))
}

/// The lesson that is replayed.
struct Tried {
    id: QualifiedId,
    lesson: Lesson,
    what: Kind,
}

enum Kind {
    /// A lesson of a store.
    Recorded,
    /// The lesson that a candidate proposes.
    Candidate(String),
    /// A lesson made of flags.
    Typed,
}

impl Tried {
    fn of(app: &App, args: &Replay) -> Result<Self> {
        let Some(text) = &args.id else { return Self::typed(app, args) };
        let mut tried = if let Some(proposed) = candidate(app, text)? {
            proposed
        } else {
            let (id, lesson) = lookup::find_lesson(app, text)?;
            Self { id, lesson, what: Kind::Recorded }
        };
        let before = tried.lesson.clone();
        args.fields.write_over(app, &mut tried.lesson)?;
        if tried.lesson != before {
            tried.what = Kind::Typed;
        }
        Ok(tried)
    }

    /// A lesson made of flags alone.
    fn typed(app: &App, args: &Replay) -> Result<Self> {
        if args.fields.trigger.is_none() {
            let what = "what should be tried? Name a lesson or candidate, or give a trigger: lessons replay --trigger \
                        'cmd=\\bgit\\s+stash\\b'";
            bail!(Refused(what.into()));
        }
        let topic = typed::topic_of_tags(&[])?;
        let mut lesson = Lesson::new(LessonId::default(), "(no rule yet)", topic, app.now_text());
        args.fields.write_over(app, &mut lesson)?;
        Ok(Self { id: lesson.user_id(), lesson, what: Kind::Typed })
    }

    /// Labels its hits.
    fn label(&self, app: &App) -> Result<Exit> {
        match &self.what {
            Kind::Recorded if self.id.layer == Layer::User => ask_about(app, &self.lesson),
            Kind::Recorded => {
                let id = &self.id;
                bail!(Refused(format!("{id} is not yours to change, so your answers have no place in it")))
            }
            Kind::Candidate(id) => bail!(Refused(format!(
                "your answers become examples of a lesson, and {id} is none yet. Next: lessons promote {id}"
            ))),
            Kind::Typed => bail!(Refused(
                "your answers become examples of a lesson as it stands: change or add it first".into()
            )),
        }
    }

    /// The command that usually follows.
    fn next(&self, replay: &report::Replay) -> Option<String> {
        match &self.what {
            Kind::Recorded if self.id.layer == Layer::User && !replay.hits.is_empty() => {
                Some(format!("lessons replay {} --label", self.lesson.id))
            }
            Kind::Recorded => Some(format!("lessons show {}", self.id)),
            Kind::Candidate(id) => Some(format!("lessons promote {id} or lessons reject {id}")),
            Kind::Typed => None,
        }
    }
}

/// The lesson that a candidate proposes, if `text` names a candidate and no lesson.
fn candidate(app: &App, text: &str) -> Result<Option<Tried>> {
    let is_lesson =
        lookup::find_lesson(app, text).is_ok_and(|(id, _)| id.id.as_str() == text || id.to_string() == text);
    let database = app.database()?;
    if is_lesson || database.candidates_starting(text)?.is_empty() {
        return Ok(None);
    }
    let candidate = carry_out::find(&database, text)?;
    if !is_shown(app, &candidate) {
        bail!(Refused(format!(
            "candidate {0} is flagged: it is for a person to try, with `lessons replay {0}` in a terminal",
            candidate.id
        )));
    }
    let lesson = promotion::proposed(app, &candidate)?;
    Ok(Some(Tried { id: lesson.user_id(), lesson, what: Kind::Candidate(candidate.id) }))
}

fn numbers(lines: &mut Vec<String>, replay: &report::Replay, local: &LocalTime) {
    let (looked_at, fired) = (&replay.looked_at, &replay.fired);
    let (calls, sessions) = (counted(looked_at.calls, "call"), counted(looked_at.sessions, "session"));
    let projects = counted(looked_at.projects, "project");
    lines.push(format!(
        "{}: fires at {} of {calls}, in {} of {sessions}, in {} of {projects}",
        replay.lesson, fired.calls, fired.sessions, fired.projects
    ));
    let mut field = |name: &str, text: String| lines.push(format!("  {name:11} {text}"));
    if let (Some(from), Some(to)) = (looked_at.from, looked_at.to) {
        let (from, to) = (local.day(from), local.day(to));
        field("how often", format!("{:.1} a week, from {from} to {to}", fired.per_week));
    }
    if let Some(share) = fired.share {
        let percent = |share: f64| format!("({:.0} %)", share * 100.0);
        field("failed", format!("{} of those calls {}", fired.failed, percent(share.failed)));
        let (failed, soon) = (fired.failed_soon, percent(share.failed_soon));
        field("soon after", format!("{failed} were followed by a failure within three calls {soon}"));
        field("blocked", format!("{} of those calls {}", fired.refused, percent(share.refused)));
    }
    if replay.left_out > 0 {
        let why = "other lessons come first, or only you may allow the call";
        field("left out", format!("{} more that it matches: {why}", replay.left_out));
    }
    if looked_at.lost > 0 {
        field("not read", format!("{} of the transcripts", counted(looked_at.lost, "line")));
    }
}

fn groups(lines: &mut Vec<String>, title: &str, groups: &[Group]) {
    if groups.is_empty() {
        return;
    }
    lines.push(format!("{title}:"));
    for group in groups.iter().take(MOST_SHOWN) {
        lines.push(format!("  {:>5}  {}", group.calls, shortened(&line(&group.sample.to_string()), LINE)));
        lines.extend(group.why.as_ref().map(|why| format!("         quiet: {}", quiet(why))));
    }
    if groups.len() > MOST_SHOWN {
        lines.push(format!("         and {} others (--json shows all)", groups.len() - MOST_SHOWN));
    }
}

/// The reason why a lesson keeps quiet, in words.
fn quiet(why: &Why) -> String {
    let trigger = |trigger: &str| shortened(&line(trigger), LINE);
    match why {
        Why::Unless(pattern) => format!("`{}` is among its `unless`", trigger(pattern)),
        Why::Also(pattern) => format!("`{}` must match as well", trigger(pattern)),
        Why::Tool => "it is for other tools".into(),
        Why::Agent => "it is for other agents".into(),
        Why::State(check) => format!("it is only for the state {check}"),
        Why::Os => "it is for other operating systems".into(),
        Why::Shell => "it is for other shells".into(),
        Why::Scope => "it is for other projects".into(),
    }
}

/// The longest line about a call, in characters.
const LONGEST_CALL: usize = 400;

/// Refuses everyone but a person at a terminal.
fn only_for_a_person(app: &App) -> Result<()> {
    if !app.is_person() {
        bail!(Refused(
            "whether a hit is right is for a person to say: the user runs this in a terminal. Nothing was done".into()
        ));
    }
    if app.output == Output::Json {
        bail!(Refused("--label asks questions, which --json cannot".into()));
    }
    Ok(())
}

/// Asks about each call that the lesson would refuse and that has no label yet, and saves the answers.
fn ask_about(app: &App, lesson: &Lesson) -> Result<Exit> {
    // A lesson that advises may look at another text than one that refuses.
    let refusing = Lesson { mode: Mode::Block, ..lesson.clone() };
    let trial = trials::trial(app, &lesson.user_id(), &refusing)?;
    let history = trials::history(app, trial.contents())?;
    let replay = report::Replay::of(&trial, &history, &MachineFacts::of(app).context());
    Asking { app, lesson, as_it_is: trials::trial(app, &lesson.user_id(), lesson)?, replay }.run()
}

/// The lesson whose hits are labelled.
struct Asking<'a> {
    app: &'a App,
    lesson: &'a Lesson,
    /// The lesson as it is saved, to check its examples.
    as_it_is: Trial,
    replay: report::Replay,
}

impl Asking<'_> {
    fn run(&self) -> Result<Exit> {
        let (app, lesson) = (self.app, self.lesson);
        let mut labels = proof::labels(&app.database()?, &lesson.id)?;
        let open: Vec<&Group> =
            self.replay.hits.iter().filter(|hit| !labels.contains_key(&hit.key)).collect();
        if open.is_empty() {
            let none = self.replay.hits.is_empty();
            let what = if none { "it would block no call" } else { "you have answered for all of them" };
            app.say(&format!("Nothing to ask about user/{}: {what}.", lesson.id))?;
            return self.next(&labels);
        }
        let mut answered = Vec::new();
        let asked = self.ask(&open, &mut labels, &mut answered);
        if answered.is_empty() {
            asked?;
            app.say(&"Nothing was kept.")?;
            return Ok(Exit::Done);
        }
        let exit = self.told(&answered)?;
        asked?;
        self.next(&labels)?;
        Ok(exit)
    }

    /// Asks about each hit and saves each answer, until the input ends. With each answer goes whether the call is an example of
    /// the lesson now.
    fn ask(&self, open: &[&Group], labels: &mut Labels, answered: &mut Vec<(Label, bool)>) -> Result<()> {
        for (at, hit) in (1..).zip(open) {
            let needed = match Proof::of(labels, &self.replay).missing() {
                0 => "enough to let it block calls".to_owned(),
                more => format!("{more} more to let it block calls"),
            };
            let (all, shown) = (open.len(), shown(hit, &self.app.local));
            self.app.say(&format!("\n{at} of {all} ({needed})\n{shown}"))?;
            match answer(self.app, self.lesson)? {
                ControlFlow::Continue(Some(label)) => {
                    answered.push((label, self.save(hit, label)?));
                    labels.insert(hit.key.clone(), label);
                }
                ControlFlow::Continue(None) => {}
                ControlFlow::Break(()) => break,
            }
        }
        Ok(())
    }

    /// Saves one answer. The build is done once, after the last one. Returns whether the call is an example of the lesson now.
    fn save(&self, hit: &Group, label: Label) -> Result<bool> {
        let app = self.app;
        let holds = label == Label::Wrong || self.as_it_is.fires_on(&hit.sample);
        Ok(proof::with_replays(app, |replays| {
            let (lock, mut database) = app.lock_database()?;
            let plan = change::Plan { done: "labelled", origin: ChangeOrigin::Command, replays };
            let (is_example, _) = change::store(app, &lock, &mut database, plan, |draft| {
                let mut now = change::find(app, draft.graph, self.lesson.id.as_str())?.clone();
                draft.rows.label(&now.id, &hit.key, label);
                let is_example = hit.unkept.is_none() && holds && add(&mut now.examples, hit, label);
                if draft.graph.get(&now.id) != Some(&now) {
                    change::vetted(&mut now, draft.graph, None)?;
                    now.updated_at = Some(app.now_text());
                    draft.graph.put(&now)?;
                }
                Ok(is_example)
            })?;
            Ok(is_example)
        })?)
    }

    /// Brings the answers into force and prints what was saved.
    fn told(&self, answered: &[(Label, bool)]) -> Result<Exit> {
        let app = self.app;
        let lock = app.lock()?;
        let outcome = change::bring_into_force(app, &lock, &app.database()?)?;
        let id = format!("user/{}", self.lesson.id);
        let right = answered.iter().filter(|(label, _)| *label == Label::Right).count();
        let (answers, wrong) = (counted(answered.len(), "answer"), answered.len() - right);
        app.say(&format!("{answers} about {id} kept: {right} right, {wrong} wrong."))?;
        let others = answered.iter().filter(|(_, is_example)| !is_example).count();
        if others > 0 {
            let others = counted(others, "call");
            app.say(&format!(
                "{others} did not become an example of it: too long, not the same without its secrets, or there is no \
                 room, as it holds {MAX_EXAMPLES} of a kind at most."
            ))?;
        }
        let left_out = outcome.report.left_out.iter().find(|noted| noted.id.to_string() == id);
        let Some(noted) = left_out else { return Ok(Exit::Done) };
        app.say(&format!("It is not in force now: {}.", noted.reason))?;
        Ok(Exit::Findings)
    }

    /// Prints the sensible next step for what is known now.
    fn next(&self, labels: &Labels) -> Result<Exit> {
        let (app, lesson) = (self.app, self.lesson);
        let id = &lesson.id;
        let narrower = format!("Next: lessons edit {id} --unless 'cmd=PATTERN', then lessons replay {id}");
        let text = match proof::gap(lesson, labels, &self.replay) {
            None if lesson.mode == Mode::Block => {
                format!("It blocks calls, and may.\nNext: lessons show {id}")
            }
            None => format!("It may block calls.\nNext: lessons edit {id} --mode block"),
            Some(ProofGap::TooManyWrong(proof)) => {
                let (wrong, all) = (proof.wrong, proof.labelled());
                format!("{wrong} of {all} are wrong, too many to let it block calls.\n{narrower}")
            }
            Some(ProofGap::Unlabelled { proof, .. }) => {
                let (labelled, needed) = (proof.labelled(), proof.needed());
                format!("{labelled} of {needed} answered.\nNext: lessons replay {id} --label")
            }
            Some(ProofGap::TooBroad(share)) => {
                format!("It {share}, which is too many to let it block calls.\n{narrower}")
            }
            Some(ProofGap::OwnAdvice { command, exceptions }) => {
                let flags = lessons_context::typed(&own_advice::flags(&exceptions));
                let flags = if flags.is_empty() { "--unless 'cmd=PATTERN'".to_owned() } else { line(&flags) };
                let command = line(&command);
                format!(
                    "It would refuse `{command}`, which its own rule advises.\nNext: lessons edit {id} {flags}"
                )
            }
            Some(ProofGap::NoReplay(why)) => why,
        };
        app.say(&text)?;
        Ok(Exit::Done)
    }
}

/// Adds a call to the examples of a lesson, if there is room. Returns whether it is one of them.
fn add(examples: &mut Examples, hit: &Group, label: Label) -> bool {
    let list = match label {
        Label::Right => &mut examples.fires,
        Label::Wrong => &mut examples.quiet,
    };
    let is_known = list.contains(&hit.sample);
    let has_room = list.len() < MAX_EXAMPLES;
    if !is_known && has_room {
        list.push(hit.sample.clone());
    }
    is_known || has_room
}

/// Asks for an answer; there is none where the person skips the hit. The end of the input ends the session, and anything
/// unknown is asked again.
fn answer(app: &App, lesson: &Lesson) -> Result<ControlFlow<(), Option<Label>>> {
    let question = format!("Is it right that {} fires here? y)es n)o s)kip q)uit:", lesson.id);
    loop {
        let Some(typed) = prompt::answer(&question)? else {
            return app.say(&"").map(ControlFlow::Break);
        };
        return Ok(match typed.as_str() {
            "y" | "yes" => ControlFlow::Continue(Some(Label::Right)),
            "n" | "no" => ControlFlow::Continue(Some(Label::Wrong)),
            "s" | "skip" | "" => ControlFlow::Continue(None),
            "q" | "quit" => ControlFlow::Break(()),
            _ => continue,
        });
    }
}

fn shown(hit: &Group, local: &LocalTime) -> String {
    let sample = shortened(&line(&hit.sample.to_string()), LONGEST_CALL);
    let when = hit.time.map(|time| format!(", last {}", local.time(time))).unwrap_or_default();
    format!("  {sample}\n  {}, {} failed{when}", counted(hit.calls, "call"), hit.failed)
}
