//! The settings for sub-agents: the table `agents`.

use std::collections::BTreeMap;

use lessons_lesson::compiled::AgentSettings;
use toml_edit::{Item, Value};

use super::TRUE_OR_FALSE;
use super::reader::{Reader, strings};

/// The settings for sub-agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    /// What they are told when they start.
    pub start: AgentSettings,
    /// The most active lessons that name one agent alone.
    pub cap: usize,
    /// The topics and tags that are the business of an agent, by its type. An agent without an entry may record anything.
    pub domains: BTreeMap<String, Vec<String>>,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self { start: AgentSettings::default(), cap: 50, domains: BTreeMap::new() }
    }
}

impl Reader<'_> {
    pub(super) fn agents(&mut self, default: &AgentConfig) -> AgentConfig {
        let start = &default.start;
        AgentConfig {
            start: AgentSettings {
                lessons: self.number("agents.start.lessons", "a number from 0 to 50", 0..=50, start.lessons),
                bytes: self.number("agents.start.bytes", "a number from 0 to 4096", 0..=4_096, start.bytes),
                protocol: self.get("agents.protocol", TRUE_OR_FALSE, start.protocol, Value::as_bool),
            },
            cap: self.number("agents.cap", "a number from 1 to 1000", 1..=1_000, default.cap),
            domains: self.domains(),
        }
    }

    /// The topics and tags that are the business of each agent.
    fn domains(&mut self) -> BTreeMap<String, Vec<String>> {
        let Some(agents) = self.file.document.get("agents").and_then(Item::as_table_like) else {
            return BTreeMap::new();
        };
        let mut all = BTreeMap::new();
        for (agent, settings) in agents.iter() {
            let Some(domains) = settings.as_table_like().and_then(|table| table.get("domains")) else {
                continue;
            };
            match domains.as_value().and_then(strings) {
                Some(domains) => drop(all.insert(agent.to_owned(), domains)),
                None => self.report(&format!("agents.{agent}.domains"), "a list of topics and tags"),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::ConfigFile;
    use super::*;

    fn file(text: &str) -> ConfigFile {
        ConfigFile::parse("config.toml", text.into()).unwrap()
    }

    #[test]
    fn agents_have_settings_and_domains_of_their_own() {
        let (config, bad) =
            file("[agents]\nprotocol = false\ncap = 9\nstart.bytes = 300\n[agents.Explore]\ndomains = [\"search\"]")
                .settings();
        let start = AgentSettings { bytes: 300, protocol: false, ..AgentSettings::default() };
        let domains = BTreeMap::from([("Explore".to_owned(), vec!["search".to_owned()])]);
        assert_eq!((config.agents, bad), (AgentConfig { start, cap: 9, domains }, Vec::new()));
        let (config, bad) = file("agents.Explore.domains = \"search\"").settings();
        assert!(config.agents.domains.is_empty());
        assert_eq!(bad[0].key, "agents.Explore.domains");
    }
}
