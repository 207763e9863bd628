use proptest::prelude::*;

use super::*;

fn invocations(command: &str) -> Vec<String> {
    CommandLine::new(command).invocations()
}

/// The invocations of each command on the left are the texts on the right.
fn assert_invocations(cases: &[(&str, &[&str])]) {
    for (command, expected) in cases {
        assert_eq!(invocations(command), *expected, "{command}");
    }
}

#[test]
fn each_simple_command_is_a_text() {
    assert_invocations(&[
        ("git stash", &["git stash"]),
        ("a && b || c; d & e | f", &["a", "b", "c", "d", "e", "f"]),
        ("a\nb \\\n  c", &["a", "b c"]),
        ("  git   stash  # now", &["git stash"]),
        ("if a; then b; else c; fi", &["a", "b", "c"]),
        ("while ! a; do b; done", &["a", "b"]),
        ("for x in a b; do c; done", &["c"]),
        ("case $x in a|b) c;; esac", &["c"]),
        ("f() { a; }; (b); { c; }", &["a", "b", "c"]),
        ("time -p a", &["a"]),
        ("((x = 1))", &[]),
        ("A=1 B=2", &[]),
        ("", &[]),
    ]);
}

#[test]
fn what_only_starts_a_program_is_stripped() {
    assert_invocations(&[
        ("A=1 B='x y' git stash", &["git stash"]),
        ("sudo -u bob git stash", &["git stash"]),
        ("sudo -E env -u A B=1 git stash", &["git stash"]),
        ("timeout -s KILL 5 git stash", &["git stash"]),
        ("timeout --preserve-status 5 git stash", &["git stash"]),
        ("nice -n 10 nohup git stash", &["git stash"]),
        ("ionice -c 2 stdbuf -oL setsid git stash", &["git stash"]),
        ("time doas command exec -a x git stash", &["git stash"]),
        ("/usr/bin/sudo /usr/bin/git stash", &["git stash"]),
        ("\\git stash", &["git stash"]),
        ("ls | xargs -I {} rm -f {}", &["ls", "rm -f {}"]),
        ("ls | sudo xargs -0 -n 1 sudo rm", &["ls", "rm"]),
        ("ls | xargs xargs rm > f", &["ls", "rm > f"]),
        // Nothing is left, or nothing runs.
        ("sudo", &["sudo"]),
        ("env", &["env"]),
        ("xargs", &["xargs"]),
        ("command -v git", &["command -v git"]),
        ("echo sudo git stash", &["echo sudo git stash"]),
    ]);
}

#[test]
fn the_programs_name_stands_without_its_folder() {
    assert_invocations(&[
        ("/usr/bin/git stash", &["git stash"]),
        ("./gradlew test ./a", &["gradlew test ./a"]),
        ("\"$HOME/bin/git\" stash", &["git stash"]),
        ("'/my tools/git' stash", &["\"/my tools/git\" stash"]),
        ("${x%/*} stash", &["${x%/*} stash"]),
        ("$(which /a/b) stash", &["$(which /a/b) stash", "which /a/b"]),
        ("/ x", &["/ x"]),
    ]);
}

#[test]
fn global_options_are_no_part_of_a_command() {
    assert_invocations(&[
        ("git -C \"/My Projects/app\" -c user.name=\"A B\" --no-pager reset --hard", &["git reset --hard"]),
        ("/usr/bin/git.exe --git-dir=.git -P push -f", &["git push -f"]),
        ("git commit -C HEAD -c x", &["git commit -C HEAD -c x"]),
        ("git --version", &["git --version"]),
        ("docker --context prod compose -f a.yml -p shop down -v", &["docker compose down -v"]),
        ("docker-compose -f a.yml down", &["docker-compose down"]),
        ("kubectl -n shop delete --context=prod pvc data -nshop", &["kubectl delete pvc data"]),
        ("terraform -chdir=\"a b\" destroy", &["terraform destroy"]),
        ("npm --prefix web run x", &["npm run x"]),
        ("cargo +nightly --color never build", &["cargo build"]),
        ("aws --profile prod s3 rb s3://a --region x", &["aws s3 rb s3://a"]),
        ("psql -h db -U app -c 'SELECT 1' shop", &["psql -c \"SELECT 1\" shop"]),
        ("mysql -uroot -psecret -e 'SHOW TABLES'", &["mysql -e \"SHOW TABLES\""]),
        ("redis-cli -h db -n 2 FLUSHALL", &["redis-cli FLUSHALL"]),
    ]);
}

