use super::*;

fn raw(message: &str, problem: &str, solution: &str) -> RawLesson {
    let text = |text: &str| Some(text.to_owned());
    RawLesson {
        message: text(message),
        problem: text(problem),
        solution: text(solution),
        summary: text("stash misses files"),
        ..RawLesson::default()
    }
}

fn of(raw: &RawLesson, name: &str, notes: &mut Vec<String>) -> Texts {
    texts(raw, name, &|text| text.replace("s3cret-s3cret", "***"), notes)
}

fn rule(raw: &RawLesson) -> String {
    of(raw, "name", &mut Vec::new()).rule
}

#[test]
fn a_secret_goes_whole_before_anything_is_cut() {
    let half_out = format!("{} s3cret-s3cret", "x".repeat(MAX_SUMMARY_CHARS - 6));
    let lesson = RawLesson { summary: Some(half_out), ..raw("Stop.", "p", "") };
    let mut notes = Vec::new();
    let summary = of(&lesson, "name", &mut notes).summary.unwrap();
    assert!(summary.ends_with("x ***") && !summary.contains("s3"), "{summary}");
    assert_eq!(notes, ["a secret in its summary was replaced; nothing of it is stored"]);
}

#[test]
fn a_message_made_from_the_other_texts_adds_nothing() {
    let made = "## Lesson: stash misses files\nUntracked files stay.\n**Fix**: git stash -u";
    let texts = of(&raw(made, "Untracked files stay.", "git stash -u"), "name", &mut Vec::new());
    assert_eq!(texts.rule, "git stash -u");
    assert_eq!(texts.mistake.as_deref(), Some("Untracked files stay."));
}

#[test]
fn a_message_that_says_more_comes_first() {
    assert_eq!(rule(&raw("REQUIRED here!", "p", "git stash -u")), "REQUIRED here!\ngit stash -u");
    assert_eq!(rule(&raw("Always git stash -u.", "p", "git stash -u")), "Always git stash -u.");
}

#[test]
fn a_lesson_without_a_solution_says_what_it_has() {
    assert_eq!(rule(&raw("Stop.", "p", "")), "Stop.");
    assert_eq!(rule(&raw("", "It hangs.", "")), "It hangs.");
    assert_eq!(of(&raw("", "It hangs.", ""), "name", &mut Vec::new()).mistake, None);
    let mut notes = Vec::new();
    assert_eq!(of(&RawLesson::default(), "git-stash", &mut notes).rule, "git-stash");
    assert_eq!(notes.len(), 1);
}

#[test]
fn placeholders_hidden_characters_and_overlong_texts_are_noted() {
    let mut notes = Vec::new();
    let mut lesson = raw("Blocked: {command}", "p\u{200b}", &"s".repeat(2500));
    lesson.summary = Some("y".repeat(200));
    let texts = of(&lesson, "name", &mut notes);
    assert_eq!(texts.rule, "Blocked: this command");
    assert_eq!(texts.mistake.as_deref(), Some("p"));
    assert_eq!(texts.summary.map(|text| text.chars().count()), Some(120));
    assert_eq!(notes.len(), 5, "{notes:#?}");
}
