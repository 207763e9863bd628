//! The story of the README: a command that emptied a database that others work with.

use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

/// The call that is a mistake.
pub(super) const COMMAND: &str = "make seed";
/// The start of the id of the lesson that becomes of it.
pub(super) const LESSON: &str = "user/make-seed";

/// What the agent wrote when it understood.
const TAG: &str = "\
#lesson
tool: Bash
trigger: make seed
mistake: `make seed` empties the database that .env names, and that is the staging one
fix: seed the local database with `make seed DB=local`
tags: tool:make, severity:data-loss
#/lesson";

/// What else the sessions ran.
const ORDINARY: [&str; 8] = [
    "git status",
    "npm test",
    "rg -n 'checkout' src",
    "cat src/cart.ts",
    "npm run lint",
    "git diff --stat",
    "make build",
    "ls src",
];

/// A machine on which the two sessions of the story ran.
pub(super) fn on(env: TestEnv) -> TestEnv {
    let mut one = Session::new(1);
    one.runs(&ORDINARY.repeat(3), None);
    one.runs(&[COMMAND], Some("Exit code 2\nmake: *** [seed] Error 2: cannot reach db.staging"));
    let mut two = Session::new(2);
    two.runs(&ORDINARY.repeat(5), None);
    two.runs(&[COMMAND], None);
    two.says(&format!("That emptied the staging database: .env points there.\n\n{TAG}"));
    two.runs(&["make seed DB=local", "npm test"], None);
    for session in [one, two] {
        env.write_transcript(&format!("-home-you-shop/{}.jsonl", session.id), &session.lines);
    }
    env
}

/// A session in the client's format: one line for each block.
struct Session {
    id: String,
    lines: Vec<Value>,
}

impl Session {
    fn new(number: u32) -> Self {
        Self { id: format!("5e551017-0000-4000-8000-00000000000{number}"), lines: Vec::new() }
    }

    fn runs(&mut self, commands: &[&str], error: Option<&str>) {
        for command in commands {
            let id = format!("toolu_{}_{}", self.id, self.lines.len());
            self.line(
                "assistant",
                &json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]),
            );
            let (failed, content) = (error.is_some(), error.unwrap_or("done"));
            self.line(
                "user",
                &json!([{"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": content}]),
            );
        }
    }

    fn says(&mut self, text: &str) {
        self.line("assistant", &json!([{"type": "text", "text": text}]));
    }

    fn line(&mut self, role: &str, content: &Value) {
        let number = self.lines.len();
        let day = self.id.chars().last().unwrap_or('1');
        self.lines.push(json!({
            "type": role,
            "uuid": format!("{}-{number:04}", &self.id),
            "sessionId": self.id,
            "timestamp": format!("2026-11-0{day}T10:{:02}:{:02}.000Z", number / 60, number % 60),
            "cwd": "/home/you/shop",
            "message": { "role": role, "content": content },
        }));
    }
}