#[test]
fn a_command_behind_a_runner_is_a_text_of_its_own() {
    for runner in [
        "rtk",
        "npx",
        "npx -y",
        "pnpm exec",
        "pnpm dlx",
        "yarn dlx",
        "bunx",
        "bun x",
        "npm exec --",
        "uvx",
        "uv run",
        "uv run --with x",
        "poetry run",
        "pipenv run",
        "hatch run",
        "pdm run",
        "rye run",
        "python -m",
        "python3.12 -u -m",
        "bundle exec",
        "mise exec --",
        "mise x node@20 --",
        "direnv exec .",
        "nix develop -c",
        "nix develop .#ci --command",
        "nix shell nixpkgs#git -c",
        "devbox run",
        "devbox run --",
        "dotenv --",
        "dotenv -e .env --",
        "op run --env-file=.env --",
        "aws-vault exec prod --",
        "doppler run --",
        "railway run",
        "docker exec -it -e A=1 web",
        "docker exec -it -- web",
        "docker compose -p shop exec -T web",
        "docker run --rm -v a:b image",
        "kubectl exec -it web -c app --",
        "ssh -p 22 host",
        "ssh host --",
        "git submodule foreach",
        "npx npx",
        "sudo docker exec web sudo",
    ] {
        let command = format!("{runner} frob --a b");
        assert!(
            invocations(&command).contains(&"frob --a b".to_owned()),
            "{command}: {:?}",
            invocations(&command)
        );
    }
    assert_invocations(&[
        ("ssh host 'cd a && git reset'", &["ssh host \"cd a && git reset\"", "cd a", "git reset"]),
        ("ssh host <<EOF\ngit reset\nEOF", &["ssh host <<EOF", "git reset"]),
        ("nix-shell --run 'git reset'", &["nix-shell --run \"git reset\"", "git reset"]),
        ("npx prisma@latest migrate", &["npx prisma@latest migrate", "prisma migrate"]),
        ("uv sync", &["uv sync"]),
        ("docker ps -a", &["docker ps -a"]),
        ("python manage.py -m x", &["python manage.py -m x"]),
        ("ssh host", &["ssh host"]),
        ("kubectl exec web", &["kubectl exec web"]),
    ]);
}

#[test]
fn what_a_program_reads_and_runs_stands_behind_it() {
    assert_invocations(&[
        ("psql app <<EOF\nDROP TABLE a;\nEOF", &["psql app <<EOF \"DROP TABLE a;\""]),
        ("redis-cli <<< FLUSHALL", &["redis-cli <<< FLUSHALL \"FLUSHALL\""]),
        ("echo FLUSHALL | redis-cli", &["echo FLUSHALL", "redis-cli \"FLUSHALL\""]),
        ("cat <<EOF | mysql\nDROP\nEOF", &["cat <<EOF", "mysql \"DROP\""]),
        ("cat <<EOF\nDROP\nEOF", &["cat <<EOF"]),
        ("echo DROP | tee log | psql", &["echo DROP", "tee log", "psql \"DROP\""]),
        ("cat <<EOF | sed s/a/b/ | mysql\nDROP\nEOF", &["cat <<EOF", "sed s/a/b/", "mysql \"DROP\""]),
        ("psql < f.sql", &["psql < f.sql"]),
        // Once: written behind each, a line would cost the square of its length.
        (
            "find . -exec psql a + -exec psql b + <<EOF\nDROP\nEOF",
            &["find . -exec psql a + -exec psql b + <<EOF", "psql a \"DROP\"", "psql b"],
        ),
        ("docker exec -i db psql <<EOF\nDROP\nEOF", &["docker exec -i db psql <<EOF", "psql \"DROP\""]),
    ]);
}

