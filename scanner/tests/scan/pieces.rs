//! However a session is cut into scans, and however many threads read, the result is the same.

use std::num::NonZeroUsize;

use lessons_scanner::run::scan::ScanOptions;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::scratch::{Scratch, assistant, lesson, tool_result, user};

/// More threads than there are sessions.
pub(crate) const MANY: NonZeroUsize = NonZeroUsize::new(5).unwrap();

const FILES: [&str; 3] = ["s.jsonl", "s/subagents/agent-a.jsonl", "other.jsonl"];

/// One line: which file it goes to, what it is, and which text it is about.
fn any_line() -> impl Strategy<Value = (usize, u8, u8)> {
    (0..FILES.len(), 0_u8..8, 0_u8..3)
}

/// The line said at second `at`. Each file has mistakes of its own: a cancel works on what was there
/// when it was scanned, and which of two files is looked at first is no matter of time.
fn line(at: usize, (file, kind, n): (usize, u8, u8)) -> String {
    let (uuid, second) = (format!("u-{at}"), at as u64);
    let mistake = format!("thing number {n} of file {file} went wrong again");
    let fix = format!("do thing {n} in the way that file {file} describes");
    let line = match kind {
        0 | 1 => assistant(&uuid, second, &lesson(&mistake, &fix)),
        2 => assistant(&uuid, second, &format!("#lesson:cancel\nmistake: {mistake}\n#/lesson:cancel")),
        3 => tool_result(&uuid, second, &format!("{mistake}\n{fix}")),
        4 => user(&uuid, second, "#lesson:cancel\nis how a lesson is taken back"),
        5 => assistant(&uuid, second, &format!("```\n{}\n```", lesson(&mistake, &fix))),
        6 => assistant(&uuid, second, "nothing to see"),
        _ => json!({"type": "queue-operation", "content": mistake}),
    };
    format!("{line}\n")
}

/// Everything that a scan leaves behind.
pub(crate) fn state(scratch: &mut Scratch, files: &[&str]) -> Vec<Value> {
    use lessons_ledger::candidates::CandidateStatus::{Archived, Cancelled, New, Rejected};
    let mut candidates = scratch.database().candidates(&[New, Cancelled, Rejected, Archived]).unwrap();
    candidates.sort_by(|a, b| a.id.cmp(&b.id));
    let mut state = Vec::new();
    for candidate in candidates {
        let mut sightings = scratch.database().sightings(&candidate.id).unwrap();
        for sighting in &mut sightings {
            // The folder is another one each time.
            sighting.file = sighting.file.rsplit("/projects/").next().unwrap().to_owned();
        }
        let mut candidate = json!(candidate);
        // Doubts are a set: the order is that of the sightings that raised them.
        let doubts = candidate["flags"].as_array_mut().unwrap();
        doubts.sort_by_key(ToString::to_string);
        state.push(json!([candidate, sightings]));
    }
    state.extend(files.iter().map(|file| json!(scratch.offset(file))));
    state
}

/// Lets the files grow, with a scan at each cut: so many lines, and so many bytes of the next.
pub(crate) fn cut_anywhere(
    scratch: &mut Scratch,
    files: &[&str],
    lines: &[(usize, String)],
    mut cuts: Vec<(usize, usize)>,
    options: &ScanOptions,
) {
    // Between two scans all files grow, in the order of time; the last line may be half written.
    cuts.sort_unstable();
    cuts.push((lines.len(), 0));
    let mut written = (0, 0);
    for cut in cuts {
        while written < cut && written.0 < lines.len() {
            let (file, text) = &lines[written.0];
            let end = if written.0 < cut.0 { text.len() } else { cut.1.min(text.len()).max(written.1) };
            scratch.append(files[*file], &text[written.1..end]);
            written = if end == text.len() { (written.0 + 1, 0) } else { (written.0, end) };
            if end < text.len() {
                break;
            }
        }
        scratch.scan_in(options);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn scans_in_pieces_give_what_one_scan_gives(
        lines in prop::collection::vec(any_line(), 0..24),
        cuts in prop::collection::vec((0_usize..24, 0_usize..2000), 0..4),
    ) {
        let lines: Vec<(usize, String)> =
            lines.iter().enumerate().map(|(at, of)| (of.0, line(at, *of))).collect();
        let mut at_once = Scratch::new();
        for (file, text) in &lines {
            at_once.append(FILES[*file], text);
        }
        at_once.scan_in(&Scratch::options().in_background());

        // While the files change, and long after.
        for options in [Scratch::options(), Scratch::long_after()] {
            let mut in_pieces = Scratch::new();
            cut_anywhere(&mut in_pieces, &FILES, &lines, cuts.clone(), &options);
            prop_assert_eq!(state(&mut in_pieces, &FILES), state(&mut at_once, &FILES));
        }
        let mut by_many = Scratch::new();
        for (file, text) in &lines {
            by_many.append(FILES[*file], text);
        }
        by_many.scan_in(&ScanOptions { workers: MANY, ..Scratch::options() });
        prop_assert_eq!(state(&mut by_many, &FILES), state(&mut at_once, &FILES));
        let before = state(&mut at_once, &FILES);
        at_once.scan();
        prop_assert_eq!(state(&mut at_once, &FILES), before);
    }
}
