//! The index says what regular expressions say of the lessons it was made from.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

mod oracle;
mod proposals;

use std::sync::LazyLock;

use lessons_index::manifest::{LessonEntry, Manifest, TriggerEntry};
use lessons_index::matching::matches;
use lessons_index::views::Views;
use lessons_index::{Corrupt, Index};
use lessons_lesson::call::Call;
use lessons_lesson::compiled::{Settings, Terms};
use lessons_lesson::conditions::Conditions;
use lessons_lesson::id::Layer;
use lessons_lesson::lesson::{Mode, Subject};
use lessons_lesson::payload::{Contents, PayloadEnd, PayloadReader};
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::compile::{self, Input};
use lessons_manifest_builder::index::{LoadedIndex, in_memory};
use lessons_manifest_builder::layers::LayerInput;
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::seeds;
use lessons_pattern::prepared;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use proptest::prelude::*;

use self::oracle::Oracle;

fn indexed(manifest: &Manifest) -> LoadedIndex {
    in_memory(manifest, &Patterns::default()).unwrap()
}

/// The ids that a call matches, in order, each with its document frequency, and what is told of the first.
type Answers = (Vec<String>, Option<String>);

fn answers(index: &Index<'_>, call: &Call<'_>) -> Result<Answers, Corrupt> {
    let place = ProjectLocation::fixed(oracle::ROOT);
    let found = matches(index, &Views::new(call, &place), "main", &0, &mut ())?;
    let first = found.first().map(|first| index.texts(first.lesson)).transpose()?;
    let ids = found.iter().map(|found| format!("{} {}", found.id, found.document_frequency)).collect();
    Ok((ids, first.map(|texts| format!("{}{}", texts.full, texts.brief))))
}

fn assert_same(oracle: &Oracle<'_>, index: &LoadedIndex, call: &Call<'_>) -> Result<(), TestCaseError> {
    let found = answers(&index.ask().unwrap(), call).unwrap();
    prop_assert_eq!(found, oracle.answers(call), "{:?}", call);
    Ok(())
}

#[test]
fn every_example_of_every_seed_gets_the_same_answer() {
    let seeds = seeds::lessons();
    let built =
        compile::compile(&Input::of_layers(vec![LayerInput::of(Layer::Seed, &seeds)], &Patterns::default()));
    let mut manifest = built.manifest;
    // The oracle reads triggers only.
    manifest.lessons.iter_mut().for_each(|lesson| lesson.terms.conditions = Conditions::default());
    let index = indexed(&manifest);
    let oracle = Oracle::of(&manifest);
    let samples = seeds.iter().flat_map(|seed| seed.examples.fires.iter().chain(&seed.examples.quiet));
    let mut fired = 0;
    for sample in samples {
        let call = Call::of_sample(sample);
        assert_same(&oracle, &index, &call).unwrap();
        fired += usize::from(!oracle.answers(&call).0.is_empty());
    }
    assert!(fired > 200, "{fired}");
}

#[test]
fn a_part_of_a_plain_command_that_would_run_ends_where_its_pattern_does() {
    // How a text ends was once looked at for what was typed alone.
    let trigger = [Trigger::new(TriggerKind::CommandPattern, "^git ls$")];
    for (subject, command) in [
        (Subject::Executable, "eval git ls && pwd -P"),
        (Subject::Executable, "echo git ls | sh -x"),
        (Subject::Program, "sudo git ls && pwd -P"),
        (Subject::Program, "xargs git ls | cat -A"),
    ] {
        let mut sketch = advice_by(0);
        sketch.subject = subject;
        let manifest = manifest_of(&trigger, &[sketch]);
        let call = Call { tool: "Bash".into(), command: Some(command.into()), ..Call::default() };
        let oracle = Oracle::of(&manifest);
        let (expected, _) = oracle.answers(&call);
        assert_eq!(expected.len(), 1, "{command}");
        assert_same(&oracle, &indexed(&manifest), &call).unwrap();
    }
}

const WORDS: &[&str] = &[
    "git",
    "stash",
    "npm",
    "test",
    "rm",
    "-rf",
    "push",
    "--force",
    "a",
    "x",
    "Ünï",
    "K",
    "\u{212a}it",
    "kit",
    "sh",
    "-c",
    "eval",
    "cat",
    "src",
    ".ts",
    "fetch",
    "big",
    "İ",
    "5",
    "5 \n",
    "\r\nx",
    "\"a 5\"",
    "sudo",
    "xargs",
    "/bin/git",
    "x=git",
    "$x",
    ">",
];
const PATTERNS: &[&str] = &[
    r"\bgit\s+stash\b",
    r"^git push( --force)?$",
    r"(?i)rm\s+-rf",
    r"(stash|push|test)\s+\S+",
    r"^\S+$",
    r"[a-z]{3} [a-z]",
    r"x.{0,30}-rf",
    r"fetch\(|big",
    r"(?i)kit",
    r"npm\n?test",
    r"a|k",
    "ünï",
    "…",
    r"git.*\btest\b.*push",
    r"[a-z]+ \d$",
    r"[\w-]+[05fF]$",
    r"(?:x|5\s)$",
    r"(?i)(?:big|K)$|stash",
    r"^.+\x1a.$",
    r#""git" "#,
    r"src/.*\n",
    r"\\npm|/sh\t",
    r"^git\s+(?:stash|\S+\.ts)$",
    r"^rm (?:.* )?> ",
    r"^x$|^push$",
    "k\n;",
];
const GLOBS: &[&str] = &[
    "**/*.ts",
    "src/**",
    "*.{ts,rs}",
    "[!a]?.ts",
    "{src,test}/{,**/}*.ts",
    "**/stash/*",
    "[a-k]it*",
    "src/*/test.ts",
];

