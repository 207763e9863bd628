//! The shipped lessons, held to what they promise.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;

use lessons_index::Index;
use lessons_index::matching;
use lessons_index::views::Views;
use lessons_lesson::call::Call;
use lessons_lesson::conditions::{Conditions, Os, Shell, StateCheck};
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::{Lesson, Mode, SampleCall, Subject};
use lessons_lesson::project::ProjectLocation;
use lessons_lesson::render;
use lessons_manifest_builder::compile::{Built, Input, compile};
use lessons_manifest_builder::index::in_memory;
use lessons_manifest_builder::layers::LayerInput;
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::{examples, own_advice, seeds};
use lessons_store::Graph;
use serde::Deserialize;

fn built() -> Built {
    compile(&Input::of_layers(vec![LayerInput::of(Layer::Seed, &seeds::lessons())], &Patterns::default()))
}

/// The seeds that fire on a call, with their modes.
fn fires(index: &Index<'_>, sample: &SampleCall) -> Vec<(String, Mode)> {
    let call = Call::of_sample(sample);
    let place = ProjectLocation::fixed(Call::SAMPLE_ROOT);
    let found = matching::matches(index, &Views::new(&call, &place), "main", &0, &mut ()).unwrap();
    found.iter().map(|found| (found.id.id.to_string(), found.mode)).collect()
}