#[test]
fn the_home_folder_has_one_name() {
    for home in ["~", "$HOME", "${HOME}", "\"$HOME\"", "\"${HOME}\""] {
        assert_eq!(invocations(&format!("rm {home}")), ["rm ~"]);
        assert_eq!(invocations(&format!("rm {home}/a")), ["rm ~/a"]);
    }
    assert_invocations(&[
        ("rm \"$HOME/a b\" \"$HOME/\"*", &["rm ~\"/a b\" ~/*"]),
        ("rm '~' \\~/a \"~/b\" ~bob", &["rm ./~ ./~/a ./~/b ~bob"]),
        ("rm ${HOME:?} \"${HOME:?is not set}/a\"", &["rm ~ ~/a"]),
        ("d=~; rm $d; e=~/a; rm \"$e\"; f='~'; rm $f", &["rm ~", "rm ~/a", "rm ./~"]),
        ("rm '$HOME' a$HOME ${HOME:-a}", &["rm $HOME a$HOME ${HOME:-a}"]),
        ("HOME=/tmp/x; rm $HOME", &["rm /tmp/x"]),
    ]);
}

#[test]
fn strings_in_sql_are_data_and_calls_in_code_are_commands() {
    assert_invocations(&[
        ("mysql -e 'SELECT \"DROP DATABASE a\"'", &["mysql -e \"SELECT \"\"\""]),
        ("psql -c 'DROP TABLE \"a\"'", &["psql -c \"DROP TABLE \"a\"\""]),
        ("psql <<EOF\nSELECT 'DROP b'; DROP a;\nEOF", &["psql <<EOF \"SELECT ''; DROP a;\""]),
        ("python3 -c 'os.system(\"git a\")'", &["python3 -c \"os.system(\"git a\")\"", "git a"]),
        ("node <<EOF\nexecSync('git a')\nEOF", &["node <<EOF \"execSync('git a')\"", "git a"]),
        ("sudo ruby -e 'system(\"git\", \"a b\")'", &["ruby -e \"system(\"git\", \"a b\")\"", "git \"a b\""]),
        ("python a.py -c 'os.system(\"git a\")'", &["python a.py -c \"os.system(\"git a\")\""]),
    ]);
}

#[test]
fn options_that_stand_together_are_also_written_apart() {
    assert_invocations(&[
        ("git commit -sm 'a b' > f", &["git commit -sm \"a b\" > f", "git commit -s -m \"a b\" > f"]),
        ("git -C x commit -qsma", &["git commit -qsma", "git commit -q -s -ma"]),
        ("curl -fsSLo f u", &["curl -fsSLo f u", "curl -f -s -S -L -o f u"]),
        ("git commit -ma", &["git commit -ma"]),
        ("git log -np", &["git log -np"]),
        ("find -name x", &["find -name x"]),
    ]);
}

#[test]
fn a_source_tells_what_the_text_leaves_out() {
    let sources = |command: &str| {
        let found = CommandLine::new(command).sources();
        found.into_iter().map(|source| (source.invocations, source.typed)).collect::<Vec<_>>()
    };
    let source = |invocations, typed: &str| (invocations, typed.to_owned());
    assert_eq!(sources("A=1 sudo git -C x reset"), [source(0..1, "A=1 sudo git -C x reset")]);
    assert_eq!(sources("x=1; ls > f"), [source(0..0, "x=1"), source(0..1, "ls > f")]);
    assert_eq!(sources("git commit -am x"), [source(0..2, "git commit -am x")]);
    assert_eq!(
        sources("ssh host 'git reset'"),
        [source(0..1, "ssh host \"git reset\""), source(1..2, "ssh git reset")]
    );
    let inside = sources("docker exec web sh -c 'A=1 git reset'");
    assert_eq!(inside.last(), Some(&source(1..2, "docker A=1 git reset")));
}

