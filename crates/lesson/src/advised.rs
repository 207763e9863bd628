//! The commands that a rule advises: those in backticks that it says to use.
//!
//! A rule names commands for three reasons: to forbid them, to advise them, and to say when it holds. "Do not run `a`; use
//! `b` before `c`" advises `b` alone. A lesson must keep quiet on what it advises, and only on that.

/// Words that forbid what follows, up to the end of the clause.
const FORBIDDING: [&str; 12] =
    ["not", "never", "don't", "dont", "avoid", "without", "stop", "no", "than", "of", "can't", "cannot"];
/// Words that advise what follows, up to the end of the clause.
const ADVISING: [&str; 9] = ["use", "using", "run", "running", "prefer", "call", "type", "try", "instead"];
/// Words that begin a clause which says when the rule holds, or why.
const TURNING: [&str; 12] = [
    "before", "after", "when", "whenever", "if", "unless", "until", "because", "since", "but", "where",
    "while",
];

/// The stance of a rule to the commands that follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stance {
    Neutral,
    Forbids,
    Advises,
}

impl Stance {
    /// The stance after one more word of prose, given in lower case with the marks around it.
    fn after(self, word: &str) -> Self {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let next = match self {
            _ if TURNING.contains(&bare) => Self::Neutral,
            _ if FORBIDDING.contains(&bare) => Self::Forbids,
            // "Do not use" forbids.
            Self::Forbids => Self::Forbids,
            _ if ADVISING.contains(&bare) => Self::Advises,
            stance => stance,
        };
        let ends_clause = word.ends_with(['.', ';', ':', '!', '?', ')', '—']);
        // "Use `a`, `b`" advises both; "not `a`, use `b`" turns at the comma.
        let ends_list = word.ends_with(',') && next == Self::Forbids;
        if ends_clause || ends_list { Self::Neutral } else { next }
    }
}

/// The commands that a rule advises, in the order of the rule.
pub fn advised_commands(rule: &str) -> Vec<&str> {
    let mut stance = Stance::Neutral;
    let mut advised = Vec::new();
    for (at, part) in rule.split('`').enumerate() {
        let part = part.trim();
        if at % 2 == 0 {
            stance = part.to_lowercase().replace('’', "'").split_whitespace().fold(stance, Stance::after);
        } else if stance == Stance::Advises && !part.is_empty() {
            advised.push(part);
        }
    }
    advised
}

#[cfg(test)]
mod tests {
    use super::advised_commands;

    #[test]
    fn a_rule_advises_what_it_says_to_use() {
        for (rule, advised) in [
            ("use `git stash -u` when untracked files matter", &["git stash -u"][..]),
            ("Do not run `git stash`; use `git stash -u`.", &["git stash -u"]),
            ("`rtk` has no `bun`: use `bun run test`", &["bun run test"]),
            ("Use `uv add x`, not `pip install x`", &["uv add x"]),
            ("Use `uv` instead of `pip`", &["uv"]),
            ("Instead of `npm test`, run `npm ci` and `npm t`", &["npm ci", "npm t"]),
            ("Run `git fetch` before `git rebase`", &["git fetch"]),
            ("Don’t call `a b`, but prefer `c d`", &["c d"]),
            ("Run `a`, then `b`", &["a", "b"]),
        ] {
            assert_eq!(advised_commands(rule), advised, "{rule}");
        }
    }

    #[test]
    fn what_a_rule_forbids_or_mentions_is_not_advised() {
        for rule in [
            "Never use `git add -A` here",
            "Expect `make all` to fail here",
            "Before `git push`: pull first",
            "rather than using `a b`",
            "stop running `a b`",
            "`a b` leaves files behind",
            "use a pool",
            "",
        ] {
            assert!(advised_commands(rule).is_empty(), "{rule}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_advised_stands_in_the_rule_in_backticks(
            rule in "(use |not |; |, |before |`|[a-z]{1,3} |é){0,20}",
        ) {
            for command in advised_commands(&rule) {
                proptest::prop_assert!(rule.contains(command) && !command.contains('`'));
            }
        }
    }
}
