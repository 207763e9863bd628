//! Patterns: what cannot be matched in linear time is refused when it is added, with the reason.

use std::time::{Duration, Instant};

use lessons_tests::env::{TestEnv, said};
use serde_json::json;

use super::facts::Facts;
use crate::cases::Input;
use crate::generate;

/// The start of a process built for debugging on a busy machine is in it. That matching is linear is shown beside the
/// engine; here is shown that nothing explodes.
const SLOW: Duration = Duration::from_secs(2);

pub(super) fn observe(input: &Input) -> Facts {
    let data = &input.get("input")["data"];
    let pattern = data["pattern"].as_str().unwrap();
    let subject = generate::text(&data["subject"]);
    let (kind, call) = match data["kind"].as_str() {
        Some("command") => ("cmd", json!({"tool_name": "Bash", "tool_input": {"command": subject}})),
        Some("path") => {
            ("glob", json!({"tool_name": "Read", "tool_input": {"file_path": format!("/p/{subject}")}}))
        }
        other => panic!("{}: no kind {other:?}", input.id),
    };
    let mut facts = Facts::default();
    let env = TestEnv::new();
    let trigger = format!("{kind}={pattern}");
    let added = env.lessons(&["add", "--rule", "Do it another way.", "--trigger", &trigger]);
    let said_of_it = said(&added);
    facts.note("taken", added.status.success());
    facts.note(
        "explained",
        !added.status.success() && (said_of_it.contains("PATTERN") || said_of_it.contains("pattern")),
    );
    facts.note("warned", added.status.success() && said_of_it.contains("BROAD"));
    facts.detail(said_of_it);

    let started = Instant::now();
    let output = env.hook(&call);
    facts.note("slow", started.elapsed() > SLOW);
    facts.note("false match", added.status.success() && !output.stdout.is_empty() && pattern != "**");
    facts.detail(said(&output));

    // The reason takes the place of proof, so only the pattern itself can be why a lesson may not refuse.
    let example = json!({"tool": "Edit", "file": "a/b", "content": "x"}).to_string();
    let refusing = |rule: &str, trigger: &str| {
        let reason = ["--mode", "block", "--force-block", "there is no past here", "--fires", &example];
        env.lessons(&[&["add", "--rule", rule, "--trigger", trigger][..], &reason].concat())
    };
    let broad = refusing("Do it in yet another way.", &trigger);
    facts.note("taken to refuse", broad.status.success());
    let narrow = refusing("Do that in a different manner.", "glob=a/b");
    facts.note("a narrower one is taken to refuse", narrow.status.success());
    facts.detail(said(&broad) + &said(&narrow));
    facts
}
