//! Lessons that a person writes from what nobody has read.

use lessons_tests::env::TestEnv;
use lessons_tests::terminal::Terminal;

use crate::decisions::screen::{own, review, with_editor};
use crate::seeing::reading::tag;

#[test]
fn a_lesson_is_written_from_what_nobody_has_read() {
    let env = with_editor(
        TestEnv::new().without_seeds(),
        r"grep -q '^# you: .*answer in German' $1 || exit 1; sed -i 's/^rule:.*/rule: Answer in German./' $1",
    );
    let mut line = tag(1, "");
    line["type"] = "user".into();
    line["message"] =
        serde_json::json!({"role": "user", "content": "and always answer in German from now on"});
    env.write_transcript("app/session.jsonl", &[line]);
    let mut terminal = review(&env);
    terminal.sees("`lessons review --unread` shows what nobody has read");
    terminal.ends();
    let mut command = env.command("lessons");
    command.args(["review", "--unread"]);
    let mut terminal = Terminal::start(&command, 80, 24);
    terminal.sees("Write a lesson from which?");
    terminal.sees("always answer in German");
    terminal.types("1");
    terminal.sees("edited, not saved yet");
    terminal.types("p");
    terminal.sees("answer-in-german promoted");
    terminal.types("q");
    terminal.ends();
    terminal.is_put_back();
    let lessons = own(&env);
    assert_eq!((&lessons[0]["rule"], &lessons[0]["when"]), (&"Answer in German.".into(), &"session".into()));
    let next = env.must(&["review", "--unread"]);
    assert_eq!(next.trim(), "Nothing is unread that no candidate explains.");
}
