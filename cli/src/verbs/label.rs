//! `lessons replay ID --label`: a person says of hits whether they are right.

use std::io::{BufRead, Write};

use anyhow::{Result, bail};
use lessons_core::lesson::{Examples, Lesson, Mode};
use lessons_core::neutral::{line, shortened};
use lessons_core::validate::MAX_EXAMPLES;
use lessons_core::wording::counted;
use lessons_replay::proof::{Label, Labels, Proof};
use lessons_replay::report::{Group, Replay};

use crate::app::{Actor, App, Exit, Output, Refused};
use crate::proof::{self, Missing};
use crate::said;
use crate::verbs::change;

/// The longest line of a call that is shown, in characters.
const LINE: usize = 400;

/// Refuses to ask anybody but a person.
pub(crate) fn only_for_a_person(app: &App) -> Result<()> {
    if matches!(app.actor, Actor::Agent { .. }) {
        bail!(Refused(
            "whether a hit is right is for a person to say: the user runs this in a terminal. Nothing was done".into()
        ));
    }
    if app.output == Output::Json {
        bail!(Refused("--label asks questions, which --json cannot".into()));
    }
    Ok(())
}

/// Asks about every hit that nobody has spoken of, and keeps the answers.
pub(crate) fn run(app: &App, lesson: &Lesson, replay: &Replay) -> Result<Exit> {
    let labels = Labels::of(&lesson.examples);
    let open: Vec<&Group> =
        replay.hits.iter().filter(|hit| hit.unkept.is_none() && labels.get(hit).is_none()).collect();
    if open.is_empty() {
        let what =
            if replay.hits.is_empty() { "it fires at no call" } else { "you have looked at all of them" };
        app.say(&format!("Nothing to ask about user/{}: {what}.", lesson.id))?;
        return next(app, lesson, replay);
    }
    let room = |kept: usize| MAX_EXAMPLES.saturating_sub(kept);
    let most = room(lesson.examples.fires.len()).min(room(lesson.examples.quiet.len()));
    let answers = ask(app, lesson, replay, &open[..open.len().min(most)])?;
    if answers.is_empty() {
        app.say(&"Nothing was kept.")?;
        return Ok(Exit::Done);
    }
    let (saved, outcome) = change::save(app, "labelled", |graph| {
        let mut now = change::find(graph, lesson.id.as_str())?.clone();
        for (hit, label) in &answers {
            add(&mut now.examples, hit, *label);
        }
        change::vetted(&mut now, graph, None)?;
        now.updated_at = Some(app.now_text());
        graph.put(&now)?;
        Ok(now)
    })?;
    let wrong = answers.iter().filter(|(_, label)| *label == Label::Wrong).count();
    app.say(&format!(
        "{} kept as examples of user/{}: {} right, {wrong} wrong.",
        counted(answers.len(), "answer"),
        lesson.id,
        answers.len() - wrong
    ))?;
    let id = format!("user/{}", lesson.id);
    if let Some(noted) = outcome.report.left_out.iter().find(|noted| noted.id.to_string() == id) {
        app.say(&format!("It is not in force now: {}.", noted.reason))?;
    }
    next(app, &saved, replay)
}

fn add(examples: &mut Examples, hit: &Group, label: Label) {
    let list = match label {
        Label::Right => &mut examples.fires,
        Label::Wrong => &mut examples.quiet,
    };
    if !list.contains(&hit.sample) {
        list.push(hit.sample.clone());
    }
}

/// The answers, as far as somebody gave any.
fn ask<'r>(
    app: &App,
    lesson: &Lesson,
    replay: &Replay,
    open: &[&'r Group],
) -> Result<Vec<(&'r Group, Label)>> {
    let mut answers: Vec<(&Group, Label)> = Vec::new();
    let mut input = std::io::stdin().lock();
    let mut examples = lesson.examples.clone();
    for (at, hit) in open.iter().enumerate() {
        let missing = Proof::of(&examples, replay).missing();
        let needed = match missing {
            0 => "enough to let it refuse calls".to_owned(),
            more => format!("{more} more to let it refuse calls"),
        };
        app.say(&format!("\n{} of {} ({needed})\n{}", at + 1, open.len(), shown(hit)))?;
        match answer(lesson, &mut input)? {
            Answer::Label(label) => {
                add(&mut examples, hit, label);
                answers.push((hit, label));
            }
            Answer::Skip => {}
            Answer::Quit => break,
        }
    }
    Ok(answers)
}

enum Answer {
    Label(Label),
    Skip,
    Quit,
}

/// What somebody types. The end of the input ends it; what is no answer is asked again.
fn answer(lesson: &Lesson, input: &mut impl BufRead) -> Result<Answer> {
    loop {
        print(&format!("Is it right that {} fires here? y)es n)o s)kip q)uit: ", lesson.id))?;
        let mut typed = String::new();
        if input.read_line(&mut typed)? == 0 {
            print("\n")?;
            return Ok(Answer::Quit);
        }
        return Ok(match typed.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Answer::Label(Label::Right),
            "n" | "no" => Answer::Label(Label::Wrong),
            "s" | "skip" | "" => Answer::Skip,
            "q" | "quit" => Answer::Quit,
            _ => continue,
        });
    }
}

/// Prints without a line feed. A reader that has gone away is no error.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn shown(hit: &Group) -> String {
    let sample = shortened(&line(&hit.sample.to_string()), LINE);
    let when = hit.time.map(|time| format!(", last {}", said::time(time))).unwrap_or_default();
    format!("  {sample}\n  {}, {} failed{when}", counted(hit.calls, "call"), hit.failed)
}

/// What to do with what is known now.
fn next(app: &App, lesson: &Lesson, replay: &Replay) -> Result<Exit> {
    let id = &lesson.id;
    let text = match proof::of(lesson, replay) {
        None if lesson.mode == Mode::Block => format!("It refuses calls, and may.\nNext: lessons show {id}"),
        None => format!("It may refuse calls.\nNext: lessons edit {id} --mode block"),
        Some(Missing::Wrong(proof)) => format!(
            "{} of {} are wrong, too many to let it refuse calls.\nNext: lessons edit {id} --unless 'cmd=PATTERN', \
             then lessons replay {id}",
            proof.wrong,
            proof.labelled()
        ),
        Some(Missing::Looks { proof, .. }) => format!(
            "{} of {} looked at.\nNext: lessons replay {id} --label",
            proof.labelled(),
            proof.needed()
        ),
        Some(Missing::Untried(why)) => why,
    };
    app.say(&text)?;
    Ok(Exit::Done)
}
