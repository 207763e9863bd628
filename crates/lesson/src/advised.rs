//! The commands that a text advises: those in backticks that it does not forbid.
//!
//! A text names commands for three reasons: to forbid them, to advise them, and to say when it holds. "Do not run `a`; use
//! `b` before `c`" advises `b` alone. A lesson must keep quiet on what it advises, and only on that.
//!
//! There are more ways to advise than a list of verbs holds ("Seed with `make seed DB=local`", "Only `git commit -s`"). So a
//! command that no word forbids counts as advised where the lesson would fire with one of its words fewer too: it says more
//! than what the lesson is about. Where it says just that, as in "`git stash` leaves files behind", it must be advised in so
//! many words. An option or assignment alone ("always pass `-n dev`") is read as the stopped command with it.

use lessons_text::words::lists;

/// Words that forbid what follows, up to the end of the clause: in English, and the plainest ones of other languages.
const FORBIDDING: &str = "not never don't dont avoid without stop no nor nothing than can't cannot doesn't isn't won't omit skip \
     drop remove replace nunca jamás sin não sem jamais pas sans kein keine keinen nicht nie niemals ohne mai non senza geen niet \
     nooit zonder bez nigdy asla jangan tanpa đừng không не никогда без ніколи";
/// The same in scripts that are written without spaces.
const FORBIDDING_UNSPACED: [&str; 4] = ["不要", "禁止", "请勿", "請勿"];
/// Words before a "not" that make it advise: "vergiss nicht".
const FORGETTING: &str = "vergiss vergesst vergeet n'oublie n'oubliez";
/// Words before "of" that forbid what follows it: "instead of".
const BEFORE_OF: [&str; 4] = ["instead", "place", "lieu", "out"];
/// Words that turn what is forbidden into what is advised: "never without", "nothing but".
const REVERSING: &str = "without except but unless forget skip omit other ohne sin sem sans senza zonder bez tanpa olmadan без \
     oublie olvides olvidar esqueça esqueças забудь забывай забудьте забувай lupa quên zapomnij zapominaj dimenticare";
/// Words that advise what follows, up to the end of the clause.
const ADVISING: [&str; 11] =
    ["use", "using", "run", "running", "prefer", "call", "type", "try", "instead", "then", "only"];
/// Words that advise what follows where the clause does not tell what happens.
const LEADING: [&str; 3] = ["with", "via", "through"];
/// Words that begin a clause which says when the rule holds, or why, or what will happen.
const TURNING: [&str; 13] = [
    "before", "after", "when", "whenever", "if", "unless", "until", "because", "since", "where", "while",
    "except", "expect",
];
/// Who does something in such a clause: "before you run".
const SUBJECTS: [&str; 6] = ["you", "we", "i", "they", "it", "to"];
/// Words that join a command to what it is to be run with.
const JOINING: [&str; 6] = ["with", "via", "through", "using", "as", "by"];
/// Words that may stand beside those.
const FILLING: [&str; 11] =
    ["only", "always", "ever", "and", "the", "option", "flag", "options", "flags", "a", "command"];

/// Words that say that a command is right: "is safe".
const ALLOWING: [&str; 8] = ["safe", "fine", "ok", "okay", "allowed", "right", "harmless", "enough"];

/// The stance of a text to the commands that follow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Stance {
    #[default]
    Neutral,
    Forbids,
    Advises,
    /// A clause that advises ends in a colon: "call the staging host: `a`".
    Introduces,
    /// It says when the rule holds, or why.
    Tells,
}

/// Whether a word forbids what follows.
fn forbids(word: &str) -> bool {
    let is_unspaced = || FORBIDDING_UNSPACED.iter().any(|part| word.contains(part));
    // What is not to be forgotten is to be done: "不要忘记".
    lists(FORBIDDING, word) || is_unspaced() && !word.contains('忘')
}

/// The place in a text up to which it was read.
#[derive(Clone, Default)]
struct Reader {
    stance: Stance,
    /// The word before, and the first of the clause, without the marks around them.
    previous: String,
    first: String,
}

