use lessons_ledger::Finding;

use super::*;

fn tag(tool: &str, trigger: &str) -> Tag {
    let finding = Finding {
        tools: tool.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        trigger: (!trigger.is_empty()).then(|| trigger.to_owned()),
        ..Finding::default()
    };
    Tag { finding, ..Tag::default() }
}

/// The same, with what to do instead.
fn with_fix(fix: &str, trigger: &str) -> Tag {
    let mut tag = tag("Bash", trigger);
    tag.finding.fix = fix.into();
    tag
}

fn proposed(tool: &str, trigger: &str) -> Vec<String> {
    propose(&tag(tool, trigger)).triggers.iter().map(ToString::to_string).collect()
}

#[test]
fn program_and_subcommand_are_kept_and_later_operands_proposed_for_removal() {
    assert_eq!(proposed("Bash", "git stash"), [r"cmd=\bgit\s+stash\b"]);
    let proposal = propose(&tag("Bash", "pytest tests/"));
    assert_eq!(proposal.triggers, [Trigger::new(TriggerKind::CommandPattern, r"\bpytest\b")]);
    for (trigger, pattern) in [
        ("sudo rm -rf build", r"cmd=\bsudo\s+rm\s+-rf\s+build\b"),
        ("python scripts/import.py", r"cmd=\bpython\s+scripts/import\.py\b"),
        ("python -m pytest tests/", r"cmd=\bpython\s+-m\s+pytest\b"),
        ("curl https://a.example", r"cmd=\bcurl\s+https://a\.example\b"),
        ("grep -rn needle .", r"cmd=\bgrep\s+-rn\b"),
    ] {
        assert_eq!(proposed("Bash", trigger), [pattern]);
    }
}

#[test]
fn a_literal_is_bounded_only_where_a_word_stands() {
    assert_eq!(literal("a+b  (c)"), r"\ba\+b\s+\(c\)");
    assert_eq!(literal("é"), "é");
    assert_eq!(literal("  "), "");
}

#[test]
fn a_program_of_the_project_counts_where_it_runs_and_a_task_by_its_whole_name() {
    let fires = |trigger: &str, command: &str| {
        crate::tag::trial::fires(&propose(&tag("Bash", trigger)), command).unwrap()
    };
    for runs in [
        "bin/migrate",
        "./bin/migrate up",
        "cd a && bin/migrate",
        "A=1 sudo -E bin/migrate",
        "bash -x bin/migrate",
    ] {
        assert!(fires("bin/migrate", runs) && fires("./bin/migrate", runs), "{runs}");
    }
    for reads in ["ls bin/migrate", "cat bin/migrate", "git add bin/migrate", "grep a bin/migrate"] {
        assert!(!fires("bin/migrate", reads), "{reads}");
    }
    for (trigger, fired, other) in [
        ("make seed", "make seed; ls", "make seed-users"),
        ("npm run build", "npm run build", "npm run build:prod"),
        ("git add .", "git add . -v", "git add src"),
    ] {
        assert!(fires(trigger, fired) && !fires(trigger, other), "{trigger}");
    }
}

#[test]
fn who_edits_a_file_may_write_it_as_well() {
    let tools = |tool: &str, trigger: &str| {
        let tag = tag(tool, trigger);
        tools_of(&tag, &propose(&tag)).join(" ")
    };
    assert_eq!(tools("Edit", "src/gen/**"), "");
    assert_eq!(tools("Write", "package-lock.json"), "");
    assert_eq!(tools("Edit", "console.log("), "Edit Write MultiEdit NotebookEdit");
    assert_eq!(tools("Edit", ""), "Edit");
    assert_eq!(tools("Read", ".env"), "Read");
    assert_eq!(tools("Edit, Bash", "tsc"), "Edit Bash");
    assert_eq!(proposed("NotebookEdit", "*.ipynb"), ["glob=**/*.ipynb"]);
    assert_eq!(proposed("Write", "package-lock.json"), [r"path=\bpackage-lock\.json\b"]);
}

#[test]
fn quotes_around_the_whole_trigger_are_not_part_of_it() {
    assert_eq!(proposed("", "`git stash`"), [r"cmd=\bgit\s+stash\b"]);
    assert_eq!(literal(unquoted("`a` or `b`")), r"`a`\s+or\s+`b`");
    assert_eq!(unquoted("``"), "``");
}

