//! The breadth of a trigger: whether it matches nearly everything that it looks at.
//!
//! It is judged by what the pattern matches, not by how it is written: `.`, `^`, `\w`, `(?:)` and `[^]*` are told from
//! `git stash` by samples that have next to nothing in common.

use crate::prepared::{Compiled, Prepared};
use crate::trigger::{Trigger, TriggerKind};

/// How much of what it looks at a trigger matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    /// Nearly everything.
    Everything,
    /// Every file in a folder, or every file of a type: a glob that says nothing about names.
    AnyName,
    /// Less.
    Narrow,
}

/// Commands with no word in common, and no character that all of them have.
const COMMANDS: [&str; 8] = [
    "ls",
    "git commit -m 'Fix 2 typos'",
    "cd /tmp && rm -rf build",
    "python3 -m http.server 8000",
    "FOO=1 make",
    "cat README.md | head -20",
    "npm run lint -- --fix",
    "docker ps",
];

/// Files, each with the two paths under which a pattern may match it: relative to its project, and absolute.
const FILES: [[&str; 2]; 6] = [
    ["README.md", "/home/dev/shop/README.md"],
    ["src/main.rs", "/srv/api/src/main.rs"],
    [".github/workflows/ci.yml", "/w/.github/workflows/ci.yml"],
    ["web/app/index.test.tsx", "/opt/x/web/app/index.test.tsx"],
    ["Makefile", "/p/Makefile"],
    ["db/0042_add_users.sql", "/Users/k/q/db/0042_add_users.sql"],
];

/// Texts of edits and errors.
const TEXTS: [&str; 5] =
    ["x", "let total = 0;\n", "# Usage\n\nRun `make`.\n", "error: file not found\n", "{\"version\": 2}"];

/// The breadth of a trigger, of which `prepared` was made. A keyword and the name of a tool are narrow: how often their
/// words occur depends on the calls.
pub fn of(trigger: &Trigger, prepared: &Prepared) -> Breadth {
    let Compiled::Pattern(automaton) = &prepared.compiled else { return Breadth::Narrow };
    let is_match = |text: &&str| automaton.is_match(text);
    let matches_all = match trigger.kind {
        TriggerKind::CommandPattern => COMMANDS.iter().all(is_match),
        TriggerKind::FileGlob | TriggerKind::PathPattern => {
            FILES.iter().all(|paths| paths.iter().any(is_match))
        }
        TriggerKind::ContentPattern | TriggerKind::ErrorPattern => TEXTS.iter().all(is_match),
        TriggerKind::Keyword | TriggerKind::Tool => false,
    };
    if matches_all {
        Breadth::Everything
    } else if trigger.kind == TriggerKind::FileGlob && names_no_file(&trigger.pattern) {
        Breadth::AnyName
    } else {
        Breadth::Narrow
    }
}

/// Whether a glob says nothing about a file but its folder or its type.
fn names_no_file(glob: &str) -> bool {
    let (folders, last) = glob.rsplit_once('/').unwrap_or(("", glob));
    let ending = last.trim_start_matches('*');
    let is_any_name = ending.len() < last.len()
        && (ending.is_empty()
            || ending.strip_prefix('.').is_some_and(|kind| {
                !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric() || "{},".contains(c))
            }));
    let is_any_folder = folders.split('/').any(|folder| folder == "**");
    is_any_name && (is_any_folder || ending.is_empty() && (folders.is_empty() || last == "**"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepared::prepare;

    fn breadth(kind: TriggerKind, pattern: &str) -> Breadth {
        let trigger = Trigger::new(kind, pattern);
        of(&trigger, &prepare(&trigger).unwrap())
    }

    #[test]
    fn a_pattern_that_needs_nothing_matches_nearly_everything() {
        use TriggerKind::{CommandPattern, ContentPattern, ErrorPattern, PathPattern};
        for kind in [CommandPattern, ContentPattern, ErrorPattern, PathPattern] {
            for broad in [".*", ".", "^", "$", r"\w", "(?:)", "()", "[^]*", r"\b", "x?", "(?i)[a-z]", "^.+"] {
                assert_eq!(breadth(kind, broad), Breadth::Everything, "{kind} {broad}");
            }
            for narrow in ["git", r"\bgit\s+stash\b", "^.{500}$", "^npm", r"\d{3}", "-", "[xq]"] {
                assert_eq!(breadth(kind, narrow), Breadth::Narrow, "{kind} {narrow}");
            }
        }
    }

    #[test]
    fn no_single_character_is_in_all_commands() {
        for byte in b' '..=b'~' {
            let needle = regex_syntax::escape(&char::from(byte).to_string());
            let broad = breadth(TriggerKind::CommandPattern, &needle);
            assert_eq!(broad, Breadth::Narrow, "{needle}");
        }
    }

    #[test]
    fn a_glob_is_as_broad_as_the_files_that_it_leaves_out_are_few() {
        for broad in ["**", "**/*", "/**", "*/**", "**/**", "{*,**/*}"] {
            assert_eq!(breadth(TriggerKind::FileGlob, broad), Breadth::Everything, "{broad}");
        }
        for some in ["*", "**/*.ts", "src/**/*.ts", "src/**", "/abs/**", "../../**", "**/*.{ts,tsx}"] {
            assert_eq!(breadth(TriggerKind::FileGlob, some), Breadth::AnyName, "{some}");
        }
        for narrow in ["src/**/index.ts", "**/foo*", "*.md", "src/a.ts", "**/*.test.ts", "src/*.ts"] {
            assert_eq!(breadth(TriggerKind::FileGlob, narrow), Breadth::Narrow, "{narrow}");
        }
    }

    #[test]
    fn words_and_names_are_narrow() {
        assert_eq!(breadth(TriggerKind::Keyword, "git"), Breadth::Narrow);
        assert_eq!(breadth(TriggerKind::Tool, "Bash"), Breadth::Narrow);
    }
}