impl Reader {
    /// The place after one more word of prose, given in lower case with the marks around it.
    fn after(mut self, word: &str) -> Self {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let previous = self.previous.as_str();
        let in_clause = !previous.is_empty();
        let tells_what_happens = self.first.ends_with("ing") || self.first.ends_with('s');
        let is_subordinate = SUBJECTS.contains(&previous) || TURNING.contains(&previous);
        let next = match self.stance {
            Stance::Forbids if lists(REVERSING, bare) => Stance::Advises,
            _ if forbids(bare) && lists(FORGETTING, previous) => Stance::Advises,
            _ if forbids(bare)
                || (bare == "of" && BEFORE_OF.contains(&previous))
                || (bare == "out" && previous == "leave") =>
            {
                Stance::Forbids
            }
            _ if bare == "but" => Stance::Neutral,
            _ if TURNING.contains(&bare) => Stance::Tells,
            // "Do not use" forbids.
            Stance::Forbids => Stance::Forbids,
            Stance::Tells if is_subordinate => Stance::Tells,
            // "Running `a` fails" does not.
            _ if ADVISING.contains(&bare) && (in_clause || !bare.ends_with("ing")) => Stance::Advises,
            Stance::Neutral if LEADING.contains(&bare) && in_clause && !tells_what_happens => Stance::Advises,
            stance => stance,
        };
        let ends_clause = word.ends_with(['.', ';', ':', '!', '?', ')', '—']);
        // "Use `a`, `b`" advises both; "not `a`, use `b`" and "before `a`, use `b`" turn at the comma.
        let turns = word.ends_with(',') && matches!(next, Stance::Forbids | Stance::Tells);
        if ends_clause || turns {
            let introduces = word.ends_with(':') && next == Stance::Advises;
            return Self {
                stance: if introduces { Stance::Introduces } else { Stance::Neutral },
                ..Self::default()
            };
        }
        if self.first.is_empty() {
            bare.clone_into(&mut self.first);
        }
        bare.clone_into(&mut self.previous);
        Self { stance: next, ..self }
    }
}

/// The commands that a text advises and at which its lesson fires, in the order of the text. `stopped` are commands that the
/// lesson is there to stop.
pub fn fired_advice(text: &str, stopped: &[String], fires: impl Fn(&str) -> bool) -> Vec<String> {
    let mut advised: Vec<String> = Vec::new();
    for Named { stance, command, after } in named(text) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let tried = match stance {
            Stance::Forbids | Stance::Tells => continue,
            _ if words
                .first()
                .is_some_and(|word| is_option(word) || (words.len() == 1 && is_assignment(word))) =>
            {
                // At the end of a line with several commands it would belong to the last of them.
                let simple = stopped.iter().filter(|call| !call.contains(['&', ';', '|', '\n']));
                let lacks_it = simple.filter(|call| !words.iter().all(|word| call.contains(word)));
                let stays = lacks_it.filter(|call| replaced(call, command).all(|replaced| fires(&replaced)));
                stays.map(|call| format!("{call} {command}")).collect()
            }
            Stance::Introduces if stopped.iter().all(|call| holds(call, &words)) => continue,
            Stance::Neutral if !says_more(&words, &fires) => continue,
            Stance::Neutral | Stance::Introduces | Stance::Advises => vec![command.to_owned()],
        };
        let stays = |command: &String| after.is_none_or(|first| fires(&format!("{first} && {command}")));
        advised.extend(tried.into_iter().find(|command| fires(command)).filter(stays));
    }
    advised
}

/// Whether a command has all of these words.
fn holds(command: &str, words: &[&str]) -> bool {
    words.iter().all(|word| command.split_whitespace().any(|own| own == *word))
}

/// A command with another option in the place of each of its own: "`--keep`, not `--hard`".
fn replaced(call: &str, option: &str) -> impl Iterator<Item = String> {
    let words: Vec<&str> = call.split_whitespace().collect();
    let own: Vec<usize> =
        (0..words.len()).filter(|at| words.get(*at).is_some_and(|word| is_option(word))).collect();
    own.into_iter().map(move |at| {
        let word =
            |(place, word): (usize, &&str)| if place == at { option.to_owned() } else { (*word).to_owned() };
        words.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
    })
}

/// Whether a lesson fires at a command without one of its words too, or with the start of one of its options: `--force` of
/// `--force-with-lease`. The program stays.
fn says_more(words: &[&str], fires: impl Fn(&str) -> bool) -> bool {
    let with = |at: usize, word: &str| {
        let before = words.iter().take(at).copied();
        let fewer = before.chain([word]).chain(words.iter().skip(at + 1).copied());
        fires(&fewer.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
    };
    words.iter().enumerate().any(|(at, word)| {
        let starts = word.match_indices(['-', '=']).map(|(end, _)| &word[..end]);
        let shorter = starts.filter(|start| is_option(word) && !start.trim_matches('-').is_empty());
        let none = (at > 0 || is_assignment(word)).then_some("");
        words.len() > 1 && none.into_iter().chain(shorter).any(|fewer| with(at, fewer))
    })
}

/// What stands in backticks in a text.
pub fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(start).filter(|span| !span.is_empty())
}