#[test]
fn the_tool_decides_where_the_literal_is_looked_for() {
    assert_eq!(proposed("Edit, Write", "fetch("), [r"content=\bfetch\("]);
    assert_eq!(proposed("Read", "src/gen files"), [r"path=\bsrc/gen\s+files\b"]);
    assert_eq!(proposed("Bash, Edit", "tsc"), [r"cmd=\btsc\b"]);
    assert_eq!(proposed("Edit", "src/gen/**"), ["glob=src/gen/**"]);
    assert_eq!(proposed("Edit, Write", "src/gen/"), [r"path=\bsrc/gen/"]);
    assert_eq!(proposed("Edit", "**/*.lock"), ["glob=**/*.lock"]);
    assert_eq!(proposed("Edit", "https://cdn.example"), [r"content=\bhttps://cdn\.example\b"]);
    assert_eq!(proposed("WebFetch", "https://a.example/v1"), [r"path=\bhttps://a\.example/v1\b"]);
    assert_eq!(proposed("WebFetch", "api.example.com"), [r"path=\bapi\.example\.com\b"]);
    assert_eq!(proposed("mcp__db__query", "DROP TABLE"), [r"content=\bDROP\s+TABLE\b"]);
    assert_eq!(proposed("mcp__fs__write", "src/gen/**"), ["glob=src/gen/**"]);
    assert_eq!(proposed("mcp__jira__add", "mcp__jira__add"), ["tool=mcp__jira__add"]);
}

#[test]
fn a_path_is_a_glob_beside_a_command_and_a_condition_on_an_edit() {
    let mut edit = tag("Edit", "fetch(");
    edit.finding.path = Some("*.ts".into());
    let proposal = propose(&edit);
    assert_eq!(proposal.also, [Trigger::new(TriggerKind::FileGlob, "**/*.ts")]);
    assert_eq!(proposal.triggers.len(), 1);

    let mut bash = tag("Bash", "tsc");
    bash.finding.path = Some("*.ts".into());
    assert_eq!(propose(&bash).triggers.len(), 2);

    let mut alone = tag("Edit", "");
    alone.finding.path = Some("`*.ts`".into());
    assert_eq!(propose(&alone).triggers, [Trigger::new(TriggerKind::FileGlob, "**/*.ts")]);
}

#[test]
fn a_tool_alone_is_a_trigger() {
    assert_eq!(proposed("WebFetch", ""), ["tool=WebFetch"]);
    assert!(proposed("", "").is_empty());
}

#[test]
fn what_no_call_of_its_tool_can_show_is_no_trigger() {
    for (tool, trigger) in [("WebSearch", "rust async"), ("Agent", "review"), ("WebFetch", "the changelog")] {
        assert!(proposed(tool, trigger).is_empty(), "{tool}");
    }
}

#[test]
fn unless_keeps_all_its_words() {
    let mut pytest = tag("Bash", "pytest");
    pytest.unless = Some("-p no:cacheprovider".into());
    let unless = propose(&pytest).unless;
    assert_eq!(unless, [Trigger::new(TriggerKind::CommandPattern, r"-p\s+no:cacheprovider\b")]);
}

#[test]
fn a_lesson_keeps_quiet_on_its_own_fix() {
    let mut stash = tag("Bash", "git stash");
    stash.finding.fix = "use `git stash -u` where new files matter".into();
    assert_eq!(propose(&stash).unless, [Trigger::new(TriggerKind::CommandPattern, r"(?:^|\s)-u\b")]);
    for fix in ["use `git stash`", "commit first with `git commit -a`", "use git stash -u"] {
        stash.finding.fix = fix.into();
        assert!(propose(&stash).unless.is_empty(), "{fix}");
    }
    let mut push = tag("Bash", "git push --force");
    push.finding.fix = "`git push --force-with-lease=main` looks first".into();
    assert_eq!(propose(&push).unless[0].pattern, r"(?:^|\s)--force-with-lease=main\b");
}

#[test]
fn a_pattern_that_no_lesson_may_have_is_not_proposed() {
    assert!(proposed("Bash", &".".repeat(501)).is_empty());
    assert_eq!(proposed("Bash", &".".repeat(500)).len(), 1);
}

#[test]
fn a_proposal_keeps_quiet_on_what_its_fix_advises() {
    let unless = |trigger: &str, fix: &str| -> Vec<String> {
        let tag = with_fix(fix, trigger);
        propose(&tag).unless.iter().map(ToString::to_string).collect()
    };
    assert_eq!(unless("git push", "run `git pull --rebase && git push`"), [r"cmd=\bgit\s+pull\s+--rebase\b"]);
    assert_eq!(unless("git stash", "use `git stash -u`"), [r"cmd=(?:^|\s)-u\b"]);
    assert!(unless("git push", "run `git fetch` before `git push`").is_empty());
    assert!(unless("git push", "run `git push` once more").is_empty(), "nothing tells the two apart");
}

