//! The synthesis of a call on which a lesson fires, from the lesson's patterns.
//!
//! A lesson that refuses needs an example of a call that it must stop, and other tools keep none. Each
//! candidate is tested against the lesson's own triggers; one on which the lesson would not fire is discarded.

use lessons_lesson::call::writes_files;
use lessons_lesson::lesson::{Lesson, SampleCall, Subject};
use lessons_pattern::prepared;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_shell::CommandLine;
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

/// The longest sample text, in bytes. A person would not read a longer one.
const MAX_BYTES: usize = 300;

/// The samples of "any text" in a pattern such as `git.*push`, likeliest first.
const IN_COMMANDS: [&str; 3] = [" ", "x", ""];
const IN_PATHS: [&str; 3] = ["x", "", "/"];

/// Returns a call on which `lesson` fires, if one can be made.
pub(super) fn call(lesson: &Lesson) -> Option<SampleCall> {
    let attempts = |trigger| (0..IN_COMMANDS.len()).find_map(|attempt| of_trigger(lesson, trigger, attempt));
    lesson.triggers.iter().find_map(attempts)
}

/// Returns a call that `trigger` matches, if `lesson` fires on it.
fn of_trigger(lesson: &Lesson, trigger: &Trigger, attempt: usize) -> Option<SampleCall> {
    let mut call = SampleCall { tool: tool_for(lesson, trigger)?, ..SampleCall::default() };
    for part in std::iter::once(trigger).chain(&lesson.also) {
        let text = || text(part, attempt);
        match part.kind {
            TriggerKind::CommandPattern => call.command = Some(text()?),
            TriggerKind::PathPattern | TriggerKind::FileGlob => call.file = Some(text()?),
            TriggerKind::ContentPattern => call.content = Some(text()?),
            TriggerKind::Tool if call.tool == "Bash" => call.command = Some("true".to_owned()),
            TriggerKind::Tool => {}
            TriggerKind::Keyword | TriggerKind::ErrorPattern => return None,
        }
    }
    let subject = lesson.effective_subject();
    let matches = |trigger: &Trigger| matches(trigger, &call, subject);
    let silences = |trigger: &Trigger| {
        let mut subjects = subject.of_unless().iter();
        subjects.any(|subject| self::matches(trigger, &call, *subject))
    };
    let fires = matches(trigger) && lesson.also.iter().all(matches) && !lesson.unless.iter().any(silences);
    fires.then_some(call)
}

/// Returns a tool of the lesson that has what the trigger looks at.
fn tool_for(lesson: &Lesson, trigger: &Trigger) -> Option<String> {
    if trigger.kind == TriggerKind::Tool {
        return Some(trigger.pattern.clone());
    }
    let looks_at_content = lesson.also.iter().any(|also| also.kind == TriggerKind::ContentPattern);
    let fits = |tool: &&String| match trigger.kind {
        TriggerKind::CommandPattern => *tool == "Bash",
        TriggerKind::ContentPattern => writes_files(tool),
        _ => *tool != "Bash" && (!looks_at_content || writes_files(tool)),
    };
    lesson.tools.iter().find(fits).cloned()
}

/// Returns whether a trigger matches a call, as the hook would see it.
fn matches(trigger: &Trigger, call: &SampleCall, subject: Subject) -> bool {
    let texts: Vec<String> = match trigger.kind {
        TriggerKind::Tool => return trigger.pattern == call.tool,
        TriggerKind::CommandPattern => call
            .command
            .iter()
            .flat_map(|command| match subject {
                Subject::Command => vec![CommandLine::new(command).without_heredocs().into_owned()],
                Subject::Executable => vec![CommandLine::new(command).executable()],
                Subject::Program => CommandLine::new(command).invocations(),
            })
            .collect(),
        TriggerKind::PathPattern | TriggerKind::FileGlob => {
            call.file.iter().flat_map(|file| [file.clone(), format!("/p/{file}")]).collect()
        }
        TriggerKind::ContentPattern => call.content.iter().cloned().collect(),
        TriggerKind::Keyword | TriggerKind::ErrorPattern => return false,
    };
    let Ok(automaton) = prepared::automaton_of(trigger.kind, &trigger.pattern) else { return false };
    texts.iter().any(|text| automaton.is_match(text))
}

/// Returns a short text that a pattern may match. Whether it does is for the caller to try.
fn text(trigger: &Trigger, attempt: usize) -> Option<String> {
    let fillers = match trigger.kind {
        TriggerKind::PathPattern | TriggerKind::FileGlob => IN_PATHS,
        _ => IN_COMMANDS,
    };
    let filler = fillers.get(attempt)?;
    let hir = prepared::expression_of(trigger.kind, &trigger.pattern).ok()?;
    let mut out = String::new();
    write(&hir, filler, &mut out)?;
    let out = out.trim();
    (!out.is_empty()).then(|| out.to_owned())
}

fn write(hir: &Hir, filler: &str, out: &mut String) -> Option<()> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => match sort(class)? {
            Sort::Anything => out.push_str(if filler.is_empty() { "x" } else { filler }),
            Sort::One(c) => out.push(c),
        },
        HirKind::Repetition(repetition) => {
            let anything = matches!(repetition.sub.kind(), HirKind::Class(class) if matches!(sort(class), Some(Sort::Anything)));
            if repetition.min == 0 && anything {
                out.push_str(filler);
            }
            for _ in 0..repetition.min {
                write(&repetition.sub, filler, out)?;
                if out.len() > MAX_BYTES {
                    return None;
                }
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, filler, out)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, filler, out))?,
        HirKind::Alternation(choices) => write(choices.first()?, filler, out)?,
    }
    (out.len() <= MAX_BYTES).then_some(())
}

/// The use of a character class in a sample.
enum Sort {
    /// The class takes blanks and letters: `.`, `[^;]`.
    Anything,
    /// The class takes this character.
    One(char),
}

fn sort(class: &Class) -> Option<Sort> {
    let holds = |c: char| match class {
        Class::Unicode(class) => class.iter().any(|range| range.start() <= c && c <= range.end()),
        Class::Bytes(class) => {
            u8::try_from(c).is_ok_and(|b| class.iter().any(|range| range.start() <= b && b <= range.end()))
        }
    };
    if holds(' ') && holds('x') {
        return Some(Sort::Anything);
    }
    let first = || match class {
        Class::Unicode(class) => class.iter().next().map(ClassUnicodeRange::start),
        Class::Bytes(class) => class.iter().next().map(|range| char::from(range.start())),
    };
    let small = |c: char| if holds(c.to_ascii_lowercase()) { c.to_ascii_lowercase() } else { c };
    "x a1-/.".chars().find(|&c| holds(c)).or_else(first).map(small).map(Sort::One)
}
