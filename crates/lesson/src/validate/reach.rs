//! Triggers that match nearly everything, and conditions that no call can meet.

use lessons_pattern::{Breadth, Trigger, TriggerKind};

use super::{Flaw, shown};
use crate::hooked;
use crate::lesson::{Lesson, TriggerRole, When};

/// Adds a flaw for each trigger that matches nearly everything, where no `also` narrows it. A lesson that fires at nearly
/// every call may advise, and may not refuse.
pub(super) fn broad(lesson: &Lesson, breadth: impl Fn(&Trigger) -> Breadth, out: &mut Vec<Flaw>) {
    if lesson.when == When::Session || lesson.also.iter().any(|also| breadth(also) != Breadth::Everything) {
        return;
    }
    for trigger in &lesson.triggers {
        let code = match trigger.kind {
            TriggerKind::FileGlob => "BROAD_GLOB_TRIGGER",
            _ => "BROAD_PATTERN_TRIGGER",
        };
        if breadth(trigger) != Breadth::Everything {
            continue;
        }
        let what =
            format!("trigger `{}` matches nearly every {}", shown(&trigger.to_string()), looked_at(trigger));
        out.push(if lesson.mode.refuses() {
            Flaw::error(code, what, "narrow it, add an `also`, or set the mode to advise")
        } else {
            Flaw::warning(code, what, "narrow it, or add an `also`")
        });
    }
}

/// What a trigger looks at, in the singular.
fn looked_at(trigger: &Trigger) -> &'static str {
    match trigger.kind {
        TriggerKind::CommandPattern => "command",
        TriggerKind::FileGlob | TriggerKind::PathPattern => "file",
        TriggerKind::ContentPattern => "edit",
        TriggerKind::ErrorPattern => "error",
        TriggerKind::Keyword | TriggerKind::Tool => "call",
    }
}

/// Adds a flaw for a lesson that refuses calls and looks at errors: a call that has failed has run.
pub(super) fn late_refusals(lesson: &Lesson, out: &mut Vec<Flaw>) {
    let on_error = |(_, trigger): &(TriggerRole, &Trigger)| trigger.kind == TriggerKind::ErrorPattern;
    if lesson.mode.refuses()
        && let Some((role, trigger)) = lesson.all_triggers().find(on_error)
    {
        let trigger = shown(&trigger.to_string());
        let what = format!("{role} `{trigger}` looks at the error of a call that has already run");
        let hint = "set the mode to advise, or make it two lessons";
        out.push(Flaw::error("REFUSAL_AFTER_THE_FACT", what, hint));
    }
}

/// Adds a flaw for each condition on a tool for which the hook is never called.
pub(super) fn unhooked(lesson: &Lesson, out: &mut Vec<Flaw>) {
    if lesson.when == When::Session {
        return;
    }
    for what in hooked::unhooked_conditions(lesson) {
        let hint = format!("name one of {}, or mcp__SERVER__TOOL", hooked::TOOLS.join(", "));
        out.push(Flaw::warning("UNHOOKED_TOOL", what, hint));
    }
}

/// Adds a flaw for each glob that matches no path, and for triggers and states that are never tried.
pub(super) fn dead(lesson: &Lesson, out: &mut Vec<Flaw>) {
    for (role, trigger) in lesson.all_triggers().filter(|(_, trigger)| trigger.kind == TriggerKind::FileGlob)
    {
        let (why, hint) = if trigger.pattern.trim_end().ends_with('/') {
            ("ends in a slash", "add ** for everything in the folder")
        } else if trigger.pattern.split('/').any(|folder| folder == "..") {
            ("holds `..`", "write the path from the root of the project, or the absolute one")
        } else {
            continue;
        };
        let what = format!("{role} `{}` matches no path, as none {why}", shown(&trigger.to_string()));
        out.push(Flaw::warning("DEAD_GLOB_TRIGGER", what, hint));
    }
    if lesson.when == When::Session && !lesson.triggers.is_empty() {
        let what = "it is given at the start of every session, and no call is checked: its triggers only tell \
                    `lessons effect` which calls are the mistake";
        out.push(Flaw::warning("TRIGGER_OF_SESSION", what, "set `when` to tool to have calls checked"));
    }
    if lesson.when == When::Session && !lesson.state.is_empty() {
        let what = "it is given at the start of every session, where no call has a state";
        out.push(Flaw::warning("STATE_OF_SESSION", what, "remove `state`, or set `when` to tool"));
    }
}
