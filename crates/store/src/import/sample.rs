//! The synthesis of a call on which an imported lesson fires, from the lesson's patterns.
//!
//! A lesson that refuses needs an example of a call that it must stop, and other tools keep none. Each
//! candidate is tested against the trigger that it was made of; one on which the lesson would not fire is discarded.

use lessons_lesson::{Lesson, SampleCall, Subject, writes_files};
use lessons_pattern::{Trigger, TriggerKind, prepared};
use lessons_shell::CommandLine;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};

/// The longest sample text, in bytes. A person would not read a longer one.
const MAX_BYTES: usize = 300;

/// Returns a call on which `lesson` fires, if one can be made. It has neither `also` nor `unless`.
pub(super) fn call(lesson: &Lesson) -> Option<SampleCall> {
    let subject = lesson.effective_subject();
    let fitting =
        |trigger: &Trigger| call_of(lesson, trigger).filter(|call| is_matched(trigger, call, subject));
    lesson.triggers.iter().find_map(fitting)
}

/// Returns a call with what the trigger looks at.
fn call_of(lesson: &Lesson, trigger: &Trigger) -> Option<SampleCall> {
    let by = |fits: fn(&str) -> bool| {
        let tool = lesson.tools.iter().find(|tool| fits(tool))?.clone();
        Some(SampleCall { tool, ..SampleCall::default() })
    };
    Some(match trigger.kind {
        TriggerKind::CommandPattern => SampleCall::bash(text(trigger, " ")?),
        TriggerKind::PathPattern => {
            SampleCall { file: Some(text(trigger, "x")?), ..by(|tool| tool != "Bash")? }
        }
        TriggerKind::ContentPattern => SampleCall { content: Some(text(trigger, " ")?), ..by(writes_files)? },
        TriggerKind::Tool if trigger.pattern == "Bash" => SampleCall::bash("true"),
        TriggerKind::Tool => SampleCall { tool: trigger.pattern.clone(), ..SampleCall::default() },
        TriggerKind::FileGlob | TriggerKind::Keyword | TriggerKind::ErrorPattern => return None,
    })
}

/// Returns whether a trigger matches a call that was made for it, as the hook would see it.
fn is_matched(trigger: &Trigger, call: &SampleCall, subject: Subject) -> bool {
    if trigger.kind == TriggerKind::Tool {
        return true;
    }
    let commands = call.command.iter().flat_map(|command| match subject {
        Subject::Command => vec![CommandLine::new(command).without_heredocs().into_owned()],
        Subject::Executable => vec![CommandLine::new(command).executable()],
        Subject::Program => CommandLine::new(command).invocations(),
    });
    let files = call.file.iter().flat_map(|file| [file.clone(), format!("/p/{file}")]);
    let mut texts = commands.chain(files).chain(call.content.clone());
    let automaton = prepared::automaton_of(trigger.kind, &trigger.pattern);
    automaton.is_ok_and(|automaton| texts.any(|text| automaton.is_match(&text)))
}

/// Returns a short text that a pattern may match, with `filler` for any text in it, such as in `git.*push`. Whether it
/// does is for the caller to try.
fn text(trigger: &Trigger, filler: &str) -> Option<String> {
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
        HirKind::Class(class) if is_anything(class) => out.push_str(filler),
        HirKind::Class(class) => out.push(one_of(&in_unicode(class)?)?),
        HirKind::Repetition(repetition) => {
            let of = repetition.sub.kind();
            if repetition.min == 0 && matches!(of, HirKind::Class(class) if is_anything(class)) {
                out.push_str(filler);
            }
            (0..repetition.min).try_for_each(|_| write(&repetition.sub, filler, out))?;
        }
        HirKind::Capture(capture) => write(&capture.sub, filler, out)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, filler, out))?,
        HirKind::Alternation(choices) => write(choices.first()?, filler, out)?,
    }
    (out.len() <= MAX_BYTES).then_some(())
}

fn holds(class: &ClassUnicode, c: char) -> bool {
    class.iter().any(|range| range.start() <= c && c <= range.end())
}

fn in_unicode(class: &Class) -> Option<ClassUnicode> {
    match class {
        Class::Unicode(class) => Some(class.clone()),
        Class::Bytes(class) => class.to_unicode_class(),
    }
}

/// Whether a class takes blanks and letters: `.`, `[^;]`.
fn is_anything(class: &Class) -> bool {
    in_unicode(class).is_some_and(|class| holds(&class, ' ') && holds(&class, 'x'))
}

/// A plain character of a class.
fn one_of(class: &ClassUnicode) -> Option<char> {
    let first = || class.iter().next().map(ClassUnicodeRange::start);
    let small = |c: char| Some(c.to_ascii_lowercase()).filter(|&small| holds(class, small)).unwrap_or(c);
    "x a1-/.".chars().find(|&c| holds(class, c)).or_else(first).map(small)
}