#[test]
fn a_tag_keeps_its_trigger_and_is_quiet_on_what_its_fix_advises() {
    // Trigger, fix, the call that failed, the call that is right.
    for (trigger, fix, failed, right) in [
        ("make seed", "Use `make seed DB=local`", "make seed", "make seed DB=local"),
        (
            "npm publish",
            "Run `npm pack --dry-run` first, then `npm publish`",
            "npm publish",
            "npm pack --dry-run",
        ),
        ("rsync", "Leave out `--delete`, or try `--dry-run`", "rsync a b --delete", "rsync a b"),
        (
            "docker compose down",
            "Use `docker compose down` without -v",
            "docker compose down -v",
            "docker compose down",
        ),
        ("git push", "Use `git push upstream HEAD`", "git push", "git push upstream HEAD"),
        (
            "docker compose down -v",
            "`docker compose down` keeps the volumes",
            "docker compose down -v",
            "docker compose down",
        ),
        ("git stash", "Stash with `git stash -u`", "git stash", "git stash -u"),
        ("pytest tests/", "Go through `uv run pytest tests/`", "pytest tests/api", "uv run pytest tests/api"),
        (
            "kubectl apply",
            "Always pass `-n shop-dev`",
            "kubectl apply -f a",
            "kubectl apply -n shop-dev -f a",
        ),
        ("terraform apply", "Never without `-target`", "terraform apply", "terraform apply -target=a"),
        ("npm install lodash", "Take `npm install lodash-es`", "npm install lodash", "npm install lodash-es"),
        (
            "go test ./... -short",
            "The full `go test ./...` is what counts",
            "go test ./... -short",
            "go test ./...",
        ),
        (
            "npm test",
            "`cd web && npm test`, there is no script at the root",
            "npm test",
            "cd web && npm test",
        ),
    ] {
        let proposal = propose(&with_fix(fix, trigger));
        assert_eq!(fires(&proposal, failed), Some(true), "{fix}: {proposal:?}");
        assert_eq!(fires(&proposal, right), Some(false), "{fix}: {proposal:?}");
    }
}

#[test]
fn what_cannot_be_told_apart_stays_a_reminder_at_the_call() {
    for fix in ["Run `npm pack` first, then `npm publish`", "Use `npm publish`", "`npm publish` \"x\""] {
        let proposal = propose(&with_fix(fix, "npm publish"));
        assert_eq!(fires(&proposal, "npm publish"), Some(true), "{fix}: {proposal:?}");
    }
}

proptest::proptest! {
    #[test]
    fn a_literal_matches_the_text_it_was_made_from(text in "[ -~é]{0,40}") {
        let pattern = literal(&text);
        // `\b` and `\s` of ASCII are those of JavaScript, as far as this text goes.
        let ascii = regex_automata::util::syntax::Config::new().unicode(false).utf8(false);
        let regex = regex_automata::meta::Regex::builder().syntax(ascii).build(&pattern).unwrap();
        proptest::prop_assert!(regex.is_match(text.trim()), "{pattern}");
    }

    #[test]
    fn what_is_kept_and_what_is_removed_make_up_the_trigger(text in "[a-z.$|&'/ -]{0,40}") {
        let (kept, removed) = operands::without_operands(&text);
        let words: Vec<&str> =
            kept.split_whitespace().chain(removed.iter().map(String::as_str)).collect();
        proptest::prop_assert_eq!(words, text.split_whitespace().collect::<Vec<_>>());
    }
}

#[test]
fn a_program_is_a_word_of_its_own_wherever_it_runs() {
    let runs = |line: &str| crate::tag::trial::matches(&of_program("yarn"), line);
    for line in [
        "yarn",
        "cd web && yarn add a",
        "sudo yarn add a",
        "CI=1 yarn",
        "sh -c 'yarn add a'",
        "x=$(yarn bin)",
    ] {
        assert!(runs(line), "{line}");
    }
    for line in ["rm yarn.lock", "ls node_modules/yarn", "yarn-deduplicate", "/opt/yarn/bin/yarn add a"] {
        assert!(!runs(line), "{line}");
    }
}
