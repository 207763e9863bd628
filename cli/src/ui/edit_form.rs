//! The form in which a person edits a lesson, one line for each value, and their own editor that shows it.
//!
//! A line is `NAME: VALUE`. A line that begins with two spaces goes on with the value above it; one that begins with `#` is
//! a comment. A name that is given more than once makes a list.

use std::io;
use std::process::{Command, ExitStatus};

use lessons_context::KnownProjects;
use lessons_home::files;
use lessons_lesson::{Lesson, Mode, SampleCall, When};
use lessons_store::durable;

use crate::args::{self, Fields};
use crate::prelude::*;

/// The comment at the start of the form.
const HEAD: &str = "\
# Save and close the editor to go on; nothing changes before you say yes.
# A value may go on over lines that begin with two spaces. Repeat a line to add one more to a list.";
/// The comment above the triggers.
const TRIGGERS: &str = "\
# KIND=PATTERN: cmd=REGEX, glob=GLOB, path=REGEX, content=REGEX, kw=WORDS, tool=NAME, error=REGEX.
# It fires if one `fires on` and every `and` matches, and no `unless`.";
/// The comment above what the lesson does.
const DOES: &str = "\
# mode: advise, bump or block. when: tool, session, or nothing for what the triggers say. priority: 1 to 10. because: why it
# may block without proof.";
/// The names of the lines, as a person is told them who wrote another.
const NAMES: &str = "mode, when, priority, rule, mistake, summary, why, detail, worth, phase, fires on, and, unless, tools, \
                     project, agent, because, topic, tag, must fire on, must not fire on";
/// The mark of a comment that names a mistake in the form.
const WRONG: &str = "# WRONG: ";

/// The form of a lesson, with a title that says what it is.
pub(crate) fn of(title: &str, lesson: &Lesson, known: &KnownProjects) -> String {
    let mut form = format!("# {title}\n{HEAD}\n\n");
    list(&mut form, "rule", Some(&lesson.rule).filter(|rule| !rule.is_empty()));
    list(&mut form, "mistake", &lesson.mistake);
    list(&mut form, "summary", &lesson.summary);
    list(&mut form, "why", &lesson.rationale);
    list(&mut form, "detail", &lesson.detail);
    list(&mut form, "worth", &lesson.metacognition);
    list(&mut form, "phase", &lesson.phase);
    form.extend(["\n", TRIGGERS, "\n"]);
    list(&mut form, "fires on", &lesson.triggers);
    list(&mut form, "and", &lesson.also);
    list(&mut form, "unless", &lesson.unless);
    list(&mut form, "tools", &lesson.tools);
    list(&mut form, "project", lesson.scope.projects.iter().map(|key| known.typed(key)));
    list(&mut form, "agent", &lesson.scope.agents);
    form.extend(["\n", DOES, "\n"]);
    let is_for_want_of_triggers = lesson.triggers.is_empty() && lesson.when == When::Session;
    list(&mut form, "mode", [lesson.mode]);
    list(&mut form, "when", (!is_for_want_of_triggers).then_some(lesson.when));
    list(&mut form, "priority", [lesson.priority.get()]);
    list(&mut form, "because", [""; 0]);
    form.push('\n');
    list(&mut form, "topic", &lesson.topics);
    list(&mut form, "tag", &lesson.tags);
    let sample = |call: &SampleCall| serde_json::to_string(call).unwrap_or_default();
    list(&mut form, "must fire on", lesson.examples.fires.iter().map(sample));
    list(&mut form, "must not fire on", lesson.examples.quiet.iter().map(sample));
    form
}

/// Adds a line for each value, or an empty one where there is none.
fn list(form: &mut String, name: &str, values: impl IntoIterator<Item = impl ToString>) {
    let before = form.len();
    for value in values {
        form.extend([name, ": ", &value.to_string().replace('\n', "\n  "), "\n"]);
    }
    if form.len() == before {
        form.extend([name, ":\n"]);
    }
}

/// The form with the mistakes in it named at its start.
fn with_mistakes(form: &str, mistakes: &[String]) -> String {
    let kept = form.lines().filter(|line| !line.starts_with(WRONG));
    let wrong = mistakes.iter().flat_map(|mistake| mistake.lines()).map(|line| format!("{WRONG}{line}"));
    let lines: Vec<String> = wrong.chain(kept.map(str::to_owned)).collect();
    lines.join("\n") + "\n"
}

