//! `lessons off` and `lessons on`: switch lessons off and on.

use clap::ValueEnum;
use jiff::{SignedDuration, Timestamp};
use lessons_context::{Authority, Error, random, typed};
use lessons_decide::{Claim, SessionFiles, SessionFolder, claims};
use lessons_ledger::decisions::setting_changes;
use lessons_lesson::Share;
use lessons_review::effects;
use lessons_store::ConfigFile;
use lessons_store::config::EVERYTHING;

use crate::change::bring_settings_into_force;
use crate::prelude::*;

/// Arguments of `lessons off`.
#[derive(Debug, Args)]
pub struct Off {
    /// A lesson's id, `seed/ID` for a built-in lesson, or `all`
    pub id: String,
    /// For how long, such as 30m, 2h or 3d; without it, until `lessons on`
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<String>,
    /// Until the current session ends; the agent runs it there, and Claude Code asks you
    #[arg(long, conflicts_with = "duration")]
    pub session: bool,
}

/// Arguments of `lessons on`.
#[derive(Debug, Args)]
pub struct On {
    /// A lesson's id, `seed/ID` for a built-in lesson, or `all`
    pub id: String,
}

pub(crate) fn off(app: &App, args: &Off) -> Result<Exit> {
    let until = args.duration.as_deref().map(|text| until(app.now, text)).transpose()?;
    let id = if args.id == EVERYTHING { args.id.clone() } else { find(app, &args.id)? };
    if args.session {
        return off_for_session(app, &id);
    }
    let look = change(app, "off", |config| config.switch_off(&id, until))?;
    let when = until.map(|until| format!(" until {}", app.local.time_of(until)));
    let message = format!("{id} is off{} from the next call on{look}", when.unwrap_or_default());
    app.done(&Message::new("off", &id, message).then(format!("lessons on {id}, to undo that")))
}

/// Refuses `--session` to whoever cannot be asked, with the way on: in another terminal it means no session.
pub(crate) fn only_where_asked(app: &App, args: &Off) -> Result<()> {
    if !args.session || !matches!(app.authority, Authority::Missing(_)) {
        return Ok(());
    }
    let id = typed(std::slice::from_ref(&args.id));
    let message = format!(
        "only a person decides that, and nobody was asked. Nothing was changed. The agent of the session makes `lessons off \
         {id} --session` the whole command, without `!` and without anything around it, and Claude Code asks the user. In a \
         terminal of their own the user switches it off everywhere for a while:\n  lessons off {id} --for 2h"
    );
    bail!(Coded::failed("NEEDS_PERSON", message))
}

/// Switches a lesson off for the current session: a mark in the session's folder, where the hook looks when a lesson
/// matches. Settings and manifest stay.
fn off_for_session(app: &App, id: &str) -> Result<Exit> {
    let Some(mut files) = session_files(app) else {
        bail!(Refused(format!(
            "`--session` works only where the agent of a session runs it, as nothing else knows which session is meant: \
             tell the agent to run `lessons off {id} --session`, and Claude Code asks you. Here \
             `lessons off {id} --for 2h` switches it off everywhere for a while"
        )));
    };
    app.agree(&format!("Switch off {id} until this session ends"))?;
    if files.create(&claims::off_name(id)) == Claim::Unrecorded {
        bail!("nothing can be written to {}", app.home.sessions().display());
    }
    let message = format!("{id} is off until this session ends, from its next call on");
    app.done(&Message::new("off", id, message).then(format!("lessons on {id}, to undo that")))
}

/// The claims folder of the current session.
pub(crate) fn session_files(app: &App) -> Option<SessionFolder> {
    app.session().and_then(|session| SessionFolder::of(&app.home, Some(session)))
}

/// Reverts [`off_for_session`]. Returns whether there was a mark.
fn on_for_session(app: &App, id: &str) -> Result<bool> {
    let name = claims::off_name(id);
    let Some(mut files) = session_files(app).filter(|files| files.holds(&name)) else { return Ok(false) };
    app.agree(&format!("Switch on {id}, in this session and everywhere"))?;
    files.remove(&name);
    Ok(true)
}

pub(crate) fn on(app: &App, args: &On) -> Result<Exit> {
    let id = known(app, &args.id)?;
    let mut was_off = on_for_session(app, &id)?;
    let look = change(app, "on", |config| was_off |= config.switch_on(&id))?;
    let said = if was_off {
        Message::new("on", &id, format!("{id} is on from the next call on{look}"))
    } else {
        Message::new("unchanged", &id, format!("{id} was not off{look}"))
    };
    app.done(&said.then("lessons list"))
}

