//! `lessons replay ID --label`: a person labels past hits as right or wrong.
//!
//! Each answer is saved at once, so stopping early loses nothing. It counts as proof for a lesson that is to block,
//! and becomes an example of the lesson where there is room and the call can be kept.

use std::ops::ControlFlow;

use lessons_context::{LocalTime, Refused};
use lessons_lesson::validate::MAX_EXAMPLES;
use lessons_lesson::{Examples, Label, Layer, Lesson, Mode, QualifiedId};
use lessons_replay::{Group, Labels, Proof, Replay, Trial};
use lessons_review::{ChangeOrigin, MachineFacts, ProofGap, own_advice, proof, trials};

use crate::change;
use crate::prelude::*;
use crate::ui::prompt;

/// The longest line about a call, in characters.
const LINE: usize = 400;

/// Refuses everyone but a person at a terminal.
pub(crate) fn only_for_a_person(app: &App) -> Result<()> {
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
pub(crate) fn run(app: &App, lesson: &Lesson) -> Result<Exit> {
    let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
    // A lesson that advises may look at another text than one that refuses.
    let refusing = Lesson { mode: Mode::Block, ..lesson.clone() };
    let trial = trials::trial(app, &id, &refusing)?;
    let machine = MachineFacts::of(app);
    let history = trials::history(app, trial.contents())?;
    let replay = Replay::of(&trial, &history, &machine.context());
    let asking = Asking { app, lesson, as_it_is: trials::trial(app, &id, lesson)?, replay };
    asking.run()
}

/// The lesson whose hits are labelled.
struct Asking<'a> {
    app: &'a App,
    lesson: &'a Lesson,
    /// The lesson as it is saved, to check its examples.
    as_it_is: Trial,
    replay: Replay,
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
    let sample = shortened(&line(&hit.sample.to_string()), LINE);
    let when = hit.time.map(|time| format!(", last {}", local.time(time))).unwrap_or_default();
    format!("  {sample}\n  {}, {} failed{when}", counted(hit.calls, "call"), hit.failed)
}
