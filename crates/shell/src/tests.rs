use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn typed(command: &str) -> std::borrow::Cow<'_, str> {
    CommandLine::new(command).without_heredocs()
}

fn executable(command: &str) -> String {
    CommandLine::new(command).executable()
}

fn invocations(command: &str) -> Vec<String> {
    CommandLine::new(command).invocations()
}

#[test]
fn the_typed_command_has_no_heredoc_bodies() {
    for (command, expected) in [
        ("git stash", "git stash"),
        ("cat <<EOF\ngit stash\nEOF", "cat <<EOF"),
        ("cat <<EOF\ngit stash\nEOF\n", "cat <<EOF\n"),
        ("cat <<EOF > f && git add f\nbody\nEOF\ngit push", "cat <<EOF > f && git add f\ngit push"),
        ("cat <<'EOF'\n$(x)\nEOF\nls", "cat <<'EOF'\nls"),
        ("cat <<\"E F\"\nbody\nE F\nls", "cat <<\"E F\"\nls"),
        ("cat <<\\EOF\nbody\nEOF\nls", "cat <<\\EOF\nls"),
        ("cat << EOF\nbody\nEOF\nls", "cat << EOF\nls"),
        ("cat <<-EOF\n\tbody\n\tEOF\nls", "cat <<-EOF\nls"),
        ("cat <<EOF\n\tEOF\nEOF\nls", "cat <<EOF\nls"),
        ("cat <<A 3<<B\na\nA\nb\nB\nls", "cat <<A 3<<B\nls"),
        ("cat <<EOF\nno end", "cat <<EOF"),
        ("cat <<EOF\nEOF\nls", "cat <<EOF\nls"),
        ("cat <<EOF\na\\\nEOF\nEOF\nls", "cat <<EOF\nls"),
        ("git commit -m \"$(cat <<'EOF'\ngit stash\nEOF\n)\"", "git commit -m \"$(cat <<'EOF'\n)\""),
        ("x=$(cat <<EOF\nbody\nEOF)\nls", "x=$(cat <<EOF\n)\nls"),
        ("cat <<A $(cat <<B\nb\nB\n)\na\nA\nls", "cat <<A $(cat <<B\n)\nls"),
        ("cat <<EOF \"two\nlines\"\nbody\nEOF\nls", "cat <<EOF \"two\nlines\"\nls"),
        // What only looks like a heredoc.
        ("cat <<< EOF\ngit stash\nEOF", "cat <<< EOF\ngit stash\nEOF"),
        ("echo '<<EOF'\ngit stash\nEOF", "echo '<<EOF'\ngit stash\nEOF"),
        ("echo \"<<EOF\"\nls\nEOF", "echo \"<<EOF\"\nls\nEOF"),
        ("echo \\<<EOF", "echo \\<<EOF"),
        ("echo $((1<<2))\nls\n2", "echo $((1<<2))\nls\n2"),
        ("((x = 1<<2))\nls\n2", "((x = 1<<2))\nls\n2"),
        ("ls # <<EOF\nls\nEOF", "ls # <<EOF\nls\nEOF"),
        ("cat <<", "cat <<"),
    ] {
        assert_eq!(typed(command), expected, "{command}");
    }
}

#[test]
fn a_command_without_a_heredoc_is_not_copied() {
    assert!(matches!(typed("echo 'a << b' && ls"), std::borrow::Cow::Borrowed(_)));
}

/// What would run, with `…` for what is not shown.
fn shown(command: &str) -> String {
    executable(command).replace(SUBSTITUTE, "…")
}

/// `executable` of each command on the left is the text on the right.
fn assert_executable(cases: &[(&str, &str)]) {
    for (command, expected) in cases {
        assert_eq!(shown(command), *expected, "{command}");
    }
}

