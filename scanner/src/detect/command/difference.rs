//! The difference between two commands for the same purpose.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use lessons_shell::programs::has_role;
use lessons_shell::{CommandLine, ProgramRole, program_name, runs_elsewhere};
use lessons_text::redact::holds_marker;

use super::{Command, option_name};
use crate::detect::command::options::{self, lists};
use crate::detect::failure;
use crate::tag::trigger::operands::is_option;

/// The numbers of words that start the same command in another way: `fnm exec --using 22`. One alone only watches it.
const IN_FRONT: RangeInclusive<usize> = 2..=4;
/// The shortest operand that counts where an error names it, in bytes.
const SHORTEST_OPERAND: usize = 4;

/// The difference between two commands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Difference {
    /// The parts that only the second has, as typed: `--profile web`, `JAVA_HOME=`, `cd sub`.
    pub(crate) added: Vec<String>,
    /// The parts that only the first has.
    pub(crate) removed: Vec<String>,
    /// Whether the program was started in another way: from another folder, with other variables, under another name.
    pub(crate) is_of_start: bool,
}

/// The difference between a command that failed with this telling line of its error and one that succeeded, if both have the
/// same purpose and the difference can explain the failure.
pub(crate) fn between(failed: &Command, done: &Command, error: &str) -> Option<Difference> {
    if failed.program != done.program {
        return of_other_start(failed, done, error);
    }
    if !is_same_purpose(failed, done) {
        return of_insertion(failed, done);
    }
    let mut difference = Difference::default();
    difference.compare_start(failed, done);
    difference.is_of_start = !difference.is_empty();
    // Another program may be called with other options for other reasons.
    if difference.removed.is_empty() {
        difference.compare_options(failed, done);
    }
    let other = of_operand(failed, done, error).filter(|_| !difference.is_of_start);
    Some(other.unwrap_or(difference)).filter(|difference| !difference.is_empty())
}

/// The other operand in the place of one that the error names: whatever else differs, that one was wrong. What only looks or
/// checks looked elsewhere.
fn of_operand(failed: &Command, done: &Command, error: &str) -> Option<Difference> {
    let mut operands = failed.operands().zip(done.operands());
    let (wrong, right) = operands.find(|(before, after)| before != after)?;
    // Of `platform=iOS,name=iPhone 15` the error may name a part.
    let mut parts = wrong.split(['=', ',']).chain([wrong]);
    let is_named =
        parts.any(|part| part.len() >= SHORTEST_OPERAND && !right.contains(part) && error.contains(part));
    (is_named && !done.inspects() && !done.checks())
        .then(|| Difference { added: vec![right.to_owned()], ..Difference::default() })
}

/// The words of a command as typed.
fn typed(command: &Command) -> Vec<&str> {
    command.text.split_whitespace().collect()
}

/// The difference between two commands that are the same but for their first words: another name for the program, which holds the
/// other, or what stands in front of it came or went: `gradle build` and `./gradlew build`, `rtk bun test` and `bun test`. For one
/// that is missing, or does not know what it is called with, it may be any: `php artisan up` and `sail artisan up`.
pub(crate) fn of_other_start(failed: &Command, done: &Command, error: &str) -> Option<Difference> {
    let (before, after) = (typed(failed), typed(done));
    let same = before.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    let (before, after) = (&before[..before.len() - same], &after[..after.len() - same]);
    let may_be_any = || done.is_local || failure::OF_EVERY_CALL.are_in(error) || failure::is_misuse(error);
    let is_like = match (before, after) {
        ([before], [after]) if program_name(after).contains(program_name(before)) => true,
        ([_], [_, ..]) => after.len() < *IN_FRONT.end() && !failed.inspects() && may_be_any(),
        ([], after) => IN_FRONT.contains(&after.len()) && !is_remote(done),
        (_, after) => after.is_empty(),
    };
    (is_like && same > 0 && !done.inspects()).then(|| Difference {
        added: vec![after.join(" ")],
        removed: vec![before.join(" ")],
        is_of_start: true,
    })
}

