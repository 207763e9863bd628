//! Compares what the join says of the reach of the built-in lessons with what the hooks say, over a folder of transcripts:
//!
//!     cargo run --package lessons-tests --example reach -- FOLDER [--ids]
//!
//! With `--ids` it prints the id of every call that went wrong, so that the list can be compared with another one.
#![allow(clippy::print_stdout, clippy::expect_used, reason = "it talks to a person in a terminal")]

use std::process::ExitCode;

use lessons_tests::env::TestEnv;
use lessons_tests::reach::compare;

fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).expect("a folder with transcripts");
    let env = TestEnv::new();
    env.must(&["build"]);
    let compared = compare(&env, folder.as_ref());
    if std::env::args().nth(2).is_some_and(|option| option == "--ids") {
        for (call, is_reached) in &compared.ids {
            println!("{} {call}", if *is_reached { "reached" } else { "missed" });
        }
    }
    for line in &compared.differing {
        println!("{line}");
    }
    println!(
        "{} calls went wrong; a built-in lesson fires at {} by the join, at {} by the hooks; they differ at {}",
        compared.calls,
        compared.by_join,
        compared.by_hooks,
        compared.differing.len()
    );
    if compared.differing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