/// Reads a form. A name that is missing counts as empty. Fails with every mistake, each with the number of its line.
pub(crate) fn parse(form: &str) -> Result<Fields, Vec<String>> {
    let mut values: Vec<(&str, String)> = Vec::new();
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(form.lines()) {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        if let Some(more) = line.strip_prefix("  ") {
            match values.last_mut() {
                Some((_, value)) => *value = format!("{value}\n{}", more.trim_end()),
                None if more.trim().is_empty() => {}
                None => wrong.push(format!("line {number}: there is no value above it to go on with")),
            }
            continue;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        if !NAMES.split(", ").any(|known| known == name.trim()) {
            wrong.push(format!("line {number}: it does not begin with one of {NAMES}"));
        }
        values.push((name.trim(), value.trim().to_owned()));
    }
    if wrong.is_empty() { fields(&values) } else { Err(wrong) }
}

/// The fields that the values of a form say, each value with its name.
fn fields(values: &[(&str, String)]) -> Result<Fields, Vec<String>> {
    let all = |name: &str| -> Vec<String> {
        let given = values.iter().filter(|(of, _)| *of == name).map(|(_, value)| value.trim_end());
        given.filter(|value| !value.is_empty()).map(str::to_owned).collect()
    };
    let text = |name: &str| all(name).join("\n");
    let mut wrong = Vec::new();
    let mut is_wrong = |name: &str, why: &str| wrong.push(format!("{name}: {why}"));
    let mode = args::word(&all("mode").concat()).map_err(|why| is_wrong("mode", &why)).ok();
    let when = Some(all("when").concat()).filter(|word| !word.is_empty());
    let when = when.and_then(|word| args::word(&word).map_err(|why| is_wrong("when", &why)).ok());
    let priority = all("priority").concat().parse().ok().filter(|priority| (1..=10).contains(priority));
    if priority.is_none() {
        is_wrong("priority", "must be a number from 1 to 10");
    }
    let rule = text("rule");
    if rule.trim().is_empty() {
        is_wrong("rule", "it is empty");
    }
    // A reason belongs to a block alone.
    let is_reason = |reason: &String| mode == Some(Mode::Block) && !reason.trim().is_empty();
    let fields = Fields {
        rule: Some(rule),
        mistake: Some(text("mistake")),
        summary: Some(text("summary")),
        rationale: Some(text("why")),
        detail: Some(text("detail")),
        worth: Some(text("worth")),
        phase: Some(text("phase")),
        trigger: Some(all("fires on")),
        also: Some(all("and")),
        unless: Some(all("unless")),
        tool: Some(all("tools")),
        scope_project: Some(all("project")),
        scope_agent: Some(all("agent")),
        force_block: Some(text("because")).filter(is_reason),
        topic: Some(all("topic")),
        tag: Some(all("tag")),
        fires: Some(all("must fire on")),
        quiet: Some(all("must not fire on")),
        mode,
        when,
        priority,
        ..Fields::default()
    };
    if wrong.is_empty() { Ok(fields) } else { Err(wrong) }
}

/// The largest form that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// Runs a program that takes the terminal, and waits until it ends.
pub(crate) type Runner<'r> = &'r mut dyn FnMut(Command) -> io::Result<ExitStatus>;

/// Lets the person edit a form until `read` finds no mistake in it. Mistakes are named at its start. Returns the form as it
/// was left, and what was read from it. Fails if a form with mistakes comes back as it was shown.
pub(crate) fn edited<T>(
    app: &App,
    mut form: String,
    run: Runner<'_>,
    read: impl Fn(&str) -> std::result::Result<T, Vec<String>>,
) -> Result<(String, T)> {
    loop {
        let text = in_editor(app, &form, run)?;
        let is_untouched = text.trim() == form.trim() || text.trim().is_empty();
        match read(&text) {
            Ok(value) => return Ok((text, value)),
            Err(mistakes) if is_untouched => {
                bail!(Refused(format!("nothing was changed:\n  {}", mistakes.join("\n  "))));
            }
            Err(mistakes) => form = with_mistakes(&text, &mistakes),
        }
    }
}

/// Lets the person edit a text in the program that `VISUAL` or `EDITOR` names.
fn in_editor(app: &App, text: &str, run: Runner<'_>) -> Result<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    files::ensure_folder(&app.home.log())?;
    let path = app.home.log().join(format!("edit-{}.txt", std::process::id()));
    durable::replace(&path, text.as_bytes())?;
    let edited = run_editor(&editor, &path, run).and_then(|()| {
        let bytes = files::read(&path, LIMIT)?.unwrap_or_default();
        String::from_utf8(bytes).context("the form")
    });
    // What the person wrote is theirs, whatever became of the editor.
    let edited = edited.with_context(|| format!("what you wrote is in {}", path.display()))?;
    durable::remove(&path)?;
    Ok(edited)
}

/// Runs an editor on a file. Its name may have arguments, so a shell reads it, as git has it.
fn run_editor(editor: &str, path: &Path, run: Runner<'_>) -> Result<()> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(path);
    let status = run(command).with_context(|| format!("the editor {editor}"))?;
    if !status.success() {
        let editor = line(editor);
        bail!(Refused(format!("the editor `{editor}` ended with an error, so nothing was changed")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_pattern::trigger::{Trigger, TriggerKind};

    use super::*;
    use crate::args::apply;

    fn lesson() -> Lesson {
        let topic = TopicId::new("git").unwrap();
        let mut lesson = Lesson::new(LessonId::new("git-stash-u").unwrap(), "Use -u.", topic, "2026-01-01");
        lesson.mistake = Some("Untracked files stay:\n\nthey are in the way.".into());
        lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, r"\bgit\s+stash: #x\b")];
        lesson.unless = vec![Trigger::new(TriggerKind::CommandPattern, r"\s-u\b")];
        lesson.tools = vec!["Bash".into()];
        lesson.mode = Mode::Bump;
        lesson.examples.fires = vec![SampleCall::bash("git stash")];
        lesson.examples.quiet = vec![SampleCall::bash("git stash -u"), SampleCall::bash("git log")];
        lesson.tags = vec!["tool:git".into()];
        lesson
    }

    #[test]
    fn a_form_that_is_saved_as_it_is_changes_nothing() {
        let lesson = lesson();
        let mut again = lesson.clone();
        apply(
            &parse(&of("user/git-stash-u", &lesson, &KnownProjects::default())).unwrap(),
            &mut again,
            &|project| Ok(project.to_owned()),
        )
        .unwrap();
        assert_eq!(again, lesson, "{}", of("user/git-stash-u", &lesson, &KnownProjects::default()));
    }

    #[test]
    fn a_lesson_that_gets_its_first_trigger_is_told_at_calls() {
        let mut session = lesson();
        (session.triggers, session.unless, session.mode) = (Vec::new(), Vec::new(), Mode::Advise);
        session.when = When::Session;
        let form = of("user/git-stash-u", &session, &KnownProjects::default());
        let after = |form: &str| {
            let mut after = session.clone();
            apply(&parse(form).unwrap(), &mut after, &|project| Ok(project.to_owned())).unwrap();
            after.when
        };
        assert_eq!(after(&form), When::Session, "{form}");
        let aimed = form.replace("fires on:\n", "fires on: cmd=git stash\n");
        assert_eq!(after(&aimed), When::Tool, "{aimed}");
        assert_eq!(after(&aimed.replace("when:\n", "when: session\n")), When::Session);
        assert!(parse(&form.replace("when:\n", "when: later\n")).is_err());
    }

    #[test]
    fn a_person_sees_a_line_for_each_value() {
        let form = of("user/git-stash-u", &lesson(), &KnownProjects::default());
        for line in [
            "# user/git-stash-u",
            "rule: Use -u.",
            "mistake: Untracked files stay:",
            "  they are in the way.",
            r"fires on: cmd=\bgit\s+stash: #x\b",
            r"unless: cmd=\s-u\b",
            "summary:",
            "mode: bump",
            "tag: tool:git",
        ] {
            assert!(form.lines().any(|of| of == line), "{line}: {form}");
        }
    }

    #[test]
    fn a_reason_is_read_where_the_lesson_blocks() {
        let form = of("user/git-stash-u", &lesson(), &KnownProjects::default())
            .replace("because:", "because: it lost a day");
        assert_eq!(parse(&form).unwrap().force_block, None, "a bump needs none");
        let blocks = form.replace("mode: bump", "mode: block");
        assert_eq!(parse(&blocks).unwrap().force_block.as_deref(), Some("it lost a day"));
    }

    #[test]
    fn mistakes_are_named_in_the_form_once() {
        let form = of("user/git-stash-u", &lesson(), &KnownProjects::default())
            .replace("mode: bump", "mode: shout")
            .replace("priority: 5", "priority: 99");
        let wrong = parse(&form).unwrap_err();
        assert_eq!(
            wrong,
            ["mode: must be one of advise, bump, block", "priority: must be a number from 1 to 10"]
        );
        let shown = with_mistakes(&form, &wrong);
        assert!(shown.starts_with("# WRONG: mode: must be one of"), "{shown}");
        assert_eq!(with_mistakes(&shown, &wrong), shown);
        assert_eq!(parse("rul: x\n").unwrap_err().len(), 1);
        assert!(parse("  on\n").unwrap_err()[0].starts_with("line 1"));
    }
}