/// What a span is about: "`curl https://staging.example/…`" is about all that begins so. `./...` names all packages of Go.
fn start(span: &str) -> &str {
    let span = span.trim();
    let names_packages = span.ends_with("/...") && !span.contains("://");
    if names_packages { span } else { span.trim_end_matches("...").trim_end_matches('…').trim_end() }
}

/// A command that a text names.
struct Named<'t> {
    stance: Stance,
    command: &'t str,
    /// The command that comes first: "`a`, then `b`".
    after: Option<&'t str>,
}

/// The commands that a text names, with its stance to each.
fn named(text: &str) -> Vec<Named<'_>> {
    let parts: Vec<&str> = text.split('`').collect();
    let mut reader = Reader::default();
    let mut named: Vec<Named<'_>> = Vec::new();
    for (at, part) in parts.iter().map(|part| part.trim()).enumerate() {
        if at % 2 == 0 {
            reader = in_lower_case(part).split_whitespace().fold(reader, Reader::after);
            continue;
        }
        let after = named.last().filter(|_| reader.previous == "then").map(|first| first.command);
        // A span is a word of its sentence: a gerund after it begins no clause.
        part.clone_into(&mut reader.previous);
        if reader.first.is_empty() {
            "s".clone_into(&mut reader.first);
        }
        let next = in_lower_case(parts.get(at + 1).copied().unwrap_or_default());
        let stance = match reader.stance {
            Stance::Neutral | Stance::Advises if at + 2 < parts.len() && joins(&next) => Stance::Tells,
            Stance::Neutral | Stance::Introduces if is_denied(&next) => Stance::Forbids,
            Stance::Neutral if is_allowed(&next) => Stance::Advises,
            stance => stance,
        };
        if !part.is_empty() {
            named.push(Named { stance, command: start(part), after });
        }
    }
    named
}

/// A text in lower case, its marks as they are written in English: with white space behind them.
fn in_lower_case(text: &str) -> String {
    let marks = "。，、；：！？）".chars().zip(".,,;:!?)".chars());
    let text = text.to_lowercase().replace('’', "'");
    marks.fold(text, |text, (wide, plain)| text.replace(wide, &format!("{plain} ")))
}

/// Whether the words between two commands say that the first is run by means of the second: "run `a` only via `b`".
fn joins(between: &str) -> bool {
    let mut words = between.split_whitespace();
    between.split_whitespace().any(|word| JOINING.contains(&word))
        && words.all(|word| JOINING.contains(&word) || FILLING.contains(&word))
}

