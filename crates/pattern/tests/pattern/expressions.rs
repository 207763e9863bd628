//! JavaScript expressions: what they mean, what is refused, and what their literals are worth.

use lessons_pattern::automaton::compile::compile;
use lessons_pattern::{MAX_DEPTH, PatternError, Regex, js, literals, parse};
use proptest::prelude::*;

use crate::tree::{text, tree};

fn regex(pattern: &str) -> Regex {
    Regex::of(&js::expression(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"))).unwrap()
}

fn matches(pattern: &str, text: &str) -> bool {
    regex(pattern).is_match(text)
}

fn code(pattern: &str) -> &'static str {
    match js::expression(pattern) {
        Ok(_) => "",
        Err(error) => {
            let long_enough = error.to_string().len() > 20;
            assert!(long_enough, "{error}");
            match error {
                PatternError::Invalid { .. } => "invalid",
                PatternError::Unsafe { .. } => "unsafe",
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_translated_expression_matches_what_javascript_matches(tree in tree(), texts in prop::collection::vec(text(), 6), choices in prop::collection::vec(0..100_usize, 40)) {
        let written = tree.written();
        prop_assume!(!written.is_empty());
        let made = js::expression(&written).map_err(|error| TestCaseError::fail(format!("{written}: {error}")))?;
        let regex = Regex::of(&made).map_err(|error| TestCaseError::fail(format!("{made}: {error}")))?;
        let automaton = compile(&made).ok();
        let mut sample = String::new();
        tree.sample(&mut choices.into_iter(), &mut sample);
        for text in texts.iter().chain([&sample]) {
            if let Some(automaton) = &automaton {
                prop_assert_eq!(automaton.is_match(text), tree.is_match(text), "the automaton of {} on {:?}", written, text);
            }
            prop_assert_eq!(regex.is_match(text), tree.is_match(text), "{} as {} on {:?}", written, made, text);
            prop_assert_eq!(regex.find(text).is_some(), tree.is_match(text));
        }
    }

    #[test]
    fn every_match_holds_a_literal_of_each_clause(tree in tree(), around in (text(), text()), choices in prop::collection::vec(0..100_usize, 40), insensitive: bool) {
        let written = format!("{}{}", if insensitive { "(?i)" } else { "" }, tree.written());
        let Ok(made) = js::expression(&written) else { return Ok(()) };
        let regex = Regex::of(&made).map_err(|error| TestCaseError::fail(format!("{made}: {error}")))?;
        let (clauses, endings) = (literals::clauses(&made), literals::endings(&made));
        let mut sample = String::new();
        tree.sample(&mut choices.into_iter(), &mut sample);
        let swapped: String = sample.chars().map(|c| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }).collect();
        for text in [format!("{}{sample}{}", around.0, around.1), format!("{}{swapped}{}", around.0, around.1), sample, swapped] {
            let lower = text.to_ascii_lowercase();
            let held = clauses.iter().all(|clause| clause.iter().any(|literal| lower.contains(literal)));
            prop_assert!(held || !regex.is_match(&text), "{} with {:?} on {:?}", made, clauses, text);
            let ends = endings.is_empty() || lower.bytes().last().is_some_and(|last| endings.contains(&last));
            prop_assert!(ends || !regex.is_match(&text), "{} with {:?} on {:?}", written, endings, text);
        }
        prop_assert!(clauses.iter().flatten().all(|literal| *literal == literal.to_ascii_lowercase()), "{:?}", clauses);
    }

    #[test]
    fn no_text_makes_the_translation_panic(pattern in "[\\[\\](){}|?*+^$.\\\\abkux01=!<>:,i😀é\\-]{1,40}") {
        if let Ok(made) = js::expression(&pattern) {
            let regex = Regex::of(&made);
            prop_assert!(!matches!(regex, Err(PatternError::Invalid { .. })), "{} as {}: {:?}", pattern, made, regex.err());
            literals::clauses(&made);
        }
    }
}

#[test]
fn what_javascript_rejects_is_invalid() {
    for pattern in [
        "",
        "(?i)",
        "(",
        ")",
        "a)",
        "(a",
        "[a",
        "[z-a]",
        "[\\d-\\w",
        "*",
        "a**",
        "a++",
        "+a",
        "a|*",
        "(*a)",
        "^*",
        "\\b+",
        "{1}",
        "a{2,1}",
        "a{1}{2}",
        "\\",
        "(?>a)",
        "(?#c)",
        "(?<1a>x)",
        "(?<n",
        "(?<>x)",
        "(?<n>a)(?<n>b)",
        "a(?i)b",
        "(?i:a)",
        "(?<n>a)\\k",
        "(?<n>a)\\k<m>",
        "(?<=a)*",
        "[😀-a]",
    ] {
        assert_eq!(code(pattern), "invalid", "{pattern}");
    }
}

#[test]
fn what_is_not_linear_or_not_meant_is_unsafe() {
    for pattern in [
        "(?=a)b",
        "(?!a)b",
        "(?<=a)b",
        "(?<!a)b",
        "(?=a)*",
        "(a)\\1",
        "\\1(a)",
        "\\2",
        "(?<n>a)\\k<n>",
        "\\k<n>",
        "\\u{61}",
        "[\\u{61}]",
        "\\ud83d",
        "[\\ud83d]",
        "[\\ud800-\\udfff]",
        "a{1001}",
        "(?:a{1000}){1000}",
        "a{1000}b",
        "x{99999999999}",
        "(ab|cd){251}",
    ] {
        assert_eq!(code(pattern), "unsafe", "{pattern}");
    }
    assert_eq!(code(&"a".repeat(1001)), "unsafe");
    assert_eq!(code("(?=a"), "invalid", "an error of the language comes first");
}

#[test]
fn a_refusal_says_what_to_write_instead() {
    let message = |pattern| js::expression(pattern).unwrap_err().to_string();
    assert!(message("a(?!b)").contains("`unless`"), "{}", message("a(?!b)"));
    assert!(message("a(?=b)").contains("at character 2"), "{}", message("a(?=b)"));
    assert!(message("a*+").contains("`\\+`"), "{}", message("a*+"));
    assert!(message("f(").contains("`\\(`"), "{}", message("f("));
}

#[test]
fn what_is_lenient_in_a_browser_is_lenient_here() {
    for (pattern, text) in [
        ("{", "{"),
        ("}", "}"),
        ("]", "]"),
        ("a{", "a{"),
        ("a{,2}", "a{,2}"),
        ("a{1", "a{1"),
        ("a{x}", "a{x}"),
        ("\\-\\/\\_", "-/_"),
        ("\\p{L}", "p{L}"),
        ("\\x4", "x4"),
        ("\\u12", "u12"),
        ("\\c", "\\c"),
        ("\\c1", "\\c1"),
        ("[\\c1]", "\u{11}"),
        ("\\01", "\u{1}"),
        ("\\0", "\0"),
        ("[\\d-z]", "-"),
        ("[a-\\d]", "-"),
        ("\\ud83d\\ude00", "😀"),
        ("[\\ud83d\\ude00]", "😀"),
        ("(?<$n>ab)c", "abc"),
        ("\\k", "k"),
        ("()", "x"),
        ("^(?:😀)+$", "😀😀"),
        ("(?:)", "x"),
        ("x|", "y"),
    ] {
        assert!(matches(pattern, text), "{pattern} on {text:?}");
    }
}

#[test]
fn a_leading_flag_ignores_case_as_javascript_does() {
    assert!(matches("(?i)git PUSH", "GIT push"));
    assert!(matches("(?i)[a-c]é", "BÉ"));
    assert!(!matches("(?i)k", "\u{212A}"), "the Kelvin sign is no k");
    assert!(!matches("(?i)[^k]", "K"));
    assert!(!matches("git", "GIT"));
}

#[test]
fn an_item_matches_one_unicode_character() {
    assert!(matches("^.$", "😀"));
    assert!(!matches("^..$", "😀"));
    assert!(matches("a.b", "a😀b"));
    assert!(matches("^😀+$", "😀😀"));
    assert!(matches("[a-😀]", "é"));
    assert!(matches("(?i)\u{10428}", "\u{10400}"), "a letter beyond U+FFFF has two cases too");
    assert!(!matches("\\B", "aéa"), "there is no place within a character");
}

#[test]
fn an_expression_is_what_one_would_write_for_the_engine() {
    let space = r"[\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]";
    for (pattern, written) in [
        (
            r"\bgit\s.*--force\b",
            format!(r"(?-u:\b)git{space}[^\n\r\x{{2028}}\x{{2029}}]*--force(?-u:\b)").as_str(),
        ),
        ("^npm (i|install)$", r"\Anpm (?:i|install)\z"),
        ("(?i)select 1.* from", r"(?i-u:select 1)[^\n\r\x{2028}\x{2029}]*(?i-u: from)"),
        ("(?:^|[^-a-z])rm -rf /", r"(?:\A|[^\-a-z])rm -rf /"),
        ("a{2}b{3,}?(?:c?)*|", "a{2}b{3,}?(?:c?)*|(?:)"),
        ("(?i)é😀ß", r"[éÉ]😀ß"),
        (r"[^\ud7ff]*[^\ue000]*", r"[^\x{D7FF}]*[^\x{E000}]*"),
        ("x|(?:y|z)|[a-c]", "x|[yz]|[a-c]"),
        ("[]|[^]*", r"[^\x00-\x{10FFFF}]|(?s:.)*"),
        ("^.$", r"\A[^\n\r\x{2028}\x{2029}]\z"),
        (r"\B\D", r"(?-u:\B)[^0-9]"),
    ] {
        assert_eq!(js::expression(pattern).unwrap(), parse(written).unwrap(), "{pattern}");
    }
}

/// The best clause, if all of its literals are long enough for an index to look them up.
fn required(pattern: &str) -> Vec<String> {
    let best = literals::clauses(&js::expression(pattern).unwrap()).into_iter().next();
    best.filter(|best| best.iter().all(|literal| literal.len() >= 2)).unwrap_or_default()
}

#[test]
fn nesting_is_bounded_and_never_overflows_the_stack() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(code(&nested(MAX_DEPTH)), "");
    assert!(Regex::of(&js::expression(&nested(MAX_DEPTH)).unwrap()).is_ok());
    assert_eq!(code(&nested(MAX_DEPTH + 1)), "unsafe");
    assert_eq!(code(&"(".repeat(1000)), "unsafe");
    let stars = format!("{}a{}", "(?:".repeat(MAX_DEPTH), "b)+".repeat(MAX_DEPTH));
    assert!(!required(&stars).is_empty());
}

#[test]
fn the_literals_are_the_longest_that_are_certain() {
    let literals = required;
    assert_eq!(literals(r"\bgit\s+stash\b"), ["stash"]);
    assert_eq!(literals("(?i)GIT stash"), ["git stash"]);
    assert_eq!(literals("git (commit|push)"), ["git commit", "git push"]);
    assert_eq!(literals("colou?r"), ["color", "colour"]);
    assert_eq!(literals("(npm|pnpm) i"), ["npm i"], "one within the other is enough");
    assert_eq!(literals("a+b"), ["ab"]);
    assert_eq!(literals("(?:ab)+"), ["ab"]);
    assert_eq!(literals("v[0-2]x"), ["v0x", "v1x", "v2x"]);
    assert_eq!(literals("É1"), ["É1"], "only ASCII is compared in lower case");
    for unknown in [".*", "a|", "(?:abc)?", "a", r"\d+", "[^]", "abc|.", "(?:x|yy)"] {
        assert!(literals(unknown).is_empty(), "{unknown}");
    }
}
