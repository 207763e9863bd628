//! A machine on which the lessons of a graph are in force, and nothing else.

use std::io::Write as _;
use std::process::Stdio;

use lessons_tests::env::{TestEnv, as_the_client_writes, said};
use lessons_tests::record::Answered;
use serde_json::{Value, json};

use super::calls::Call;

/// A home with one store.
pub(super) struct Machine {
    env: TestEnv,
}

impl Machine {
    /// Imports `graph` as a person who has these settings besides.
    pub(super) fn with(graph: &Value, settings: &str) -> Self {
        let env = TestEnv::new().without_seeds();
        let config = env.data().join("config.toml");
        let switched_off = std::fs::read_to_string(&config).unwrap();
        std::fs::write(&config, switched_off + settings).unwrap();
        let file = env.home().join("graph.json");
        std::fs::write(&file, graph.to_string()).unwrap();
        let imported = env.lessons(&[
            "import",
            "--format",
            "lessons-graph",
            "--force-block",
            "there is no past here",
            file.to_str().unwrap(),
        ]);
        // A lesson that is saved and stays out of force is a finding, not a failure.
        let done = matches!(imported.status.code(), Some(0 | 1)) && imported.stderr.is_empty();
        assert!(done, "{}", said(&imported));
        // A build that cannot read the one before takes no session lesson for a new one, which calls would be told.
        for name in ["lesson-manifest.idx", "lesson-manifest.json"] {
            std::fs::write(env.data().join(name), "damaged").unwrap();
        }
        env.must(&["build"]);
        Self { env }
    }

    /// Adds a lesson for the project only, and switches one off.
    pub(super) fn scope_and_switch_off(&self) {
        let lesson = json!({
            "id": "scoped", "rule": "Mind the project that this is about.",
            "triggers": [{"kind": "keyword", "pattern": "frob scoped"}, {"kind": "file_glob", "pattern": "docs/a.md"}],
        });
        let project = self.env.project();
        let arguments = ["add", "--json-input", "-", "--scope-project", project.to_str().unwrap()];
        let added = self.env.lessons_given(&arguments, lesson.to_string().as_bytes());
        assert!(added.status.success(), "{}", said(&added));
        self.env.must(&["off", "switched-off"]);
    }

    /// Runs the hook at a call, the one with this number in its record.
    pub(super) fn answer(&self, call: &Call, record: &str, number: usize) -> Answered {
        let payload = self.placed(&call.payload(record, number));
        let mut command = self.env.command("lessons-pre-tool-use");
        command.env("CLAUDE_PROJECT_DIR", self.placed(&call.root()).as_str().unwrap_or_default());
        for (name, value) in call.environment() {
            command.env(name, self.placed(value).as_str().unwrap_or_default());
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(&as_the_client_writes(&payload)).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{payload}: {}", said(&output));
        let printed = String::from_utf8(output.stdout).unwrap();
        Answered { call: call.to_string(), printed: self.unplaced(printed) }
    }

    /// The folders of this machine, and what stands for them in the material.
    fn places(&self) -> [(&'static str, String); 3] {
        let text = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
        [
            ("{data}", text(self.env.data())),
            ("{home}", text(self.env.home())),
            ("{project}", text(self.env.project())),
        ]
    }

    fn placed(&self, value: &Value) -> Value {
        let fill = |text: String, (name, folder): (&str, String)| text.replace(name, &folder);
        serde_json::from_str(&self.places().into_iter().fold(value.to_string(), fill)).unwrap()
    }

    fn unplaced(&self, printed: String) -> String {
        self.places().into_iter().fold(printed, |text, (name, folder)| text.replace(&folder, name))
    }
}
