//! **Groups of failures**: calls that failed for the same reason, by what their errors say.
//!
//! The program is no part of the key: the same error is the same mistake, whatever ran into it. A group is proposed where two
//! sessions have it, or where one call that got past it shows the way out for sure. The way out comes from a success soon
//! after ([`self::way_out`]); it may be several calls later.
//!
//! The results of tests, compilers and searches are answers and no failures, unless the call itself was wrong. Failures
//! of the network are temporary, and what shells say of their grammar is what the built-in lessons are about.

mod way_out;

use lessons_ledger::Proposal;
use lessons_lesson::hooked::is_mcp;
use lessons_pattern::{Trigger, TriggerKind};

use super::aim::triggers::{on_command, with_trigger};
use super::draft::{Cleaner, Draft, ending, name_of};
use super::failure;
use super::history::Event;
use super::{Detector, Reason};
use crate::run::finding::{FAILED, WORKED};
use crate::tag::trial::fires;
use crate::tag::trigger::literal;
use way_out::{Failure, Sign, WayOut, way_out};

/// The most events between a failure and its way out.
const SOON: usize = 12;

/// Looks for a failure in the last event, or for the way out of an earlier one.
pub(super) fn look(events: &[Event]) -> Vec<Draft<'_>> {
    let Some((Event::Step(last), before)) = events.split_last() else { return Vec::new() };
    if let Some(failure) = Failure::of(last) {
        let counts = !failure.known.is_answer;
        return counts.then(|| draft(&failure, None)).flatten().into_iter().collect();
    }
    if !last.is_done() {
        return Vec::new();
    }
    let soon = before.iter().rev().take(SOON).map_while(Event::step);
    // Most calls follow no failure, and one that was made before it ended did not know of it.
    let failed =
        soon.enumerate().filter(|(_, step)| step.said().is_some() && last.lazy_call.offset > step.ended);
    let found = failed.filter_map(|(distance, step)| {
        let between = &before[before.len() - distance..];
        let failure = Failure::of(step).filter(|failure| last.may_be_like(failure.known))?;
        let way_out = way_out(&failure, last, between)?;
        draft(&failure, Some(&way_out))
    });
    found.collect()
}