#[test]
fn a_quoted_part_is_unquoted_or_blanked() {
    assert_executable(&[
        ("git stash", "git stash"),
        ("\"git\" stash", "git stash"),
        ("'rm' -rf build", "rm -rf build"),
        ("gi\"t\" st''ash", "git stash"),
        ("git commit -m \"git stash\"", "git commit -m \"…\""),
        ("git commit -m 'fix pytest run'", "git commit -m \"…\""),
        ("git commit -m'git stash'", "git commit -m\"…\""),
        ("echo \"a \\\" pytest\" b", "echo \"…\" b"),
        ("echo 'x' && pytest", "echo x && pytest"),
        ("echo \"it's\" git", "echo it's git"),
        ("echo 'a\tb' \"c\nd\"", "echo \"…\" \"…\""),
        ("sed -i '' s/a/b/ f", "sed -i \"\" s/a/b/ f"),
        ("rm -rf \"$HOME\" \"${TMP}/x\"", "rm -rf $HOME ${TMP}/x"),
        ("rm -rf \"${TMP:-some where}\"", "rm -rf \"…\""),
        ("$'git\\x20stash' $'-u'", "\"…\" -u"),
        ("echo $\"a b\"", "echo \"…\""),
        ("git log --format='%h %s' HEAD", "git log --format=\"…\" HEAD"),
        ("git show 'HEAD^{tree}'", "git show HEAD^{tree}"),
        ("echo \"git stash", "echo \"…\""),
        ("echo 'git stash", "echo \"…\""),
    ]);
}

#[test]
fn quoted_structure_does_not_look_like_structure() {
    assert_executable(&[
        ("grep -E 'curl|sh' f", "grep -E curl…sh f"),
        ("echo ';' git stash", "echo … git stash"),
        ("find . -exec ls {} \\;", "find . -exec ls {} …"),
        ("echo a\\ b git\\ stash", "echo a…b git…stash"),
        ("echo '$(git)' \\`git\\`", "echo …(git) …git…"),
        ("curl 'http://h/?a=1&b=2'", "curl http://h/?a=1…b=2"),
        ("[[ $x =~ curl|sh ]] && ls", "[[ $x =~ curl…sh ]] && ls"),
        ("case $x in curl|sh) ls;; esac", "case $x in curl…sh) ls;; esac"),
    ]);
}

#[test]
fn escapes_joined_lines_and_comments_are_gone() {
    assert_executable(&[
        ("\\git stash", "git stash"),
        ("git \\\n  stash", "git stash"),
        ("gi\\\nt stash", "git stash"),
        ("git stash # then git push", "git stash"),
        ("# git stash", ""),
        ("# first\nls\n\n  # second\n  pwd\n", "ls\npwd"),
        ("echo a#b $# ${x#y} ${#x}", "echo a#b $# ${x#y} ${#x}"),
        ("ls;# git stash\npwd", "ls;\npwd"),
        ("echo \"# not a comment\" '#'", "echo \"…\" #"),
        ("  git   stash  ", "git   stash"),
        ("echo \\", "echo \\"),
    ]);
}

#[test]
fn what_a_shell_would_run_is_added() {
    assert_executable(&[
        ("sh -c 'git stash'", "sh -c \"…\"\ngit stash"),
        ("bash -lc \"git stash\"", "bash -lc \"…\"\ngit stash"),
        ("/bin/sh -ec 'git stash'", "/bin/sh -ec \"…\"\ngit stash"),
        ("sudo env A=1 timeout 5 bash -c 'git stash'", "sudo env A=1 timeout 5 bash -c \"…\"\ngit stash"),
        ("ls | xargs -I{} sh -c 'rm {}'", "ls | xargs -I{} sh -c \"…\"\nrm {}"),
        ("find . -exec sh -c 'git stash' \\;", "find . -exec sh -c \"…\" …\ngit stash"),
        ("docker exec -it web bash -c 'git stash'", "docker exec -it web bash -c \"…\"\ngit stash"),
        ("eval 'git stash' \"-u\"", "eval \"…\" -u\ngit stash -u"),
        ("sh -c ls", "sh -c ls\nls"),
        ("trap 'git stash' EXIT", "trap \"…\" EXIT\ngit stash"),
        ("if true; then sh -c 'git stash'; fi", "if true; then sh -c \"…\"; fi\ngit stash"),
        ("bash -c \"git stash; echo 'git push'\"", "bash -c \"…\"\ngit stash; echo \"…\""),
        ("sh -c \"sh -c 'git stash'\"", "sh -c \"…\"\nsh -c \"…\"\ngit stash"),
        ("sh -c \"sh -c 'sh -c \\\"git stash\\\"'\"", "sh -c \"…\"\nsh -c \"…\"\nsh -c \"…\"\ngit stash"),
        // Four levels, not five.
        (
            "eval eval eval sh -c ls",
            "eval eval eval sh -c ls\neval eval sh -c ls\neval sh -c ls\nsh -c ls\nls",
        ),
        (
            "eval eval eval eval sh -c ls",
            "eval eval eval eval sh -c ls\neval eval eval sh -c ls\neval eval sh -c ls\neval sh -c ls\nsh -c ls",
        ),
        // Not a shell that runs it.
        ("echo sh -c 'git stash'", "echo sh -c \"…\""),
        ("git commit -m \"sh -c 'git stash'\"", "git commit -m \"…\""),
        ("bash build.sh -c 'git stash'", "bash build.sh -c \"…\""),
        ("python3 -c 'import os; x'", "python3 -c \"…\""),
        ("ssh host 'git stash'", "ssh host \"…\""),
    ]);
}

