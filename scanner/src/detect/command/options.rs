//! Options of commands that do not explain why one call failed and another did not.
//!
//! The lists are data: words separated by spaces.

pub(crate) use lessons_text::words::lists;

/// Options in front of a subcommand whose value is the next word.
pub(crate) const GLOBAL_WITH_VALUE: &str = "-C -H -c -f -h -n -p -w --config --context --cwd --git-dir --host --kubeconfig --manifest-path \
     --namespace --prefix --profile --project --project-name --region --work-tree";

/// Options and variables that change how much is printed, in which form, or whether anything is done but that.
pub(crate) const TALK: &str = "--check --color --colour --debug --dry-run --full-trace --info --json --list --no-color --quiet --raw --silent \
     --stacktrace --summary --tb --timings --trace --verbose -V -q -v -vv -vvv DEBUG LOG_LEVEL \
     RUST_BACKTRACE RUST_LOG --";

/// The same, of programs that inspect or check.
pub(crate) const TALK_OF_CHECKS: &str = "-I -i -l -s -sS";

/// Options of a check that leave a part of it out: a test that is not run does not fail.
const NARROWING: &str = "--bench --bin --bins --doc --example --exclude --failed-first --ff --filter --grep --last-failed \
     --lf --lib --maxfail --only --only-failures --package --project --run --seed --spec --tag --test \
     --test-name-pattern --testNamePattern --testPathPattern --tests -Dtest -E -R -e -g -k -m -race -run \
     -t -x --cov";

/// Options with which a check repairs what it complains about, or only complains.
const MENDING: &str = "--apply --autocorrect --autofix --check --diff --dry-run --fix --in-origin --noEmit --no-verify \
     --test --update --update-snapshots --updateSnapshot --write -A -a -check -u -w";

/// Whether an option narrows a check, or repairs what the check complains about.
pub(crate) fn changes_check(program: &str, option: &str) -> bool {
    let is_package_of_cargo = program == "cargo" && option == "-p";
    is_package_of_cargo || lists(NARROWING, option) || lists(MENDING, option)
}

/// Whether a text holds a word, between characters that are no part of one.
pub(crate) fn holds(text: &str, word: &str, is_of_word: fn(char) -> bool) -> bool {
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_of_word) && !text[at + word.len()..].starts_with(is_of_word))
}
