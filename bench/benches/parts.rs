//! The cost of the parts of a build and of a call, each beside something to compare it with.
//!
//! `cargo bench -p lessons-bench` runs all of them, `cargo bench -p lessons-bench -- automaton` some.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]
#![allow(missing_docs, reason = "the names say it; a benchmark is called by its name alone")]

use std::hint::black_box;

use divan::Bencher;
use lessons_index::matching::trials::{Trials, matches_call};
use lessons_index::views::Views;
use lessons_lesson::call::Call;
use lessons_lesson::id::Layer;
use lessons_lesson::payload::{Contents, PayloadReader};
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::compile::{Input, compile};
use lessons_manifest_builder::index::{LoadedIndex, in_memory};
use lessons_manifest_builder::layers::LayerInput;
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::seeds;
use lessons_pattern::Regex;
use lessons_pattern::automaton::Automaton;
use lessons_pattern::automaton::compile::{AutomatonBytes, compile as compile_automaton};
use lessons_pattern::prepared;
use lessons_pattern::trigger::{Trigger, TriggerKind};

fn main() {
    divan::main();
}

/// A pattern as people write them.
const WRITTEN: &str = r"\bgit\s+push\b.*--force\b";
/// An ordinary command, which it does not match.
const COMMAND: &str = "git push --set-upstream origin work/parser && git status --short";

/// Returns the longest pattern of the built-in lessons.
fn longest() -> Trigger {
    let all = seeds::lessons().into_iter().flat_map(|lesson| lesson.triggers);
    all.filter(|trigger| trigger.kind == TriggerKind::CommandPattern)
        .max_by_key(|trigger| trigger.pattern.len())
        .unwrap()
}

fn written() -> Trigger {
    Trigger::new(TriggerKind::CommandPattern, WRITTEN)
}

fn automaton(trigger: &Trigger) -> AutomatonBytes {
    compile_automaton(&prepared::expression_of(trigger.kind, &trigger.pattern).unwrap()).unwrap()
}

fn regex(trigger: &Trigger) -> Regex {
    prepared::regex_of(trigger.kind, &trigger.pattern).unwrap()
}

/// Patterns: everything that a build works out of one, beside compiling it for the general engine.
mod pattern_made {
    use super::{Bencher, longest, prepared, regex, written};

    #[divan::bench]
    fn written_ready(bencher: Bencher<'_, '_>) {
        let trigger = written();
        bencher.bench(|| prepared::prepare(&trigger));
    }

    #[divan::bench]
    fn written_general_engine(bencher: Bencher<'_, '_>) {
        let trigger = written();
        bencher.bench(|| regex(&trigger));
    }

    #[divan::bench]
    fn longest_ready(bencher: Bencher<'_, '_>) {
        let trigger = longest();
        bencher.bench(|| prepared::prepare(&trigger));
    }

    #[divan::bench]
    fn longest_general_engine(bencher: Bencher<'_, '_>) {
        let trigger = longest();
        bencher.bench(|| regex(&trigger));
    }
}

/// Automata: one search of a command that does not match, beside the general engine, warm.
mod automata {
    use super::{Automaton, Bencher, COMMAND, automaton, black_box, longest, regex, written};

    #[divan::bench]
    fn written_positions(bencher: Bencher<'_, '_>) {
        let built = automaton(&written());
        bencher.bench(|| Automaton::parse(built.bytes()).unwrap().is_match(black_box(COMMAND).as_bytes()));
    }

    #[divan::bench]
    fn written_general_engine(bencher: Bencher<'_, '_>) {
        let regex = regex(&written());
        bencher.bench(|| regex.is_match(black_box(COMMAND)));
    }

    #[divan::bench]
    fn longest_positions(bencher: Bencher<'_, '_>) {
        let built = automaton(&longest());
        bencher.bench(|| Automaton::parse(built.bytes()).unwrap().is_match(black_box(COMMAND).as_bytes()));
    }

    #[divan::bench]
    fn longest_general_engine(bencher: Bencher<'_, '_>) {
        let regex = regex(&longest());
        bencher.bench(|| regex.is_match(black_box(COMMAND)));
    }
}

/// Payloads: 1 MB that is skipped, that is kept, and that a general parser reads.
mod payload {
    use super::{Bencher, Contents, PayloadReader};

    fn megabyte() -> String {
        let content = "    let x = f(\"a\"); // so much for that\n".repeat(25_000);
        let input = serde_json::json!({ "file_path": "/p/a.rs", "content": content });
        serde_json::json!({ "tool_name": "Write", "cwd": "/p", "tool_input": input }).to_string()
    }

    fn read(text: &str, contents: Contents) -> usize {
        let mut reader = PayloadReader::new(contents);
        reader.feed(text.as_bytes());
        reader.finish().0.call.contents.len()
    }

    #[divan::bench]
    fn skipped(bencher: Bencher<'_, '_>) {
        let text = megabyte();
        bencher.bench(|| read(&text, Contents::Skip));
    }

    #[divan::bench]
    fn kept(bencher: Bencher<'_, '_>) {
        let text = megabyte();
        bencher.bench(|| read(&text, Contents::Keep));
    }

    #[divan::bench]
    fn general_parser(bencher: Bencher<'_, '_>) {
        let text = megabyte();
        bencher.bench(|| serde_json::from_str::<serde_json::Value>(&text).unwrap());
    }
}

fn index(patterns: &Patterns) -> LoadedIndex {
    let seeds = seeds::lessons();
    let input = Input::of_layers(vec![LayerInput::of(Layer::Seed, &seeds)], patterns);
    in_memory(&compile(&input).manifest, patterns).unwrap()
}

/// Builds of the built-in lessons: from nothing, and with the index of an earlier build.
mod build_of_seeds {
    use super::{Bencher, Patterns, index};

    #[divan::bench(sample_count = 10)]
    fn from_nothing(bencher: Bencher<'_, '_>) {
        bencher.bench(|| index(&Patterns::default()));
    }

    #[divan::bench(sample_count = 10)]
    fn with_what_is_known(bencher: Bencher<'_, '_>) {
        let before = index(&Patterns::default());
        bencher.bench(|| index(&before.patterns().unwrap()));
    }
}

/// Lookups of a call among the built-in lessons.
mod look_up {
    use super::{Bencher, COMMAND, Call, Patterns, ProjectLocation, Trials, Views, index, matches_call};

    #[divan::bench]
    fn in_the_index(bencher: Bencher<'_, '_>) {
        let loaded = index(&Patterns::default());
        bencher.bench(|| {
            let call = Call { tool: "Bash".into(), command: Some(COMMAND.into()), ..Call::default() };
            let place = ProjectLocation::fixed("/p");
            let views = Views::new(&call, &place);
            let index = loaded.ask().unwrap();
            let possible = index.possible_triggers(&views).unwrap();
            let mut trials = Trials::new(&index, &views, matches_call);
            trials.candidates(possible).unwrap().len()
        });
    }
}
