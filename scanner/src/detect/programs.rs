//! What is known of programs: whose failure is an answer, and which options change no outcome.
//!
//! Data. A program that is not named here is taken at its word: that it failed means that the call was
//! wrong. A name that is missing costs precision, a name too many costs recall.

/// Programs that look: nothing found is an answer, and so is that there is no such file.
const EXPLORERS: &[&str] = &[
    "ack", "ag", "aspell", "awk", "basename", "cat", "cd", "command", "cut", "curl", "df", "diff", "dig",
    "dirname", "du", "echo", "env", "false", "fd", "file", "find", "gdb", "git-grep", "grep", "head", "host",
    "jq", "less", "locate", "ls", "lsof", "man", "nm", "nslookup", "objdump", "pgrep", "kill", "ping",
    "pkill", "printenv", "ps", "pwd", "readlink", "realpath", "rg", "sort", "stat", "strings", "tail",
    "test", "[", "tree", "true", "type", "uniq", "wc", "wget", "whereis", "which", "whoami", "xargs", "yq",
];

/// Programs that everybody knows how to call, once they have looked.
const ERRANDS: &[&str] =
    &["chmod", "chown", "cp", "export", "ln", "mkdir", "mv", "rm", "rmdir", "sleep", "touch", "wait"];

/// Subcommands that look, by program.
const LOOKS: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "blame",
            "branch",
            "describe",
            "diff",
            "grep",
            "log",
            "ls-files",
            "reflog",
            "remote",
            "rev-parse",
            "show",
            "status",
            "tag",
        ],
    ),
    ("npm", &["audit", "info", "list", "ls", "outdated", "view", "why"]),
    ("docker", &["images", "inspect", "logs", "ps", "version"]),
    ("kubectl", &["describe", "explain", "get", "logs", "top", "version"]),
    ("gh", &["auth status", "issue list", "issue view", "pr list", "pr view", "release view", "run view"]),
    ("cargo", &["metadata", "search", "tree"]),
    ("pip", &["freeze", "list", "show"]),
];

/// Programs whose failure is a verdict on the code: tests, compilers, linters.
const VERDICTS: &[&str] = &[
    "ava",
    "bandit",
    "bats",
    "biome",
    "black",
    "brakeman",
    "checkpatch.pl",
    "clang",
    "clang-tidy",
    "cppcheck",
    "ctest",
    "cypress",
    "detekt",
    "dotnet",
    "eslint",
    "flake8",
    "gcc",
    "g++",
    "go",
    "golangci-lint",
    "gradle",
    "gradlew",
    "hadolint",
    "jasmine",
    "java",
    "javac",
    "jest",
    "ktlint",
    "lychee",
    "make",
    "markdownlint",
    "mocha",
    "mvn",
    "mvnw",
    "mypy",
    "ninja",
    "nox",
    "phpstan",
    "phpunit",
    "pio",
    "playwright",
    "prettier",
    "pylint",
    "pyright",
    "pytest",
    "rspec",
    "rubocop",
    "ruff",
    "rustc",
    "sbt",
    "scalafmt",
    "shellcheck",
    "stylelint",
    "swift",
    "tox",
    "tsc",
    "vite",
    "vitest",
    "xcodebuild",
    "xmllint",
    "yamllint",
    "zig",
];

/// Those of them whose first word says what they do. The others take files and folders.
const VERDICTS_WITH_SUBCOMMAND: &[&str] = &[
    "biome",
    "cypress",
    "dotnet",
    "go",
    "golangci-lint",
    "gradle",
    "gradlew",
    "make",
    "mvn",
    "mvnw",
    "ninja",
    "nox",
    "pio",
    "playwright",
    "ruff",
    "sbt",
    "swift",
    "tox",
    "vite",
    "vitest",
    "xcodebuild",
    "zig",
];

/// Subcommands whose failure is a verdict, by program.
const VERDICT_SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("cargo", &["bench", "build", "check", "clippy", "doc", "fmt", "nextest run", "run", "test", "xtask"]),
    ("git", &["am", "apply", "bisect", "cherry-pick", "commit", "diff", "merge", "rebase", "revert"]),
    ("npm", &["audit", "run build", "run lint", "run test", "run typecheck", "start", "test"]),
    ("pnpm", &["build", "lint", "run build", "run lint", "run test", "test"]),
    ("yarn", &["build", "lint", "run build", "run test", "test"]),
    ("terraform", &["fmt", "validate"]),
    ("helm", &["lint", "template"]),
    ("bun", &["test"]),
    ("deno", &["check", "fmt", "lint", "test"]),
    ("kubectl", &["apply", "rollout status", "wait"]),
];

/// Programs that run what is written in the project: their failure is one of what they run.
pub(super) const INTERPRETERS: &[&str] =
    &["bash", "bun", "deno", "node", "perl", "php", "python", "ruby", "sh", "tsx", "ts-node", "zsh"];

