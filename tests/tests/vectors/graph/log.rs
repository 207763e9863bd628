//! Another tool's log of recalls, as ours.

use jiff::Timestamp;
use lessons_store::telemetry::{Recall, Row};
use serde_json::Value;

/// Translates a log, line by line. What is torn stays so.
pub(super) fn ours(theirs: &str) -> String {
    let line = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(row) => Row::Recall(recall(&row)).line(),
        Err(_) => format!("{line}\n"),
    };
    theirs.lines().map(line).collect()
}

fn recall(row: &Value) -> Recall {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap_or(0)).unwrap();
    let by = &row["matchedByKind"];
    let time: Timestamp = row["ts"].as_str().unwrap().parse().unwrap();
    let mut recall = Recall {
        t: u64::try_from(time.as_millisecond()).unwrap(),
        session: row["session"].as_str().map(str::to_owned),
        matches: number(&row["totalMatches"]),
        keyword_only: number(&by["keyword"]) > 0 && number(&by["file"]) + number(&by["command"]) == 0,
        tokens: number(&row["returnedTokens"]),
        lessons: None,
        all: row["bypassed"] == true,
    };
    if let Some(ids) = row["lessonIds"].as_array() {
        recall.name(ids.iter().map(|id| format!("user/{}", id.as_str().unwrap())));
    }
    recall
}

#[test]
fn a_row_is_said_in_our_words_and_a_torn_one_stays_torn() {
    let theirs = "{\"ts\":\"1970-01-01T00:00:01Z\",\"matchedByKind\":{\"keyword\":1},\"totalMatches\":2,\"lessonIds\":[\"a\"]}\ntorn{\n";
    let ours = ours(theirs);
    let (row, torn) = ours.split_once('\n').unwrap();
    let row: Value = serde_json::from_str(row).unwrap();
    assert_eq!((&row["t"], &row["keyword_only"], &row["matches"]), (&1000.into(), &true.into(), &2.into()));
    assert_eq!((row["lessons"].as_array().unwrap().len(), torn), (1, "torn{\n"));
}
