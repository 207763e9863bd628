use proptest::prelude::*;

use super::*;

mod folder;
mod indirect;
mod review;

const GUARDED: GuardedPaths<'_> =
    GuardedPaths { home: "/home/dev/.local/share/lessons", user_home: Some("/home/dev") };

fn bash(command: &str) -> Verdict {
    bash_in("/srv/app", command)
}

fn bash_in(cwd: &str, command: &str) -> Verdict {
    let call =
        Call { tool: "Bash".into(), command: Some(command.into()), cwd: Some(cwd.into()), ..Call::default() };
    judge(&call, &GUARDED)
}

fn on_path(tool: &str, path: &str) -> Verdict {
    judge(&Call { tool: tool.into(), paths: vec![path.into()], ..Call::default() }, &GUARDED)
}

fn grant(argv: &[&str]) -> Grant {
    Grant::of_argv(&argv.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
}

/// Asserts that the commands pass.
fn assert_pass(commands: &[&str]) {
    for command in commands {
        assert_eq!(bash(command), Verdict::Pass, "{command}");
    }
}

/// Asserts that the commands are put to the person, without a grant.
fn assert_ask(commands: &[&str]) {
    for command in commands {
        let verdict = bash(command);
        assert!(matches!(verdict, Verdict::Ask { grant: None, .. }), "{command}: {verdict:?}");
    }
}

fn assert_deny(commands: &[&str]) {
    for command in commands {
        let verdict = bash(command);
        assert!(matches!(verdict, Verdict::Deny { .. }), "{command}: {verdict:?}");
    }
}

#[test]
fn reading_passes_wherever_it_stands() {
    assert_pass(&[
        "lessons",
        "lessons list",
        "lessons --json list",
        "lessons show git-stash",
        "lessons candidates --json | jq '.[0]'",
        "lessons status && git status",
        "cd /srv && lessons explain 'git stash' 2>&1 | head -20",
        "for id in a b; do lessons show $id; done",
        "lessons show \"$(lessons list --json | jq -r '.[0].id')\"",
        "lessons promote --help",
        "lessons help promote | cat",
        "lessons --version; lessons --help",
        "lessons validate .lessons/lessons.json",
        "lessons diff ~/.local/share/lessons/lessons.json",
        "LESSONS_HOME=/x lessons list",
        "timeout 5 lessons doctor > /tmp/doctor.txt",
        "lessons-scan --help",
    ]);
}

#[test]
fn a_change_on_its_own_is_put_to_the_person_with_a_grant_for_its_arguments() {
    for command in [
        "lessons promote 3f2a",
        "  lessons   promote 3f2a  ",
        "./lessons promote 3f2a",
        "/any/path/lessons promote 3f2a",
        "command lessons promote 3f2a",
        "exec lessons promote 3f2a",
        "env lessons promote 3f2a",
        "/usr/bin/env lessons promote 3f2a",
        "sudo lessons promote 3f2a",
        "nohup lessons promote 3f2a",
        "time lessons promote 3f2a",
        "\"lessons\" promote 3f2a",
        "\\lessons promote 3f2a",
        "les''sons 'promote' \"3f2a\"",
        "lessons promote \\\n  3f2a",
        "lessons promote 3f2a # after review",
        "# as agreed\nlessons promote 3f2a\n",
        "lessons promote 3f2a < /dev/null",
    ] {
        let expected = Verdict::Ask {
            reason: "This would switch on a lesson: lessons promote 3f2a. \
                     Allow it only if you have read the lesson."
                .to_owned(),
            grant: Some(grant(&["promote", "3f2a"])),
        };
        assert_eq!(bash(command), expected, "{command}");
    }
}

#[test]
fn the_person_is_told_what_each_verb_does() {
    for (command, reason) in [
        (
            "lessons off all",
            "This would switch lessons off, so that they no longer warn or refuse: lessons off all. \
             Allow it only if you asked for it.",
        ),
        (
            "lessons add --rule 'Use git stash -u' --mode bump",
            "This would write a new lesson and switch it on: \
             lessons add --rule 'Use git stash -u' --mode bump. Allow it only if you have read the lesson.",
        ),
        (
            "lessons forget 3f2a",
            "This would remove a text from every copy, which nothing can undo: lessons forget 3f2a. \
             Allow it only if you want it gone for good.",
        ),
        (
            "lessons-scan --once",
            "This would read session transcripts and record candidates: lessons-scan --once. \
             Allow it only if you asked for it.",
        ),
        (
            "lessons frobnicate",
            "This would run a command of Lessons that may change something: lessons frobnicate. \
             Allow it only if you asked for it.",
        ),
    ] {
        match bash(command) {
            Verdict::Ask { reason: told, grant: Some(_) } => assert_eq!(told, reason),
            other => panic!("{command}: {other:?}"),
        }
    }
}

#[test]
fn every_changing_verb_of_the_design_is_put_to_the_person() {
    for verb in [
        "promote",
        "add",
        "edit",
        "reject",
        "deprecate",
        "restore",
        "trust",
        "untrust",
        "build",
        "scan",
        "import",
        "off",
        "on",
        "undo",
        "forget",
        "merge",
        "review",
        "config",
    ] {
        let verdict = bash(&format!("lessons {verb}"));
        assert!(matches!(verdict, Verdict::Ask { grant: Some(_), .. }), "{verb}: {verdict:?}");
    }
}

#[test]
fn a_lesson_on_standard_input_is_put_to_the_person() {
    let expected = Some(grant(&["add", "--json-input", "-"]));
    for command in [
        "lessons add --json-input - <<'EOF'\n{\"rule\": \"cost $5, see .lessons/\"}\nEOF",
        "lessons add --json-input - <<EOF\n{\"rule\": \"plain\"}\nEOF\n",
        "lessons add --json-input - < lesson.json",
        "lessons add --json-input - <<< '{}'",
    ] {
        match bash(command) {
            Verdict::Ask { grant, .. } => assert_eq!(grant, expected, "{command}"),
            other => panic!("{command}: {other:?}"),
        }
    }
}

#[test]
fn a_change_that_a_person_could_not_see_whole_is_denied() {
    assert_deny(&[
        "cd /srv && lessons promote 3f2a",
        "lessons promote 3f2a && echo ok",
        "lessons promote 3f2a; true",
        "lessons promote 3f2a &",
        "lessons promote 3f2a | cat",
        "yes | lessons review",
        "lessons promote 3f2a\nlessons promote 3f2b",
        "lessons promote 3f2a > /dev/null",
        "lessons promote 3f2a 2>&1",
        "(lessons promote 3f2a)",
        "{ lessons promote 3f2a; }",
        "! lessons promote 3f2a",
        "if true; then lessons promote 3f2a; fi",
        "for id in a b; do lessons promote $id; done",
        "while read id; do lessons promote \"$id\"; done < ids",
        "case x in x) lessons promote a;; esac",
        "f() { lessons promote a; }; f",
        "echo $(lessons promote 3f2a)",
        "echo \"`lessons promote 3f2a`\"",
        "lessons show \"$(lessons promote 3f2a)\"",
        "cat <(lessons promote 3f2a)",
        "cat <<EOF\n$(lessons promote 3f2a)\nEOF",
        "sh -c 'lessons promote 3f2a'",
        "bash -lc \"cd /srv; lessons promote 3f2a\"",
        "eval lessons promote 3f2a",
        "bash <<EOF\nlessons promote 3f2a\nEOF",
        "echo 'lessons promote 3f2a' | sh",
        "echo 3f2a | xargs lessons promote",
        "echo 3f2a | xargs -I{} sh -c 'lessons promote {}'",
        "find . -name x -exec lessons import {} \\;",
        "lessons promote $ID",
        "lessons promote \"${ID}\"",
        "lessons promote 3f*",
        "lessons $VERB 3f2a",
        "lessons {promote,3f2a}",
        "lessons import ~/lesson.json",
        "~/.local/bin/lessons promote 3f2a",
        "A=1 lessons promote 3f2a",
        "CLAUDE_CODE_SESSION_ID= lessons promote 3f2a",
        "env -u CLAUDE_CODE_SESSION_ID lessons promote 3f2a",
        "env -i lessons promote 3f2a",
        "env A=1 lessons promote 3f2a",
        "env -S 'lessons promote 3f2a'",
        "timeout 5 lessons promote 3f2a",
        "setsid lessons promote 3f2a",
        "script -qec 'lessons promote 3f2a' /dev/null",
        "env -u X script -qec 'lessons promote 3f2a' /dev/null",
        "lessons add --json-input - <<EOF\n{\"rule\": \"$RULE\"}\nEOF",
        "lessons add --json-input - < <(cat lesson.json)",
        "cd /srv; lessons-scan",
        "lessons list; lessons off all",
        "lessons promote 3f2a <> notes",
        "lessons promote 3f2a < $FILE",
    ]);
}

#[test]
fn a_change_hidden_deeper_than_we_read_is_denied() {
    for depth in [5, 40, 2000] {
        let command = format!("echo {}lessons off all{}", "$(echo ".repeat(depth), ")".repeat(depth));
        assert!(matches!(bash(&command), Verdict::Deny { .. }), "{depth}");
        let braces = format!("echo {}$(lessons off all){}", "${x:-".repeat(depth), "}".repeat(depth));
        assert!(matches!(bash(&braces), Verdict::Deny { .. }), "{depth}");
    }
    assert_pass(&[&format!("echo {}ls{}", "$(echo ".repeat(40), ")".repeat(40))]);
}

#[test]
fn other_commands_with_our_name_in_them_pass() {
    assert_pass(&[
        "cd lessons",
        "cd lessons && ls",
        "cat lessons.md",
        "git commit -m \"lessons promote x\"",
        "git commit -m 'lessons'",
        "cargo test -p lessons-core",
        "echo lessons add",
        "npm run lessons",
        "ls lessons/ promote",
        "grep -rn 'lessons promote' docs | head",
        "git checkout lessons -- .",
        "which lessons",
        "command -v lessons",
        "man lessons",
        "cat > notes.md <<'EOF'\nlessons promote x\nEOF",
        "git commit -m \"$(cat <<'EOF'\nlessons promote x\nEOF\n)\"",
        "# lessons promote x",
        "mylessons promote x",
        "lessons.sh promote x",
        "",
    ]);
}

#[test]
fn what_changes_our_files_is_put_to_the_person() {
    assert_ask(&[
        "rm -rf ~/.local/share/lessons",
        "rm -rf \"$HOME/.local/share/lessons\"",
        "rm -rf \"${HOME}\"/.local/share/lessons/",
        "rm /home/dev/.local/share/lessons/lessons.json",
        "cd ~/.local/share/lessons && rm lessons.json",
        "echo '{}' > .lessons/lessons.json",
        "cat x > .lessons/lessons.json",
        "cat .lessons/lessons.json > /tmp/copy",
        "cat > .lessons/lessons.json <<'EOF'\n{}\nEOF",
        "tee .lessons/lessons.json <<'EOF'\n{}\nEOF",
        "git add .lessons",
        "git checkout HEAD -- .lessons/lessons.json",
        "mv x trust.json",
        "sed -i '' s/a/b/ ./trust.json",
        "sed -i s/a/b/ '.lessons'/lessons.json",
        "rm .less\"ons\"/x",
        "python3 -c \"open('.lessons/lessons.json', 'w')\"",
        "python3 <<'EOF'\nopen('/home/dev/.local/share/lessons/lessons.json', 'w')\nEOF",
        "bash -c 'rm -r .lessons'",
        "ls .lessons | xargs rm",
        "cat .lessons/lessons.json | tee copy",
        "cat .lessons/a && rm x",
        "for f in .lessons/*; do rm \"$f\"; done",
        "echo \"rm .lessons/x y\" | sh",
        "x=.lessons/y; rm $x",
        "sqlite3 ~/.local/share/lessons/lessons.db 'delete from candidates'",
        "git diff --output=.lessons/lessons.json",
        "rg --pre ./x y .lessons",
        "git commit -m .lessons/",
        "FOO=1 cat .lessons/lessons.json",
        "touch ~/.local/share/lessons/grant-0123456789abcdef0123456789abcdef",
        "touch /run/user/1000/x/grant-0123456789abcdef0123456789abcdef",
    ]);
}

#[test]
fn a_plain_read_of_our_files_passes() {
    assert_pass(&[
        "cat .lessons/lessons.json",
        "cat ~/.local/share/lessons/lessons.json | jq '.lessons | keys' | head -5",
        "ls -la \"$HOME/.local/share/lessons\"",
        "head -n 5 .lessons/lessons.json",
        "tail -f ~/.local/share/lessons/log/x",
        "grep -rn rule .lessons/ 2>/dev/null",
        "rg '\\.lessons/' src",
        "jq . < .lessons/lessons.json",
        "git diff .lessons/lessons.json",
        "git --no-pager log -p -- .lessons",
        "git show HEAD:.lessons/lessons.json 2>&1",
        "lessons list | grep .lessons",
    ]);
}

#[test]
fn text_that_only_mentions_our_files_passes() {
    assert_pass(&[
        "git commit -m \"move .lessons/ docs\"",
        "git commit -am 'move .lessons/ docs' && git push",
        "git commit --message='move .lessons/ docs' | tail -1",
        "git tag -a v1 -m 'with trust.json support'",
        "git commit -m \"$(cat <<'EOF'\nMove .lessons/ docs\n\nAnd trust.json.\nEOF\n)\" && git log | head -1",
        "gh pr create --title 'Read trust.json' --body 'See ~/.local/share/lessons for more'",
        "gh pr create --body \"$(cat <<'EOF'\nabout .lessons/\nEOF\n)\"",
        "git commit -F - <<'EOF'\nabout .lessons/\nEOF",
        "echo \"see .lessons/ for more\"",
        "echo 'see .lessons/ for more' >> README.md",
        "cat > README.md <<'EOF'\nLessons live in .lessons/lessons.json\nEOF",
        "rm x # not .lessons/",
    ]);
    // The same words in places where they do something.
    assert_ask(&[
        "git commit -m \"move docs\" .lessons/",
        "git commit -m \"$(cat .lessons/lessons.json)\"",
        "git commit -m \"$(cat <<'EOF' | tee x\nabout .lessons/\nEOF\n)\"",
        "rm $(cat <<'EOF'\n.lessons/x\nEOF\n)",
        "xargs rm <<'EOF'\n.lessons/x\nEOF",
        "echo 'see .lessons/ for more' > .lessons/README",
        "echo 'see .lessons/ for more' | xargs rm",
        "rm $(echo 'see .lessons/ for more')",
        // Only git takes a message right behind the letter of its option.
        "gh pr create -b'see .lessons/ for more'",
    ]);
}

#[test]
fn edits_of_our_files_are_put_to_the_person_and_reads_are_not() {
    for path in [
        "/home/dev/.local/share/lessons/lessons.json",
        "/srv/app/.lessons/lessons.json",
        "/srv/app/x/../.lessons/lessons.json",
        "/anywhere/trust.json",
        "~/.local/share/lessons/config.toml",
    ] {
        for tool in ["Edit", "Write", "MultiEdit", "NotebookEdit"] {
            let verdict = on_path(tool, path);
            assert!(matches!(verdict, Verdict::Ask { grant: None, .. }), "{tool} {path}: {verdict:?}");
        }
        for tool in ["Read", "Grep", "Glob", "mcp__files__read"] {
            assert_eq!(on_path(tool, path), Verdict::Pass, "{tool} {path}");
        }
    }
    for path in ["/srv/app/src/lessons.rs", "/srv/app/lessons/trust.json5", "/srv/app/.lessonsrc", ""] {
        assert_eq!(on_path("Write", path), Verdict::Pass, "{path}");
    }
    assert_eq!(judge(&Call { tool: "Bash".into(), ..Call::default() }, &GUARDED), Verdict::Pass);
}

#[test]
fn a_reason_is_short_and_neutral_and_names_no_path_of_its_own() {
    let command = format!("lessons add --rule '\u{202e}evil\u{1b}[2J\nline {}'", "x".repeat(5000));
    let Verdict::Ask { reason, .. } = bash(&command) else { panic!("not asked") };
    assert!(reason.chars().count() < 400 && !reason.contains(['\u{202e}', '\u{1b}', '\n']), "{reason}");
    for command in ["rm -r .lessons", "cd x; lessons off all", "rm $LESSONS_HOME/x"] {
        match bash(command) {
            Verdict::Ask { reason, .. } | Verdict::Deny { reason } => {
                assert!(!reason.contains("/home/"), "{reason}");
            }
            Verdict::Pass => panic!("{command}"),
        }
    }
}

#[test]
fn hostile_text_is_judged_in_the_end() {
    for unit in [
        "lessons list; ",
        "$(lessons ",
        "echo \".lessons x\"; ",
        ".lessons/../",
        "sh -c \"$(",
        "/lessons",
        "git -m 'a .lessons' ",
        "lessons <<A\n",
        "`\\`lessons",
        "find -exec lessons ",
        "a|",
        "xdg_data_home/lessons",
        "L=lessons; $L list; ",
        "L=\"$L x\"; $L list; ",
        "cd .local; cd ../share; x lessons/.. ; ",
        "cd a/b/c; rm \"lessons/../..\"; ",
    ] {
        let command = format!("lessons list; {}", unit.repeat((1 << 18) / unit.len()));
        std::hint::black_box(bash(&command));
    }
}

proptest! {
    #[test]
    fn any_text_is_judged(tool in "Bash|Edit|x", text in any::<String>(), home in any::<String>()) {
        let call = Call {
            tool: tool.into(),
            command: Some(text.as_str().into()),
            paths: vec![text.as_str().into()],
            cwd: Some(home.as_str().into()),
            ..Call::default()
        };
        judge(&call, &GuardedPaths { home: &home, user_home: Some(&text) });
    }

    #[test]
    fn a_change_never_passes(
        before in "(sudo |cd x; |A=1 |\\(|echo \\$\\(|sh -c ')?",
        verb in "[a-z]{2,9}",
        after in "( \\$x| 'a b'| > f| \\| cat)?",
    ) {
        prop_assume!(!READING.contains(&verb.as_str()));
        let close = match before.as_str() { "(" | "echo $(" => ")", "sh -c '" => "'", _ => "" };
        let after = if close == "'" { "" } else { after.as_str() };
        let command = format!("{before}lessons {verb}{after}{close}");
        prop_assert_ne!(bash(&command), Verdict::Pass);
    }

    #[test]
    fn a_quick_look_never_misses_what_the_full_one_sees(text in "[a-zA-Z$~{}./ -]{0,40}(lessons|trust.json|/opt/n)[a-z/ ]{0,10}") {
        let names = GuardedNames::of(&GuardedPaths { home: "/opt/n", user_home: Some("/opt") });
        prop_assert!(names.named(&text).is_none() || names.may_be_in(&text));
    }
}