/// Whether the words after a command say that it is wrong: "`a` must not be used".
fn is_denied(after: &str) -> bool {
    let mut words = after.split_whitespace();
    let (verb, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_verb = verb.ends_with('s') || matches!(verb, "must" | "may" | "should" | "will" | "can");
    verb == "cannot" || verb.ends_with("n't") || (is_verb && forbids(next))
}

/// Whether the words after a command say that it is right: "`a b` is safe".
fn is_allowed(after: &str) -> bool {
    let mut words = after.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';', ')']));
    matches!(words.next(), Some("is" | "are" | "stays"))
        && words.next().is_some_and(|word| ALLOWING.contains(&word))
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Whether a word sets a variable, as in `DB=local make seed` and in `make seed DB=local`.
pub fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a text advises of the commands that hold `trigger`, as whole words.
    fn advised(text: &str, trigger: &str, stopped: &str) -> Vec<String> {
        let fires = |command: &str| format!(" {command} ").contains(&format!(" {trigger} "));
        fired_advice(text, &[stopped.to_owned()], fires)
    }

    #[test]
    fn a_rule_advises_what_it_says_to_use() {
        for (rule, expected) in [
            ("use `a b -u` when untracked files matter", "a b -u"),
            ("Do not run `a b`; use `a b -u`.", "a b -u"),
            ("`rtk` has no `bun`: use `a b test`", "a b test"),
            ("Use `a b x`, not `a b y`", "a b x"),
            ("Instead of `npm test`, run `a b`", "a b"),
            ("Don’t call `c d`, but prefer `a b`", "a b"),
            ("Run `c`, then `a b`", "a b"),
            ("When you are done, run `a b`", "a b"),
            ("Fix it by running `a b`", "a b"),
            ("Ask before `a b`; `x a b` is safe.", "x a b"),
            ("Call the other one: `x a b ...`", "x a b"),
            ("Use `A=1 a b ./...`", "A=1 a b ./..."),
            ("更新图片一律用 `a b x`。不要直接跑 `a b -u`。", "a b x"),
            ("Nunca `a b -u`; lanza `a b x`", "a b x"),
            ("不要用 `a b`！改用 `a b x`", "a b x"),
            ("分别用 `a b x` 测试", "a b x"),
            ("Nie `a b` ohne `a b --check`", "a b --check"),
            ("Vergiss nicht `a b x`", "a b x"),
            ("Не забудь `a b x`", "a b x"),
            ("不要忘记 `a b x`", "a b x"),
        ] {
            assert_eq!(advised(rule, "a b", "a b"), [expected], "{rule}");
        }
    }

    #[test]
    fn what_says_more_than_the_trigger_is_advised_unless_it_is_forbidden() {
        for (rule, expected) in [
            ("Commit with `a b -s`", "a b -s"),
            ("`a b -s` is the way", "a b -s"),
            ("`A=1 a b` works", "A=1 a b"),
            ("Only ever run `a b` via `x a b`", "x a b"),
            ("Never `a b` without `a b --check` first", "a b --check"),
            ("Nothing but `a b -s`; ask", "a b -s"),
            ("Never anything but `a b -s`", "a b -s"),
            ("Do not forget `a b -s`", "a b -s"),
        ] {
            assert_eq!(advised(rule, "a b", "a b"), [expected], "{rule}");
        }
    }

    #[test]
    fn what_comes_second_is_advised_behind_the_first() {
        let advised = |fires: fn(&str) -> bool| fired_advice("First `c`, then `a b`", &[], fires);
        assert!(advised(|command| command.contains("a b") && !command.starts_with("c &&")).is_empty());
        assert_eq!(advised(|command| command.contains("a b")), ["a b"]);
    }

    #[test]
    fn an_option_alone_may_stand_in_the_place_of_another_and_belongs_to_one_command() {
        let fires = |command: &str| command.contains("--hard");
        let stopped = ["git reset --hard", "git fetch && git reset --hard"].map(str::to_owned);
        assert!(fired_advice("Use `--keep`", &stopped, fires).is_empty());
        assert_eq!(fired_advice("Use `--quiet`", &["git reset --hard HEAD".to_owned()], |_| true).len(), 1);
    }

    #[test]
    fn an_option_alone_is_tried_with_what_is_stopped() {
        for (rule, expected) in [
            ("Always pass `-n dev`", &["a b -n dev"][..]),
            ("Run `a b` only with `--dry`", &["a b --dry"]),
            ("Never `a b` without `--dry`", &["a b --dry"]),
            ("Set `DB=local`", &["a b DB=local"]),
            ("Leave it be, never `-f`", &[]),
            ("Use `a b` without `-v`", &["a b"]),
        ] {
            assert_eq!(advised(rule, "a b", "a b"), expected, "{rule}");
        }
        assert!(advised("Pass `-n dev`", "a b", "a b -n dev").is_empty());
    }

    #[test]
    fn what_a_rule_forbids_or_mentions_is_not_advised() {
        for rule in [
            "Never use `a b -A` here",
            "Expect `a b` to fail here",
            "Before `a b x`: pull first",
            "Before you run `a b x`, pull",
            "rather than using `a b`",
            "stop running `a b x`",
            "`a b` leaves files behind",
            "Use the wrapper: `a b` empties the table",
            "`a b x` is not safe",
            "Leave out `-f`",
            "Running `a b` empties the table",
            "Deploying with `a b` skips the checks",
            "`a b -f` must not be used",
            "use a pool",
            "",
        ] {
            assert!(advised(rule, "a b", "a b").is_empty(), "{rule}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_advised_stands_in_the_rule_in_backticks(
            rule in "(use |not |; |, |before |with |`|-[a-z] |[a-z]{1,3} |é){0,20}",
        ) {
            for command in fired_advice(&rule, &[], |_| true) {
                proptest::prop_assert!(rule.contains(&command) && !command.contains('`'));
            }
        }
    }
}