/// Changes the settings under the lock and brings them into force. Returns text to append to the answer.
pub(super) fn change(app: &App, action: &str, change: impl FnOnce(&mut ConfigFile)) -> Result<String> {
    let lock = app.lock()?;
    let database = match app.database() {
        Ok(mut database) => {
            setting_changes::save(&lock, &mut database, &app.deed(action), change)?;
            Ok(database)
        }
        Err(why) => {
            // The journal cannot be written; switching off must work all the same.
            setting_changes::save_unlogged(&lock, &app.deed(action), change)?;
            Err(why)
        }
    };
    Ok(bring_settings_into_force(app, &lock, database)?)
}

/// Finds the lesson that `text` names. If the store is unreadable: a lesson in force, by its whole id.
fn find(app: &App, text: &str) -> Result<String> {
    let why = match lookup::find_lesson(app, text) {
        Ok((id, _)) => return Ok(id.to_string()),
        Err(why @ Error::Refused(_)) => return Err(why.into()),
        Err(why) => why,
    };
    let found =
        in_force::lessons(app).into_keys().find(|id| id.id.as_str() == text || id.to_string() == text);
    found.map(|id| id.to_string()).ok_or_else(|| why.into())
}

/// What is to be switched on: an entry of the settings, even if the lesson is gone, or a lesson.
fn known(app: &App, text: &str) -> Result<String> {
    let (config, _) = ConfigFile::read(&app.home.config())?.settings();
    if text == EVERYTHING || config.lessons_off().contains_key(text) {
        return Ok(text.to_owned());
    }
    find(app, text)
}

/// The time at the end of the duration `text`, to the second: a number and `m`, `h` or `d`.
fn until(now: Timestamp, text: &str) -> Result<Timestamp> {
    let refused = || Refused(format!("`{text}` is not a time; write 30m, 2h or 3d"));
    let unit = text.chars().last().ok_or_else(refused)?;
    let number: i64 = text.strip_suffix(unit).and_then(|digits| digits.parse().ok()).ok_or_else(refused)?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        _ => return Err(refused().into()),
    };
    let total = number.checked_mul(minutes).filter(|all| (1..=525_600).contains(all)).ok_or_else(refused)?;
    Ok(Timestamp::from_second(now.checked_add(SignedDuration::from_mins(total))?.as_second())?)
}

/// Arguments of `lessons measure`.
#[derive(Debug, Args)]
pub struct Measure {
    /// Switch it on or off; without it, show what is known so far
    pub switch: Option<Switch>,
    /// The sessions that get no reminders, from 1/2 to 1/16
    #[arg(long, default_value_t)]
    pub share: Share,
}

/// What becomes of measuring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Some sessions get no reminders from now on
    On,
    /// All sessions get them again
    Off,
}

pub(crate) fn measure(app: &App, args: &Measure) -> Result<Exit> {
    let (config, _) = ConfigFile::read(&app.home.config())?.settings();
    let said = match args.switch {
        None => {
            let answer = effects::known(app)?.map(|summary| summary.answer).unwrap_or_default();
            let answer = lessons_effect::statistics::answer::Answer { share: config.measure_share, ..answer };
            let on = answer.share.map(|share| format!("on: one session of {} gets no reminders", share.of()));
            let said = format!("measuring is {}; {}", on.unwrap_or_else(|| "off".into()), answer.headline());
            Message::new("measure", "measure", said).then(answer.next_step())
        }
        Some(Switch::On) => {
            let salt = config.salt().map_or_else(random::bytes, Ok)?;
            let look = change(app, "measure on", |config| config.measure(Some((args.share, salt))))?;
            // A salt that was damaged or lost cannot draw the same sessions again.
            let is_new = config.salt().is_none()
                && effects::known(app)?.is_some_and(|it| it.answer.again.sessions > 0);
            let lost = ". The salt of the earlier sessions is lost, so this is a new series";
            let said = format!("{}{}{look}", price(args.share), if is_new { lost } else { "" });
            Message::new("measured", "measure", said).then("lessons measure off, to end it")
        }
        Some(Switch::Off) => {
            let look = change(app, "measure off", |config| config.measure(None))?;
            let said = format!("every session gets reminders again; what was counted stays{look}");
            Message::new("unmeasured", "measure", said).then("lessons effect")
        }
    };
    app.done(&said)
}

/// What measuring costs.
fn price(share: Share) -> String {
    let of = ["two", "three", "four", "five", "six", "seven", "eight"].get(usize::from(share.of()) - 2);
    let of = of.map_or_else(|| share.of().to_string(), |word| (*word).to_owned());
    format!(
        "in one session of {of}, Lessons gives no reminders, so that it can be counted what they change. Blocks and bumps, and \
         lessons of high or critical severity, are never left out"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        assert_eq!(until(now, "2h").unwrap().to_string(), "2026-11-20T14:00:00Z");
        assert_eq!(until(now, "3d").unwrap().to_string(), "2026-11-23T12:00:00Z");
        for bad in ["", "h", "2", "2w", "-1h", "0m", "99999999d", "2é"] {
            assert!(until(now, bad).unwrap_err().to_string().contains("30m, 2h or 3d"), "{bad}");
        }
    }
}
