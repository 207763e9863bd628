//! The settings that a project may have of its own, in `.lessons/config.toml`: how much a query shows
//! there, and whether recording tidies up. Everything else is the user's decision.

use serde::{Deserialize, Serialize};

use super::{BadSetting, Config, ConfigFile};
use crate::graph::problem::shown;

/// The keys of a [`Tuning`].
const KEYS: [&str; 3] = ["query.limit", "query.tokens", "prune.auto"];

/// The settings of a project. `None` leaves a setting to the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Tuning {
    /// [`Config::recall_limit`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall_limit: Option<usize>,
    /// [`Config::recall_max_tokens`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall_max_tokens: Option<usize>,
    /// [`Config::auto_prune`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_prune: Option<bool>,
}

impl Tuning {
    /// Reads the settings of a project. What is wrong in them is said in sentences, and the others count all the same.
    pub fn parse(bytes: &[u8]) -> (Self, Vec<String>) {
        let file = match ConfigFile::parse(".lessons/config.toml", bytes.to_vec()) {
            Ok(file) => file,
            Err(error) => {
                let reason = shown(&error.to_string());
                let flaw = format!("it cannot be read: {reason}; your own settings count");
                return (Self::default(), vec![flaw]);
            }
        };
        let (config, mut bad) = file.settings();
        bad.retain(|bad| KEYS.contains(&bad.key.as_str()));
        let sets = |key: &str| file.holds(key) && bad.iter().all(|bad| bad.key != key);
        let tuning = Self {
            recall_limit: sets(KEYS[0]).then_some(config.recall_limit),
            recall_max_tokens: sets(KEYS[1]).then_some(config.recall_max_tokens),
            auto_prune: sets(KEYS[2]).then_some(config.auto_prune),
        };
        let foreign = foreign(&file).into_iter().map(|key| {
            let (key, keys) = (shown(&key), KEYS.join(", "));
            format!("`{key}` is not for a project to set, only {keys} are; it does nothing")
        });
        let flaw =
            |bad: BadSetting| format!("`{}` must be {}; your own setting counts", bad.key, bad.expected);
        (tuning, bad.into_iter().map(flaw).chain(foreign).collect())
    }

    /// Returns each setting with its value in TOML.
    pub fn lines(&self) -> Vec<String> {
        let [limit, tokens] =
            [self.recall_limit, self.recall_max_tokens].map(|it| it.map(|it| it.to_string()));
        let values = [limit, tokens, self.auto_prune.map(|it| it.to_string())];
        KEYS.iter().zip(values).filter_map(|(key, value)| Some(format!("{key} = {}", value?))).collect()
    }
}

/// Returns the settings of a file that are not for a project to set. Of a table without any that is, only its name.
fn foreign(file: &ConfigFile) -> Vec<String> {
    let mut foreign = Vec::new();
    for (key, item) in file.document.iter() {
        let is_group = KEYS.iter().any(|known| known.split('.').next() == Some(key));
        match item.as_table_like().filter(|_| is_group) {
            Some(table) => {
                let keys = table.iter().map(|(name, _)| format!("{key}.{name}"));
                foreign.extend(keys.filter(|key| !KEYS.contains(&key.as_str())));
            }
            None => foreign.push(key.to_owned()),
        }
    }
    foreign
}

impl Config {
    /// Returns the user's settings with those of a project applied.
    #[must_use]
    pub fn tuned(self, tuning: &Tuning) -> Self {
        Self {
            recall_limit: tuning.recall_limit.unwrap_or(self.recall_limit),
            recall_max_tokens: tuning.recall_max_tokens.unwrap_or(self.recall_max_tokens),
            auto_prune: tuning.auto_prune.unwrap_or(self.auto_prune),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Tuning, Vec<String>) {
        let (tuning, flaws) = Tuning::parse(text.as_bytes());
        (tuning, flaws)
    }

    #[test]
    fn what_a_project_sets_goes_before_what_the_user_has_set() {
        let (tuning, flaws) = read("query.limit = 3\nprune.auto = true\n");
        assert_eq!(flaws, [""; 0]);
        assert_eq!(tuning.lines(), ["query.limit = 3", "prune.auto = true"]);
        let user = Config { recall_limit: 7, recall_max_tokens: 70, ..Config::default() };
        let here = user.clone().tuned(&tuning);
        assert_eq!((here.recall_limit, here.recall_max_tokens, here.auto_prune), (3, 70, true));
        assert_eq!(user.clone().tuned(&Tuning::default()), user);
    }

    #[test]
    fn what_makes_no_sense_and_what_is_not_its_own_leaves_the_users_setting() {
        let (tuning, flaws) = read(
            "query.limit = 0\nquery.tokens = \"x\"\nenabled = false\n[off]\n\"user/a\" = \"\"\n[[x.y]]\nz = 1",
        );
        assert_eq!(tuning, Tuning::default());
        let firsts: Vec<_> = flaws.iter().map(|flaw| flaw.split(' ').next().unwrap()).collect();
        assert_eq!(firsts, ["`query.limit`", "`query.tokens`", "`enabled`", "`off`", "`x`"]);
        assert!(
            flaws[0].contains("must be a number from 1 to 1000") && flaws[2].contains("is not for a project")
        );
        let (tuning, flaws) = read("query.limit = 3\nquery.tokens = 0\nquery.more = 1\n[prune]\nauto = true");
        assert_eq!(tuning.lines(), ["query.limit = 3", "prune.auto = true"]);
        let firsts: Vec<&str> = flaws.iter().filter_map(|flaw| flaw.split(' ').next()).collect();
        assert_eq!(firsts, ["`query.tokens`", "`query.more`"]);

        let (tuning, flaws) = read("query.limit = 3\n= 4");
        assert!(tuning == Tuning::default() && flaws[0].starts_with("it cannot be read: "), "{flaws:?}");
        assert_eq!(Tuning::parse(b"\xff").1.len(), 1);
    }
}