/// The option that was put into the same words, with its value: `adb -s box shell` for `adb shell`.
fn of_insertion(failed: &Command, done: &Command) -> Option<Difference> {
    let (before, after) = (typed(failed), typed(done));
    let start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let rest = start + after.len().checked_sub(before.len())?;
    let added = &after[start..rest];
    let is_option = added.first().is_some_and(|word| is_option(word) && !lists(options::TALK, word));
    (is_option && before[start..] == after[rest..])
        .then(|| Difference { added: vec![added.join(" ")], ..Difference::default() })
}

/// Whether a command runs on another machine, which says little about the call.
pub(crate) fn is_remote(command: &Command) -> bool {
    matches!(command.program.as_str(), "ssh" | "mosh")
}

/// Whether two commands of one program run the same subcommand on a common operand, where they have operands.
fn is_same_purpose(failed: &Command, done: &Command) -> bool {
    if has_role(&done.program, ProgramRole::Basic) {
        return false;
    }
    // Where `ssh` itself failed, what it was to start did not matter.
    if runs_elsewhere(&failed.program) && !is_remote(failed) && started(failed) != started(done) {
        return false;
    }
    let (before, after): (BTreeSet<&str>, BTreeSet<&str>) =
        (failed.operands().collect(), done.operands().collect());
    let shares = before.is_empty() || after.is_empty() || !before.is_disjoint(&after);
    let needs_same = has_role(&failed.program, ProgramRole::Interpreter);
    let is_same =
        failed.subcommand == done.subcommand && shares && (!needs_same || !before.is_disjoint(&after));
    // `npm run lint:all` and `npm run lint`, `vitest` and `vitest run`.
    let (one, other) = (failed.subcommand.as_str(), done.subcommand.as_str());
    is_same || before == after && one != other && (one.starts_with(other) || other.starts_with(one))
}

/// The program that a command starts in a container: `pytest` of `docker exec web pytest tests`.
fn started(command: &Command) -> Option<String> {
    // What only processes the output is not started there.
    let own = command.text.split(" | ").next()?;
    let inner = CommandLine::new(own).invocations().pop()?;
    Command::read(&inner).map(|inner| inner.program)
}

impl Difference {
    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    /// Compares folder, variables, and the words up to the program.
    fn compare_start(&mut self, failed: &Command, done: &Command) {
        let folder = done.folder.as_ref().filter(|folder| failed.folder.as_ref() != Some(folder));
        self.added.extend(folder.map(|folder| format!("cd {folder}")));
        let names = |command: &Command| -> BTreeSet<String> {
            command.variables.iter().map(|set| option_name(set).to_owned()).collect()
        };
        let (before, after) = (names(failed), names(done));
        let added = after.difference(&before).filter(|name| !lists(options::TALK, name));
        self.added.extend(added.map(|name| format!("{name}=")));
        let start = |command: &Command, counts: fn(&str) -> bool| {
            let launcher = command.launcher.iter().map(String::as_str).filter(|word| counts(word));
            launcher.chain([command.typed_program()]).collect::<Vec<_>>().join(" ")
        };
        let before = start(failed, changes_start);
        if before != start(done, changes_start) {
            self.removed.push(before);
            // As typed: what only changes the start of a process is part of the command line too.
            self.added.push(start(done, |_| true));
        }
    }

