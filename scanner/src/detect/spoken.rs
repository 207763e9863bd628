//! **Corrections and wishes in words**: a prompt, or the reason for a refusal, that says outright how things are to be
//! done. See [`super::statement`] for what counts, and [`Place`] for where.
//!
//! The rule is the person's own sentence, and the triggers are aimed at what the sentence names.

use std::collections::BTreeSet;

use lessons_lesson::call::SHELL;
use lessons_pattern::Trigger;
use lessons_pattern::prepared::regex_of;
use lessons_text::words::is_filler;

use super::aim::{Aim, NAMED_WITHIN, SHORTEST, just_ran};
use super::command::Command;
use super::command::options::{holds, lists};
use super::draft::{Cleaner, Draft, name_of};
use super::history::line_origin::LineOrigin;
use super::history::{Event, Step};
use super::statement::sentence::{Sentence, is_of_east, sentences};
use super::statement::{RefusedCall, Statement, StatementKind, reason, statement, tools};
use super::{Detector, Reason};
use crate::run::finding::{RAN, REFUSED};
use crate::tag::trial::fires;
use crate::transcript::CallEnd;

/// The longest prompt that is a rule as a whole, in characters.
const WHOLE: usize = 260;
/// The most sentences of such a prompt: with more of them it orders work too.
const MOST_TOGETHER: usize = 2;
/// The longest prompt that says what to do in passing, in characters: a longer one is an order of work.
pub(super) const PASSING: usize = 160;
/// The files that an order of work names.
const MOST_FILES: usize = 3;

/// The first words of a sentence that says what a certain thing is to be like, and not how to work.
const THINGS: &str =
    "a an it our the these this that those das der die ein eine el la las los un una le les um uma il";

/// Words for looking at a file.
const READS: &str = "read reading open opening leer leas lire lesen ler leia читать";

/// Where something was said. It says more of its worth than the words do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// As the reason for refusing a call.
    Refusal,
    /// After the person stopped a call, or after one that failed.
    Trouble,
    /// Beside the work.
    Passing,
    /// In an order of work: the prompt opens a session, is long, or lists files.
    Order,
}

impl Place {
    fn of_prompt(text: &str, before: &[Event]) -> Self {
        let files = text.split_whitespace().filter(|word| word.contains('/') || word.starts_with('@'));
        match before.last() {
            None => Self::Order,
            _ if files.count() >= MOST_FILES => Self::Order,
            Some(Event::Step(step)) if step.failure().is_some() || step.is_refused() => Self::Trouble,
            Some(_) if text.chars().nth(PASSING).is_some() => Self::Order,
            Some(_) => Self::Passing,
        }
    }
}

/// Looks for a statement in the reason for which the last call was refused. Plans are refused with reasons too.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(step), before) = events.split_last()? else { return None };
    let CallEnd::RefusedByUser(Some(text)) = &step.end else { return None };
    // A question of the assistant is answered.
    if step.call().tool == "AskUserQuestion" {
        return None;
    }
    // Words for how things are done here may stand in any part of a reason.
    let said = statement(sentences(text), &|_| false);
    let found = match said {
        Some(said) if said.kind != StatementKind::Custom => said,
        said => reason(sentences(text), &refused_call(step)).or(said)?,
    };
    Some(draft(&found, text, step.origin(), (Place::Refusal, Some(step)), before))
}

fn refused_call(step: &Step) -> RefusedCall<'_> {
    let path = step.call().path.as_deref().unwrap_or_default();
    RefusedCall { path, start: step.commands().last().map(Command::start).unwrap_or_default() }
}

/// The draft of a prompt that came after these events.
pub(super) fn of_prompt<'e>(
    origin: &'e LineOrigin,
    text: &str,
    sentences: Vec<Sentence<'_>>,
    before: &'e [Event],
) -> Option<Draft<'e>> {
    let place = Place::of_prompt(text, before);
    let ran = |word: &str| just_ran(before.iter().rev().map_while(Event::step), word);
    let is_custom = |found: &Statement<'_>| found.kind == StatementKind::Custom;
    let found = statement(sentences, &ran).filter(|found| !is_custom(found) || place != Place::Order)?;
    // How things are done here is what is said of a call that was just stopped.
    let is_named = |word: &str| word.len() >= SHORTEST && holds(text, word, char::is_alphanumeric);
    let names = |step: &Step| step.clean_line().is_some_and(|line| line.split(' ').any(is_named));
    let stopped = before.last().and_then(Event::step);
    let stopped = stopped.filter(|step| is_custom(&found) && step.is_refused() && names(step));
    let mut draft = draft(&found, text, origin, (place, stopped), before);
    // However long the prompt is, this is about what was just done.
    let is_about_last = !draft.proposal.triggers.is_empty() && is_about_last(&draft, before);
    draft.is_strong |= is_about_last;
    (!is_custom(&found) || is_about_last).then_some(draft)
}

