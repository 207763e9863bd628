//! The aim of a written rule: the calls at which a lesson made of it is to be told.

use std::iter;

use lessons_ledger::Proposal;
use lessons_lesson::hooked::{is_mcp, is_tool_name};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_shell::program_name;
use lessons_shell::programs::known;

use super::{Aim, CHANGES};
use crate::detect::aim::acts;
use crate::detect::aim::code_names::{code_spans, is_glob, is_of_code, is_setting, of_name};
use crate::detect::aim::triggers::{command_trigger, on_command, option, with_trigger};
use crate::detect::command::Command;
use crate::detect::command::options::lists;
use crate::detect::statement::phrases::{PhraseKind, Said, said};
use crate::detect::statement::sentence::{CLAUSE_ENDS, Sentence, sentences};
use crate::detect::statement::{statement, tools};
use crate::tag::trial::{fired_advice, fires};
use crate::tag::trigger::{keep_quiet_on, literal, of_command, of_program, operands};

/// The most commands of a list that a rule is aimed at.
const MOST_LISTED: usize = 6;

/// The triggers of an entry of a file of lessons: those of its rule, else of the code in its mistake.
pub(crate) fn aim_of_entry(rule: &str, mistake: &str) -> Proposal {
    let of_rule = Some(aim_of_rule(rule)).filter(|proposal| !proposal.triggers.is_empty());
    of_rule.or_else(|| code_spans(mistake).find_map(of_span)).unwrap_or_default()
}

/// The triggers of a point, a clause of which says something of the commands with which it begins, and does not order them:
/// "`git add -A` takes what others have half done".
pub(crate) fn aim_of_subject(point: &str) -> Option<Proposal> {
    let of_clause = |(at, clause): (usize, &str)| {
        let (before, rest) = clause.split_once('`')?;
        // Behind a word it may be what to do, unless that is said already: "plain `cargo test` hangs". One word may be more than
        // a program.
        let is_adjective =
            || at > 0 && before.split_whitespace().count() == 1 && !tools::is_use(&bare(before));
        let is_subject = !before.trim_end().ends_with(char::is_alphanumeric) || is_adjective();
        let is_command = rest.split('`').next().is_some_and(|span| span.contains(' '));
        (is_subject && is_command).then(|| of_listed(clause)).flatten()
    };
    point.split(". ").flat_map(|sentence| sentence.split("; ")).enumerate().find_map(of_clause)
}

/// The triggers of a written rule: of what it forbids in code, or of the act that it is about.
pub(crate) fn aim_of_rule(rule: &str) -> Proposal {
    let unwanted = unwanted_in(rule).unwrap_or_default();
    let words: Vec<String> = unwanted.split_whitespace().map(bare).collect();
    let at_act = || Some(with_trigger(acts::named(words.get(..3).unwrap_or(&words)).next()?.trigger()));
    // A sentence has lost its capitals.
    let is_markup = |word: &&str| word.starts_with('<') && unwanted.contains(&word.to_lowercase());
    let at_markup = || of_span(rule.split_whitespace().find(is_markup)?);
    let forbidden = forbidden_code(rule);
    let found = at_code(&forbidden)
        .or_else(at_markup)
        .or_else(at_act)
        .or_else(|| at_started(rule))
        .or_else(|| at_lacking(rule))
        .or_else(|| as_spoken(rule))
        .or_else(|| at_occasion(rule));
    let mut proposal = found.or_else(|| at_file(rule)).unwrap_or_default();
    let mut spans = forbidden.iter().map(|(span, _)| *span).chain(code_spans(rule));
    let bad = spans.find(|span| fires(&proposal, span) == Some(true)).unwrap_or(&unwanted);
    for advised in fired_advice(&proposal, rule, bad) {
        keep_quiet_on(&advised, bad, &mut proposal);
    }
    proposal
}

