//! Globs: what they mean, what is refused, and how large they get.

use globset::{Glob, GlobBuilder};
use lessons_pattern::automaton::compile::{AutomatonBytes, compile};
use lessons_pattern::{PatternError, Regex, glob};
use proptest::prelude::*;

fn automaton(pattern: &str) -> Result<AutomatonBytes, PatternError> {
    compile(&glob::expression(pattern)?)
}

fn matches(pattern: &str, path: &str) -> bool {
    automaton(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}")).is_match(path)
}

fn globset(pattern: &str) -> Result<Glob, globset::Error> {
    let mut builder = GlobBuilder::new(pattern);
    builder.literal_separator(true).backslash_escape(true).empty_alternates(true).build()
}

/// Paths of letters that globs are made of, dotfiles and white space among them.
fn path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(
        &[
            "a", "b", "c", "ab", "abc", "x.ts", ".a", "a.", "1", "_", "...", "bx.ts", "aab", "a b", "(a)",
            "a\nb",
        ][..],
    );
    let names = prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"));
    (prop::sample::select(&["", "/"][..]), names).prop_map(|(root, names)| format!("{root}{names}"))
}

/// Globs of which most are well formed.
fn pattern() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(
        &[
            "a",
            "b",
            "ab",
            "x.ts",
            "?",
            "*",
            "**",
            "**/",
            "/",
            "/**",
            "[a-c]",
            "[!a]",
            "[^b]",
            "{a,b}",
            "{a*,{b,**}}",
            "{,a}",
            "\\*",
            ".",
        ][..],
    );
    prop::collection::vec(piece, 1..7).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_glob_matches_what_globset_matches(pattern in pattern(), paths in prop::collection::vec(path(), 8)) {
        prop_assume!(!pattern.starts_with("./"));
        let built = globset(&pattern);
        let automaton = automaton(&pattern).map_err(|error| TestCaseError::fail(format!("{pattern}: {error}")))?;
        let globset = built.map_err(|error| TestCaseError::fail(error.to_string()))?.compile_matcher();
        for path in &paths {
            prop_assert_eq!(automaton.is_match(path), globset.is_match(path), "{} on {:?}", pattern, path);
        }
    }

    #[test]
    fn a_glob_that_is_taken_is_one_to_globset(pattern in "[\\[\\](){},|?*+!@.\\\\/abz:1^\\-\"é]{1,40}") {
        let built = globset(&pattern);
        match glob::expression(&pattern) {
            Ok(expression) => {
                prop_assert!(built.is_ok(), "{}", pattern);
                prop_assert!(!matches!(Regex::of(&expression), Err(PatternError::Invalid { .. })), "{}", pattern);
            }
            Err(error) => {
                prop_assert!(built.is_err() || glob::extended::refusal(&pattern).is_some(), "{}: {}", pattern, error);
                prop_assert!(error.to_string().len() > 20, "{}", error);
            }
        }
    }

    #[test]
    fn what_is_rewritten_is_a_glob_that_matches_each_choice(
        before in "[a-c/]{0,4}",
        choices in prop::collection::vec("[a-cé*.]{1,3}", 1..4),
        sign in prop::sample::select(&["@", "?", ""][..]),
        after in "[a-c/]{0,4}",
    ) {
        prop_assume!(!sign.is_empty() || choices.len() > 1);
        let extended = format!("{before}{sign}({}){after}", choices.join("|"));
        prop_assert!(glob::extended::refusal(&extended).is_some() && glob::expression(&extended).is_err(), "{}", extended);
        let rewritten = glob::extended::rewritten(&extended).unwrap_or_default();
        let automaton = automaton(&rewritten).map_err(|error| TestCaseError::fail(format!("{rewritten}: {error}")))?;
        for choice in &choices {
            let path = format!("{before}{}{after}", choice.replace('*', "x"));
            prop_assert!(path.starts_with("./") || automaton.is_match(&path), "{} on {}", rewritten, path);
        }
    }
}

