//! The losses that people report, seen through the ways to write a command: how many of the forms are stopped.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(
    clippy::disallowed_methods,
    reason = "a page of this workspace is written for the one who asks for it"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use lessons_index::Index;
use lessons_index::matching;
use lessons_index::views::Views;
use lessons_lesson::call::Call;
use lessons_lesson::id::Layer;
use lessons_lesson::lesson::{SampleCall, Subject};
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::compile::{Input, compile};
use lessons_manifest_builder::index::in_memory;
use lessons_manifest_builder::layers::LayerInput;
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::seeds;

const FORMS: &str = include_str!("../../tests/fixtures/guards/forms.tsv");
const ORDINARY: &str = include_str!("../../tests/fixtures/guards/ordinary.txt");

/// A form of a loss.
struct Form {
    kind: &'static str,
    expected: &'static str,
    command: String,
    report: &'static str,
}

/// What the built-in lessons do at a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Quiet,
    Told,
    Stopped,
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// A command as a file of forms has it: `\n`, `\t` and `\\` are escaped.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next().unwrap() {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                other => out.push(other),
            },
            (c, false) => out.push(c),
        }
    }
    out
}

fn forms() -> Vec<Form> {
    let form = |line: &'static str| {
        let [kind, expected, command, report] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        Form { kind, expected, command: unescaped(command), report }
    };
    lines(FORMS).map(form).collect()
}

fn answer(index: &Index<'_>, command: &str) -> (Answer, Vec<String>) {
    let sample = SampleCall::bash(command);
    let call = Call::of_sample(&sample);
    let place = ProjectLocation::fixed(Call::SAMPLE_ROOT);
    let found = matching::matches(index, &Views::new(&call, &place), "main", &0, &mut ()).unwrap();
    let answers = found.iter().map(|found| if found.mode.refuses() { Answer::Stopped } else { Answer::Told });
    let ids = found.iter().map(|found| format!("{} ({:?})", found.id.id, found.mode)).collect();
    (answers.max().unwrap_or(Answer::Quiet), ids)
}

