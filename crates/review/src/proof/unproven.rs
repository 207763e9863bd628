//! The message about lessons that may not block or bump yet: what is missing, and the commands that provide it.

use lessons_context::{Coded, Context, retyped};
use lessons_lesson::{Lesson, LessonId, Mode};
use lessons_replay::call_share::ONE_IN;
use lessons_text::{counted, line, shortened};

use super::{ProofGap, fire_alike};
use crate::checks::own_advice;

/// The longest command in a message, in characters.
const MAX_COMMAND_CHARS: usize = 2000;

/// The origin of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeOrigin {
    /// A command about one lesson, which has `--mode`.
    Command,
    /// A command that merges two lessons or replaces one with another.
    Merge,
    /// A file of another tool or of a colleague.
    Import,
    /// A file of decisions.
    Decisions,
    /// The screen of a review.
    Screen,
}

impl ChangeOrigin {
    /// The syntax with which a person gives the reason for a block.
    pub fn reason_syntax(self) -> &'static str {
        match self {
            Self::Command | Self::Merge | Self::Import => "--force-block \"REASON\"",
            Self::Decisions => "\"forceBlock\": \"REASON\" among its fields",
            Self::Screen => "in the line `because` of the form (e), below the mode",
        }
    }
}

/// The command that the person typed, without some of its options, and with more arguments at its end.
fn retyped_command(context: &Context, without: &[&str], added: &[&str]) -> String {
    let words = retyped(&context.argv, without, added.iter().copied());
    format!("lessons {}", shortened(&line(&lessons_context::typed(&words)), MAX_COMMAND_CHARS))
}

/// The same command for a lesson that only advises.
fn saved_as_advice(context: &Context) -> String {
    retyped_command(context, &["--mode", "--force-block"], &["--mode", "advise"])
}

/// The same import of lessons that only advise.
fn imported_as_advice(context: &Context) -> String {
    retyped_command(context, &[], &["--as-advice"])
}

/// The most lessons that the message names.
const MAX_NAMED: usize = 5;

/// A lesson that may not block yet.
#[derive(Debug)]
pub(super) struct UnprovenLesson {
    id: LessonId,
    saved: SavedState,
    gap: ProofGap,
}

/// The lesson as it is saved at present, compared with the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SavedState {
    /// It is not saved, or it fires at other calls.
    Otherwise,
    /// It blocks already, at fewer calls.
    Blocking,
    /// It fires at the same calls and does not block: its hits can be labelled.
    Advising,
}

impl UnprovenLesson {
    pub(super) fn new(lesson: &Lesson, before: Option<&Lesson>, gap: ProofGap) -> Self {
        let saved = match before {
            Some(before) if before.mode == Mode::Block => SavedState::Blocking,
            Some(before) if fire_alike(&Lesson { mode: Mode::Block, ..before.clone() }, lesson) => {
                SavedState::Advising
            }
            Some(_) | None => SavedState::Otherwise,
        };
        Self { id: lesson.id.clone(), saved, gap }
    }

    /// The gap in a sentence.
    fn gap_in_words(&self) -> String {
        let id = &self.id;
        match &self.gap {
            ProofGap::NoReplay(why) => format!("{id} would block calls: {why}."),
            ProofGap::TooBroad(share) => format!(
                "{id} {share}, more than one in {ONE_IN}: it is too broad to block calls, and may only advise."
            ),
            ProofGap::OwnAdvice { command, .. } => {
                format!("{id} would refuse `{}`, which its own rule advises.", line(command))
            }
            ProofGap::Unlabelled { proof, calls } => format!(
                "{id} would have refused {} of the past ({calls} in all), and nobody has said yet whether that is \
                 right: {} of {} looked at.",
                counted(proof.hits, "different call"),
                proof.labelled(),
                proof.needed(),
            ),
            ProofGap::TooManyWrong(proof) => format!(
                "{id} would be wrong too often: of {} that you have looked at, {} should not be refused, and one in \
                 twenty may be.",
                counted(proof.labelled(), "different call"),
                proof.wrong,
            ),
        }
    }