/// Whether a draft would have been told at a call that was just made.
fn is_about_last(draft: &Draft<'_>, before: &[Event]) -> bool {
    let looks_at = |trigger: &Trigger, step: &Step| {
        let call = step.call();
        let text = if trigger.kind.is_about_files() { &call.path } else { &call.new };
        let pattern = regex_of(trigger.kind, &trigger.pattern);
        text.as_deref().is_some_and(|text| pattern.is_ok_and(|pattern| pattern.is_match(text)))
    };
    let is_about = |step: &Step| match step.line() {
        Some(line) => fires(&draft.proposal, line) == Some(true),
        None => step.writes() && draft.proposal.triggers.iter().any(|trigger| looks_at(trigger, step)),
    };
    before.iter().rev().filter_map(Event::step).take(NAMED_WITHIN).any(is_about)
}

/// The draft of a statement that was made at a place, perhaps about a refused call, after these events.
fn draft<'e>(
    found: &Statement<'_>,
    text: &str,
    origin: &'e LineOrigin,
    (place, refused): (Place, Option<&'e Step>),
    before: &'e [Event],
) -> Draft<'e> {
    let mut cleaner = Cleaner::default();
    let rule = rule(found, text, &mut cleaner);
    // Why a call was refused, the whole reason tells.
    let is_custom = found.kind >= StatementKind::Custom;
    let about = if refused.is_some() && is_custom { text } else { found.sentence.text };
    let sentence = cleaner.told(about);
    let steps: Vec<&Step> = before.iter().rev().filter_map(Event::step).collect();
    let aim = Aim { statement: found, sentence: &sentence, rule: &rule, refused, steps };
    let proposal = aim.proposal();
    let is_aimed = !proposal.triggers.is_empty();
    // A trigger on files is about writing them, unless a tool is named.
    let is_of_reading = found.unwanted.first().is_some_and(|verb| lists(READS, verb))
        && proposal.triggers.iter().any(|trigger| trigger.kind.is_about_files());
    let shell = proposal.triggers.iter().any(|trigger| !trigger.kind.is_about_files()).then_some(SHELL);
    let reading = ["Read"].into_iter().chain(shell).map(str::to_owned).collect();
    let what = refused.map(|step| name_of(step, &mut cleaner));
    let fired = |step: &&&Step| step.line().is_some_and(|line| fires(&proposal, line) == Some(true));
    let ran = (is_aimed && refused.is_none()).then(|| aim.steps.iter().find(fired)).flatten();
    let ran = ran.map(|step| name_of(step, &mut cleaner));
    let points = match (&what, found.kind) {
        (Some(_), StatementKind::Reason) => Reason::new(60, "the user refused the call and said why"),
        (Some(_), _) => Reason::new(70, "the user refused the call and said what to do"),
        (None, StatementKind::Remembered | StatementKind::Lasting) => {
            Reason::new(80, "the user asked for it to be remembered")
        }
        (None, StatementKind::Question) => Reason::new(55, "the user put a correction as a question"),
        (None, _) => Reason::new(60, "the user said what to do or not to do"),
    };
    let said = cleaner.quoted(found.sentence.text);
    let mistake = match (&what, &ran) {
        (Some(what), _) => format!("The user refused {what}: \"{said}\""),
        (None, Some(ran)) => format!("{ran} ran, and the user said: \"{said}\""),
        (None, None) => format!("The user said: \"{said}\""),
    };
    let words = found.sentence.words.iter().map(String::as_str);
    let names: BTreeSet<&str> = words.filter(|word| !is_filler(word)).collect();
    let in_trouble = Reason::new(10, "it was said after a call that failed or was stopped");
    let aimed = Reason::new(5, "it names the calls that it is about");
    let basis = [Some(points), (place == Place::Trouble).then_some(in_trouble), is_aimed.then_some(aimed)];
    let refused_call = what.map(|what| format!("{REFUSED}{what}"));
    let user = format!("the user: {}", cleaner.quoted(text));
    let evidence = [refused_call, ran.map(|ran| format!("{RAN}{ran}")), Some(user)];
    let is_kept = found.kind <= StatementKind::Lasting;
    Draft {
        order: 0,
        detector: if is_kept { Detector::Asked } else { Detector::Correction },
        origin,
        key: names.into_iter().collect::<Vec<_>>().join(" "),
        is_strong: match found.kind {
            // Why an edit or a plan was refused is about that text, unless it is to last, comes again or names other calls.
            _ if !is_kept && refused.is_some_and(|step| step.call().command.is_none()) => is_aimed,
            // What opens a session is an order of work, unless it is short and begins with what always holds.
            // "The button must always be visible" says what the work of the day is to be like.
            StatementKind::Lasting
                if refused.is_none()
                    && !is_aimed
                    && !found.is_first
                    && found.sentence.begins_with(THINGS) =>
            {
                false
            }
            // "Use postgres for the cart instead of the map" orders work, unless it is said again.
            StatementKind::Replacement if refused.is_none() && !is_aimed && place != Place::Trouble => false,
            StatementKind::Lasting if found.is_first && text.chars().count() <= PASSING => true,
            kind => kind == StatementKind::Remembered || place != Place::Order,
        },
        mistake,
        fix: rule,
        trigger: None,
        tools: if is_of_reading { reading } else { Vec::new() },
        proposal,
        evidence: evidence.into_iter().flatten().collect(),
        basis: basis.into_iter().flatten().collect(),
        cleaner,
    }
}