fn trigger() -> impl Strategy<Value = Trigger> {
    let words = || prop::collection::vec(prop::sample::select(WORDS), 1..3).prop_map(|words| words.join(" "));
    prop_oneof![
        4 => prop::sample::select(PATTERNS).prop_map(|text| Trigger::new(TriggerKind::CommandPattern, text)),
        2 => prop::sample::select(GLOBS).prop_map(|text| Trigger::new(TriggerKind::FileGlob, text)),
        1 => prop::sample::select(PATTERNS).prop_map(|text| Trigger::new(TriggerKind::PathPattern, text)),
        2 => prop::sample::select(PATTERNS).prop_map(|text| Trigger::new(TriggerKind::ContentPattern, text)),
        2 => words().prop_map(|text| Trigger::new(TriggerKind::Keyword, text)),
        1 => prop::sample::select(vec!["Bash", "Edit", "Task"]).prop_map(|text| Trigger::new(TriggerKind::Tool, text)),
        2 => prop::sample::select(PATTERNS).prop_map(|text| Trigger::new(TriggerKind::ErrorPattern, text)),
    ]
    .prop_filter("a keyword of one letter is none", |trigger| prepared::prepare(trigger).is_ok())
}

#[derive(Debug, Clone)]
struct Sketch {
    any: Vec<usize>,
    also: Vec<usize>,
    unless: Vec<usize>,
    mode: Mode,
    subject: Subject,
    priority: u8,
    tools: Vec<String>,
    scoped: Option<&'static str>,
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let some = |most| prop::collection::vec(any::<prop::sample::Index>(), 0..most);
    (
        prop::collection::vec(any::<prop::sample::Index>(), 1..3),
        some(2),
        some(2),
        prop::sample::select(vec![Mode::Advise, Mode::Bump, Mode::Block]),
        prop::sample::select(Subject::ALL.to_vec()),
        1_u8..10,
        prop::sample::select(vec![
            vec![],
            vec!["Bash".to_owned()],
            vec!["Edit".to_owned(), "Agent".to_owned()],
        ]),
        prop::sample::select(vec![None, None, Some("/p"), Some("/q")]),
    )
        .prop_map(|(any, also, unless, mode, subject, priority, tools, scoped)| {
            let places = |list: Vec<prop::sample::Index>| list.iter().map(|at| at.index(1000)).collect();
            Sketch {
                any: places(any),
                also: places(also),
                unless: places(unless),
                mode,
                subject,
                priority,
                tools,
                scoped,
            }
        })
}

fn manifest() -> impl Strategy<Value = Manifest> {
    (prop::collection::vec(trigger(), 1..12), prop::collection::vec(sketch(), 1..12)).prop_map(
        |(mut triggers, sketches)| {
            triggers.sort();
            triggers.dedup();
            manifest_of(&triggers, &sketches)
        },
    )
}

