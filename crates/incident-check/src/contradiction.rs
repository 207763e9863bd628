//! Contradictions: two lessons of which one forbids, or refuses, what the other advises in its rule, its examples or the
//! commands in its text. The rule that is put away is an incident, so that it is known when it comes again.

use lessons_context::context::Context;
use lessons_incident::{IncidentType, Pattern, Severity, SourceKind};
use lessons_index::Settings;
use lessons_lesson::{Lesson, QualifiedId, SampleCall, When};
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::single;
use lessons_replay::trial::Trial;
use lessons_store::{Graph, Incident, IncidentDetails, Likeness};
use lessons_text::words;

/// The confidence from which on a contradiction is recorded.
const SURE: f64 = 0.8;
/// Words that turn a rule into its opposite.
const OPPOSING: [&str; 12] = [
    "never", "not", "don't", "dont", "doesn't", "cannot", "can't", "no", "avoid", "stop", "without",
    "instead",
];
/// Words that change nothing of what a rule is about.
const EMPHASIS: [&str; 7] = ["always", "must", "should", "do", "please", "ever", "only"];

/// Whether one of two rules forbids and the other does not.
pub fn are_opposite(one: &str, other: &str) -> bool {
    forbids(one) != forbids(other)
}

fn forbids(rule: &str) -> bool {
    // Two negations are none.
    plain_words(rule).filter(|word| OPPOSING.contains(&word.as_str())).count() % 2 == 1
}

/// The rule without the words that say whether to do it.
fn subject(rule: &str) -> String {
    let is_about = |word: &String| !OPPOSING.contains(&word.as_str()) && !EMPHASIS.contains(&word.as_str());
    plain_words(rule).filter(is_about).collect::<Vec<_>>().join(" ")
}

fn plain_words(rule: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| words::is_word_char(c) || matches!(c, '\'' | '-');
    let rule = rule.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<String> =
        rule.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    words.into_iter()
}

/// The confidence that two lessons contradict each other, from 0 to 1.
fn confidence(one: &Lesson, other: &Lesson) -> f64 {
    let refuses =
        |refuser: &Lesson, lesson: &Lesson| refuses_what_is_right(&refuser.user_id(), refuser, lesson);
    if refuses(one, other) || refuses(other, one) {
        return 1.0;
    }
    opposition(&one.rule, &other.rule)
}

/// Whether one rule forbids what the other advises, in nearly the same words.
pub fn say_the_opposite(one: &str, other: &str) -> bool {
    opposition(one, other) >= SURE
}

fn opposition(one: &str, other: &str) -> f64 {
    if !are_opposite(one, other) {
        return 0.0;
    }
    Likeness::of(&subject(one)).degree(&Likeness::of(&subject(other)))
}

/// The contradiction between a lesson that is put away and the one that stays, if it is sure enough.
pub fn between(context: &Context, put_away: &Lesson, stays: &Lesson) -> Option<Incident> {
    let confidence = confidence(put_away, stays);
    (confidence >= SURE).then(|| {
        let (loser, keeper) = (format!("user/{}", put_away.id), format!("user/{}", stays.id));
        Incident {
            source_ids: vec![loser.clone(), keeper],
            details: IncidentDetails { confidence: Some(confidence), ..IncidentDetails::default() },
            ..Incident::new(
                IncidentType::ContradictionPattern,
                Severity::Medium,
                Pattern::of(&put_away.rule),
                (SourceKind::Store, loser),
                context.now_ms(),
            )
        }
    })
}

/// The contradiction between a lesson that is put away as wrong and the active one that contradicts it most.
pub fn of_wrong(context: &Context, wrong: &Lesson, graph: &Graph) -> Option<Incident> {
    let contradictions = active(graph, wrong).filter_map(|other| between(context, wrong, other));
    let sureness = |it: &Incident| it.details.confidence.unwrap_or_default();
    contradictions.max_by(|a, b| sureness(a).total_cmp(&sureness(b)))
}

/// The contradictions between a new lesson and active ones: a person decided for the new one.
pub fn of_new(context: &Context, new: &Lesson, graph: &Graph) -> Vec<Incident> {
    active(graph, new).filter_map(|other| between(context, other, new)).collect()
}

fn active<'g>(graph: &'g Graph, lesson: &'g Lesson) -> impl Iterator<Item = &'g Lesson> {
    graph.active().filter(|other| other.id != lesson.id)
}

