//! How long it takes until what peers share is known: `cargo run --release -p lessons-tests --bin measure-sharing --
//! PROGRAM [PEERS [EVENTS]]`, with the path of a `lessons` that was built for release.
//!
//! It receives the events of many peers at once, again with nothing new, and those of as many unknown keys.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "it is a program for people, about a scene of its own"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use lessons_lesson::lesson::Quality;
use lessons_store::decisions::peers::PeerTrust;
use lessons_tests::env::TestEnv;
use lessons_tests::shared::{Colleague, folder, lesson, put, trust_all, with_remote};

/// A day in November 2025, in seconds since 1970.
const DAY: u64 = 1_763_700_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let program = PathBuf::from(arguments.next().expect("the path of a program"));
    let mut number = |otherwise| arguments.next().map_or(otherwise, |text| text.parse().expect("a number"));
    let (peers, events) = (number(500), number(10_000));
    for (what, trust) in [
        ("taken automatically", Some(PeerTrust::Auto)),
        ("as candidates", Some(PeerTrust::Review)),
        ("of unknown keys", None),
    ] {
        let scene = Scene::new(program.clone(), peers, events, trust);
        let first = scene.receive();
        let again = scene.receive();
        println!("{events} events of {peers} peers, {what}: {first:.1?}, again {again:.1?}");
    }
}

struct Scene {
    env: TestEnv,
    program: PathBuf,
}

impl Scene {
    fn new(program: PathBuf, peers: u32, events: u32, trust: Option<PeerTrust>) -> Self {
        let env = TestEnv::with_programs(program.parent().unwrap_or(Path::new("/")));
        with_remote(&env);
        let scene = Self { env, program };
        scene.run(&["build"]);
        let authors: Vec<Colleague> = (1..=peers).map(Colleague::new).collect();
        if let Some(trust) = trust {
            trust_all(&scene.env, &authors, trust);
        }
        let folder = folder(&scene.env);
        for number in 0..events {
            let author = &authors[(number % peers) as usize];
            let rule =
                format!("Look at the list of step {number} before you go on, and ask if one is missing.");
            let mut shared = lesson(&format!("step-{number}"), &rule, &format!(r"\bfrob\s+step-{number}\b"));
            shared.quality = if number % 5 == 0 { Quality::Critical } else { Quality::Valuable };
            put(&folder, &author.lesson(&shared, DAY + u64::from(number)));
        }
        scene
    }

    fn receive(&self) -> Duration {
        let started = Instant::now();
        let output = self.run(&["receive", "--json"]);
        let took = started.elapsed();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        took
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command: Command = self.env.command("lessons");
        assert_eq!(Path::new(command.get_program()).parent(), self.program.parent());
        command.args(arguments).output().expect("the program runs")
    }
}