#[test]
fn a_source_tells_whether_it_can_read_a_pipe() {
    for (command, reads) in [
        ("a | b; c", &[false, true, false][..]),
        ("a | while read x; do b; done; c", &[false, true, true, false]),
        ("a | { b; (c); d; } && e", &[false, true, true, true, false]),
        ("if a; then b | c; fi; d", &[false, false, true, false]),
        ("a | (b; c); d", &[false, true, true, false]),
        ("a | xargs b", &[false, true]),
    ] {
        let found = CommandLine::new(command).sources();
        assert_eq!(found.iter().map(|source| source.reads_pipe).collect::<Vec<_>>(), reads, "{command}");
    }
}

#[test]
fn words_are_unquoted_and_quoted_text_is_kept() {
    assert_invocations(&[
        ("\"git\" 'st'a\\sh", &["git stash"]),
        ("git commit -m \"git stash\"", &["git commit -m \"git stash\""]),
        ("git commit -m'git stash'", &["git commit -m\"git stash\""]),
        ("git log --format='%h %s'", &["git log --format=\"%h %s\""]),
        ("psql -c 'DELETE FROM \"users\"'", &["psql -c \"DELETE FROM \"users\"\""]),
        ("grep -E 'curl|sh' f", &["grep -E \"curl|sh\" f"]),
        ("find . -name '>'", &["find . -name \">\""]),
        ("sed -i '' s/a/b/ f", &["sed -i \"\" s/a/b/ f"]),
        ("rm -rf \"$HOME\" \"${TMP}/x\" '$a'", &["rm -rf ~ ${TMP}/x $a", "rm -r -f ~ ${TMP}/x $a"]),
        ("rm \"${TMP:-some where}\"", &["rm \"${TMP:-some where}\""]),
        ("echo $'a\\x20b' a\\ b", &["echo \"a b\" a\" \"b"]),
        ("echo 'two\nlines'", &["echo \"two\nlines\""]),
        ("echo \"git stash", &["echo \"git stash\""]),
    ]);
}

#[test]
fn redirections_stand_behind_the_words() {
    assert_invocations(&[
        ("sort f > g", &["sort f > g"]),
        ("sort <f >g 2>&1 -u", &["sort -u < f > g 2>&1"]),
        ("> \"my file\" echo a &>> log", &["echo a > \"my file\" &>> log"]),
        ("cat > f <<'EOF'\ngit stash\nEOF", &["cat > f <<EOF"]),
        ("cat <<< 'a b'", &["cat <<< \"a b\""]),
        ("{ a; b; } > f", &["a", "b", "> f"]),
        ("> f", &["> f"]),
        ("find . -exec rm {} + > f", &["find . -exec rm {} + > f", "rm {}"]),
    ]);
}

#[test]
fn what_would_run_is_looked_into_four_levels_deep() {
    assert_invocations(&[
        ("sh -c 'git stash; ls'", &["sh -c \"git stash; ls\"", "git stash", "ls"]),
        ("eval \"sudo git\" stash", &["eval \"sudo git\" stash", "git stash"]),
        ("bash <<EOF\nsudo git stash\nEOF", &["bash <<EOF", "git stash"]),
        ("cat <<EOF | sh\ngit stash\nEOF", &["cat <<EOF", "git stash", "sh"]),
        ("echo 'git stash' | sudo sh", &["echo \"git stash\"", "git stash", "sh"]),
        ("echo $(A=1 git log) `git x`", &["echo $(A=1 git log) `git x`", "git log", "git x"]),
        ("echo \"$(git log)\" \"a $(ls) b\"", &["echo $(git log) \"a $(ls) b\"", "git log", "ls"]),
        ("cat <<EOF\n$(git log)\nEOF", &["cat <<EOF", "git log"]),
        ("cat <<'EOF'\n$(git log)\nEOF", &["cat <<EOF"]),
        ("find . -exec sudo rm {} \\;", &["find . -exec sudo rm {} \";\"", "rm {}"]),
        ("ls | xargs sh -c 'rm $0'", &["ls", "sh -c \"rm $0\"", "rm $0"]),
        ("echo '$(git log)'", &["echo \"$(git log)\""]),
    ]);
    let nested = |times: usize| format!("{}git{}", "$(".repeat(times), ")".repeat(times));
    assert!(invocations(&nested(4)).contains(&"git".to_owned()));
    assert!(!invocations(&nested(5)).contains(&"git".to_owned()));
}