/// What a text does not want, wherever in its first words it says so: "in tests don't run this".
fn unwanted_in(text: &str) -> Option<String> {
    /// The most words before it.
    const MOST_BEFORE: usize = 12;
    let starts = iter::once(0).chain(text.match_indices(' ').map(|(at, _)| at + 1)).take(MOST_BEFORE);
    starts.filter_map(|at| text.get(at..)).find_map(|rest| {
        let sentence = Sentence::read(rest)?;
        let counts = |said: &Said<'_>| match said.kind {
            PhraseKind::Never | PhraseKind::Forbid => true,
            PhraseKind::Reproach if rest.starts_with("not to ") => true,
            kind => rest.len() == text.len() && kind < PhraseKind::Lead,
        };
        said(&sentence.line).into_iter().filter(counts).find_map(|said| said.unwanted.map(str::to_owned))
    })
}

/// The code that a clause of a rule forbids, with what is listed behind it, each with whether it is to be run: "No `prisma db push`",
/// "不要直接跑 `flutter test`".
fn forbidden_code(rule: &str) -> Vec<(&str, bool)> {
    /// What stands between two names of a list, perhaps behind a comma.
    const BETWEEN: &str = "and or nor und oder noch et ou ni y o e и или 或 和";
    let mut spans = rule.split('`').step_by(2).zip(code_spans(rule));
    let verb_before = |before: &str| {
        let ends = |c: char| CLAUSE_ENDS.contains(&c) || matches!(c, '.' | '。' | '!' | '(');
        // "Never delete runs (`tracker gc`)" is about those commands.
        let is_example = before.ends_with('(');
        let clause = before.trim_end_matches('(').rsplit(ends).next()?.trim_start();
        let unwanted = unwanted_in(&format!("{clause} CODE"))?;
        let verb = unwanted.strip_suffix("code")?.split_whitespace().next_back();
        Some(verb.filter(|_| !is_example).map(str::to_owned))
    };
    let Some((first, verb)) = spans.find_map(|(before, span)| Some((span, verb_before(before)?))) else {
        return Vec::new();
    };
    // "Never write `final class`" is about no command.
    let is_run = verb.is_none_or(|verb| tools::is_use(&verb) || !verb.is_ascii());
    let is_listed = |(before, _): &(&str, &str)| {
        let between = before.trim_matches([' ', ',', '、', '，']);
        between.is_empty() || lists(BETWEEN, between)
    };
    let listed = spans.take_while(is_listed).map(|(_, span)| span);
    iter::once(first).chain(listed).take(MOST_LISTED).map(|span| (span, is_run)).collect()
}

/// The triggers of code that is forbidden.
fn at_code(forbidden: &[(&str, bool)]) -> Option<Proposal> {
    let found = forbidden
        .iter()
        .filter_map(|(span, is_run)| of_span(span).or_else(|| of_plain_words(span).filter(|_| *is_run)));
    let triggers: Vec<Trigger> = found.flat_map(|proposal| proposal.triggers).collect();
    (!triggers.is_empty()).then(|| Proposal { triggers, ..Proposal::default() })
}

/// The act or command before or after which a rule asks for something: "run the tests before committing".
fn at_occasion(rule: &str) -> Option<Proposal> {
    if let Some((first, after)) = rule.split_once(" before `")
        && let Some(proposal) = after.split_once('`').and_then(|(span, _)| of_span(span))
    {
        let first = code_spans(first).next().and_then(of_span).unwrap_or_default();
        return Some(Proposal { unless: first.triggers, ..proposal });
    }
    let words: Vec<String> = rule.split_whitespace().map(bare).collect();
    acts::occasion(&words).map(|act| with_trigger(act.trigger()))
}