    fn compare_options(&mut self, failed: &Command, done: &Command) {
        let (before, after): (BTreeSet<&str>, BTreeSet<&str>) =
            (failed.options().collect(), done.options().collect());
        let (checks, inspects) = (done.checks(), done.inspects());
        let counts = |option: &&&str| {
            let says_nothing = lists(options::TALK, option)
                || (checks && options::changes_check(&done.program, option))
                || ((checks || inspects) && lists(options::TALK_OF_CHECKS, option));
            !says_nothing
        };
        let operands: BTreeSet<&str> = failed.operands().collect();
        for option in after.difference(&before).filter(counts) {
            let at = done.arguments.iter().position(|word| option_name(word) == *option);
            let word = at.and_then(|at| done.arguments.get(at)).map_or(*option, String::as_str);
            // The next word is its value, unless the first command has that word too.
            let value = at.and_then(|at| done.arguments.get(at + 1));
            let is_new = |value: &&String| !is_option(value) && !operands.contains(value.as_str());
            self.added.push(match value.filter(is_new).filter(|value| !holds_marker(value)) {
                Some(value) => format!("{word} {value}"),
                // The secret itself was replaced.
                None if holds_marker(word) => format!("{option}="),
                None => word.to_owned(),
            });
        }
        self.removed.extend(before.difference(&after).filter(counts).map(|&option| option.to_owned()));
    }
}

/// Whether a word in front of a program changes what the program does.
fn changes_start(word: &str) -> bool {
    !has_role(word, ProgramRole::NeutralPrefix) && !word.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was left out, `>`, and what was added.
    fn written(failed: &str, done: &str) -> Option<String> {
        let read = |text| Command::read(text).unwrap();
        let Difference { added, removed, .. } =
            between(&read(failed), &read(done), "No such container: old_web")?;
        Some(format!("{}>{}", removed.join(" "), added.join(" ")))
    }

    #[test]
    fn what_was_added_or_left_out_is_the_difference() {
        for (failed, done, expected) in [
            ("npm install a", "npm install a --legacy-peer-deps", ">--legacy-peer-deps"),
            ("aws s3 sync a s3://b", "aws s3 sync a s3://b --profile web", ">--profile web"),
            ("./gradlew build", "JAVA_HOME=/j ./gradlew build", ">JAVA_HOME="),
            ("npm test", "cd packages/x && npm test", ">cd packages/x"),
            ("pnpm build", "fnm exec --using 22 pnpm build", ">fnm exec --using 22"),
            ("pytest tests", "python3 -m pytest tests", "pytest>python3 -m pytest"),
            ("python a.py", "python3 a.py", "python>python3"),
            ("docker-compose up -d", "docker compose up -d", "docker-compose>docker"),
            ("docker-compose up", "docker compose up -d", "docker-compose>docker"),
            ("du --max-depth=1 .", "du -d 1 .", "--max-depth>-d 1"),
            ("make modules", "make ARCH=arm64 modules", ">ARCH=arm64"),
            ("docker exec old_web pytest -q", "docker exec web pytest -q", ">web"),
            ("python a.py", ".venv/bin/python a.py", "python>.venv/bin/python"),
            ("mvn -q package", "./mvnw -q package", "mvn>./mvnw"),
            ("timeout 9 yarn build", "gtimeout 9 yarn build", "timeout>gtimeout"),
            ("ssh box uptime", "ssh -p 2222 box uptime", ">-p 2222"),
            ("adb shell ls", "adb -s box shell ls", ">-s box"),
            ("php artisan up", "docker compose exec web php artisan up", ">docker compose exec web"),
        ] {
            assert_eq!(written(failed, done).as_deref(), Some(expected), "{done}");
        }
    }

    #[test]
    fn what_cannot_be_why_is_none() {
        for (failed, done) in [
            ("cargo test", "cargo test"),
            ("cargo test", "cargo test --lib"),
            ("cargo test", "RUST_BACKTRACE=1 cargo test"),
            ("cargo test", "cargo test one"),
            ("pytest", "pytest -x -q"),
            ("eslint src", "eslint src --fix"),
            ("cat a", "cat b"),
            ("npm install a", "npm install b --force"),
            ("npm install a", "npm ci"),
            ("python a.py", "python3 b.py"),
            ("make", "bear make"),
            ("npm test", "ssh box npm test"),
            ("gradle build", "./gradlew test"),
            ("npm test", "man npm test"),
            ("docker exec web odoo -u sales", "docker exec web grep -r sales /srv"),
        ] {
            assert_eq!(written(failed, done), None, "{done}");
        }
    }
}