#[test]
fn what_is_written_into_a_shell_is_added() {
    assert_executable(&[
        ("bash <<EOF\ngit stash\nEOF", "bash <<EOF\ngit stash"),
        ("sudo bash -s <<'EOF'\ngit stash\nEOF\nls", "sudo bash -s <<EOF\nls\ngit stash"),
        ("bash <<< 'git stash'", "bash <<< \"…\"\ngit stash"),
        ("cat <<EOF | sh\ngit stash\nEOF", "cat <<EOF | sh\ngit stash"),
        ("echo 'git stash' | sh", "echo \"…\" | sh\ngit stash"),
        ("(echo 'git stash') | tee log | bash", "(echo \"…\") | tee log | bash\ngit stash"),
        ("source /dev/stdin <<< 'git stash'", "source /dev/stdin <<< \"…\"\ngit stash"),
        // Not read by a shell.
        ("cat > f <<EOF\ngit stash\nEOF", "cat > f <<EOF"),
        ("cat > f <<'EOF'\n$(git stash)\nEOF\nls", "cat > f <<EOF\nls"),
        ("git commit -F - <<'EOF'\ngit stash\nEOF", "git commit -F - <<EOF"),
        ("cat <<EOF; sh -c ls\ngit stash\nEOF", "cat <<EOF; sh -c ls\nls"),
        ("bash -c ls <<EOF\ngit stash\nEOF", "bash -c ls <<EOF\nls"),
        ("echo 'git stash' | grep sh", "echo \"…\" | grep sh"),
    ]);
}

#[test]
fn substitutions_are_kept_and_added() {
    assert_executable(&[
        ("echo $(git stash)", "echo $(git stash)\ngit stash"),
        ("echo \"$(git stash)\"", "echo $(git stash)\ngit stash"),
        ("echo \"done: $(git stash)\"", "echo \"…\"\ngit stash"),
        ("echo `git stash`", "echo `git stash`\ngit stash"),
        ("echo \"a `git stash` b\"", "echo \"…\"\ngit stash"),
        ("diff <(git stash) >(tee x)", "diff <(git stash) >(tee x)\ngit stash\ntee x"),
        ("echo '$(git stash)'", "echo \"…\""),
        ("echo \\$(git)", "echo $(git)"),
        ("echo \"\\$(git stash)\"", "echo \"…\""),
        ("x=${y:-$(git stash)}", "x=${y:-$(git stash)}\ngit stash"),
        ("echo $(( $(git stash) + 1 ))", "echo $((…))\ngit stash"),
        ("echo $((1 << 2))", "echo $((1 << 2))"),
        ("echo $((git stash) | cat)", "echo $((git stash) | cat)\n(git stash) | cat"),
        ("cat > f <<EOF\na $(git stash) b\nEOF", "cat > f <<EOF\ngit stash"),
        ("echo $(echo $(git stash))", "echo $(echo $(git stash))\necho $(git stash)\ngit stash"),
        (
            "git commit -m \"$(cat <<'EOF'\nDo not git stash.\n\nIt's bad.\nEOF\n)\"",
            "git commit -m $(cat <<EOF)\ncat <<EOF",
        ),
        ("a=(one 'two three' $(git stash))", "a=(one \"…\" $(git stash))\ngit stash"),
        (
            "echo $(case $x in a) git stash;; esac) end",
            "echo $(case $x in a) git stash;; esac) end\ncase $x in a) git stash;; esac",
        ),
        ("echo \"$(echo \"a b\" 'c')\" end", "echo $(echo \"…\" c) end\necho \"…\" c"),
        ("echo $(ls # )\n) end", "echo $(ls) end\nls"),
    ]);
}

fn nested(open: &str, close: &str, times: usize, middle: &str) -> String {
    format!("{}{middle}{}", open.repeat(times), close.repeat(times))
}

