//! Changes of `config.toml`, which the journal records setting by setting. The accepted settings follow.

use lessons_home::Home;
use lessons_store::{ConfigFile, Decisions, Lock, durable};

use crate::database::{Database, DatabaseError};
use crate::decisions::check;
use crate::error::Result;
use crate::journal::{Deed, Difference, ThingKind};
use crate::transaction;
use crate::transaction::follow::follow;

/// Changes the settings and records that. Returns the number of the change, if anything changed.
pub fn save(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    change: impl FnOnce(&mut ConfigFile),
) -> Result<Option<u64>> {
    let home = lock.home();
    check::check(home, database)?;
    transaction::settle_what_can_be(home, database);
    let (after, differences) = edited(home, change)?;
    let write = || durable::replace(&home.config(), &after.to_bytes());
    if differences.is_empty() {
        // A comment or the order of the file may differ.
        write()?;
        return Ok(None);
    }
    let mut decisions = Decisions::read(home)?;
    follow(&mut decisions.accepted, differences.iter().map(Difference::changed));
    transaction::carry_out(home, database, deed, &differences, Some(&mut decisions), write).map(Some)
}

/// Changes the settings where the database cannot be opened, so that the change cannot be written down. Switching a
/// lesson off must work all the same. The decisions get a number that no journal has, so that one which is restored does not
/// take them for an older file.
pub fn save_unlogged(lock: &Lock, deed: &Deed, change: impl FnOnce(&mut ConfigFile)) -> Result<()> {
    let home = lock.home();
    let (after, differences) = edited(home, change)?;
    deed.consent.to(&differences).map_err(DatabaseError::from)?;
    let mut decisions = Decisions::read(home)?;
    follow(&mut decisions.accepted, differences.iter().map(Difference::changed));
    decisions.change += 1;
    durable::replace(&home.config(), &after.to_bytes())?;
    Ok(decisions.write(home)?)
}

/// The file after `change`, and the settings that it makes different.
fn edited(home: &Home, change: impl FnOnce(&mut ConfigFile)) -> Result<(ConfigFile, Vec<Difference>)> {
    let before = ConfigFile::read(&home.config())?;
    let mut after = before.clone();
    change(&mut after);
    let differences = Difference::between(ThingKind::Setting, before.entries(), after.entries());
    Ok((after, differences.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> ConfigFile {
        ConfigFile::parse("config.toml", text.into()).unwrap()
    }

    #[test]
    fn what_a_change_did_can_be_put_back() {
        let text = "# mine\nenabled = true # yes\n\n[seeds]\noff = [\"a\", \"b\"]\n";
        let before = file(text);
        let mut after = before.clone();
        after.switch_off("user/x", None);
        after.switch_on("seed/a");
        let between = Difference::between(ThingKind::Setting, before.entries(), after.entries());
        let differences: Vec<Difference> = between.collect();
        let names: Vec<&str> = differences.iter().map(|it| it.thing.name.as_str()).collect();
        assert_eq!(names, ["off.user/x", "seeds.off"]);
        for it in &differences {
            after.put(&it.thing.name, it.before.as_deref());
        }
        assert_eq!(after.entries(), before.entries());
        let text = String::from_utf8(after.to_bytes()).unwrap();
        assert!(text.starts_with("# mine\nenabled = true # yes"), "{text}");
    }
}