/// What `frob` gets in this command.
fn frobbed(command: &str) -> String {
    let found = invocations(command).into_iter().find(|text| text.starts_with("frob"));
    found.unwrap_or_else(|| panic!("no frob in {command}"))
}

#[test]
fn a_variable_is_resolved_from_a_literal_assignment_before_it() {
    for command in [
        "x=wipe; frob $x",
        "x=wipe\nfrob $x",
        "x=wipe; frob ${x}",
        "x='wipe'; frob \"$x\"",
        "x=other; x=wipe; frob $x",
        "x=wipe y=1; ls; frob $x",
        "time x=wipe; frob $x",
        "x=wipe && frob $x",
        "x=wipe; x=a frob $x",
        "x=wipe; if a; then frob $x; fi",
        "x=wipe; frob $x | cat",
        "x=wipe; for y in a; do frob $x; done",
        "x=wipe; echo $(frob $x)",
        "x=wipe; sh -c \"frob $x\"",
        "sh -c 'x=wipe; frob $x'",
        "a && b; x=wipe; frob $x",
        "case $a in b) c;; esac; x=wipe; frob $x",
        "read y; export z; x=wipe; frob $x",
    ] {
        assert_eq!(frobbed(command), "frob wipe", "{command}");
    }
    assert_eq!(invocations("x=frob; /bin/$x a"), ["frob a"]);
    assert_eq!(invocations("x=sudo; $x frob a"), ["frob a"]);
    for value in ["$HOME/a", "\"$HOME/a\"", "\"${HOME}\"/a", "~/a"] {
        assert_eq!(frobbed(&format!("x={value}; frob \"$x\"")), "frob ~/a", "{value}");
    }
    assert_eq!(frobbed("x=$HOME; frob $x/b"), "frob ~/b");
    assert_eq!(frobbed("HOME=/a; x=$HOME; frob $x"), "frob $x");
    for literal in ["x='$HOME/a'; frob $x", "x='$HOMEPATH'; frob $x"] {
        assert!(!frobbed(literal).contains('~'), "{literal}");
    }
    assert_eq!(frobbed("x=$HOMEPATH; frob $x"), "frob $x");
    assert_eq!(invocations("x='a;b'; frob $x"), ["frob \"a;b\""]);
}

#[test]
fn a_variable_is_resolved_from_nothing_else() {
    for command in [
        "frob $x",
        "x=wipe frob $x",
        "frob $x; x=wipe",
        "x=wipe | frob $x",
        "echo wipe | read x; frob $x",
        "a | x=wipe; frob $x",
        "x=wipe & frob $x",
        "x=wipe && a & frob $x",
        "(x=wipe); frob $x",
        "{ x=wipe; }; frob $x",
        "a && x=wipe; frob $x",
        "a ||\nx=wipe; frob $x",
        "! x=wipe; frob $x",
        "if a; then x=wipe; fi; frob $x",
        "while a; do x=wipe; done; frob $x",
        "for x in wipe; do frob $x; done",
        "case $a in (b) x=wipe;; esac; frob $x",
        "x=wipe; read x; frob $x",
        "x=wipe; while read -r x; do frob $x; done",
        "x=wipe; for x in a; do frob $x; done",
        "x=wipe; if a; then x=b; fi; frob $x",
        "x=wipe; unset x; frob $x",
        "x=wipe; export x=$y; frob $x",
        "x=wipe; printf -v x a; frob $x",
        "x=wipe; eval a; frob $x",
        "x=wipe; . ./env; frob $x",
        "x=wipe; ((x = 1)); frob $x",
        "x=wipe; echo $((x = 1)); frob $x",
        "x=wipe; : ${x=a}; frob $x",
        "x=wipe; declare -n y=x; y=a; frob $x",
        "x=wipe; x+=a; frob $x",
        "x=wipe; x=$y; frob $x",
        "x=wipe; f() { x=a; }; x=wipe; f; frob $x",
        "x=$y; frob $x",
        "x=$(echo wipe); frob $x",
        "x='a b'; frob $x",
        "x=; frob $x",
        "x[0]=wipe; frob $x",
        "x=(wipe); frob $x",
        "export x=wipe; frob $x",
        "x=wipe; sh -c 'frob $x'",
        "x=wipe; frob '$x'",
    ] {
        assert_eq!(frobbed(command), "frob $x", "{command}");
    }
    assert_eq!(frobbed("x=wipe; frob ${x:-a}"), "frob ${x:-a}");
    assert_eq!(frobbed(&format!("x={}; frob $x", "a".repeat(101))), "frob $x");
}