/// A lesson alone, ready to be tried; `None` if it cannot be compiled.
pub fn trial(id: &QualifiedId, lesson: &Lesson) -> Option<Trial> {
    let patterns = Patterns::default();
    let alone = single::alone(id, lesson, None, Settings::default(), &patterns).ok()?;
    Trial::new(alone, &patterns).ok()
}

/// Whether a lesson refuses a call that another one holds to be right, by its examples or by the commands in its rule.
pub fn refuses_what_is_right(id: &QualifiedId, refuser: &Lesson, lesson: &Lesson) -> bool {
    let right = || lesson.examples.quiet.iter().cloned().chain(advised(lesson));
    refuser.mode.refuses()
        && refuser.when == When::Tool
        && right().next().is_some()
        && trial(id, refuser).is_some_and(|trial| right().any(|call| trial.fires_on(&call)))
}

/// The commands in a rule, as calls.
pub fn advised(lesson: &Lesson) -> Vec<SampleCall> {
    commands(&lesson.rule).into_iter().map(|span| SampleCall::bash(span.command)).collect()
}

/// A command in a text, with its line number, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpan {
    /// The number of the line, from 1.
    pub line: usize,
    /// The command as it stands there.
    pub command: String,
}

/// Words that negate a sentence. A line with one of them names commands that should not be run.
const NEGATING: [&str; 7] = ["never", "not", "don't", "dont", "avoid", "instead", "without"];
/// Languages of fenced code blocks that hold commands.
const SHELLS: [&str; 7] = ["", "sh", "bash", "shell", "zsh", "console", "shell-session"];
/// The longest command that is returned, in bytes.
const LONGEST: usize = 500;

/// The commands of a text, except those on a line with a negation.
pub fn commands(text: &str) -> Vec<CommandSpan> {
    let mut found = Vec::new();
    let mut fence: Option<bool> = None;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if let Some(language) = trimmed.strip_prefix("```") {
            fence = match fence {
                Some(_) => None,
                None => Some(SHELLS.contains(&language.trim().to_ascii_lowercase().as_str())),
            };
            continue;
        }
        let mut add = |command: &str| {
            let command = command.trim();
            if command.contains(' ') && command.len() <= LONGEST {
                found.push(CommandSpan { line: number + 1, command: command.to_owned() });
            }
        };
        match fence {
            Some(true) => add(trimmed.trim_start_matches("$ ")),
            Some(false) => {}
            None if says_not(line) => {}
            // The texts between backticks.
            None => line.split('`').skip(1).step_by(2).for_each(add),
        }
    }
    found
}

fn says_not(line: &str) -> bool {
    // Words inside of a command do not negate the sentence.
    let prose = line.split('`').step_by(2);
    let mut words = prose.flat_map(|part| part.split(|c: char| !c.is_alphabetic() && c != '\''));
    words.any(|word| NEGATING.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};

    use super::*;

    fn lesson(id: &str, rule: &str) -> Lesson {
        Lesson::new(LessonId::new(id).unwrap(), rule, TopicId::new("git").unwrap(), "2026-01-01")
    }

    fn sure(one: &str, other: &str) -> bool {
        confidence(&lesson("a", one), &lesson("b", other)) >= SURE
    }

    #[test]
    fn the_same_with_a_never_is_a_contradiction() {
        for (one, other) in [
            ("use `--force`", "never use `--force`"),
            ("Always push with --force to the branch.", "Do not push with --force to the branch."),
            ("Rebase before you merge", "Don\u{2019}t rebase before you merge"),
        ] {
            assert!(sure(one, other) && sure(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn the_same_words_with_the_same_polarity_are_none_and_neither_are_other_words() {
        assert!(!sure("use `--force`", "use `--force`"));
        assert!(!sure("never use `--force`", "do not use `--force`"));
        assert!(!sure("use `--force-with-lease`", "never write to the production database by hand"));
    }
}

#[cfg(test)]
mod code_spans_tests {
    use super::*;

    #[test]
    fn commands_stand_in_spans_and_in_blocks_of_a_shell() {
        let text = "Run `make all` or `make`.\n\nNever run `rm -rf build`.\n\n```sh\n$ git push --force\n```\n\
                    ```rust\nlet a = b;\n```\nThen `git commit -m 'do not'`.";
        let found: Vec<(usize, String)> =
            commands(text).into_iter().map(|it| (it.line, it.command)).collect();
        let expected = [(1, "make all"), (6, "git push --force"), (11, "git commit -m 'do not'")];
        assert_eq!(found, expected.map(|(line, command)| (line, command.to_owned())));
    }
}
