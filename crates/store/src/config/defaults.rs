//! Writes every setting to the file, so that a person sees what can be set.

use lessons_index::manifest::DedupScope;
use toml_edit::Value;

use super::{Config, ConfigFile, Detectors, Following, Scripts};

impl ConfigFile {
    /// Returns whether the file has a setting, by its present or a former name.
    pub fn holds(&self, key: &'static str) -> bool {
        self.item(key).is_some()
    }

    /// Writes every missing setting at its default. Returns their keys.
    pub fn write_defaults(&mut self) -> Vec<&'static str> {
        let default = Config::default();
        let whole = |number: usize| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
        let scope = match default.dedup_scope {
            DedupScope::Context => "context",
            DedupScope::Session => "session",
        };
        let all: [(&'static str, Value); 31] = [
            ("enabled", default.enabled.into()),
            ("query.limit", whole(default.recall_limit)),
            ("query.tokens", whole(default.recall_max_tokens)),
            ("prune.auto", default.auto_prune.into()),
            ("telemetry", default.telemetry.into()),
            ("budget.lessons", whole(default.budget_lessons)),
            ("budget.bytes", whole(default.budget_bytes)),
            ("session.bytes", whole(default.session_bytes)),
            ("dedup.scope", scope.into()),
            ("compaction.threshold", i64::from(default.compaction_threshold).into()),
            ("minimum.priority", i64::from(default.minimum_priority).into()),
            ("minimum.confidence", default.minimum_confidence.into()),
            ("scan.detectors", (default.scan_detectors == Detectors::On).into()),
            ("scan.proposals", whole(default.scan_proposals)),
            ("reflect.nightly", default.reflect.nightly.into()),
            ("reflect.command", default.reflect.command.as_str().into()),
            ("reflect.tokens", whole(default.reflect.tokens)),
            ("reflect.readings", whole(default.reflect.readings)),
            ("scan.follow", (default.scan_follow == Following::WhileTheyRun).into()),
            ("scan.roots", toml_edit::Array::new().into()),
            ("share.folders", toml_edit::Array::new().into()),
            ("incidents.enabled", default.incidents.enabled.into()),
            ("incidents.similarity", default.incidents.similarity.value().into()),
            ("incidents.local", default.incidents.local.into()),
            ("trust.minimum", default.incidents.minimum_trust.into()),
            ("agents.start.lessons", whole(default.agents.start.lessons)),
            ("agents.start.bytes", whole(default.agents.start.bytes)),
            ("agents.protocol", default.agents.start.protocol.into()),
            ("agents.cap", whole(default.agents.cap)),
            ("gate.scripts", (default.gate_scripts == Scripts::MayDecide).into()),
            ("seeds.off", toml_edit::Array::new().into()),
        ];
        let mut written = Vec::new();
        for (key, value) in all {
            if self.holds(key) {
                continue;
            }
            if self.set(key, Some(value)) {
                written.push(key);
            }
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> ConfigFile {
        ConfigFile::parse("config.toml", text.into()).unwrap()
    }

    #[test]
    fn every_default_is_written_out_and_what_stands_there_stays() {
        let mut config = file("# mine\nquery.limit = 3\n\n[budget]\nbytes = 1000\n");
        let written = config.write_defaults();
        assert!(written.contains(&"telemetry") && !written.contains(&"query.limit"), "{written:?}");
        let text = String::from_utf8(config.to_bytes()).unwrap();
        let mut expected = Config { recall_limit: 3, ..Config::default() };
        expected.budget_bytes = 1000;
        assert_eq!(file(&text).settings(), (expected, Vec::new()), "{text}");
        assert!(text.starts_with("# mine") && config.write_defaults().is_empty());
    }
}