#[test]
fn each_use_of_a_long_value_does_not_make_the_text_much_longer() {
    let command = format!("x={}; {}", "a".repeat(100), "b $x;".repeat(1 << 14));
    let length: usize = invocations(&command).iter().map(String::len).sum();
    assert!(length <= 40 * command.len(), "{length}");
}

#[test]
fn texts_and_sources_grow_with_the_command_and_no_faster() {
    let long = |unit: &str| unit.repeat((1 << 18) / unit.len());
    for command in [
        long("git -C x reset --hard; "),
        long("a;"),
        long("npx "),
        long("docker exec x "),
        format!("find . {}", long("-exec a ; ")),
        long("ssh h 'a' | "),
        long("psql <<A | "),
        long("echo x | psql; "),
        format!("psql <<A\n{}", long("DROP TABLE a;\n")),
        format!("ssh h <<A\n{}", long("rm ~\n")),
        format!("echo '{}", long("$HOME ")),
        long("$("),
        long("x=a; rm $x; "),
        long("kubectl -n x "),
        long("\u{e9}\0\u{1f600} "),
    ] {
        let line = CommandLine::new(&command);
        let texts: usize = line.invocations().iter().map(String::len).sum();
        let typed: usize = line.sources().iter().map(|source| source.typed.len()).sum();
        let start: String = command.chars().take(20).collect();
        assert!(texts <= 20 * command.len() && typed <= 20 * command.len(), "{start}: {texts} {typed}");
    }
}

/// Words that a shell takes as they stand, and that start nothing.
fn plain_words() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("[b-z0-9_.:%+,-]{1,8}".prop_map(|word| format!("a{word}")), 1..6)
}

proptest! {
    #[test]
    fn plain_commands_are_their_own_invocations(commands in proptest::collection::vec(plain_words(), 1..6)) {
        let expected: Vec<String> = commands.iter().map(|words| words.join(" ")).collect();
        prop_assert_eq!(invocations(&expected.join(" && ")), expected.clone());
        prop_assert_eq!(invocations(&expected.join("\n")), expected);
    }

    #[test]
    fn quoting_makes_no_difference_to_words(words in plain_words()) {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        prop_assert_eq!(invocations(&quoted.join("  ")), [words.join(" ")]);
    }

    #[test]
    fn wrappers_make_no_difference(words in plain_words(), wrappers in "((sudo -u a|env A=1 -u b|timeout -k 1 5|nice -n 5|nohup|command|exec|xargs -n 1|A=1|time) ){0,4}") {
        // An assignment is one only in front.
        prop_assume!(!wrappers.contains(" A=1 A") && !wrappers.trim_start_matches("A=1 ").split("env A=1").any(|rest| rest.contains(" A=1 ")));
        prop_assume!(!wrappers.trim_start_matches("A=1 ").starts_with("A=1"));
        prop_assert_eq!(invocations(&format!("{wrappers}{}", words.join(" "))), [words.join(" ")]);
    }

    #[test]
    fn no_text_holds_an_operator_that_was_typed(words in proptest::collection::vec("a|'b c'|;|&&|\\||\\(|\\)|\n", 0..12)) {
        for text in invocations(&words.join(" ")) {
            prop_assert!(!text.contains([';', '&', '|', '(', ')', '\n']), "{text:?}");
        }
    }
}