fn draft<'e>(failure: &Failure<'e>, way_out: Option<&WayOut>) -> Option<Draft<'e>> {
    let Failure { step, text, code, known } = failure;
    let mut cleaner = Cleaner::default();
    let error = cleaner.error(text)?;
    let command = known.command.as_ref();
    let tool = cleaner.told(&step.call().tool);
    let start = command.map_or_else(|| tool.clone(), |command| cleaner.told(&command.start()));
    let where_it_runs = known.within.as_ref().map_or("here".to_owned(), |outer| format!("in `{outer}`"));
    let shown = name_of(step, &mut cleaner);
    let fix = match way_out {
        Some(way_out) => cleaner.told(&way_out.rule),
        None if failure::timed_out(text) => format!(
            "Do not wait for `{start}`: it does not end by itself. Use a form that ends, or run it in the background"
        ),
        None => format!("Expect `{start}` to fail {where_it_runs}: {error}"),
    };
    let mut evidence = vec![format!("{FAILED}{}", shown.trim_matches('`')), format!("error: {error}")];
    evidence.extend(way_out.map(|way_out| format!("{WORKED}{}", cleaner.quoted(&way_out.worked))));
    let sign = way_out.map(|way_out| way_out.sign);
    let points = match sign {
        Some(Sign::Error) if known.misused.is_some() => {
            Reason::new(70, "the error names the word that the call after it left out")
        }
        Some(Sign::Error) => Reason::new(60, "the error says what the call after it did"),
        Some(Sign::SameCall) => Reason::new(60, "the very same call worked behind what starts it"),
        Some(Sign::Likeness) => Reason::new(50, "a call failed, and one that differs in little did not"),
        None => Reason::new(40, "the same error over sessions"),
    };
    let proposal = match (way_out, command) {
        (Some(way_out), _) => way_out.proposal.clone(),
        (None, Some(command)) if let Some(word) = &known.misused => on_command(command.pattern_with(word)),
        // The same program at home is another one.
        (None, Some(command)) => on_command(match &known.within {
            Some(outer) => format!(r"{}\s[^\n]*{}", literal(outer), command.start_literal()),
            None => failure.pattern(command, ""),
        }),
        // A name of a skill is no part of a call that a trigger looks at.
        (None, None) if is_mcp(&tool) => with_trigger(Trigger::new(TriggerKind::Tool, &tool)),
        (None, None) => Proposal::default(),
    };
    // What keeps quiet at the very call that failed says nothing.
    let line = step.line().map(|line| cleaner.clean(line));
    let texts: Vec<&String> = command.map(|command| &command.text).into_iter().chain(&line).collect();
    let is_quiet = !texts.is_empty() && texts.iter().all(|text| fires(&proposal, text) == Some(false));
    let proposal = if is_quiet { Proposal::default() } else { proposal };
    let is_sure = matches!(sign, Some(Sign::Error | Sign::SameCall));
    Some(Draft {
        order: 0,
        detector: if known.misused.is_some() { Detector::SelfExplained } else { Detector::Repetition },
        origin: step.origin(),
        key: if known.class.is_empty() { fix.clone() } else { known.class.clone() },
        is_strong: is_sure || way_out.is_some() && known.misused.is_none(),
        mistake: format!("{shown} {}", ending(text, *code)),
        fix,
        trigger: command.map(|command| command.text.clone()),
        tools: vec![tool],
        proposal,
        evidence,
        basis: vec![points],
        cleaner,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::detect::seen_in;
    use crate::tag::trial::fires;

    /// The lessons of commands and their errors, and whether they fire on these commands.
    fn seen(steps: &[(&str, Option<&str>)], tried: &[&str]) -> Vec<(String, Vec<bool>)> {
        let mut lines = String::new();
        for (number, (command, error)) in steps.iter().enumerate() {
            let call = json!({"type": "tool_use", "id": number.to_string(), "name": "Bash", "input": {"command": command}});
            let text = error.unwrap_or("ok");
            let is_error = text.starts_with("Exit code");
            let end = json!({"type": "tool_result", "tool_use_id": number.to_string(), "content": text, "is_error": is_error});
            for (speaker, block) in [("assistant", call), ("user", end)] {
                let line =
                    json!({"type": speaker, "uuid": "u", "message": {"role": speaker, "content": [block]}});
                lines.extend([line.to_string(), "\n".to_owned()]);
            }
        }
        let found = seen_in(lines.as_bytes()).into_iter();
        found
            .map(|finding| {
                let fired = tried.iter().map(|command| fires(&finding.proposal, command) == Some(true));
                (finding.fix, fired.collect())
            })
            .collect()
    }

    /// What the call that got past an error shows, and where its lesson fires.
    fn way_out(steps: &[(&str, Option<&str>)], tried: &[&str]) -> (String, Vec<bool>) {
        seen(steps, tried).pop().unwrap()
    }

    #[test]
    fn what_failed_around_a_command_is_told_at_what_failed() {
        let denied = Some("Exit code 255\nbuild7: Permission denied (publickey).");
        let steps = [("ssh build7 'make all && make dist'", denied), ("ssh -p 2222 build7 uptime", None)];
        let tried = ["ssh build7 'make all'", "make dist", "ssh -p 2222 build7 'make all'"];
        let expected = ("Use `ssh -p 2222 build7 uptime`".to_owned(), vec![true, false, false]);
        assert_eq!(way_out(&steps, &tried), expected);
        let missing = [("timeout 9 yarn build", Some("Exit code 127\nzsh: command not found: timeout"))];
        let found = way_out(&missing, &["timeout 5 make", "yarn build"]);
        assert!(
            found.0.starts_with("Expect `timeout` to fail here") && found.1 == [true, false],
            "{found:?}"
        );
    }

    #[test]
    fn another_form_of_the_call_is_the_way_out() {
        let missing = "Exit code 127\nsh: mvn: command not found";
        for (failed, error, worked, rule) in [
            ("mvn package", missing, "./mvnw package", "Use `./mvnw`, not `mvn`: `./mvnw package`"),
            (
                "glab mr diff 7 --stat",
                "unknown flag: --stat",
                "glab mr diff 7 --name-only",
                "`glab` takes no `--stat` here: use `glab mr diff 7 --name-only`",
            ),
            ("ls -lZ a", "ls: illegal option -- Z", "ls -l a", "`ls` takes no `-Z` here: use `ls -l a`"),
            ("ls -lY a", "ls: invalid option -- 'Y'", "ls -l a", "`ls` takes no `-Y` here: use `ls -l a`"),
            (
                "wrap npm test",
                "error: unrecognized subcommand 'npm'",
                "npm test",
                "`wrap` takes no `npm` here: use `npm test`",
            ),
            (
                "bun run lint",
                "error: Script not found \"lint\"",
                "bun run lint:fix",
                "`bun` takes no `lint` here: use `bun run lint:fix`",
            ),
        ] {
            let (fix, fired) = way_out(&[(failed, Some(error)), (worked, None)], &[failed, worked]);
            assert_eq!((fix.as_str(), fired), (rule, vec![true, false]), "{failed}");
        }
    }

    #[test]
    fn what_fails_in_a_container_is_told_there_alone() {
        let error = Some("Exit code 2\npsql: error: FATAL: role \"root\" does not exist");
        let found = seen(&[("docker exec db psql -l", error)], &["docker exec db psql -c x", "psql -l"]);
        let fix = "Expect `psql` to fail in `docker exec`: psql: error: FATAL: role \"root\" does not exist";
        assert_eq!(found, [(fix.to_owned(), vec![true, false])]);
    }

    #[test]
    fn a_step_of_which_the_error_speaks_is_the_way_out() {
        let error = Some("Exit code 1\nError: no client yet. Did you run `prisma generate`?");
        let steps = |between| [("yarn seed", error), (between, None), ("yarn seed", None)];
        let (fix, fired) = way_out(&steps("npx prisma generate"), &["yarn seed", "yarn build"]);
        assert_eq!(
            (fix.as_str(), fired),
            ("Run `npx prisma generate` before `yarn seed`", vec![true, false])
        );
        assert!(way_out(&steps("yarn add left-pad"), &[]).0.starts_with("Expect "));
    }

    #[test]
    fn what_runs_in_front_or_in_the_place_of_what_failed_is_the_way_out() {
        let refused = Some("Exit code 2\npsql: error: no server is running at port 6001");
        let started = "podman start pg && psql -p 6001 -l";
        let found = way_out(&[("psql -p 6001 -l", refused), (started, None)], &["psql -p 6001 -l", started]);
        assert_eq!(found, ("Run `podman start pg` before `psql -p 6001 -l`".to_owned(), vec![true, false]));
        let unset = Some("Exit code 127\nbash: line 1: idf.py: command not found");
        let sourced = ". ./export.sh >/dev/null && idf.py build";
        let tried = ["idf.py flash", "source export.sh && idf.py flash"];
        let found = way_out(&[("idf.py build", unset), (sourced, None)], &tried);
        assert_eq!(found, ("Run `. ./export.sh` before `idf.py build`".to_owned(), vec![true, false]));
        let missing = Some("Exit code 127\n> vite build\nsh: vite: not found");
        let installed = "npm install && npm run build";
        let tried = ["npm run build", "npm test", installed];
        let found = way_out(&[("npm run build", missing), (installed, None)], &tried);
        let rule = "Run `npm install` before `npm run build`".to_owned();
        assert_eq!(found, (rule, vec![true, false, false]));
        let no_rule = Some("Exit code 2\nmake: *** No rule to make target 'seeds'.  Stop.");
        let found = way_out(&[("make seeds", no_rule), ("task seeds", None)], &["make seeds", "make all"]);
        assert_eq!(found, ("`make` takes no `seeds` here: use `task seeds`".to_owned(), vec![true, false]));
    }

    #[test]
    fn another_program_in_the_same_container_is_no_way_out() {
        let error = Some("Exit code 1\nERROR: module sales is locked");
        let steps = [
            ("docker exec shop-web shop -u sales", error),
            ("docker exec shop-web grep -r sales /srv", None),
        ];
        assert!(
            seen(&steps, &[]).iter().all(|(fix, _)| fix.starts_with("Expect ")),
            "{:?}",
            seen(&steps, &[])
        );
    }

    #[test]
    fn what_the_error_says_and_the_next_call_does_counts_at_once() {
        let error = "Exit code 1\nYou have rspec 3.10 active. Prepending `bundle exec` to your command may solve this. (LoadError)";
        let steps = [("rspec spec/models", Some(error)), ("bundle exec rspec spec/models", None)];
        let found = seen(&steps, &["rspec spec", "bundle exec rspec spec"]);
        let first = found.last().map(|(fix, fired)| (fix.as_str(), fired.as_slice()));
        assert_eq!(
            first,
            Some((
                "Use `bundle exec rspec`, not `rspec`: `bundle exec rspec spec/models`",
                &[true, false][..]
            ))
        );
        let ignored = "Exit code 1\nThe following paths are ignored by one of your .gitignore files:\nweb/dist\nhint: Use -f if \
                       you really want to add them.\nhint: Turn this message off by running";
        let found = seen(&[("git add web/dist/a.css", Some(ignored))], &["git add web/dist/a.css"]);
        assert!(found[0].0.contains("ignored by one of your") && found[0].1 == [true], "{found:?}");
    }

    #[test]
    fn a_failure_whose_end_is_hidden_counts_as_one() {
        let error = Some("npm error code EBADENGINE\nnpm error engine Unsupported engine");
        let rule = "`npm ci` worked with `--engine-strict=false`: use `npm ci --engine-strict=false`";
        for hidden in ["npm ci 2>&1 | tail -3", "npm ci || true", "npm ci; echo $?"] {
            let steps = [(hidden, error), ("npm ci --engine-strict=false", None)];
            let (fix, fired) = way_out(&steps, &["npm ci"]);
            assert_eq!((fix.as_str(), fired), (rule, vec![true]), "{hidden}");
        }
        assert!(seen(&[("cat npm.log | tail -3", error), ("npm ci", error)], &[]).is_empty());
        let finding = Some("Exit code 1\ndocs/a.md:50:121 error MD013/line-length Line length is required");
        let unread = Some("Exit code 5\njq: parse error: Invalid numeric literal at line 1, column 10");
        let host = Some("Exit code 2\ndb.shop.example:5432 - no such role, access denied");
        assert_eq!(seen(&[("pg_look db", host)], &[]).len(), 1);
        let badly_formatted = Some("Exit code 1\nerror: formatting failed, see above");
        let of_files =
            [("mdlint docs", finding), ("jq . page.json", unread), ("wrap fmt --check", badly_formatted)];
        for (what, error) in of_files {
            assert!(seen(&[(what, error)], &[]).is_empty(), "{what}");
        }
    }

    #[test]
    fn a_line_between_two_outputs_is_no_option() {
        let steps = [
            ("echo done | nope", Some("Exit code 1\nerror: cannot write")),
            ("echo '--- all done ---'", None),
        ];
        assert!(seen(&steps, &[]).iter().all(|(fix, _)| !fix.contains("---")), "{:?}", seen(&steps, &[]));
    }

    #[test]
    fn what_the_call_that_worked_has_too_is_not_why() {
        let error = Some("Exit code 2\nERROR tests/test_a.py - ModuleNotFoundError: No module named 'shop'");
        let steps = [("pytest tests/test_a.py", error), ("pytest -c ci.ini tests/test_a.py", None)];
        assert_eq!(way_out(&steps, &["pytest tests/test_b.py", "ls tests"]).1, [true, false]);
        let old = Some("Exit code 1\nBUILD FAILED: this build needs Java 17");
        let steps = [("./gradlew assemble", old), ("JAVA_HOME=/opt/jdk17 ./gradlew assemble", None)];
        let tried = ["./gradlew test", "JAVA_HOME=/opt/jdk17 ./gradlew test", "cat pom.xml"];
        assert_eq!(way_out(&steps, &tried).1, [true, false, false]);
    }

    #[test]
    fn what_concerns_every_call_of_a_program_is_told_at_every_call() {
        let unknown = Some("Exit code 253\nUnable to locate credentials. You can configure them.");
        let steps = [("aws s3 ls", unknown), ("aws s3 ls --profile web", None)];
        let tried = ["aws logs tail /x", "ls ~/.aws", "aws s3 ls --profile web"];
        assert_eq!(way_out(&steps, &tried).1, [true, false, false]);
    }

    #[test]
    fn the_very_same_call_behind_what_starts_it_counts_at_once() {
        let missing = "Exit code 1\nError: Missing dependency on a foreign library:\n* Missing C library: pq";
        let jsonl = |end: &str| {
            let call = |id: &str, command: &str| json!({"type": "assistant", "uuid": "u", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]}});
            let result = |id: &str, text: &str, is_error: bool| json!({"type": "user", "uuid": "u", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]}});
            let lines = [
                call("1", "cabal build all"),
                result("1", missing, true),
                call("2", end),
                result("2", "ok", false),
            ];
            lines.map(|line| format!("{line}\n")).concat()
        };
        let is_strong =
            |end| seen_in(jsonl(end).as_bytes()).pop().is_some_and(|found| found.basis[0].points > 50);
        assert!(is_strong("nix develop -c cabal build all") && !is_strong("cabal build all --offline"));
    }

    #[test]
    fn what_starts_the_same_words_may_be_several_words() {
        let missing = Some("Exit code 127\nbash: line 1: inkview: command not found");
        let worked = "flatpak run org.ink.View --size 9 a.svg";
        let found =
            way_out(&[("inkview --size 9 a.svg", missing), (worked, None)], &["inkview b.svg", worked]);
        let rule = "Use `flatpak run org.ink.View`, not `inkview`: `flatpak run org.ink.View --size 9 a.svg`";
        assert_eq!(found, (rule.to_owned(), vec![true, false]));
    }
}
