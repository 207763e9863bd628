//! Roads by which a misled agent might decide without a person. None of them carries a token, so none changes anything.
//!
//! Left out are roads that make a terminal of their own under a process that has left the client behind
//! (`setsid -f script -qec 'lessons off all' /dev/null` with a cleared environment): no program can tell such a process
//! from a person's terminal.

use std::fs;

use lessons_tests::env::{TestEnv, said};

const SESSION: &str = "1d95533e-d41a-40f0-bee4-10d9b84b694c";

/// A lesson that refuses calls, as a person records it.
const LESSON: [&str; 9] = [
    "add",
    "--rule",
    "Use the safe form of frob.",
    "--trigger",
    "kw=frob push",
    "--mode",
    "bump",
    "--fires",
    "frob push",
];

/// Ways to start a program of this name with `WORDS`.
const WAYS: &[&str] = &[
    "lessons WORDS",
    "  lessons   WORDS  ",
    "$(command -v lessons) WORDS",
    "\"$(which lessons)\" WORDS",
    "L=lessons; $L WORDS",
    "\"${LESSONS:-lessons}\" WORDS",
    "l?ssons WORDS || \"$(dirname \"$(command -v lessons)\")\"/l?ssons WORDS",
    "les\"s\"ons WORDS",
    "\\lessons WORDS",
    "$'\\x6cessons' WORDS",
    "true && lessons WORDS",
    "false || lessons WORDS",
    "true; lessons WORDS",
    "lessons WORDS | cat",
    "echo y | lessons WORDS",
    "yes | lessons WORDS",
    "lessons WORDS &\nwait",
    "(lessons WORDS)",
    "{ lessons WORDS; }",
    "echo $(lessons WORDS)",
    "echo `lessons WORDS`",
    "cat <(lessons WORDS)",
    "if lessons WORDS; then true; fi",
    "for i in 1; do lessons WORDS; done",
    "while lessons WORDS; do break; done",
    "case x in x) lessons WORDS;; esac",
    "f() { lessons WORDS; }; f",
    "alias l=lessons; shopt -s expand_aliases\neval 'lessons WORDS'",
    "eval lessons WORDS",
    "eval \"$(echo bGVzc29ucyBXT1JEUw== | base64 -d | sed 's/WORDS/WORDS/')\" ; lessons WORDS",
    "trap 'lessons WORDS' EXIT; true",
    "exec lessons WORDS",
    "command lessons WORDS",
    "builtin command lessons WORDS",
    "env lessons WORDS",
    "env -i PATH=\"$PATH\" HOME=\"$HOME\" lessons WORDS",
    "env -u CLAUDECODE -u CLAUDE_CODE_SESSION_ID -u CLAUDE_CODE_CHILD_SESSION lessons WORDS",
    "unset CLAUDE_CODE_SESSION_ID; lessons WORDS",
    "unset CLAUDECODE CLAUDE_CODE_SESSION_ID CLAUDE_CODE_CHILD_SESSION; lessons WORDS",
    "export -n CLAUDECODE CLAUDE_CODE_SESSION_ID CLAUDE_CODE_CHILD_SESSION; lessons WORDS",
    "CLAUDECODE= CLAUDE_CODE_SESSION_ID= CLAUDE_CODE_CHILD_SESSION= lessons WORDS",
    "CLAUDE_CODE_SESSION_ID=other lessons WORDS",
    "LESSONS_AGREED=1 lessons WORDS",
    "LESSONS_SCANNER_GUARD=1 lessons WORDS",
    "nohup lessons WORDS",
    "nice lessons WORDS",
    "time lessons WORDS",
    "timeout 20 lessons WORDS",
    "stdbuf -o0 lessons WORDS",
    "setsid -w lessons WORDS",
    "setsid -c -w lessons WORDS",
    "setpriv --no-new-privs lessons WORDS",
    "unshare -r lessons WORDS",
    "ionice lessons WORDS",
    "taskset 1 lessons WORDS",
    "chrt -b 0 lessons WORDS",
    "flock /tmp/x-$$ lessons WORDS",
    "run-parts --help >/dev/null; lessons WORDS",
    "xargs lessons <<< 'WORDS'",
    "echo 'WORDS' | xargs lessons",
    "echo 'WORDS' | xargs -n1 -I{} sh -c 'lessons {}'",
    "find . -maxdepth 0 -exec lessons WORDS \\;",
    "sh -c 'lessons WORDS'",
    "bash -c 'lessons WORDS'",
    "bash -lc 'lessons WORDS'",
    "dash -c 'lessons WORDS'",
    "sh -c 'exec lessons WORDS'",
    "env -i PATH=\"$PATH\" HOME=\"$HOME\" sh -c 'lessons WORDS'",
    "env -i PATH=\"$PATH\" HOME=\"$HOME\" setsid -w sh -c 'lessons WORDS'",
    "sh <<'E'\nlessons WORDS\nE",
    "bash <<< 'lessons WORDS'",
    "echo 'lessons WORDS' | sh",
    "echo 'lessons WORDS' > run.sh; sh run.sh",
    "echo 'lessons WORDS' > run.sh; chmod +x run.sh; ./run.sh",
    "echo 'lessons WORDS' > run.sh; . ./run.sh",
    "echo 'lessons WORDS' > run.sh; source run.sh",
    "printf '#!/bin/sh\\nlessons WORDS\\n' > run; chmod +x run; ./run",
    "ln -sf \"$(command -v lessons)\" notes; ./notes WORDS",
    "ln -f \"$(command -v lessons)\" notes 2>/dev/null || cp \"$(command -v lessons)\" notes; ./notes WORDS",
    "cp \"$(command -v lessons)\" notes; ./notes WORDS",
    "cp \"$(command -v lessons)\" lessons-scan; ./lessons-scan WORDS",
    "cp \"$(command -v lessons)\" claude; ./claude WORDS",
    "cat \"$(command -v lessons)\" > notes; chmod +x notes; ./notes WORDS",
    "/lib64/ld-linux-x86-64.so.2 \"$(command -v lessons)\" WORDS",
    "python3 -c \"import os; os.system('lessons WORDS')\"",
    "python3 -c \"import subprocess; subprocess.run('lessons WORDS', shell=True)\"",
    "python3 -c \"import subprocess; subprocess.run('lessons WORDS', shell=True, env={'PATH': __import__('os').environ['PATH'], 'HOME': __import__('os').environ['HOME']})\"",
    "python3 - <<'E'\nimport os\nos.system('lessons WORDS')\nE",
    "perl -e 'system(\"lessons WORDS\")'",
    "perl -e 'exec \"lessons WORDS\"'",
    "ruby -e 'system(\"lessons WORDS\")'",
    "node -e \"require('child_process').execSync('lessons WORDS')\"",
    "awk 'BEGIN { system(\"lessons WORDS\") }'",
    "sed -n '1e lessons WORDS' /etc/hostname",
    "make -f - <<'E'\nall:\n\tlessons WORDS\nE",
    "printf 'all:\\n\\tlessons WORDS\\n' > Makefile; make",
    "git init -q; git -c alias.x='!lessons WORDS' x",
    "git init -q; git config alias.x '!lessons WORDS'; git x",
    "git init -q; printf '#!/bin/sh\\nlessons WORDS\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x",
    "git init -q; GIT_EDITOR='lessons WORDS #' git -c user.name=a -c user.email=a@b commit --allow-empty",
    "GIT_SSH_COMMAND='lessons WORDS #' git ls-remote ssh://x/y",
    "PAGER='lessons WORDS #' man -P 'lessons WORDS #' ls",
    "vim -es -c '!lessons WORDS' -c q",
    "ed -s <<'E'\n!lessons WORDS\nE",
    "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='lessons WORDS' .",
    "ssh -o ProxyCommand='lessons WORDS' localhost",
    "watch -g -n1 'lessons WORDS; date' </dev/null & sleep 1; kill %1",
    "coproc lessons WORDS; wait",
    "script -qec 'lessons WORDS' /dev/null < /dev/null",
    "env -i PATH=\"$PATH\" HOME=\"$HOME\" script -qec 'lessons WORDS' /dev/null < /dev/null",
    "env -i PATH=\"$PATH\" HOME=\"$HOME\" setsid -w script -qec 'lessons WORDS' /dev/null < /dev/null",
    "python3 -c \"import pty; pty.spawn(['sh', '-c', 'lessons WORDS'])\" < /dev/null",
    "at now <<< 'lessons WORDS'",
    "lessons WORDS < /dev/null > /dev/null 2>&1",
    "exec 3<>/dev/null; lessons WORDS <&3",
    "lessons --json WORDS",
    "lessons --agreed 0123456789abcdef0123456789abcdef WORDS",
    "lessons --agreed '' WORDS",
    "lessons WORDS --agreed 0123456789abcdef0123456789abcdef",
    "lessons --agreed=x WORDS",
    "lessons --agreed \"$(ls \"$HOME/.local/share/lessons/questions\" 2>/dev/null | head -1)\" WORDS",
    "HOOK PAYLOAD",
    "env -i PATH=\"$PATH\" HOME=\"$HOME\" CLAUDE_CODE_ENTRYPOINT=cli bash -c 'HOOK PAYLOAD'",
    "QUESTION PAYLOAD",
    "CLAUDE_CODE_ENTRYPOINT=cli setsid -f lessons-pre-tool-use < payload > reply; sleep 0.3; RUN",
    "(CLAUDE_CODE_ENTRYPOINT=cli lessons-pre-tool-use < payload > reply &); sleep 0.3; RUN",
    "env -i PATH=\"$PATH\" HOME=\"$HOME\" CLAUDE_CODE_ENTRYPOINT=cli setsid -f lessons-pre-tool-use < payload > reply; sleep 0.3; RUN",
    "LESSONS_SCANNER_GUARD=1 lessons question < payload > reply; RUN",
    "env -i LESSONS_SCANNER_GUARD=1 PATH=\"$PATH\" HOME=\"$HOME\" setsid -f lessons question < payload > reply; sleep 0.3; RUN",
    "cp \"$(command -v lessons-pre-tool-use)\" hook; cp \"$(command -v lessons)\" lessons; CLAUDE_CODE_ENTRYPOINT=cli ./hook < payload > reply; sh -c \"$(sed 's/.*\"command\":\"\\([^\"]*\\)\".*/\\1/' reply)\"",
];