#[test]
fn a_glob_means_what_globset_means() {
    for (pattern, hits, misses) in [
        ("**", "a a/b .git/x /a", ""),
        ("src/**", "src/a src/a/b src/.env", "src srcs a/src"),
        ("src/**/*.ts", "src/a.ts src/x/y/a.ts", "src.ts src/a.tsx"),
        ("**/a.ts", "a.ts x/a.ts /a.ts /x/y/a.ts", "xa.ts a.ts/b"),
        ("**.ts", "a.ts .ts", "a.tsx x/a.ts"),
        ("a/**b", "a/b a/xb", "a/x/b"),
        ("*/**", "a/b a/b/c", "a"),
        ("a/**/**/b", "a/b a/x/y/b", "a"),
        ("a/{b,c/**}", "a/b a/c/d", "a/c a"),
        ("{src,lib}/{**/*.ts,x}", "src/x lib/y/a.ts", "src/y"),
        ("*.{js,ts}", "a.js .ts", "a.css a/b.js"),
        ("{a}", "a", "{a}"),
        ("a.ts{,x}", "a.ts a.tsx", "a.ts{,x}"),
        ("app/[id]/page.tsx", "app/i/page.tsx", "app/id/page.tsx"),
        ("app/\\[id\\]/page.tsx", "app/[id]/page.tsx", "app/i/page.tsx"),
        ("app/(site)/page.tsx", "app/(site)/page.tsx", "app/site/page.tsx"),
        ("[0-9]+.ts", "1+.ts", "1.ts 12.ts"),
        ("[!a].ts", "b.ts", "a.ts"),
        ("*.*", "a.b .a", "a"),
        ("a\\*b", "a*b", "axb"),
        ("./src/*.ts", "src/a.ts", "a.ts"),
        ("README.md", "README.md", "readme.md"),
    ] {
        for path in hits.split(' ') {
            assert!(matches(pattern, path), "{pattern} on {path}");
        }
        for path in misses.split(' ').filter(|path| !path.is_empty()) {
            assert!(!matches(pattern, path), "{pattern} on {path}");
        }
    }
}

#[test]
fn an_item_matches_one_unicode_character() {
    for (pattern, hit, miss) in [
        ("?.ts", "😀.ts", "éé.ts"),
        ("[äö]x", "öx", "üx"),
        ("[é-ü]", "ö", "z"),
        ("*é{ß,😀}", "aé😀", "aéß😀"),
    ] {
        assert!(matches(pattern, hit) && !matches(pattern, miss), "{pattern}");
    }
}

#[test]
fn what_is_no_glob_is_refused_with_a_reason() {
    for (pattern, reason) in [
        ("", "empty"),
        ("[z-a]", "out of order"),
        ("[a", "`\\[`"),
        ("{a,b", "`\\{`"),
        ("a}", "`\\}`"),
        ("a\\", "`\\\\`"),
        ("!*.md", "`unless`"),
        ("*.@(ts|tsx)", "`{a,b}`"),
    ] {
        let error = glob::expression(pattern).unwrap_err();
        assert!(
            error.code() == "INVALID_TRIGGER_PATTERN" && error.to_string().contains(reason),
            "{pattern}: {error}"
        );
    }
    assert_eq!(glob::expression(&"a".repeat(1001)).unwrap_err().code(), "UNSAFE_TRIGGER_PATTERN");
}

/// Not timed: work that grows faster than glob and path would not come to an end here.
#[test]
fn hostile_globs_come_to_an_end() {
    let path = format!("{}b", "a/".repeat(2000));
    for pattern in [
        &format!("{}x", "**/".repeat(200)),
        &format!("{}x", "**/a/".repeat(50)),
        &"*a".repeat(100),
        &"{a,b}*".repeat(100),
        &format!("{}x", "{a,".repeat(40) + &"}".repeat(40)),
    ] {
        assert!(!matches(pattern, &path), "{pattern}");
    }
    for pattern in ["{".repeat(1000), "[".repeat(1000), "{a,".repeat(200) + &"}".repeat(200)] {
        assert!(automaton(&pattern).is_err(), "{pattern}");
    }
}