    /// The commands with which a lesson that refuses what it should not is taken in, and a heading for them.
    fn narrowing(&self, context: &Context, origin: ChangeOrigin) -> (&'static str, Vec<String>) {
        let exceptions = match &self.gap {
            ProofGap::OwnAdvice { exceptions, .. } => exceptions.as_slice(),
            _ => &[],
        };
        // A flag that is typed replaces the list of the lesson, so all exceptions are.
        let untyped = exceptions.iter().filter(|unless| !context.argv.contains(&unless.to_string()));
        let flags = own_advice::flags(untyped);
        match origin {
            ChangeOrigin::Command if !flags.is_empty() => {
                let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
                let quiet = retyped_command(context, &[], &flags);
                ("Keep it quiet there, or save it as advice", vec![quiet, saved_as_advice(context)])
            }
            ChangeOrigin::Decisions | ChangeOrigin::Screen if !flags.is_empty() => (
                "Add to its `unless`, or let it advise",
                exceptions.iter().map(|unless| line(&unless.to_string())).collect(),
            ),
            ChangeOrigin::Command => (
                "Narrow it, for example with --unless 'cmd=PATTERN', or save it as advice",
                vec![saved_as_advice(context)],
            ),
            ChangeOrigin::Merge => {
                ("Let it advise for now", vec![self.advise(), retyped_command(context, &[], &[])])
            }
            ChangeOrigin::Import => ("Import it as advice", vec![imported_as_advice(context)]),
            ChangeOrigin::Decisions | ChangeOrigin::Screen => (
                "Narrow it, or let it advise; once it is saved, see where it fires",
                vec![format!("lessons replay {}", self.id)],
            ),
        }
    }

    /// The command that lets the lesson as it is saved advise.
    fn advise(&self) -> String {
        format!("lessons edit {} --mode advise", self.id)
    }

    /// The commands that close the gap, and a heading for them; `None` if only a reason helps.
    fn remedy(&self, context: &Context, origin: ChangeOrigin) -> Option<(&'static str, Vec<String>)> {
        let id = &self.id;
        let label = || [format!("lessons replay {id} --label"), format!("lessons edit {id} --mode block")];
        let then_label = |first: Vec<String>| first.into_iter().chain(label()).collect();
        Some(match (&self.gap, origin, self.saved) {
            (ProofGap::TooBroad(_) | ProofGap::OwnAdvice { .. }, ..) => self.narrowing(context, origin),
            (ProofGap::NoReplay(_), ChangeOrigin::Import, _) => {
                ("To save it as advice", vec![imported_as_advice(context)])
            }
            (ProofGap::NoReplay(_), ..) => return None,
            (ProofGap::TooManyWrong(_), _, SavedState::Advising | SavedState::Blocking) => {
                ("Narrow it first, for example", vec![format!("lessons edit {id} --unless 'cmd=PATTERN'")])
            }
            (_, ChangeOrigin::Command | ChangeOrigin::Merge, SavedState::Advising) => {
                ("Look at them, then switch it on", label().into())
            }
            (_, ChangeOrigin::Command, _) => (
                "Save it as advice, look at them, then switch it on",
                then_label(vec![saved_as_advice(context)]),
            ),
            (_, ChangeOrigin::Merge, _) | (_, ChangeOrigin::Import, SavedState::Blocking) => (
                "Let it advise meanwhile, look at them, then switch it on",
                then_label(vec![self.advise(), retyped_command(context, &[], &[])]),
            ),
            (_, ChangeOrigin::Import, _) => (
                "Import it as advice, look at them, then switch it on",
                then_label(vec![imported_as_advice(context)]),
            ),
            (_, ChangeOrigin::Decisions, _) => (
                "Decide for \"mode\": \"advise\", look at them in a terminal, then switch it on",
                label().into(),
            ),
            (_, ChangeOrigin::Screen, _) => {
                ("Let it advise for now (e), and afterwards, in a terminal", label().into())
            }
        })
    }
}