/// Asks the built-in lessons.
fn with_index<T>(ask: impl FnOnce(&Index<'_>) -> T) -> T {
    let built = compile(&Input::of_layers(
        vec![LayerInput::of(Layer::Seed, &seeds::lessons())],
        &Patterns::default(),
    ));
    let loaded = in_memory(&built.manifest, &Patterns::default()).unwrap();
    ask(&loaded.ask().unwrap())
}

#[test]
fn each_form_names_its_report_and_stands_once() {
    let forms = forms();
    assert!(forms.len() >= 400, "{}", forms.len());
    let mut seen = BTreeSet::new();
    for form in &forms {
        assert!(seen.insert(&form.command), "twice: {}", form.command);
        let (repository, number) = form.report.split_once('#').unwrap();
        assert!(repository.contains('/') && number.parse::<u32>().is_ok(), "{}", form.report);
        assert!(form.expected == "stopped" || form.expected.starts_with("open: "), "{}", form.expected);
    }
}

/// A row of the table in `docs/lessons.md`.
#[derive(Default)]
struct Row {
    tried: usize,
    stopped: usize,
    /// Why the others are not stopped.
    reasons: BTreeSet<&'static str>,
}

/// What surrounds the table.
const TABLE: [&str; 2] = ["<!-- guards: written by cargo xtask docs -->\n", "<!-- end of the guards -->"];

#[test]
fn the_reported_losses_are_stopped_and_the_page_says_how_many() {
    let mut table: BTreeMap<&str, Row> = BTreeMap::new();
    let mut missed = Vec::new();
    with_index(|index| {
        for form in forms() {
            let (answer, ids) = answer(index, &form.command);
            let row = table.entry(form.kind).or_default();
            row.tried += 1;
            row.stopped += usize::from(answer == Answer::Stopped);
            row.reasons.extend(form.expected.strip_prefix("open: "));
            let is_stopped = answer == Answer::Stopped;
            if is_stopped != (form.expected == "stopped") {
                missed.push(format!("{:?} {answer:?} {ids:?}", form.command));
            }
        }
    });
    assert!(missed.is_empty(), "{missed:#?}");
    let all = |count: fn(&Row) -> usize| table.values().map(count).sum::<usize>();
    let mut shown =
        "| kind of loss | forms tried | stopped | why the others are not |\n|---|---|---|---|\n".to_owned();
    for (kind, row) in &table {
        let reasons = row.reasons.iter().copied().collect::<Vec<_>>().join("; ");
        writeln!(shown, "| {kind} | {} | {} | {reasons} |", row.tried, row.stopped).unwrap();
    }
    writeln!(shown, "| all | {} | {} | |", all(|row| row.tried), all(|row| row.stopped)).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/lessons.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once(TABLE[0]).unwrap();
    let (_, after) = rest.split_once(TABLE[1]).unwrap();
    let now = format!("{before}{}{shown}{}{after}", TABLE[0], TABLE[1]);
    if std::env::var_os("LESSONS_WRITE_DOCS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap() == now,
        "docs/lessons.md is out of date; run `cargo xtask docs`"
    );
}

#[test]
fn no_ordinary_command_is_stopped_and_few_are_told_something() {
    with_index(|index| {
        let all: Vec<(String, Answer, Vec<String>)> = lines(ORDINARY)
            .map(|line| {
                let command = unescaped(line);
                let (answer, ids) = answer(index, &command);
                (command, answer, ids)
            })
            .collect();
        let not_quiet: Vec<_> = all.iter().filter(|(_, answer, _)| *answer != Answer::Quiet).collect();
        let stopped = all.iter().filter(|(_, answer, _)| *answer == Answer::Stopped).count();
        assert!(
            all.len() >= 400 && stopped == 0 && not_quiet.len() * 100 < all.len(),
            "{} of {}: {not_quiet:#?}",
            not_quiet.len(),
            all.len()
        );
    });
}

#[test]
fn what_was_saved_in_another_place_excuses_nothing_here() {
    let elsewhere = [
        "ssh h git stash push -u; git reset --hard",
        "docker exec web git stash -u; git reset --hard",
        "git -C /elsewhere stash push -u && git reset --hard",
        "ssh h crontab -l; crontab -r",
        "git -C /elsewhere stash -u && git checkout -- .",
        "git stash -u || git reset --hard",
        "git diff --quiet ||\n git checkout -- .",
    ];
    let here = [
        "git stash push -u && git reset --hard",
        "git -C /srv/app stash push -u && git -C /srv/app reset --hard",
        "ssh h git stash push -u; ssh h git reset --hard",
        "crontab -l; crontab -r",
        "git stash -u || true; git reset --hard",
    ];
    with_index(|index| {
        for command in elsewhere {
            assert_eq!(answer(index, command).0, Answer::Stopped, "{command}");
        }
        for command in here {
            assert_ne!(answer(index, command).0, Answer::Stopped, "{command}");
        }
    });
}

#[test]
fn the_words_of_another_command_excuse_nothing() {
    let fronts = [
        "npm test; ",
        "npm publish --dry-run; ",
        "ls --help; ",
        "curl -s localhost:3000; ",
        "mkdir -p tmp; ",
        "cat /tmp/scratch.txt; ",
        "ls old_test e2e preview; ",
        "ls -n --local; ",
        "grep WHERE a.sql; ",
        "echo $TEST_DATABASE_URL; ",
    ];
    with_index(|index| {
        let guards = seeds::lessons()
            .into_iter()
            .filter(|seed| seed.mode.refuses() && seed.subject == Some(Subject::Program));
        let fires = guards.flat_map(|seed| seed.examples.fires).filter(|sample| sample.tool == "Bash");
        for command in fires.filter_map(|sample| sample.command) {
            for front in fronts {
                assert_eq!(
                    answer(index, &format!("{front}{command}")).0,
                    Answer::Stopped,
                    "{front}{command}"
                );
            }
        }
        for command in [
            "cd /tmp/x && git branch -D a",
            "export RAILS_ENV=test; rake db:drop",
            "pg_dump app > a.sql && psql app -c 'DROP TABLE x'",
        ] {
            assert_ne!(answer(index, command).0, Answer::Stopped, "{command}");
        }
    });
}

#[test]
fn a_command_is_seen_through_whatever_starts_it() {
    let starts = [
        "systemd-run --user",
        "xvfb-run -a",
        "firejail --noprofile",
        "gosu app",
        "setpriv --reuid 1000",
        "npx cross-env A=1",
        "dotenvx run --",
        "chamber exec svc --",
        "conda run -n env",
        "rbenv exec",
        "distrobox enter box --",
        "multipass exec vm --",
        "tmux new-session -d",
        "screen -dm",
        "wsl -e",
        "git bisect run",
    ];
    with_index(|index| {
        for start in starts {
            let command = format!("{start} git reset --hard");
            assert_eq!(answer(index, &command).0, Answer::Stopped, "{command}");
        }
        for command in [
            "heroku run 'rails db:drop' -a shop",
            "fly ssh console -C 'rails db:drop'",
            "concurrently 'git push -f' ls",
            "nodemon --exec 'git reset --hard'",
            "git submodule foreach 'git reset --hard'",
            "npm exec -c 'git push -f'",
            "sshpass -p x ssh host 'rm -rf /'",
        ] {
            assert_eq!(answer(index, command).0, Answer::Stopped, "{command}");
        }
    });
}

#[test]
fn a_version_or_the_mark_of_a_runner_hides_no_program() {
    with_index(|index| {
        for command in [
            "npx supabase@latest --workdir a db reset",
            "bunx supabase@1.2.3 --workdir=a db reset",
            "pnpm dlx supabase@latest --debug db reset",
            "npm exec supabase -- db reset",
            "npm exec supabase@latest -- db reset",
        ] {
            assert_eq!(answer(index, command).0, Answer::Stopped, "{command}");
        }
    });
}
