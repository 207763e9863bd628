//! Globs: what they mean, what is refused, and how large they get.

use lessons_core::pattern::{PatternError, Regex, glob};
use proptest::prelude::*;

fn regex(pattern: &str) -> Regex {
    Regex::new(&glob::to_regex(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"))).unwrap()
}

fn matches(pattern: &str, path: &str) -> bool {
    regex(pattern).is_match(path)
}

/// One part of a glob, between slashes.
#[derive(Debug, Clone)]
enum Part {
    /// `**`.
    Globstar,
    Name(Vec<Piece>),
}

/// What a part is made of.
#[derive(Debug, Clone)]
enum Piece {
    Text(&'static str),
    Any,
    Star,
    Class(&'static str, fn(char) -> bool),
    Group(&'static str, Vec<Vec<Piece>>),
}

fn piece() -> impl Strategy<Value = Piece> {
    let leaf = prop_oneof![
        4 => prop::sample::select(&["a", "b", "ab", ".", "x.ts", "é", "_"][..]).prop_map(Piece::Text),
        1 => Just(Piece::Any),
        2 => Just(Piece::Star),
        1 => Just(Piece::Class("[a-c]", |c| ('a'..='c').contains(&c))),
        1 => Just(Piece::Class("[!a]", |c| c != 'a' && c != '/')),
        1 => Just(Piece::Class("[[:digit:]x]", |c| c.is_ascii_digit() || c == 'x')),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let branches = prop::collection::vec(prop::collection::vec(inner, 0..3), 2..4);
        (prop::sample::select(&["{", "@", "?", "+", "*"][..]), branches)
            .prop_map(|(kind, branches)| Piece::Group(kind, branches))
    })
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let part = prop_oneof![
        1 => Just(Part::Globstar),
        3 => prop::collection::vec(piece(), 1..4).prop_map(Part::Name),
    ];
    prop::collection::vec(part, 1..5)
}

/// A normal path.
fn path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(
        &["a", "b", "c", "ab", "abc", "x.ts", ".a", "a.", "é", "1", "_", "...", "bx.ts", "aab"][..],
    );
    prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"))
}

impl Piece {
    fn written(&self) -> String {
        match self {
            Self::Text(text) | Self::Class(text, _) => (*text).to_owned(),
            Self::Any => "?".to_owned(),
            Self::Star => "*".to_owned(),
            Self::Group(kind, branches) => {
                let inner: Vec<String> =
                    branches.iter().map(|branch| branch.iter().map(Self::written).collect()).collect();
                match *kind {
                    "{" => format!("{{{}}}", inner.join(",")),
                    kind => format!("{kind}({})", inner.join("|")),
                }
            }
        }
    }

    /// The places in `name` where a match that starts at `start` can end.
    fn ends(&self, name: &[char], start: usize) -> Vec<usize> {
        match self {
            Self::Text(text) => {
                let text: Vec<char> = text.chars().collect();
                let hit = name[start..].starts_with(&text);
                hit.then_some(start + text.len()).into_iter().collect()
            }
            Self::Any => (start < name.len()).then_some(start + 1).into_iter().collect(),
            Self::Star => (start..=name.len()).collect(),
            Self::Class(_, member) => {
                name.get(start).is_some_and(|&c| member(c)).then_some(start + 1).into_iter().collect()
            }
            Self::Group(kind, branches) => {
                let once = |starts: Vec<usize>| -> Vec<usize> {
                    let ends = starts.iter().flat_map(|&start| {
                        branches.iter().flat_map(move |branch| all_ends(branch, name, start))
                    });
                    let mut ends: Vec<usize> = ends.collect();
                    ends.sort_unstable();
                    ends.dedup();
                    ends
                };
                let mut now = match *kind {
                    "?" | "*" => vec![start],
                    _ => once(vec![start]),
                };
                let more = match *kind {
                    "?" => 1,
                    "*" | "+" => name.len() + 1,
                    _ => 0,
                };
                let mut all = now.clone();
                for _ in 0..more {
                    now = once(now);
                    all.extend(&now);
                }
                all
            }
        }
    }
}

fn all_ends(pieces: &[Piece], name: &[char], start: usize) -> Vec<usize> {
    match pieces {
        [] => vec![start],
        [first, rest @ ..] => {
            first.ends(name, start).into_iter().flat_map(|next| all_ends(rest, name, next)).collect()
        }
    }
}

/// Whether the parts of a glob match the parts of a path: part by part, `**` any number of them.
fn part_by_part(parts: &[Part], path: &[&str]) -> bool {
    match parts {
        [] => path.is_empty(),
        // Below a part that ends in a star there must be something.
        [Part::Name(pieces), Part::Globstar] if matches!(pieces.last(), Some(Piece::Star)) => {
            path.len() > 1 && part_by_part(&parts[..1], &path[..1])
        }
        [Part::Globstar, rest @ ..] => (0..=path.len()).any(|taken| part_by_part(rest, &path[taken..])),
        [Part::Name(pieces), rest @ ..] => path.split_first().is_some_and(|(name, below)| {
            let name: Vec<char> = name.chars().collect();
            all_ends(pieces, &name, 0).contains(&name.len()) && part_by_part(rest, below)
        }),
    }
}

proptest! {
    // Most random globs have a case of their own and are rejected here.
    #![proptest_config(ProptestConfig { max_global_rejects: 20_000, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn a_glob_matches_part_by_part(parts in parts(), paths in prop::collection::vec(path(), 8)) {
        // Stars and dots that fall together, or two globstars, are cases of their own, below.
        let written: Vec<String> = parts.iter().map(|part| match part {
            Part::Globstar => "**".to_owned(),
            Part::Name(pieces) => pieces.iter().map(Piece::written).collect(),
        }).collect();
        let pattern = written.join("/");
        let is_plain = |(part, text): (&Part, &String)| matches!(part, Part::Globstar) || !text.contains("**");
        prop_assume!(!pattern.contains("***") && parts.iter().zip(&written).all(is_plain));
        prop_assume!(!pattern.contains("*(") || !pattern.contains("**"));
        prop_assume!(pattern.matches("**").count() < 2 && !pattern.starts_with("./"));
        prop_assume!(!matches!(pattern.as_str(), "*.*" | "**/*.*") && !pattern.contains(")?"));
        let regex = match glob::to_regex(&pattern) {
            Ok(regex) => Regex::new(&regex).map_err(|error| TestCaseError::fail(format!("{regex}: {error}")))?,
            // Too many alternatives.
            Err(error) => {
                prop_assert_eq!(error.code(), "UNSAFE_TRIGGER_PATTERN", "{}: {}", pattern, error);
                return Ok(());
            }
        };
        for path in &paths {
            let expected = part_by_part(&parts, &path.split('/').collect::<Vec<_>>());
            prop_assert_eq!(regex.is_match(path), expected, "{} on {}", pattern, path);
        }
        if let Ok(negated) = glob::to_regex(&format!("!{pattern}")) {
            let negated = Regex::new(&negated).map_err(|error| TestCaseError::fail(format!("{negated}: {error}")))?;
            for path in &paths {
                prop_assert_eq!(negated.is_match(path), !regex.is_match(path), "!{} on {}", pattern, path);
            }
        }
    }

    /// `!(a|b)` looks ahead in picomatch: at the end of a name for one of the texts and nothing more, before
    /// something else for a name that only begins with one.
    #[test]
    fn what_an_exclamation_mark_excludes_does_not_match(
        before in prop::sample::select(&["", "a", "x.", "_"][..]),
        excluded in prop::collection::vec(prop::sample::select(&["a", "b", "ab", "ts", "é"][..]), 1..4),
        after in prop::sample::select(&["", ".ts", "b", "x_"][..]),
        path in prop::collection::vec(prop::sample::select(&["a", "b", ".", "ts", "é", "x", "_"][..]), 1..6),
    ) {
        let name = path.concat();
        prop_assume!(name != "." && name != "..");
        let pattern = format!("src/{before}!({}){after}", excluded.join("|"));
        let expected = name.strip_prefix(before).is_some_and(|rest| match after {
            "" => !excluded.contains(&rest),
            after => !excluded.iter().any(|text| rest.starts_with(text)) && rest.ends_with(after),
        });
        prop_assert_eq!(matches(&pattern, &format!("src/{name}")), expected, "{} on {}", pattern, name);
    }

    #[test]
    fn no_text_makes_the_translation_panic(pattern in "[\\[\\](){},|?*+!@.\\\\/abz:1^\\-\"é]{1,40}") {
        if let Ok(regex) = glob::to_regex(&pattern) {
            let compiled = Regex::new(&regex);
            prop_assert!(!matches!(compiled, Err(PatternError::Invalid { .. })), "{} as {}", pattern, regex);
            prop_assert!(pattern.starts_with("./") || compiled.is_err() || compiled.is_ok_and(|compiled| compiled.is_match(&pattern)), "{}", pattern);
        }
    }
}

/// Checked with picomatch 4.0.4, `dot: true`.
#[test]
fn a_glob_means_what_picomatch_means() {
    for (pattern, hits, misses) in [
        ("**", "a a/b .git/x /a", "."),
        ("src/**", "src src/a src/a/b", "srcs a/src"),
        ("src/**/*.ts", "src/a.ts src/x/y/a.ts", "src.ts src/a.tsx"),
        ("**/a.ts", "a.ts x/a.ts /a.ts /x/y/a.ts", "xa.ts a.ts/b"),
        ("**.ts", "a.ts x/a.ts", "a.tsx"),
        ("**a", "a xa", "x/a"),
        ("a/**b", "a/b a/xb", "a/x/b"),
        ("*/**", "a/b a/b/c", "a"),
        ("/**/a.ts", "/x/a.ts /x/y/a.ts", "/a.ts a.ts"),
        ("a/**/**/b", "a/b a/x/y/b", "a"),
        ("a/{b,c/**}", "a/b a/c/d", "a/c a"),
        ("{src,lib}/{**/*.ts,x}", "src/x lib/y/a.ts", "src/y"),
        ("*.{js,ts}", "a.js .ts", "a.css a/b.js"),
        ("{a}", "{a}", "a"),
        ("a{b", "a{b", "ab"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx app/i/page.tsx", "app/id/page.tsx"),
        ("[0-9]+.ts", "1.ts 12.ts", ".ts a.ts"),
        ("[^a].ts", "b.ts", "a.ts /.ts"),
        ("*.*", "a.b .a", "a a."),
        ("a/.*", "a/.b", "a/b a/."),
        ("@(a|b).ts", "a.ts", "ab.ts"),
        ("+(a|b).ts", "abab.ts", ".ts c.ts"),
        ("*(a|b).ts", ".ts ab.ts", "c.ts"),
        ("?(a).ts", ".ts a.ts", "aa.ts"),
        ("(a|b)+.ts", "aba.ts", ".ts"),
        ("\"a*\".ts", "a*.ts", "ab.ts"),
        ("a\\*b", "a*b", "axb"),
        ("./src/*.ts", "src/a.ts", "a.ts"),
        ("*.ts|*.tsx", "a.ts b.tsx", "a.js"),
    ] {
        for path in hits.split(' ') {
            assert!(matches(pattern, path), "{pattern} on {path}");
        }
        for path in misses.split(' ') {
            assert!(!matches(pattern, path), "{pattern} on {path}");
        }
    }
}

/// Checked with picomatch 4.0.4, whose `!(…)` looks ahead as far as it matches, not to the next slash.
#[test]
fn a_glob_with_an_exclamation_mark_matches_everything_but() {
    for (pattern, hits, misses) in [
        ("!*.md", "a.ts x/a.md", "a.md .md"),
        ("!!a.ts", "a.ts", "b.ts"),
        ("!src/**", "a srcs lib/src", "src src/a src/a/b"),
        ("!(a).ts", "b.ts", "a.ts ab.ts x/b.ts"),
        ("!(a|b)", "c ab", "a b x/c"),
        ("!(*.d).ts", "a.ts", "a.d.ts"),
        ("**/!(a)", "x/b ab", "x/a a"),
        ("**/!(*.test|*.spec).ts", "a.ts x/a.ts", "a.test.ts x/a.spec.ts a.js"),
        ("!**/*.{test,spec}.{ts,tsx}", "a.ts x/a.js test.ts", "a.test.ts x/a.spec.tsx"),
        ("src/!(test)/**", "src/a src/a/b", "src/test src/test/a src/tests/a"),
        ("src/!(a/b)", "src/a src/c/d", "src/a/b"),
        ("!**/node_modules/**", "a src/a", "node_modules/a x/node_modules/y"),
    ] {
        for path in hits.split(' ') {
            assert!(matches(pattern, path), "{pattern} on {path}: {}", glob::to_regex(pattern).unwrap());
        }
        for path in misses.split(' ') {
            assert!(!matches(pattern, path), "{pattern} on {path}: {}", glob::to_regex(pattern).unwrap());
        }
    }
}

#[test]
fn where_picomatch_has_an_accident_the_meaning_is_kept() {
    assert!(matches("[!a].ts", "b.ts") && !matches("[!a].ts", "a.ts"));
    assert!(matches("v{9..11}", "v10") && !matches("v{9..11}", "v1"));
    assert!(matches("{01..03}", "02") && matches("{1..9..4}", "5") && !matches("{1..9..4}", "2"));
    assert!(matches("*.@(c++|h)", "a.c++"));
    assert!(matches("?.ts", "😀.ts"));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let code = |pattern: &str| glob::to_regex(pattern).map_err(|error| error.code());
    assert_eq!(code("[z-a]"), Err("INVALID_TRIGGER_PATTERN"));
    assert_eq!(code("[[:nope:]]"), Err("INVALID_TRIGGER_PATTERN"));
    assert_eq!(code(""), Err("INVALID_TRIGGER_PATTERN"));
    assert_eq!(code("!"), Err("INVALID_TRIGGER_PATTERN"));
    assert_eq!(code(&"{a,b}".repeat(24)), Err("UNSAFE_TRIGGER_PATTERN"));
    assert_eq!(code("{1..1000}"), Err("UNSAFE_TRIGGER_PATTERN"));
    assert_eq!(code(&format!("{}a{}", "{a,".repeat(60), "}".repeat(60))), Err("UNSAFE_TRIGGER_PATTERN"));
    let message = glob::to_regex("+(!(a)|b)").unwrap_err().to_string();
    assert!(message.contains("`unless`"), "{message}");
}

#[test]
fn deep_nesting_within_the_limit_compiles() {
    for (open, close) in [("{a,", "}"), ("@(", ")"), ("+(a|", ")")] {
        let pattern = format!("{}b{}", open.repeat(45), close.repeat(45));
        assert!(matches(&pattern, "b"), "{pattern}");
    }
}

/// Not timed: work that grows faster than glob and path would not come to an end here.
#[test]
fn hostile_globs_come_to_an_end() {
    let path = format!("{}b", "a/".repeat(2000));
    for pattern in [
        &format!("{}x", "**/".repeat(200)),
        &format!("{}x", "**/a/".repeat(50)),
        &"*a".repeat(100),
        "!(*a*)(*a*)*",
    ] {
        match glob::to_regex(pattern) {
            Ok(regex) => assert!(!Regex::new(&regex).unwrap().is_match(&path), "{pattern}"),
            Err(error) => assert_eq!(error.code(), "UNSAFE_TRIGGER_PATTERN", "{pattern}"),
        }
    }
    for pattern in [
        format!("!{}", "*a?b".repeat(200)),
        "!(a|b)".repeat(150),
        format!("!{}", "[a-z]*[0-9]".repeat(80)),
        "{".repeat(1000),
        "[".repeat(1000),
        "@(".repeat(500),
    ] {
        if let Err(error) = glob::to_regex(&pattern) {
            assert_eq!(error.code(), "UNSAFE_TRIGGER_PATTERN", "{pattern}");
        }
    }
}
