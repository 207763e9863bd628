//! What a program printed, with what differs from run to run taken out.

use std::process::Output;

use lessons_manifest_builder::seeds;
use lessons_tests::env::TestEnv;

/// Exit code, standard output and standard error, without temporary paths and times.
pub(crate) fn said(env: &TestEnv, output: &Output) -> String {
    let code = output.status.code().map_or_else(|| "killed".to_owned(), |code| code.to_string());
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let err = if err.is_empty() { String::new() } else { format!("--- stderr\n{err}") };
    let text = format!("{out}{err}");
    let home = env.home().display().to_string();
    let canonical = env.home().canonicalize().expect("the home").display().to_string();
    let project = env.project().canonicalize().expect("the project").display().to_string();
    let text = text.replace(&canonical, "HOME").replace(&home, "HOME").replace(&project, "PROJECT");
    let text = text.replace(&env.project().display().to_string(), "PROJECT");
    format!("exit {code}\n{}", without_times(&without_counts(text.trim_end())))
}

/// Writes `SEEDS` for the number of lessons that we ship, which grows.
fn without_counts(text: &str) -> String {
    let seeds = seeds::lessons().len();
    let mut text = text.replace(&format!("{seeds} built in"), "SEEDS built in");
    for (more, name) in [(0, "SEEDS"), (1, "SEEDS + 1"), (2, "SEEDS + 2")] {
        let count = format!("{} lessons in force", seeds + more);
        text = text.replace(&count, &format!("{name} lessons in force"));
    }
    text
}

/// Writes `TIME` for every RFC 3339 time.
fn without_times(text: &str) -> String {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00Z";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_time = rest.as_bytes().get(..SHAPE.len()).is_some_and(|bytes| {
            bytes.iter().zip(SHAPE).all(|(b, s)| if *s == b'0' { b.is_ascii_digit() } else { b == s })
        });
        if is_time {
            out.push_str("TIME");
            rest = &rest[SHAPE.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// A machine with one lesson of its own.
pub(crate) fn with_a_lesson() -> TestEnv {
    let env = TestEnv::new();
    env.must(&[
        "add",
        "--rule",
        "Use `frob push --safe`, which asks first.",
        "--mistake",
        "`frob push` overwrites what others have pushed.",
        "--trigger",
        r"cmd=\bfrob push\b",
        "--tag",
        "tool:frob",
    ]);
    env
}
