//! `lessons off` and `lessons on`.

use anyhow::{Result, bail};
use jiff::{SignedDuration, Timestamp};
use lessons_core::id::{LessonId, QualifiedId};
use lessons_store::config::{ConfigFile, EVERYTHING};
use lessons_store::database::Database;
use lessons_store::durable;

use crate::app::{App, Exit, Refused};
use crate::args::{Off, On};
use crate::building;

pub(crate) fn off(app: &App, args: &Off) -> Result<Exit> {
    let until = args.duration.as_deref().map(|text| until(app.now, text)).transpose()?;
    let id = known(app, &args.id)?;
    change(app, |config| config.switch_off(&id, until))?;
    let when = until.map_or_else(|| format!("until `lessons on {id}`"), |until| format!("until {until}"));
    app.note(&format!("{id} is off {when}; running sessions know at their next call"))?;
    Ok(Exit::Done)
}

pub(crate) fn on(app: &App, args: &On) -> Result<Exit> {
    let id = known(app, &args.id)?;
    let mut was_off = false;
    change(app, |config| was_off = config.switch_on(&id))?;
    app.note(&if was_off { format!("{id} is on") } else { format!("{id} was not off") })?;
    Ok(Exit::Done)
}

/// Changes the settings inside the lock and brings them into force.
fn change(app: &App, change: impl FnOnce(&mut ConfigFile)) -> Result<()> {
    let lock = app.lock()?;
    let mut config = ConfigFile::read(&app.home.config())?;
    change(&mut config);
    durable::replace(&app.home.config(), &config.to_bytes())?;
    building::build_locked(app, &lock, &Database::open(&app.home)?)?;
    Ok(())
}

/// The id with its layer. A bare id is one of the user's own lessons, or else a seed.
fn known(app: &App, text: &str) -> Result<String> {
    if text == EVERYTHING {
        return Ok(text.to_owned());
    }
    if let Ok(id) = text.parse::<QualifiedId>() {
        return Ok(id.to_string());
    }
    let Ok(id) = LessonId::new(text) else {
        bail!(Refused(format!("`{text}` is not an id; `lessons list` shows them")));
    };
    if lessons_store::load::lessons(&app.home)?.get(&id).is_some() {
        return Ok(format!("user/{id}"));
    }
    let mut seeds = lessons_manifest_builder::seeds::lessons().into_iter();
    if seeds.any(|seed| seed.id == id) {
        return Ok(format!("seed/{id}"));
    }
    bail!(Refused(format!("there is no lesson `{text}`; `lessons list --all` shows all of them")))
}

/// The time `text` from now: a number and `m`, `h` or `d`.
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
    let total =
        number.checked_mul(minutes).filter(|minutes| (1..=525_600).contains(minutes)).ok_or_else(refused)?;
    Ok(now.checked_add(SignedDuration::from_mins(total))?)
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