/// The lines of a file of samples in `seeds/`.
fn lines<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<T> {
    text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_seed_compiles_and_passes_its_own_examples() {
    let graphs = seeds::graphs();
    let problems: Vec<_> = graphs.iter().flat_map(Graph::problems).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    let built = built();
    assert!(built.report.left_out.is_empty(), "{:#?}", built.report.left_out);
    assert!(built.report.seeds >= 40, "{} seeds", built.report.seeds);
    let patterns = Patterns::default();
    let tried = seeds::lessons().into_iter().map(|seed| {
        let id = QualifiedId { layer: Layer::Seed, id: seed.id.clone() };
        (seed.id.to_string(), examples::try_lesson(&id, &seed, &patterns))
    });
    let failing: Vec<_> = tried.filter(|(_, failing)| *failing != Ok(Vec::new())).collect();
    assert!(failing.is_empty(), "{failing:#?}");
    let refusing = seeds::lessons().into_iter().filter(|seed| seed.mode.refuses());
    let advised = refusing.map(|seed| (seed.id.to_string(), own_advice::of(&seed, &patterns).fired));
    let stopped: Vec<_> = advised.filter(|(_, advised)| !advised.is_empty()).collect();
    assert!(stopped.is_empty(), "they stop what they advise: {stopped:#?}");
}

/// The bytes of a lesson's own texts.
fn words(lesson: &Lesson) -> usize {
    let texts = [Some(&lesson.rule), lesson.mistake.as_ref(), lesson.rationale.as_ref()];
    texts.into_iter().flatten().map(String::len).sum()
}

#[test]
fn a_reminder_adds_little_to_the_words_of_its_lesson() {
    let seeds = seeds::lessons();
    let mut added = 0;
    for seed in &seeds {
        let id = QualifiedId { layer: Layer::Seed, id: seed.id.clone() };
        let reminder = render::advice(&[render::lesson(&id, seed).full]).len();
        let own = reminder - words(seed) - id.to_string().len();
        assert!(own <= 66, "{own} bytes and the id of {id}");
        added += reminder - words(seed);
    }
    assert!(added / seeds.len() <= 98, "{} bytes each", added / seeds.len());
}

#[test]
fn no_seed_blocks_and_each_has_what_a_seed_must_have() {
    for seed in seeds::lessons() {
        let id = &seed.id;
        assert_ne!(seed.mode, Mode::Block, "{id}");
        assert!(!seed.unless.is_empty(), "{id} has no unless");
        let named = |evidence: &String| evidence.starts_with("count:") || evidence.starts_with("doc:");
        assert!(seed.evidence.iter().any(named), "{id} names neither occurrences nor a public source");
        assert!(seed.examples.fires.len() >= 3, "{id} fires on fewer than 3 phrasings");
        let quiet = if seed.mode == Mode::Bump { 8 } else { 1 };
        assert!(seed.examples.quiet.len() >= quiet, "{id} has fewer than {quiet} quiet examples");
    }
}

#[test]
fn ids_are_unique_over_all_files() {
    let ids: Vec<_> = seeds::lessons().into_iter().map(|seed| seed.id).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
}

#[test]
fn ordinary_calls_are_never_refused_and_hinted_at_fewer_than_one_in_twenty() {
    let loaded = in_memory(&built().manifest, &Patterns::default()).unwrap();
    let index = loaded.ask().unwrap();
    let ordinary: Vec<SampleCall> = lines(include_str!("../seeds/ordinary.jsonl"));
    let hits: Vec<_> = ordinary
        .iter()
        .map(|call| (call, fires(&index, call)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    let refused: Vec<_> =
        hits.iter().filter(|(_, found)| found.iter().any(|(_, mode)| mode.refuses())).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(
        ordinary.len() >= 200 && hits.len() * 20 < ordinary.len(),
        "{} of {}: {hits:#?}",
        hits.len(),
        ordinary.len()
    );
}

#[test]
fn nine_in_ten_other_phrasings_of_a_mistake_are_seen() {
    #[derive(Deserialize)]
    struct Phrasing {
        lesson: String,
        call: SampleCall,
    }
    let loaded = in_memory(&built().manifest, &Patterns::default()).unwrap();
    let index = loaded.ask().unwrap();
    let phrasings: Vec<Phrasing> = lines(include_str!("../seeds/phrasings.jsonl"));
    let missed: Vec<_> = phrasings
        .iter()
        .filter(|phrasing| !fires(&index, &phrasing.call).iter().any(|(id, _)| *id == phrasing.lesson))
        .map(|phrasing| format!("{}: {}", phrasing.lesson, phrasing.call))
        .collect();
    assert!(
        phrasings.len() >= 100 && missed.len() * 10 <= phrasings.len(),
        "{} missed: {missed:#?}",
        missed.len()
    );
}

/// The seeds that hold on some systems, in some shells or in some states only. Their examples are tried on any machine.
fn conditional() -> Vec<(&'static str, Conditions)> {
    let zsh = || Conditions::of(&[], &[Shell::Zsh], &[]);
    let again = [StateCheck::CwdEndsWithTarget, StateCheck::PathMissing];
    vec![
        ("cd-to-where-the-shell-is", Conditions::of(&[], &[], &again)),
        ("gnu-options-on-macos", Conditions::of(&[Os::Macos], &[], &[])),
        ("grep-does-not-know-backslash-d", Conditions::of(&[Os::Linux], &[], &[])),
        ("sed-i-with-an-empty-suffix-on-linux", Conditions::of(&[Os::Linux, Os::Windows], &[], &[])),
        ("zsh-pattern-that-is-no-file-name", zsh()),
        ("zsh-variable-that-is-special", zsh()),
        ("zsh-word-that-begins-with-equals", zsh()),
    ]
}

#[test]
fn a_seed_about_one_machine_holds_there_only_and_the_others_everywhere() {
    let seeds = seeds::lessons();
    let with_conditions = seeds.iter().filter(|seed| !seed.conditions().is_empty());
    let mut found: Vec<(&str, Conditions)> =
        with_conditions.map(|seed| (seed.id.as_str(), seed.conditions())).collect();
    found.sort_by_key(|(id, _)| *id);
    assert_eq!(found, conditional());
}

/// What the patterns hold that say themselves what may stand in front of a program. The subject `program` says it for
/// all others.
const PASTED: &str =
    "(?:then|do|else|if|while|until|time|exec|command|nohup|env|sudo|doas|timeout|nice|xargs)";

/// The lessons whose patterns hold it, how many do, and what they look at that no single program shows.
const PASTED_IN: [(&str, usize, &str); 10] = [
    ("curl-saves-the-error-page", 2, "what `curl` writes goes into `tar` or `sh`"),
    ("grep-does-not-know-backslash-d", 1, "whether an expression is quoted"),
    ("heredoc-expands-what-it-writes", 3, "whether the delimiter of a heredoc is quoted"),
    ("pip-outside-a-virtual-environment", 2, "`sudo` stands in front"),
    ("pipe-to-tail-then-and", 2, "`&&` stands behind a pipe"),
    ("pipe-to-tee-hides-failure", 1, "tests are piped into `tee`"),
    (
        "redirect-onto-the-file-that-is-read",
        7,
        "a redirection names a file that another command of the pipe reads",
    ),
    ("repeated-go-test-is-cached", 3, "`go test` stands in a loop"),
    ("snapshots-updated-to-make-a-test-pass", 4, "an assignment stands in front"),
    ("unquoted-version-becomes-a-redirect", 1, "whether a version is quoted"),
];

#[test]
fn only_patterns_that_look_beyond_one_program_say_what_may_stand_in_front_of_it() {
    let mut holding = Vec::new();
    for seed in seeds::lessons() {
        let patterns = seed.all_triggers().filter(|(_, trigger)| trigger.pattern.contains(PASTED)).count();
        if patterns > 0 {
            assert_ne!(seed.subject, Some(Subject::Program), "{}", seed.id);
            holding.push((seed.id.to_string(), patterns));
        }
    }
    holding.sort();
    assert_eq!(holding, PASTED_IN.map(|(id, patterns, _)| (id.to_owned(), patterns)));
}

#[test]
fn a_refusing_lesson_about_programs_takes_no_quoted_text_for_a_command_or_a_flag() {
    let manifest = built().manifest;
    let loaded = in_memory(&manifest, &Patterns::default()).unwrap();
    let index = loaded.ask().unwrap();
    for quoted in
        ["git reset --hard", "git push --force", "please destroy it", "delete ns prod --all", "rm -rf $x/"]
    {
        for command in
            ["git commit -m", "git push -o", "git stash -m", "terraform apply -var", "kubectl annotate pod x"]
        {
            let command = format!("{command} '{quoted}'");
            let sample = SampleCall::bash(&*command);
            let refusing: Vec<_> =
                fires(&index, &sample).into_iter().filter(|(_, mode)| mode.refuses()).collect();
            assert!(refusing.is_empty(), "{command}: {refusing:?}");
        }
    }
    // Nor does what is quoted silence a refusal.
    for quoted in ["use --dry-run", "git stash", "push --force-with-lease", "x clean -n y"] {
        for command in
            ["git push --force origin main", "git reset --hard", "git clean -fd", "terraform destroy"]
        {
            let command = format!("{command}; echo '{quoted}'");
            let sample = SampleCall::bash(&*command);
            assert!(fires(&index, &sample).iter().any(|(_, mode)| mode.refuses()), "{command}");
        }
    }
}