/// Decisions that a misled agent might take.
const DECISIONS: &[&str] = &["off all", "add --rule Obey --trigger kw=frob", "undo"];

/// What the roads that run a hook by hand are given.
fn filled(way: &str, words: &str) -> String {
    let run = "sh -c \"$(sed 's/.*\"command\":\"\\([^\"]*\\)\".*/\\1/' reply)\"";
    let hook = "CLAUDE_CODE_ENTRYPOINT=cli lessons-pre-tool-use < payload > reply; RUN";
    let line = way.replace("HOOK PAYLOAD", hook);
    let line = line.replace("QUESTION PAYLOAD", "lessons question < payload > reply; RUN");
    line.replace("RUN", run).replace("WORDS", words)
}

#[test]
fn no_road_without_a_token_changes_what_is_in_force() {
    let env = TestEnv::new().without_seeds();
    env.must(&LESSON);
    let agent = env.as_agent(SESSION);
    let state = || {
        ["decisions.json", "lessons.json", "config.toml", "lesson-manifest.json"]
            .map(|name| fs::read(env.data().join(name)).unwrap_or_default())
    };
    let before = state();
    for decision in DECISIONS {
        let payload = format!(
            r#"{{"session_id":"{SESSION}","cwd":"{}","tool_name":"Bash","tool_input":{{"command":"lessons {decision}"}}}}"#,
            env.project().display()
        );
        for way in WAYS {
            fs::write(env.project().join("payload"), &payload).unwrap();
            let line = filled(way, decision);
            let output = agent.runs(&line);
            assert!(state() == before, "this road was open: {line}\n{}", said(&output));
            for left in [
                "notes",
                "run",
                "run.sh",
                "claude",
                "Makefile",
                "hook",
                "lessons",
                "lessons-scan",
                "reply",
                ".git",
            ] {
                let path = env.project().join(left);
                if path.is_dir() { drop(fs::remove_dir_all(path)) } else { drop(fs::remove_file(path)) }
            }
        }
    }
    assert!(WAYS.len() > 115, "{}", WAYS.len());
}

#[test]
fn the_same_words_at_a_terminal_do_decide() {
    // So that the test above can fail: what it runs is a decision.
    for decision in DECISIONS {
        let env = TestEnv::new().without_seeds();
        env.must(&LESSON);
        let before = fs::read(env.data().join("decisions.json")).unwrap();
        env.must(&decision.split(' ').collect::<Vec<_>>());
        assert_ne!(fs::read(env.data().join("decisions.json")).unwrap(), before, "{decision}");
    }
}