/// Words in front of the program that only start it, and how many there are.
pub(super) const LAUNCHERS: &[&[&str]] = &[
    &["bundle", "exec"],
    &["bunx"],
    &["npx"],
    &["pipenv", "run"],
    &["pnpm", "dlx"],
    &["pnpm", "exec"],
    &["poetry", "run"],
    &["uv", "run"],
    &["uvx"],
    &["yarn", "dlx"],
];

/// Options before a subcommand whose value is the next word.
pub(super) const WITH_VALUE: &[&str] = &[
    "-C",
    "-H",
    "-c",
    "-f",
    "-h",
    "-n",
    "-p",
    "-w",
    "--config",
    "--context",
    "--cwd",
    "--git-dir",
    "--host",
    "--kubeconfig",
    "--manifest-path",
    "--namespace",
    "--prefix",
    "--profile",
    "--project",
    "--project-name",
    "--region",
    "--work-tree",
];

/// Options and variables that only say more, or less, or in another form.
const TALK: &[&str] = &[
    "--color",
    "--colour",
    "--debug",
    "--full-trace",
    "--info",
    "--json",
    "--list",
    "--no-color",
    "--quiet",
    "--raw",
    "--silent",
    "--stacktrace",
    "--summary",
    "--tb",
    "--timings",
    "--trace",
    "--verbose",
    "-V",
    "-q",
    "-v",
    "-vv",
    "-vvv",
    "DEBUG",
    "LOG_LEVEL",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "--",
];

/// The same, of programs that look or judge.
const TALK_OF_LOOKING: &[&str] = &["-I", "-i", "-l", "-s", "-sS"];

/// Programs in front of another one that change nothing about what it does.
const COMPANIONS: &[&str] = &["command", "env", "exec", "nice", "nohup", "time", "timeout"];

/// Options of a verdict that ask about less: a test that is not run does not fail.
const NARROWING: &[&str] = &[
    "--bench",
    "--bin",
    "--bins",
    "--doc",
    "--example",
    "--exclude",
    "--failed-first",
    "--ff",
    "--filter",
    "--grep",
    "--last-failed",
    "--lf",
    "--lib",
    "--maxfail",
    "--only",
    "--only-failures",
    "--package",
    "--project",
    "--run",
    "--seed",
    "--spec",
    "--tag",
    "--test",
    "--test-name-pattern",
    "--testNamePattern",
    "--testPathPattern",
    "--tests",
    "-Dtest",
    "-E",
    "-R",
    "-e",
    "-g",
    "-k",
    "-m",
    "-race",
    "-run",
    "-t",
    "-x",
    "--cov",
];

/// Options with which a program mends what it complained about, and those with which it only complains.
const MENDING: &[&str] = &[
    "--apply",
    "--autocorrect",
    "--autofix",
    "--check",
    "--diff",
    "--dry-run",
    "--fix",
    "--in-place",
    "--noEmit",
    "--no-verify",
    "--test",
    "--update",
    "--update-snapshots",
    "--updateSnapshot",
    "--write",
    "-A",
    "-a",
    "-check",
    "-u",
    "-w",
];

fn is_listed(table: &[(&str, &[&str])], program: &str, subcommand: &str) -> bool {
    table.iter().any(|(name, all)| *name == program && all.contains(&subcommand))
}

/// Whether the word after a program is what it works on.
pub(super) fn takes_files(program: &str) -> bool {
    EXPLORERS.contains(&program)
        || INTERPRETERS.contains(&program)
        || (VERDICTS.contains(&program) && !VERDICTS_WITH_SUBCOMMAND.contains(&program))
}

/// Whether how to call it is common knowledge.
pub(super) fn is_errand(program: &str) -> bool {
    ERRANDS.contains(&program)
}

/// Whether a word in front of a program changes what it does.
pub(super) fn changes_the_start(word: &str) -> bool {
    !COMPANIONS.contains(&word) && !word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether failing is an answer, and succeeding changes nothing.
pub(super) fn looks(program: &str, subcommand: &str) -> bool {
    EXPLORERS.contains(&program) || is_listed(LOOKS, program, subcommand)
}

/// Whether failing is a verdict on the code and not on the call.
pub(super) fn judges(program: &str, subcommand: &str) -> bool {
    VERDICTS.contains(&program) || is_listed(VERDICT_SUBCOMMANDS, program, subcommand)
}

/// Whether an option says nothing about whether the call can succeed.
pub(super) fn is_talk(option: &str) -> bool {
    TALK.contains(&option)
}

/// The same, of a program that looks or judges.
pub(super) fn is_talk_of_looking(option: &str) -> bool {
    TALK_OF_LOOKING.contains(&option)
}

/// Whether an option makes a verdict one about less, or mends what the verdict is about.
pub(super) fn bends_a_verdict(program: &str, option: &str) -> bool {
    let is_package_of_cargo = program == "cargo" && option == "-p";
    is_package_of_cargo || NARROWING.contains(&option) || MENDING.contains(&option)
}
