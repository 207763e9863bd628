//! Tests of relative paths and the folders they start from.

use super::{Call, GuardedPaths, Verdict, assert_ask, assert_pass, bash_in, judge};

#[test]
fn what_changes_our_files_from_a_folder_near_them_is_put_to_the_person() {
    assert_ask(&[
        "cd ~/.local/share && echo '{}' > lessons/lessons.json",
        "cd ~/.local/share; rm -rf lessons",
        "cd \"$HOME/.local\" && cd share && rm lessons/config.toml",
        "cd && rm -r .local/share/lessons",
        "cd /home/dev/.local/share\nsed -i s/a/b/ ./lessons/lessons.json",
        "pushd ~/.local/share > /dev/null && cp x lessons/lessons.json && popd",
        "(cd ~/.local/share && cp x lessons/lessons.json)",
        "cd ~/.local/share; (cd /tmp && ls); cp x lessons/lessons.json",
        "cd ~/.local/share; cd /tmp; cd -; cp x lessons/lessons.json",
        "cd ~/.local/share/other && cp x ../lessons/lessons.json",
        "cd /tmp && cp x ../home/dev/.local/share/lessons/lessons.json",
        "cd -P -- ~/.local/share && cp x lessons/lessons.json",
        "builtin cd ~/.local/share && cp x lessons/lessons.json",
        "bash -c 'cd ~/.local/share && cp x lessons/lessons.json'",
        "cd ~/.local/share && python3 -c \"open('lessons/lessons.json', 'w')\"",
        "cd ~/.local/share && git add lessons",
        "git -C ~/.local/share add lessons",
        "git -C ~/.local checkout HEAD -- share/lessons/lessons.json",
        "make -C ~/.local/share lessons",
        "env -C ~/.local/share rm lessons/lessons.json",
        "cd ../../home/dev/.local/share && rm lessons/lessons.db",
    ]);
}

#[test]
fn below_a_folder_that_only_the_shell_knows_our_own_file_names_count() {
    assert_ask(&[
        "cd \"$DATA\" && echo '{}' > lessons/lessons.json",
        "cd $(dirname x) && rm lessons/trust.json",
        "cd \"$DATA/lessons\" && cp x config.toml",
        "echo '{}' > \"$DATA/lessons/lessons.json\"",
        "rm \"$(dirname \"$X\")/lessons/lessons.db\"",
        "git -C \"$DATA\" checkout lessons/lessons.json",
        "D=~/.local/share; cd $D && rm lessons/lesson-manifest.idx",
    ]);
    assert_pass(&[
        "cd \"$REPO\" && cargo test lessons/",
        "cd \"$REPO\" && vim lessons/mod.rs",
        "cd $(git rev-parse --show-toplevel) && make lessons",
        "cd \"$REPO/lessons\" && cargo build",
        "rm \"$OUT/lessons.json\"",
        "cp x \"$OUT/lessons/index.html\"",
    ]);
}

#[test]
fn the_folder_of_the_call_counts_as_well() {
    for (cwd, command) in [
        ("/home/dev/.local/share", "echo '{}' > lessons/lessons.json"),
        ("/home/dev", "rm -r .local/share/lessons"),
        ("/home/dev/.local/share/lessons", "rm config.toml"),
        ("/home/dev/.local/share/lessons/backups", "rm ../config.toml"),
        ("/srv/app/.lessons", "rm x"),
        ("/srv/app/.lessons/sub", "cp x ../y"),
    ] {
        let verdict = bash_in(cwd, command);
        assert!(matches!(verdict, Verdict::Ask { grant: None, .. }), "{cwd}: {command}: {verdict:?}");
    }
    for (cwd, command) in [
        ("/home/dev/.local/share", "cp x lessons-learned/y"),
        ("/home/dev/.local/share", "cd /srv && cp lessons-learned/x y"),
        ("/home/dev/.local/share/lessons", "cat lessons.json | jq ."),
        ("/home/dev/.local/share/lessons", "make"),
        ("/home/dev", "rm -r lessons"),
        ("/srv/lessons", "rm lessons.json"),
        ("/srv/app/.lessons/..", "rm x"),
        ("", "rm lessons/lessons.json"),
    ] {
        assert_eq!(bash_in(cwd, command), Verdict::Pass, "{cwd}: {command}");
    }
}

#[test]
fn ordinary_work_in_folders_passes() {
    assert_pass(&[
        "cd lessons && cargo build",
        "cd lessons && rm lessons.json",
        "cd /tmp && rm -rf lessons",
        "cd ~/src/lessons && git add . && git commit -m 'lessons'",
        "cd ~/.local/share && ls",
        "cd ~/.local/share && cp x lessonsx/y",
        "cd ~/.local/share/../bin && rm lessons",
        "(cd web && npm run build 'x y') && cd lessons && vim config.toml",
        "git -C lessons status && git -C ../lessons pull",
        "grep -C 3 'lessons' README.md > out.txt",
        "pushd lessons && make 'all' && popd",
        "tar -C /tmp -xf lessons.tar.gz lessons/lessons.json",
        "for d in core lessons; do (cd $d && cargo test 'x'); done",
    ]);
}

#[test]
fn a_data_folder_that_is_not_known_guards_no_folder_of_its_own() {
    for home in ["", "/"] {
        let guarded = GuardedPaths { home, user_home: Some("/home/dev") };
        let verdict = |command: &'static str| {
            let call = Call {
                tool: "Bash".into(),
                command: Some(command.into()),
                cwd: Some("/srv/app".into()),
                ..Call::default()
            };
            judge(&call, &guarded)
        };
        for command in ["rm x", "rm 'x'", "cd / && rm 'x'", "rm '/srv/app/x' lessons/y"] {
            assert_eq!(verdict(command), Verdict::Pass, "{home:?} {command}");
        }
        assert!(matches!(verdict("rm .lessons/x"), Verdict::Ask { .. }), "{home:?}");
    }
}