/// The command that is to have an option or a variable: "always call `docker compose` with `--env-file .env.local`".
fn at_lacking(rule: &str) -> Option<Proposal> {
    let setting = code_spans(rule).find(|span| is_setting(span))?;
    let first = code_spans(rule).next().filter(|span| !is_setting(span));
    // A name that only code has may be what is called, as `integrationTest`.
    let called = |span: &str| match of_span(span)? {
        it if it.triggers.iter().any(|it| it.kind == TriggerKind::ContentPattern) => {
            Some(on_command(literal(span)))
        }
        it => Some(it),
    };
    let command = first.and_then(|span| called(span).or_else(|| of_plain_words(span)));
    // "No `-x` in src/gen" asks for no option.
    let place = place(rule).filter(|place| !place.contains('*') && unwanted_in(rule).is_none());
    let command = command.or_else(|| Some(on_command(literal(place?.trim_end_matches('/')))));
    let name = setting.split([' ', '=']).next().unwrap_or(setting);
    let wanted = if name.starts_with('-') { option(name) } else { literal(&format!("{name}=")) };
    Some(Proposal { unless: vec![command_trigger(wanted)], ..command? })
}

/// The command that another span starts by something else: "`bundle exec pod install`, the global `pod` is too old".
fn at_started(rule: &str) -> Option<Proposal> {
    let started_by = |whole: &str| {
        let started = Command::all(whole).pop()?;
        let words = started.words();
        // What a script of the project starts is sure where everybody knows it.
        let starts = |word: &&&str| started.is_local && known(word).is_some();
        let starts = started.launcher.len().max(usize::from(words.get(1).as_ref().is_some_and(starts)));
        let (by, own) = words.split_at(starts);
        let name = own.first().filter(|_| !by.is_empty())?;
        let alone = code_spans(rule).find(|span| span.split(' ').next() == Some(name))?;
        let alone = operands::without_operands(alone).0;
        let pattern = if alone.contains(' ') { of_command(&alone) } else { of_program(&alone) };
        Some(Proposal { unless: vec![command_trigger(literal(&by.join(" ")))], ..on_command(pattern) })
    };
    code_spans(rule).find_map(started_by)
}

/// The triggers of the commands that a text lists first: "`cargo test`, `cargo fmt` or `cargo install`".
fn of_listed(text: &str) -> Option<Proposal> {
    let is_command =
        |span: &&str| span.split_whitespace().next().is_some_and(|word| known(program_name(word)).is_some());
    let listed = code_spans(text).take_while(is_command).take(MOST_LISTED).filter_map(of_span);
    let mut triggers: Vec<Trigger> = listed.flat_map(|proposal| proposal.triggers).collect();
    triggers.dedup();
    (!triggers.is_empty()).then(|| Proposal { triggers, ..Proposal::default() })
}

/// The trigger of a span of code: an option, a command, or a name.
fn of_span(span: &str) -> Option<Proposal> {
    let first = span.split_whitespace().next()?;
    if span.starts_with('<') {
        return Some(with_trigger(Trigger::new(TriggerKind::ContentPattern, literal(span))));
    }
    if is_mcp(span) && is_tool_name(span) {
        return Some(with_trigger(Trigger::new(TriggerKind::Tool, span)));
    }
    if span.starts_with("--") {
        return Some(on_command(option(first)));
    }
    if known(program_name(first)).is_some() {
        return Some(on_command(of_command(&operands::without_operands(span).0)));
    }
    // A path among the words of a command is no name.
    let is_command = span.split(' ').any(operands::is_option);
    (!is_command && is_of_code(span)).then(|| with_trigger(of_name(span)))
}

/// The triggers that a person's words would get: of another language, or of a program that nobody knows.
fn as_spoken(rule: &str) -> Option<Proposal> {
    let statement = statement(sentences(rule), &|_| false)?;
    let aim = Aim {
        statement: &statement,
        sentence: statement.sentence.text,
        rule,
        refused: None,
        steps: Vec::new(),
    };
    Some(aim.proposal()).filter(|proposal| !proposal.triggers.is_empty())
}

/// The trigger of a command of a program that nobody knows: any word may be part of its subcommand. Of an option that more follows
/// than its value the program is told.
fn of_plain_words(span: &str) -> Option<Proposal> {
    let words: Vec<&str> = span.split(' ').collect();
    let plain = words.iter().take_while(|word| operands::is_plain(word)).count();
    let start = words[..plain].join(" ");
    let option = words.iter().position(|word| operands::is_option(word));
    let pattern = match option {
        Some(at) if at + 2 >= words.len() => {
            format!(r"{}[^\n;&|]*\s{}", literal(&start), literal(words[at]))
        }
        Some(_) if plain == 1 => of_program(&start),
        _ => literal(&start),
    };
    (plain > 1 || option.is_some() && plain > 0).then(|| on_command(pattern))
}