/// The lessons of these sketches, with triggers from among these.
fn manifest_of(triggers: &[Trigger], sketches: &[Sketch]) -> Manifest {
    let mut manifest = Manifest::new(Settings::default(), "test");
    let place = |list: &[usize]| -> Vec<u32> {
        let mut list: Vec<u32> = list.iter().map(|at| u32::try_from(at % triggers.len()).unwrap()).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    manifest.lessons = sketches
        .iter()
        .enumerate()
        .map(|(number, sketch)| {
            let terms = Terms {
                mode: sketch.mode,
                priority: sketch.priority,
                triggers: place(&sketch.any),
                also: place(&sketch.also),
                unless: place(&sketch.unless),
                tools: sketch.tools.clone(),
                roots: sketch.scoped.map(|root| vec![root.to_owned()]),
                subject: sketch.subject,
                ..Terms::new(format!("user/l-{number:02}").parse().unwrap(), "2026-01-01")
            };
            LessonEntry {
                rule: format!("rule {number}"),
                topics: vec!["t".into()],
                brief: "brief\n".into(),
                ..LessonEntry::new(terms, format!("full {number}\n"))
            }
        })
        .collect();
    manifest.triggers = (0..)
        .zip(triggers)
        .map(|(position, trigger)| TriggerEntry {
            kind: trigger.kind,
            pattern: trigger.pattern.clone(),
            document_frequency: u32::try_from(
                manifest.lessons.iter().filter(|lesson| lesson.terms.triggers.contains(&position)).count(),
            )
            .unwrap(),
        })
        .collect();
    manifest
}

/// Advice that is given by one trigger.
fn advice_by(trigger: usize) -> Sketch {
    Sketch {
        any: vec![trigger],
        also: Vec::new(),
        unless: Vec::new(),
        mode: Mode::Advise,
        subject: Subject::Command,
        priority: 5,
        tools: Vec::new(),
        scoped: None,
    }
}

/// A lesson for each pattern that looks at contents, and their index.
static ABOUT_CONTENTS: LazyLock<(Manifest, LoadedIndex)> = LazyLock::new(|| {
    let triggers: Vec<Trigger> =
        PATTERNS.iter().map(|pattern| Trigger::new(TriggerKind::ContentPattern, *pattern)).collect();
    let manifest = manifest_of(&triggers, &(0..triggers.len()).map(advice_by).collect::<Vec<_>>());
    let index = indexed(&manifest);
    (manifest, index)
});

/// Words with what joins, quotes or ends them.
fn text() -> impl Strategy<Value = String> {
    let glue = prop::sample::select(vec![
        " ", "  ", "", "\n", "'", "\"", " && ", "; ", " | ", "$(", ")", "\\", " <<E\n", "\nE\n", "/", ".",
    ]);
    prop::collection::vec((prop::sample::select(WORDS), glue), 0..9)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, glue)| [word, glue]).collect())
}

/// A call as the client writes it: what it writes into a file is long, and may be spelt in any way that JSON allows.
fn written() -> impl Strategy<Value = Call<'static>> {
    let spellings =
        prop::sample::select(vec![("", ""), ("/", r"\/"), ("g", r"\u0067"), ("k", "\u{e9}"), ("t", r"\\t")]);
    (prop::collection::vec(text(), 12..20), spellings).prop_map(|(texts, (plain, spelt))| {
        let json = serde_json::to_string(&texts.join(" . ")).unwrap();
        let json = if plain.is_empty() { json } else { json.replace(plain, spelt) };
        let payload =
            format!(r#"{{"tool_name":"Write","tool_input":{{"file_path":"/p/a.ts","content":{json}}}}}"#);
        let mut reader = PayloadReader::new(Contents::Keep);
        reader.feed(payload.as_bytes());
        let (payload, end) = reader.finish();
        assert_eq!(end, PayloadEnd::Whole);
        payload.call
    })
}

/// A call that is about to be made, or one that has failed.
fn call() -> impl Strategy<Value = Call<'static>> {
    (attempt(), prop::option::of(text()))
        .prop_map(|(call, error)| Call { error: error.map(Into::into), ..call })
}

fn attempt() -> impl Strategy<Value = Call<'static>> {
    prop_oneof![
        text().prop_map(|command| Call {
            tool: "Bash".into(),
            command: Some(command.into()),
            ..Call::default()
        }),
        (text(), text()).prop_map(|(path, content)| Call {
            tool: "Edit".into(),
            paths: vec![path.into()],
            contents: vec![content.into()],
            cwd: Some("/p".into()),
            ..Call::default()
        }),
        text().prop_map(|path| Call { tool: "Read".into(), paths: vec![path.into()], ..Call::default() }),
        Just(Call { tool: "Agent".into(), ..Call::default() }),
        written(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_call_gets_the_same_answer(manifest in manifest(), calls in prop::collection::vec(call(), 1..20)) {
        let (index, oracle) = (indexed(&manifest), Oracle::of(&manifest));
        for call in &calls {
            assert_same(&oracle, &index, call)?;
        }
    }

    #[test]
    fn a_content_is_found_however_it_is_spelt(calls in prop::collection::vec(written(), 1..4)) {
        let (manifest, index) = &*ABOUT_CONTENTS;
        let oracle = Oracle::of(manifest);
        for call in &calls {
            assert_same(&oracle, index, call)?;
        }
    }

    #[test]
    fn corruption_is_seen_or_does_not_matter(
        manifest in manifest(),
        calls in prop::collection::vec(call(), 1..6),
        hits in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..4),
    ) {
        let mut bytes = indexed(&manifest).bytes().to_vec();
        for (at, flip) in hits {
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
        }
        let Ok(loaded) = LoadedIndex::parse(bytes.into()) else { return Ok(()) };
        let index = loaded.ask().unwrap();
        let oracle = Oracle::of(&manifest);
        for call in &calls {
            let found = answers(&index, call);
            prop_assert!(found == Err(Corrupt) || found == Ok(oracle.answers(call)));
        }
    }
}