#[test]
fn what_follows_a_very_deep_substitution_is_still_seen() {
    for (open, close) in
        [("$(", ")"), ("${x:-", "}"), ("\"${x:-", "}\""), ("(", ")"), ("<(", ")"), ("a=(", ")")]
    {
        let command = format!("echo {} ; git stash", nested(open, close, 5000, "x"));
        assert!(executable(&command).contains("; git stash"), "{open}");
    }
}

/// Inputs made to hurt, each about `size` bytes.
fn hostile(size: usize) -> Vec<String> {
    let units = [
        "a ",
        "'",
        "\"",
        "`",
        "\\",
        "$",
        "$(",
        "${",
        "$((",
        "((",
        "(",
        "<(",
        "<<A ",
        "<<A\n",
        "<<-",
        "<<<",
        "a=(",
        "\"$(",
        "\"${",
        "`\\`",
        "$'",
        "$'\\",
        "{",
        "}",
        ")",
        "#",
        "\n",
        ";",
        "|",
        "&",
        "case x in ",
        "case x in a)",
        "[[ ",
        "for ",
        "if ",
        "time ",
        "sudo ",
        "env A=1 ",
        "xargs ",
        "find -exec ",
        "sh -c ",
        "sh -c '",
        "eval ",
        "eval 'eval ",
        "bash <<A\n",
        "echo a|sh;",
        "(((a)b",
        "$((a)b",
        "$(($(",
        "\\\n",
        "é",
        "1>",
        "x[",
        "sh -c \"$(",
        "$((a))",
        "\u{feff}",
        "\r\n",
        "a=",
        "~",
        "*",
    ];
    let mut all: Vec<String> = units.iter().map(|unit| unit.repeat(size / unit.len())).collect();
    for (open, close) in
        [("(((", "x)y)y)y"), ("$((", "x)y)"), ("$(", ")"), ("`", "`"), ("\"${x:-", "}\""), ("sh -c \"", "\"")]
    {
        let times = size / (open.len() + close.len());
        all.push(nested(open, close, times, "git stash"));
    }
    all
}

/// Eight times the text takes about eight times as long, some milliseconds. Work that grows with its square takes 64 times as
/// long, which is seconds: no busy machine holds each of five tries up for that.
#[test]
fn hostile_text_comes_to_an_end() {
    let time = |command: &str| {
        let start = Instant::now();
        std::hint::black_box((executable(command), typed(command), invocations(command)));
        start.elapsed()
    };
    for (short, long) in hostile(1 << 11).iter().zip(hostile(1 << 14)) {
        let is_linear = |_| time(&long) <= 24 * time(short) + Duration::from_millis(500);
        assert!((0..5).any(is_linear), "{:?}…", long.get(..12));
    }
}

#[test]
fn a_megabyte_is_accepted() {
    for unit in ["git stash; ", "$(", "`\\`", "<<A\n", "'a b' ", "sh -c '", "\"${x:-", "(((a)b"] {
        let command = unit.repeat((1 << 20) / unit.len());
        std::hint::black_box((executable(&command), typed(&command)));
    }
}

#[test]
fn the_output_is_not_much_longer_than_the_input() {
    for command in hostile(1 << 16) {
        let invocations: usize = invocations(&command).iter().map(String::len).sum();
        for length in [executable(&command).len(), invocations] {
            assert!(length <= 16 * command.len(), "{:?}… gave {length}", command.get(..12));
        }
    }
}

/// Commands of plain words and operators.
fn plain_command() -> impl Strategy<Value = String> {
    let word = "[a-zA-Z0-9_./:=@%+,-]{1,8}";
    let operator = prop_oneof![Just(" "), Just("  "), Just(" && "), Just(" | "), Just("; "), Just(" > ")];
    proptest::collection::vec((word, operator), 1..12).prop_map(|pieces| {
        let mut text: String =
            pieces.into_iter().flat_map(|(word, operator)| [word, operator.to_owned()]).collect();
        text.push_str("end");
        text
    })
}

proptest! {
    #[test]
    fn a_plain_command_stays_as_it_is(text in plain_command()) {
        // Words that run others would add lines.
        let shown = executable(&text);
        prop_assert_eq!(shown.lines().next(), Some(text.as_str()));
        prop_assert_eq!(typed(&text).into_owned(), text);
    }

    #[test]
    fn text_in_single_quotes_is_never_shown_if_it_has_white_space(text in "[^']{0,20} [^']{0,20}") {
        prop_assert_eq!(shown(&format!("echo '{text}' end")), "echo \"…\" end");
    }
}