/// A file that the rule is about.
fn at_file(rule: &str) -> Option<Proposal> {
    let first = rule.split(". ").next()?;
    let names = first
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| "`\"',:()".contains(c)))
        .map(|word| if word.starts_with("*.") { word } else { word.trim_matches('*') });
    let is_name =
        |name: &&str| name.contains('.') && !name.contains(['/', '\\']) && name.contains(char::is_alphabetic);
    let mut globs = names.filter(is_name).map(of_name);
    globs.find(|trigger| trigger.kind == TriggerKind::FileGlob).map(with_trigger)
}

/// The place in the project with which a rule begins, or that stands behind a word like in or under, or one for changing a file:
/// "no `printf` in src/*_isr.c". Where something is to be put, the place is no mistake.
pub(crate) fn place(rule: &str) -> Option<&str> {
    const IN: &str = "in dans en em na в";
    const UNDER: &str = "under below beneath inside within unter sous bajo под";
    /// The longest article, in bytes.
    const ARTICLE: usize = 3;
    const PUTS: &str = "put keep place store save belong live lives go goes";
    let own: Vec<String> = rule.split_whitespace().map(bare).collect();
    let is_of_change = own.iter().any(|word| lists(CHANGES, word));
    let (mut is_led, mut is_below) = (false, false);
    let before = own.iter().position(|word| lists(PUTS, word)).unwrap_or(own.len());
    let led = rule.split_whitespace().zip(&own).take(before).find_map(|(word, own)| {
        let found = path_in(word, is_below || is_of_change).filter(|_| is_led);
        is_below = lists(UNDER, own) || lists(CHANGES, own) || is_below && own.len() <= ARTICLE;
        is_led = is_below || lists(IN, own) || is_led && own.len() <= ARTICLE;
        found
    });
    rule.split_whitespace().next().filter(|_| before > 0).and_then(|first| path_in(first, true)).or(led)
}

/// The path in the project that a word is: `client/server` is one only where that is sure.
fn path_in(word: &str, is_sure: bool) -> Option<&str> {
    let path = word.trim_matches(|c: char| ",;:!?()\"'`".contains(c)).trim_end_matches('.');
    let path = path.trim_start_matches("./");
    let has_marks = || path.contains(['.', '_', '-', '*']) || path.matches('/').count() > 1;
    let is_path = path.contains('/') && !path.starts_with('/') && is_glob(path);
    let is_inside = !["..", "//", "origin/"].iter().any(|part| path.contains(part));
    (is_path && is_inside && (is_sure || word.contains('`') || has_marks())).then_some(path)
}