/// The refusal of a change after which these lessons, of which there is one at least, would block. Those that are too broad
/// come alone, because no reason helps them, and so do those that refuse their own advice, because labels do not.
pub(super) fn refusal(context: &Context, origin: ChangeOrigin, unproven: &[UnprovenLesson]) -> Coded {
    let with = |is: fn(&ProofGap) -> bool| -> Vec<&UnprovenLesson> {
        unproven.iter().filter(|unproven| is(&unproven.gap)).collect()
    };
    let too_broad = with(|gap| matches!(gap, ProofGap::TooBroad(_)));
    let own_advice = with(|gap| matches!(gap, ProofGap::OwnAdvice { .. }));
    let reason_syntax = Some(origin.reason_syntax());
    let (code, lessons, reason_syntax) = if !too_broad.is_empty() {
        ("TOO_BROAD", too_broad, None)
    } else if !own_advice.is_empty() {
        // The screen asks for a reason only where a lesson blocks.
        ("REFUSES_ITS_ADVICE", own_advice, reason_syntax.filter(|_| origin != ChangeOrigin::Screen))
    } else {
        ("UNPROVEN_BLOCK", with(|_| true), reason_syntax)
    };
    // The rest of the same request was dropped too.
    let mut lines = match origin {
        ChangeOrigin::Command | ChangeOrigin::Merge | ChangeOrigin::Screen => Vec::new(),
        ChangeOrigin::Import => vec!["nothing was imported:".to_owned()],
        ChangeOrigin::Decisions => vec!["nothing was done:".to_owned()],
    };
    lines.extend(lessons.iter().take(MAX_NAMED).map(|unproven| unproven.gap_in_words()));
    if let more @ 1.. = lessons.len().saturating_sub(MAX_NAMED) {
        lines.push(format!("and {more} more."));
    }
    // The commands are alike for all lessons, so they are shown for the first that has any.
    let (heading, steps) = match lessons.iter().find_map(|unproven| unproven.remedy(context, origin)) {
        Some((what, steps)) => (Some(format!(" {what}:")), steps),
        None => (reason_syntax.map(|syntax| format!(" If it should anyway, say why: {syntax}")), Vec::new()),
    };
    let reason = reason_syntax.filter(|_| !steps.is_empty());
    let text = lines.join("\n") + &heading.unwrap_or_default();
    let steps = steps.into_iter().map(|step| format!("\n  {step}"));
    let reason = reason.map(|syntax| format!("\nor say why it should block without that: {syntax}"));
    Coded::refused(code, [text].into_iter().chain(steps).chain(reason).collect::<String>())
}

#[cfg(test)]
mod tests {
    use lessons_context::authority::Authority;
    use lessons_context::context::Actor;
    use lessons_home::home::Home;

    use super::*;

    fn context(argv: &[&str]) -> Context {
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        let home = Home::at("/nowhere".into());
        Context { argv, actor: Actor::Person, authority: Authority::Person, ..Context::at(home) }
    }

    #[test]
    fn a_command_is_typed_again_with_another_mode() {
        let advise = |argv: &[&str]| saved_as_advice(&context(argv));
        assert_eq!(advise(&["promote", "3f2a", "--mode", "block"]), "lessons promote 3f2a --mode advise");
        assert_eq!(
            advise(&["edit", "a", "--mode=block", "--trigger", "cmd=a b"]),
            "lessons edit a --trigger 'cmd=a b' --mode advise"
        );
        assert_eq!(advise(&["add", "--force-block", "why", "--mode", "block"]), "lessons add --mode advise");
        let as_advice = imported_as_advice(&context(&["import", "x"]));
        assert_eq!(as_advice, "lessons import x --as-advice");
    }
}
