//! What people say is written into code, and the content by which an edit that writes it is known.
//!
//! As an [act](super::acts) is known by the command that does it, a test or a mark is known by its form in the common
//! languages.

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::code_names::{code_spans, is_of_code, of_name};

/// Something that is written into code.
#[derive(Debug, PartialEq, Eq)]
struct Writing {
    /// The words that name it; `+` joins words that must both be there.
    words: &'static str,
    /// A pattern for its form.
    pattern: &'static str,
}

/// The marks that people forbid, the more special ones first.
const MARKS: [Writing; 5] = [
    Writing {
        words: "skip+test skip+tests skipping+tests ignore+test ignore+tests disable+test disable+tests",
        pattern: r"\bt\.Skip\(|#\[ignore\b|\b(?:it|test|describe)\.skip\(|@(?:pytest\.mark\.)?skip|@Disabled\b",
    },
    Writing {
        words: "suppress+warning suppress+warnings disable+lint disable+linter disable+warnings silence+lint silence+linter silence+warning silence+warnings",
        pattern: r"\bnolint\b|\bnoqa\b|eslint-disable|#!?\[allow\(|@SuppressWarnings|@ts-ignore|type:\s*ignore",
    },
    Writing {
        words: "deprecate deprecated deprecates deprecating deprecation deprecations",
        pattern: r"(?i)\bdeprecated\b",
    },
    Writing { words: "mock mocks mocking mocked", pattern: r"(?i)\bmock" },
    Writing { words: "todo todos fixme fixmes", pattern: r"\b(?:TODO|FIXME)\b" },
];

/// Tests, of which people say how they are to be written.
const TESTS: Writing = Writing {
    words: "tests subtests test+cases test+functions",
    pattern: r#"\bfunc Test\w|#\[(?:\w+::)?test\b|\bdef test_|@(?:Parameterized)?Test\b|\b(?:it|test)\(\s*["'`]"#,
};

/// Tests that are rows of a table.
const TABLE_TESTS: Writing = Writing {
    words: "table-driven table+driven table+tests parametrized parameterized parametrize",
    pattern: r"\[\]struct\b|\brange (?:tests|cases|testCases)\b|\b(?:it|test)\.each\b|\bparametrize\b|@ParameterizedTest\b|#\[case\b",
};

/// Words of sentences that are about the run of tests.
const OF_A_RUN: [&str; 16] = [
    "run", "runs", "running", "ran", "rerun", "execute", "pass", "passes", "passing", "fail", "fails",
    "failing", "failed", "green", "suite", "suites",
];

impl Writing {
    fn is_named(&self, words: &[String]) -> bool {
        let has = |word: &str| words.iter().any(|own| own == word);
        self.words.split(' ').any(|phrase| phrase.split('+').all(has))
    }

    fn trigger(&self) -> Trigger {
        Trigger::new(TriggerKind::ContentPattern, self.pattern)
    }
}

/// The triggers of a sentence that says how something is written: on a forbidden mark, or on tests that lack what the
/// sentence asks for.
pub(super) fn aim_of_writing(sentence: &str, words: &[String], unwanted: &[String]) -> Option<Proposal> {
    if let Some(mark) = MARKS.iter().find(|mark| mark.is_named(unwanted)) {
        return Some(Proposal { triggers: vec![mark.trigger()], ..Proposal::default() });
    }
    let is_of_run = words.iter().any(|word| OF_A_RUN.contains(&word.as_str()));
    if is_of_run || !TESTS.is_named(words) {
        return None;
    }
    // Tests with what is asked for, or with what excuses its lack, are as they should be.
    let is_unwanted = |span: &str| {
        span.split_whitespace().all(|word| unwanted.iter().any(|own| *own == word.to_lowercase()))
    };
    let spans = code_spans(sentence).into_iter().filter(|span| is_of_code(span) && !is_unwanted(span));
    let mut unless: Vec<Trigger> = Vec::new();
    for span in spans {
        let trigger = of_name(span);
        if !unless.contains(&trigger) {
            unless.push(trigger);
        }
    }
    if TABLE_TESTS.is_named(words) && !TABLE_TESTS.is_named(unwanted) {
        unless.push(TABLE_TESTS.trigger());
    }
    Some(Proposal { triggers: vec![TESTS.trigger()], unless, ..Proposal::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tag::trial::matches;

    fn words(text: &str) -> Vec<String> {
        text.to_lowercase().split_whitespace().map(|word| word.trim_matches(['.', '`']).to_owned()).collect()
    }

    fn aim(sentence: &str, unwanted: &str) -> Option<Proposal> {
        aim_of_writing(sentence, &words(sentence), &words(unwanted))
    }

    #[test]
    fn a_forbidden_mark_is_known_by_its_form() {
        for (unwanted, code) in [
            ("never skip tests", "describe.skip('slow', () => {"),
            ("do not skip a test", "#[ignore = \"slow\"]"),
            ("don't silence the linter", "x = 1  # noqa"),
            ("no need to deprecate it", "/** @deprecated */"),
            ("don't mock the clock", "clock := MockClock{}"),
            ("leave no todo", "// TODO: close it"),
        ] {
            let proposal = aim(unwanted, unwanted).unwrap();
            assert!(matches(&proposal.triggers[0].pattern, code), "{unwanted}");
        }
        assert_eq!(aim("mark it as deprecated", ""), None, "a wanted mark is no mistake");
    }

    #[test]
    fn tests_are_known_by_their_definition_and_quiet_with_what_is_asked_for() {
        let proposal = aim("always call `tmp.cleanup()` in tests", "").unwrap();
        let unless: Vec<String> = proposal.unless.iter().map(ToString::to_string).collect();
        assert_eq!(unless, [r"content=\btmp\.cleanup\("]);
        let pattern = &proposal.triggers[0].pattern;
        for code in [
            "func TestAdd(t *testing.T)",
            "#[tokio::test]",
            "def test_add():",
            "@Test\nvoid add()",
            "it('adds'",
        ] {
            assert!(matches(pattern, code), "{code}");
        }
        for code in ["func Latest()", "def latest_(x)", "submit('x')", "testing.T"] {
            assert!(!matches(pattern, code), "{code}");
        }
    }

    #[test]
    fn the_run_of_tests_writes_nothing() {
        for sentence in ["always run the tests", "make sure that all tests pass", "no test suite for tests"] {
            assert_eq!(aim(sentence, ""), None, "{sentence}");
        }
    }

    #[test]
    fn a_table_of_cases_is_what_table_tests_have() {
        let proposal = aim("the tests should be table driven", "").unwrap();
        let table = &proposal.unless[0].pattern;
        for code in ["cases := []struct{", "it.each([", "@pytest.mark.parametrize(", "#[case(1)]"] {
            assert!(matches(table, code), "{code}");
        }
        assert!(
            aim("write plain tests not table driven ones", "table driven ones").unwrap().unless.is_empty()
        );
    }
}
