//! The README is a script: its commands work in a fresh home, in the order in which they stand there.

use lessons_tests::env::{TestEnv, said};
use lessons_tests::terminal::Terminal;

use super::scene;
use super::shown;

/// The commands that are not run here, by their first words, each with the reason.
const NOT_HERE: [(&str, &str); 6] = [
    ("curl -LO https://lessons.example/", "the address is a placeholder until there is a release"),
    ("sha256sum --check", "there is no archive; `cargo xtask release` checks those that it makes"),
    ("tar -xzf", "the same"),
    (
        "lessons-0.1.0-linux-x86-64/lessons install",
        "it needs the archive; tests/whole/installing.rs installs",
    ),
    ("cargo xtask install", "it builds the release; CI runs it"),
    ("cargo xtask test", "it would run this test"),
];

/// The commands of the `sh` blocks of a page, without their comments.
fn commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut in_block = false;
    for line in page.lines() {
        match line {
            "```sh" => in_block = true,
            "```" => in_block = false,
            _ if in_block => commands.push(line.split("  #").next().unwrap_or(line).trim().to_owned()),
            _ => {}
        }
    }
    commands.retain(|command| !command.is_empty());
    commands
}

/// Reviews as a person would: promotes the one candidate.
fn review(env: &TestEnv) {
    let mut terminal = Terminal::start(env.command("lessons").arg("review"), 84, 24);
    terminal.sees("candidate 1 of 1");
    terminal.types("p");
    // The mistake loses data, so it asks what the lesson should do.
    terminal.sees("2 remind only");
    terminal.types("2");
    terminal.sees("Everything is decided");
    terminal.types("q");
    assert!(terminal.ends().success());
    terminal.sees("1 promoted");
}

/// The words of a command, as a shell splits them. The README quotes with double quotes only.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in command.split('"').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[test]
fn every_command_of_the_readme_works_in_a_fresh_home() {
    let env = scene::on(TestEnv::new());
    let mut run = Vec::new();
    for command in commands(&shown::read("README.md")) {
        if NOT_HERE.iter().any(|(start, _)| command.starts_with(start)) {
            continue;
        }
        let words = words(&command);
        assert_eq!(words.first().map(String::as_str), Some("lessons"), "what is `{command}`?");
        if words == ["lessons", "review"] {
            review(&env);
        } else {
            let output = env.lessons(&words[1..]);
            assert!(output.status.success(), "{command}: {}", said(&output));
            run.push((command, String::from_utf8_lossy(&output.stdout).into_owned()));
        }
    }
    let printed = |command: &str| {
        let found = run.iter().find(|(run, _)| run.starts_with(command));
        &found.unwrap_or_else(|| panic!("the README does not name `{command}`")).1
    };
    assert!(printed("lessons scan").contains("1 "), "{}", printed("lessons scan"));
    assert!(printed("lessons list").contains("user/make-seed"), "{}", printed("lessons list"));
    assert!(printed("lessons explain").contains("user/make-seed"), "{}", printed("lessons explain"));
    assert!(printed("lessons off").contains("make-seed"), "{}", printed("lessons off"));
    assert!(printed("lessons undo").contains("make-seed"), "{}", printed("lessons undo"));
}

#[test]
fn what_is_not_run_here_is_still_in_the_readme() {
    let readme = commands(&shown::read("README.md"));
    for (start, _) in NOT_HERE {
        assert!(readme.iter().any(|command| command.starts_with(start)), "`{start}` is gone from the README");
    }
}

/// The number in a column of a row of BENCHMARKS.md that begins with these cells.
fn measured(row: &str, column: usize) -> u32 {
    let page = shown::read("BENCHMARKS.md");
    let found = page.lines().find(|line| line.starts_with(row)).unwrap_or_else(|| panic!("no row `{row}`"));
    let cell = found.split('|').nth(column).unwrap_or_default().trim().replace(',', "");
    cell.parse().unwrap_or_else(|error| panic!("`{cell}` in `{found}`: {error}"))
}

#[test]
fn the_readme_says_of_the_hook_what_was_measured() {
    let readme = shown::read("README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        readme.contains("takes about 0.16 ms for a call that matches nothing, with 1,000 lessons or 10,000")
    );
    assert!(readme.contains("about 0.32 ms when it gives three lessons"));
    for lessons in ["1,000", "10,000"] {
        let median = measured(&format!("| no match | {lessons} |"), 6);
        assert!((145..=175).contains(&median), "{median} us with {lessons} lessons");
    }
    let told = measured("| three lessons told, claims in memory |", 6);
    assert!((305..=335).contains(&told), "{told} us");
}
