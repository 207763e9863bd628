//! What only a project gives meaning: the targets of its makefile, the scripts of its `package.json`, its files, and what
//! a text says of "this repo". A lesson about such a thing means something else in another project.

use std::path::{Component, Path};

use lessons_home::files;
use lessons_lesson::Lesson;
use lessons_pattern::TriggerKind;
use lessons_shell::programs::has_role;
use lessons_shell::{ProgramRole, program_name};
use serde_json::Value;

/// Words with which a text speaks of the project in which it was written, in lower case.
const THIS_PROJECT: [&str; 3] = ["in this repo", "in this project", "in this codebase"];
/// The largest `package.json` that is read, in bytes.
const MOST_PACKAGE: u64 = 1 << 20;

/// Whether a lesson is about what the project at `root` alone gives meaning. Files of it are only looked up, never read, but
/// for `package.json`.
pub fn is_bound(lesson: &Lesson, root: &Path) -> bool {
    let texts = [Some(&lesson.rule), lesson.mistake.as_ref(), lesson.rationale.as_ref()];
    let mut texts = texts.into_iter().flatten().map(|text| text.to_lowercase());
    texts.any(|text| THIS_PROJECT.iter().any(|words| text.contains(words)))
        || lesson.triggers.iter().any(|trigger| match trigger.kind {
            TriggerKind::CommandPattern => is_of_project(&spelled(&trigger.pattern), root),
            TriggerKind::FileGlob => folder_of_glob(&trigger.pattern).is_some_and(|it| is_there(root, it)),
            _ => false,
        })
}

/// Whether a command is about a target, a script or a file of the project.
fn is_of_project(command: &str, root: &Path) -> bool {
    let is_in_front = |word: &&str| has_role(word, ProgramRole::TriggerPrefix) || word.contains('=');
    let mut words = command.split_whitespace().skip_while(is_in_front);
    let Some(typed) = words.next() else { return false };
    let program = program_name(typed);
    let mut given = words.filter(|word| !word.starts_with('-'));
    match (program, given.next()) {
        ("make" | "just", target) => target.is_some(),
        ("npm" | "pnpm" | "yarn" | "bun", Some("run" | "run-script")) => given.next().is_some(),
        ("npm" | "pnpm" | "yarn" | "bun", Some(script)) => is_script(root, script),
        (_, first) => {
            let is_own = typed.contains('/') && !typed.starts_with(['/', '~']);
            let is_run = has_role(program, ProgramRole::Interpreter);
            let is_file = |word: &str| word.contains('/') && is_there(root, word);
            is_own
                || first.is_some_and(|file| is_file(file) || is_run && is_there(root, file))
                || given.any(is_file)
        }
    }
}

/// The words that a command pattern spells out, without what is no part of them, such as `\b` and `(?:`.
fn spelled(pattern: &str) -> String {
    let mut spelled = String::new();
    let pattern = pattern.replace("(?:", "");
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('s') => spelled.push(' '),
                escaped => spelled.extend(escaped.filter(char::is_ascii_punctuation)),
            },
            '^' | '$' | '(' | ')' | '?' | '*' | '+' | '|' => {}
            c => spelled.push(c),
        }
    }
    spelled
}

/// The folder that a glob names before its first wildcard.
fn folder_of_glob(glob: &str) -> Option<&str> {
    let glob = glob.strip_prefix("**/").unwrap_or(glob);
    let plain = glob.split(['*', '?', '[', '{']).next()?;
    plain.rsplit_once('/').map(|(folder, _)| folder)
}

/// Whether a project has a file or folder. The path is a text of others, so nothing but plain names is looked up.
fn is_there(root: &Path, path: &str) -> bool {
    let path = Path::new(path.strip_prefix("./").unwrap_or(path));
    path.components().all(|part| matches!(part, Component::Normal(_))) && root.join(path).exists()
}

/// Whether the project's `package.json` has a script of this name.
fn is_script(root: &Path, name: &str) -> bool {
    let text = files::read_foreign(&root.join("package.json"), MOST_PACKAGE).ok().flatten();
    let package = text.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    package.is_some_and(|package| package["scripts"][name].is_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_pattern::trigger::Trigger;

    use super::*;

    #[allow(clippy::disallowed_methods, reason = "a test sets its scene")]
    fn project() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("package.json", r#"{"scripts": {"seed": "x", "install": 7}}"#),
            ("manage.py", ""),
            ("src/gen/a.ts", ""),
        ] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn bound(kind: TriggerKind, pattern: &str) -> bool {
        let topic = TopicId::new("t").unwrap();
        let mut lesson = Lesson::new(LessonId::new("a").unwrap(), "Do it well.", topic, "2026-01-01");
        lesson.triggers = vec![Trigger::new(kind, pattern)];
        is_bound(&lesson, project().path())
    }

    #[test]
    fn targets_scripts_and_files_of_the_project_are_bound_to_it() {
        for pattern in [
            r"\bmake\s+seed\b",
            r"^(?:sudo\s+)?make\s+(?:-j\s+)?seed",
            r"^just\s+db\.reset\b",
            r"^\S*npm\s+run\s+build\b",
            r"\bpnpm\s+seed\b",
            r"\byarn\s+run\s+lint\b",
            r"^\.\/scripts\/deploy\.sh",
            r"^python3?\s+manage\.py\s+migrate",
            r"^eslint\s+--fix\s+src\/gen",
        ] {
            assert!(bound(TriggerKind::CommandPattern, pattern), "{pattern}");
        }
        for glob in ["src/gen/**", "**/src/gen/*.ts", "src/gen/a.ts"] {
            assert!(bound(TriggerKind::FileGlob, glob), "{glob}");
        }
    }

    #[test]
    fn public_tools_are_not() {
        for pattern in [
            r"\bgit\s+push\s+-f\b",
            r"\bgit\s+rebase\s+origin\/main\b",
            r"\bnpm\s+install\b",
            r"\byarn\s+build\b",
            r"\bdocker\s+compose\s+down\b",
            r"\bmake\b",
            r"^make\s+-j",
            r"\bcmake\s+seed\b",
            r"^\/usr\/bin\/rsync\b",
            r"^cat\s+\.\.\/src\/gen",
            "",
        ] {
            assert!(!bound(TriggerKind::CommandPattern, pattern), "{pattern}");
        }
        for glob in ["**/*.sql", "package.json", "other/**", "/src/gen/**", "../src/gen/**"] {
            assert!(!bound(TriggerKind::FileGlob, glob), "{glob}");
        }
        assert!(!bound(TriggerKind::Keyword, "make sure"));
    }

    #[test]
    fn a_text_may_say_that_it_is_about_this_project() {
        let says = |mistake: &str| {
            let topic = TopicId::new("t").unwrap();
            let mut lesson = Lesson::new(LessonId::new("a").unwrap(), "Do it well.", topic, "2026-01-01");
            lesson.mistake = Some(mistake.into());
            is_bound(&lesson, Path::new("/nowhere"))
        };
        assert!(says("In this repository tests need a database") && says("not allowed in this project"));
        assert!(!says("this tool reports nothing"));
    }
}