/// The trigger on what is written at a place.
pub(crate) fn at_place(rule: &str) -> Option<Proposal> {
    let place = place(rule)?;
    let is_file = place.rsplit('/').next().is_some_and(|last| last.contains('.'));
    let folder = format!("{}/", place.trim_end_matches(['/', '*']));
    Some(with_trigger(of_name(if is_file { place } else { &folder })))
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(rule: &str) -> Vec<String> {
        aim_of_rule(rule).triggers.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_rule_is_aimed_at_every_command_of_its_list() {
        let listed =
            "Never use bare `cargo test`, `cargo fmt`, or `cargo install` \u{2014} use the `tspec` ones.";
        let expected = [r"cmd=\bcargo\s+test\b", r"cmd=\bcargo\s+fmt\b", r"cmd=\bcargo\s+install\b"];
        assert_eq!(shown(listed), expected);
        assert_eq!(shown("Never run `git push` with `--force`"), [r"cmd=\bgit\s+push\b"]);
        assert_eq!(shown("Never run `flyway clean`, use `flyway undo`"), [r"cmd=\bflyway\s+clean\b"]);
        assert!(shown("Never write `final class` in tests").is_empty());
        assert_eq!(
            shown("图片一律用 `ci/golden.sh`。不要直接跑 `flutter test --update-goldens`。"),
            [r"cmd=\bflutter\s+test\b[^\n;&|]*\s--update-goldens\b"]
        );
        assert_eq!(shown("Use a preset. Do not use `cmake -B build`"), [r"cmd=\bcmake\b[^\n;&|]*\s-B\b"]);
        assert_eq!(
            shown("Never delete runs (`tracker runs delete`, `tracker gc`): numbers refer to them"),
            [r"cmd=\btracker\s+runs\s+delete\b", r"cmd=\btracker\s+gc\b"]
        );
        assert_eq!(shown("Schemas get a migration. No `prisma db push`."), [r"cmd=\bprisma\s+db\s+push\b"]);
        assert_eq!(
            shown("Use `@Observable` classes. No `ObservableObject` or `@StateObject`."),
            [r"content=\bObservableObject\b", r"content=@StateObject\b"]
        );
        for forbidding in ["On Windows do not use", "Agents should avoid", "Make sure not to run"] {
            assert_eq!(shown(&format!("{forbidding} `sed -i` here")), [r"cmd=\bsed\s+-i\b"]);
        }
        assert_eq!(shown("Never use `<Image>` here"), [r"content=<Image>"]);
        let good_first = aim_of_rule("Use `rake load STAGE=dev`, never `rake load`");
        assert_eq!(fires(&good_first, "rake load STAGE=dev"), Some(false), "{good_first:?}");
        assert_eq!(fires(&good_first, "rake load"), Some(true), "{good_first:?}");
        let all = aim_of_rule("Never execute git commands (git status, git push, etc.) in a shell");
        assert!(fires(&all, "git status") == Some(true) && all.also.is_empty(), "{all:?}");
        assert_eq!(shown("Do not write a README or guides unless asked"), ["glob=**/README*"]);
        assert_eq!(shown("Check the ports before writing compose files"), ["glob=**/*compose*.y*ml"]);
        assert_eq!(shown("Never use tabs in `.mdx`"), ["glob=**/*.mdx"]);
        assert!(shown("`git add .` takes what is half done").is_empty(), "a dot is no file");
    }

    #[test]
    fn what_is_said_of_commands_is_told_at_them() {
        let aimed =
            |point: &str| Some(aim_of_subject(point)?.triggers.iter().map(ToString::to_string).collect());
        let of_both: Vec<String> =
            vec![r"cmd=\bgit\s+add\s+-A\b".into(), r"cmd=\bgit\s+add\s+\.(?:[^\w:./-]|$)".into()];
        assert_eq!(aimed("Files: `git add -A` or `git add .` take what is half done"), Some(of_both));
        let of_test = aimed("Always `cargo nextest run`. Plain `cargo test` hangs here");
        assert_eq!(of_test, Some(vec![r"cmd=\bcargo\s+test\b".into()]));
        for other in
            ["Stage files by `git add -p`", "It hangs. Use `cargo test -p a`", "`make` is slow", "It is slow"]
        {
            assert_eq!(aimed(other), None, "{other}");
        }
    }

    #[test]
    fn the_good_form_of_what_a_rule_forbids_keeps_it_quiet() {
        let fired = |rule: &str, command: &str| fires(&aim_of_rule(rule), command) == Some(true);
        for (rule, bad, good) in [
            ("Never call `ruby`, use `bin/env ruby`", "ruby a.rb", "bin/env ruby a.rb"),
            (
                "Do not run `rake load` without a stage, use `rake load STAGE=dev`",
                "rake load",
                "rake load STAGE=dev",
            ),
        ] {
            assert!(fired(rule, bad) && !fired(rule, good), "{rule}: {:?}", aim_of_rule(rule));
        }
    }

    #[test]
    fn a_rule_is_aimed_at_what_it_speaks_of() {
        assert_eq!(shown("Run the whole suite before committing"), [r"cmd=\bgit\s(?:[^\n;&|]*\s)?commit\b"]);
    }

    #[test]
    fn a_rule_is_aimed_at_the_place_in_which_it_holds() {
        let placed = |rule: &str| Some(at_place(rule)?.triggers[0].to_string());
        for (rule, glob) in [
            ("`src/gen/` is made from the schema", "glob=**/src/gen/**"),
            ("No malloc or printf in src/*_isr.c.", "glob=**/src/*_isr.c"),
            ("Änderungen unter charts/api: Version erhöhen", "glob=**/charts/api/**"),
            ("Never edit the src/gen folder by hand", "glob=**/src/gen/**"),
            ("Nothing is written in ./src/__tests__/a.rs", "glob=**/src/__tests__/a.rs"),
            ("Hosts are listed in config/conf.d/", "glob=**/config/conf.d/**"),
        ] {
            assert_eq!(placed(rule).as_deref(), Some(glob), "{rule}");
        }
        for rule in [
            "Take the clock from tests/conftest.py",
            "It runs in CI/CD",
            "Never write in /etc/x",
            "Stay in ../x",
            "No try/catch in client/server code",
            "`origin/main` is protected",
            "Import nothing in `@angular/core`",
            "Specs belong in input/specs",
        ] {
            assert_eq!(placed(rule), None, "{rule}");
        }
        assert_eq!(shown("Do not pass `-x` in src/gen/a.mk"), ["glob=**/src/gen/a.mk"]);
        let lacking = aim_of_rule("Run the tests under src/queues with `--runInBand`: they share a database");
        let fired = ["npx jest src/queues/a.test.ts", "npx jest --runInBand src/queues", "npx jest src/a"]
            .map(|command| fires(&lacking, command));
        assert_eq!(fired, [Some(true), Some(false), Some(false)], "{lacking:?}");
    }

    #[test]
    fn what_only_code_is_called_may_be_a_command_and_a_tool_has_its_name() {
        let aim = aim_of_rule("`integrationTest`는 반드시 `-Dzone=UTC`");
        let fired = ["./gradlew integrationTest", "./gradlew integrationTest -Dzone=UTC", "./gradlew test"]
            .map(|command| fires(&aim, command) == Some(true));
        assert_eq!(fired, [true, false, false], "{aim:?}");
        for other in ["On `main` install with `--frozen`", "Never call `mcp__db__drop(t)`"] {
            assert_eq!(shown(other), Vec::<String>::new(), "{other}");
        }
        assert_eq!(shown("Never call `mcp__shop__delete` here"), ["tool=mcp__shop__delete"]);
        assert_eq!(shown("No random values in a *.test.ts, please"), ["glob=**/*.test.ts"]);
    }

    #[test]
    fn a_command_that_is_to_be_started_by_another_is_told_where_it_is_not() {
        for (rule, bad, good) in [
            (
                "Pods: `cd ios && bundle exec pod install`. Das globale `pod` ist alt.",
                "pod update A",
                "bundle exec pod update A",
            ),
            (
                "Dependências: use `./bin/sail npm ...`, não o `npm` do host",
                "npm install",
                "./bin/sail npm install",
            ),
            (
                "`uv run alembic upgrade head`, `alembic upgrade` hat kein venv",
                "alembic upgrade head",
                "uv run alembic upgrade head",
            ),
        ] {
            let aim = aim_of_rule(rule);
            let fired = [bad, good, "cat Podfile composer.json"].map(|line| fires(&aim, line));
            assert_eq!(fired, [Some(true), Some(false), Some(false)], "{rule}: {aim:?}");
        }
        for other in
            ["`npm test` is slow, `test` alone is quick", "`./run.sh build` first, `build` takes long"]
        {
            assert_eq!(shown(other), Vec::<String>::new(), "{other}");
        }
    }

    #[test]
    fn a_path_of_windows_is_no_name_of_a_file() {
        assert!(shown("Compose file: `X:\\03_ACG\\Docker\\docker-compose.yml`").is_empty());
    }
}