/// The rule: the prompt as a whole where it is short and says little else, else the sentence; what a question asks for, with
/// the question.
fn rule(found: &Statement<'_>, text: &str, cleaner: &mut Cleaner) -> String {
    let is_short =
        text.chars().count() <= WHOLE && text.lines().count() <= 3 && sentences(text).len() <= MOST_TOGETHER;
    let whole = || Sentence::read(text).map_or(text, |sentence| sentence.core);
    let told = cleaner.told(if is_short { whole() } else { found.sentence.core });
    if found.kind == StatementKind::Question {
        // Read again without secrets: in lower case nobody would know one.
        let clean = statement(sentences(&told), &|_| false);
        let (turn, words) = match &clean {
            Some(clean) if clean.unwanted.is_empty() => ("It should be", clean.wanted.join(" ")),
            Some(clean) => ("No longer", clean.unwanted.join(" ")),
            None => ("Mind", "this".to_owned()),
        };
        return cleaner.told(&format!("{turn}: {words} (the user asked: \"{told}\")"));
    }
    let first = told.split_whitespace().next().unwrap_or_default();
    // A command or a path is written as it is, and so is a name before another script.
    if tools::is_command(first) || tools::is_path(first) || told.chars().any(is_of_east) {
        return told;
    }
    let mut chars = told.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::detect::{Detectors, Draft};
    use crate::transcript::line::Line;

    /// The triggers of the reason for which a call was refused, and whether it counts at once.
    fn refused(tool: &str, input: &Value, reason: &str) -> (Vec<String>, bool) {
        let text = format!("The user doesn't want to proceed with this tool use. the user said:\n{reason}");
        let end = json!({"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": text});
        let end = json!({"type": "user", "uuid": "u", "toolUseResult": "User rejected tool use",
            "message": {"role": "user", "content": [end]}});
        found(&[called(tool, input), end]).unwrap()
    }

    /// The same of what was said after a call that went well.
    fn said_after(tool: &str, input: &Value, prompt: &str) -> (Vec<String>, bool) {
        let end = json!({"type": "tool_result", "tool_use_id": "t", "content": "ok"});
        let end = json!({"type": "user", "uuid": "u", "message": {"role": "user", "content": [end]}});
        let said = json!({"type": "user", "uuid": "p", "message": {"role": "user", "content": prompt}});
        found(&[called(tool, input), end, said]).unwrap()
    }

    fn called(tool: &str, input: &Value) -> Value {
        let call = json!({"type": "tool_use", "id": "t", "name": tool, "input": input});
        json!({"type": "assistant", "uuid": "a", "cwd": "/w", "message": {"role": "assistant", "content": [call]}})
    }

    fn found(lines: &[Value]) -> Option<(Vec<String>, bool)> {
        let (mut detectors, mut found) = (Detectors::default(), Vec::new());
        for (number, line) in lines.iter().enumerate() {
            let (text, offset) = (line.to_string(), number as u64);
            let line = Line { offset, number: offset, bytes: text.as_bytes() };
            detectors.line(line, offset, &mut |draft: Draft<'_>| {
                let triggers = draft.proposal.triggers.iter().map(ToString::to_string);
                found.push((triggers.collect(), draft.is_strong));
            });
        }
        found.pop()
    }

    #[test]
    fn what_is_said_of_the_last_call_is_told_at_its_words() {
        let bash = |command: &str, said: &str| said_after("Bash", &json!({"command": command}), said).0;
        for (command, said, expected) in [
            (
                "git add . && git commit -m x",
                "never make git add . !! look at it",
                r"cmd=\bgit\s+add\s+\.(?:[^\w:./-]|$)",
            ),
            (
                "yarn add lodash",
                "no lodash pls, native functions are enough",
                r"cmd=\byarn\s+add\b\s[^\n]*lodash\b",
            ),
            (
                "terraform apply -input=false",
                "please don't to make apply by yourself. Only plan, and I will look",
                r"cmd=\bterraform\s+apply\b",
            ),
        ] {
            assert_eq!(bash(command, said), [expected], "{said}");
        }
        let edit = |path: &str, new: &str, said: &str| {
            said_after("Edit", &json!({"file_path": path, "old_string": "a", "new_string": new}), said).0
        };
        assert_eq!(
            edit("/w/gen/user.pb.go", "b", "pb.go 是生成的，别手改，要改就改 .proto 然后 make proto"),
            ["glob=**/*.pb.go"]
        );
        assert_eq!(edit("/w/a.ts", "const a: any = 1", "any は禁止です"), [r"content=\bany\b"]);
        let unwrapping = edit(
            "/w/src/a.rs",
            "open(p).unwrap()",
            "ok but remember no .unwrap() in src/, we page on panics",
        );
        assert_eq!(unwrapping, [r"content=\.unwrap\("]);
        assert_eq!(
            bash("kubectl get pods", "今後kubectlは必ず--contextつけて、カレントは信用しないこと"),
            [r"cmd=\bkubectl\b"]
        );
        let long = "please check the list again because it is empty for some people, ".repeat(4);
        let said = format!("{long}and don't log with fmt.Println, we have a logger");
        assert_eq!(edit("/w/a.go", "fmt.Println(a)", &said), [r"content=\bfmt\.Println\b"]);
    }

    #[test]
    fn what_is_said_after_a_stop_is_about_that_call_where_it_names_it() {
        let after_a_stop = |command: &str, prompt: &str| {
            let text = "The user doesn't want to proceed with this tool use. STOP what you are doing.";
            let end = json!({"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": text});
            let end = json!({"type": "user", "uuid": "u", "toolUseResult": "User rejected tool use",
                "message": {"role": "user", "content": [end]}});
            let said = json!({"type": "user", "uuid": "p", "message": {"role": "user", "content": prompt}});
            found(&[called("Bash", &json!({"command": command})), end, said])
        };
        let said = "whole-lock updates are off the table here. cargo update -p <the one>, then vendor";
        assert_eq!(after_a_stop("cargo update", said).unwrap().0, [r"cmd=\bcargo\s+update\b"]);
        assert_eq!(after_a_stop("npm test", "the header needs to be sticky on every page"), None);
        assert_eq!(after_a_stop("npm run build", "не работает npm run build"), None);
        assert_eq!(after_a_stop("npm run build", "nie działa npm run build"), None);
    }

    #[test]
    fn a_replacement_counts_at_once_where_it_names_calls() {
        let said = |new: &str| {
            let edit = json!({"file_path": "/w/src/a.ts", "old_string": "a", "new_string": new});
            said_after("Edit", &edit, "use es-toolkit, not lodash")
        };
        assert_eq!(said("import uniq from 'lodash/uniq'"), (vec![r"content=\blodash\b".to_owned()], true));
        // "Use postgres for the cart instead of the map" is work of the day, unless it is said again.
        assert_eq!(said("b"), (Vec::new(), false));
    }

    #[test]
    fn a_refused_call_of_another_server_is_told_at_its_tool() {
        let aimed = refused("mcp__mail__send", &json!({"to": "a"}), "never mail customers before I read it");
        assert_eq!(aimed, (vec!["tool=mcp__mail__send".to_owned()], true));
    }

    #[test]
    fn an_option_of_a_refused_call_is_meant_however_it_is_spelled() {
        let aimed = |command: &str, reason: &str| refused("Bash", &json!({"command": command}), reason).0;
        assert_eq!(
            aimed(
                "docker compose down -v && docker compose up -d",
                "стой, без -v! в томе базы лежит копия боевой на 40 гигов. тома не трогаем никогда"
            ),
            [r"cmd=\bdocker\s+compose\s+down\b\s+(?:[^\n;&|]*\s)?-[a-zA-Z]*v"]
        );
        assert_eq!(
            aimed(
                "dbt run -s fct_pedidos --full-refresh",
                "opa, calma. full-refresh em incremental nem pensar, só essa fct tem 4 bi de linha"
            ),
            [r"cmd=\bdbt\s+run\b\s+(?:[^\n;&|]*\s)?--full-refresh(?:[^\w:.-]|$)"]
        );
        assert!(
            aimed("./gradlew clean build", "sin el clean porfa, el ndk tarda una eternidad")[0]
                .ends_with(r"gradlew\s+clean\b")
        );
    }

    #[test]
    fn a_reason_may_begin_with_two_noes_and_go_on_without_a_stop() {
        let aimed = |command: &str, reason: &str| refused("Bash", &json!({"command": command}), reason).0;
        assert_eq!(
            aimed(
                "cd envs/stage && terraform apply tfplan",
                "no no, from a laptop we are not applying. state is with Atlantis only"
            ),
            [r"cmd=\bterraform\s+apply\b"]
        );
        let dictated = "whoa no that one is the live database real gyms are on that you never write to it like that \
                        everything that changes data or tables goes to the branch project first the id is branch and I \
                        push it over myself when I checked it";
        assert_eq!(refused("mcp__db__apply", &json!({"id": "live"}), dictated).0, ["tool=mcp__db__apply"]);
    }

    #[test]
    fn the_folder_in_which_a_refused_command_works_is_told_in_edits_too() {
        let aimed = |command: &str, reason: &str| refused("Bash", &json!({"command": command}), reason).0;
        let folder = ["glob=**/input/raw/**", r"cmd=\brm\b\s[^\n]*\binput/raw\b"];
        assert_eq!(
            aimed("rm -rf input/raw/2019", "input/raw no se borra nunca, son tres semanas de trabajo"),
            folder
        );
        assert_eq!(
            aimed("melos pub upgrade", "no pub upgrade. the bot does that"),
            [r"cmd=\bmelos\s+pub\b\s[^\n]*upgrade\b"]
        );
    }

    #[test]
    fn a_refused_edit_is_told_at_files_like_it() {
        let aimed = |path: &str, reason: &str| {
            refused("Edit", &json!({"file_path": path, "old_string": "a", "new_string": "b"}), reason)
        };
        for (path, reason, glob) in [
            (
                "/w/db/migrations/7.sql",
                "that one is live. nobody should touch a migration, make a new one",
                "glob=**/migrations/**",
            ),
            ("/w/notes/plan.md", "stop writing md files for everything", "glob=**/*.md"),
            ("/w/poetry.lock", "you must not edit a lock file by hand", "glob=**/*.lock"),
        ] {
            assert_eq!(aimed(path, reason), (vec![glob.to_owned()], true), "{reason}");
        }
        assert_eq!(
            aimed("/w/src/order.ts", "take the order from the session instead, it is there"),
            (vec![], false)
        );
        assert_eq!(
            aimed("/w/dev.yaml", "wrong one, it is the other file, prod.yaml"),
            (vec!["glob=**/prod.yaml".to_owned()], true)
        );
    }

    #[test]
    fn what_is_said_of_a_refused_text_counts_at_once_only_where_it_is_to_last_or_names_calls() {
        let of_plan = |reason: &str| refused("ExitPlanMode", &json!({"plan": "1. Do it"}), reason);
        assert_eq!(of_plan("don't mention the list of members, that was done last week"), (vec![], false));
        assert!(of_plan("from now on every plan names its risks").1);
        assert!(of_plan("don't use pip in step two, use uv").1);
        assert!(refused("Bash", &json!({"command": "make all"}), "don't build everything, that is slow").1);
    }
}
