//! The page of what lessons do: where it is written, what may be replaced, and who sees it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use lessons_tests::env::{TestEnv, said as both};
use lessons_tests::terminal::Terminal;

use crate::said::said;
use crate::seeing::replaying::{with_commands, with_frob};

/// A month of sessions in which `frob push` ran without a reminder, in 7 of 20 of them again.
fn month() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    for session in 0..20 {
        let again = if session % 3 == 0 { "frob push b" } else { "frob pull" };
        let name = format!("s{session}");
        with_commands(&env, &name, 1 + session * 60, &["frob push a", "ls", again, "!cat x"]);
        let file = fs::File::open(env.transcripts().join(format!("app/{name}.jsonl"))).expect("a transcript");
        file.set_modified(SystemTime::now() - Duration::from_hours(2)).expect("a session that has ended");
    }
    with_frob(&env);
    env
}

fn newest(env: &TestEnv) -> std::path::PathBuf {
    env.data().join("reports/lessons.html")
}

fn page(path: &Path) -> String {
    fs::read_to_string(path).expect("a page")
}

#[test]
fn in_an_empty_home_the_page_says_what_fills_it() {
    let env = TestEnv::new().without_seeds();
    assert_snapshot!(said(&env, &env.lessons(&["report", "--html"])), @r#"
    exit 0
    HOME/.local/share/lessons/reports/lessons.html
    "#);
    assert!(page(&newest(&env)).contains("Nothing has happened yet."));
    let mode = fs::metadata(newest(&env)).expect("a page").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_month_of_sessions_is_on_the_page() {
    let env = month();
    env.must(&["report", "--html", "month.html"]);
    let first = page(&env.project().join("month.html"));
    assert!(first.contains("comes again in 35 % of 20 untold sessions"), "the room of the lesson: {first}");
    assert!(!newest(&env).exists(), "a person who names a file gets that one");
    env.must(&["nightly"]);
    let kept = page(&newest(&env));
    assert!(kept.contains("comes again in 35 % of 20 untold sessions"), "the night keeps the newest: {kept}");
}

#[test]
fn a_text_that_looks_like_html_stays_a_text() {
    let env = month();
    let rule = r#""><script>alert(1)</script> use frob push --safe"#;
    env.must(&["edit", "use-frob", "--rule", rule]);
    env.must(&["report", "--html"]);
    let page = page(&newest(&env));
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
}

#[test]
fn a_page_replaces_nothing_but_a_page() {
    let env = TestEnv::new().without_seeds();
    env.must(&["report", "--html", "page.html"]);
    env.must(&["report", "--html", "page.html"]);
    fs::write(env.project().join("mine.html"), "<p>mine</p>").expect("a file");
    fs::create_dir(env.project().join(".lessons")).expect("a folder");
    let ours = env.data().join("lessons.html").display().to_string();
    let store = env.data().join("lessons.json").display().to_string();
    for file in ["mine.html", ".lessons/page.html", "page.txt", &ours, &store] {
        let output = env.lessons(&["report", "--html", file]);
        assert_eq!(output.status.code(), Some(2), "{file}: {}", both(&output));
    }
    assert_eq!(page(&env.project().join("mine.html")), "<p>mine</p>");
    assert_snapshot!(said(&env, &env.lessons(&["report", "--html", "mine.html"])), @r#"
    exit 2
    --- stderr
    lessons: mine.html is there and no page of Lessons. Choose another name
    "#);
}

#[test]
fn only_a_person_at_a_terminal_is_shown_a_browser() {
    let env = TestEnv::new().without_seeds();
    let programs = env.home().join("programs");
    fs::create_dir(&programs).expect("a folder");
    let opener = programs.join(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
    fs::write(
        &opener,
        "#!/bin/sh\nprintf '%s' \"$1\" > \"$HOME/part\" && mv \"$HOME/part\" \"$HOME/opened\"\n",
    )
    .expect("an opener");
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).expect("a program");
    let env = env.with_variable("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    for output in [
        env.lessons(&["report", "--html", "--open"]),
        env.as_agent("s").lessons(&["report", "--html", "--open"]),
    ] {
        assert!(both(&output).contains("Not opened: only a person"), "{}", both(&output));
    }
    assert!(!env.home().join("opened").exists());
    let mut command = env.command("lessons");
    command.args(["report", "--html", "--open"]);
    let mut terminal = Terminal::start(&command, 120, 40);
    assert!(terminal.ends().success());
    terminal.waits_until("the page is opened", |_| env.home().join("opened").exists());
    assert_eq!(
        fs::read_to_string(env.home().join("opened")).expect("a path"),
        newest(&env).display().to_string()
    );
}

#[test]
fn a_forgotten_text_takes_the_kept_page_along() {
    let env = month();
    env.must(&["report", "--html"]);
    let forgotten = env.lessons_given(&["forget"], b"which asks first");
    let text = both(&forgotten);
    assert!(text.contains("reports/lessons.html: taken out."), "{text}");
    assert!(text.contains("so is a page that you saved elsewhere"), "{text}");
    assert!(!newest(&env).exists());
}
