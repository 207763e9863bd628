//! Times are shown in the time zone of the person, and programs get one number everywhere.

use std::fs;

use jiff::Timestamp;
use jiff::tz::{TimeZone, offset};
use lessons_tests::env::TestEnv;
use serde_json::json;

/// The time of the newest change on a machine in a time zone: as a program reads it, and as a person does.
fn changed_in(zone: &str) -> (Timestamp, String) {
    let env = TestEnv::new().without_seeds().with_variable("TZ", zone);
    env.must(&["add", "--rule", "frob: use `frob push --safe`", "--trigger", "cmd=frob push"]);
    let time = env.lessons_json(&["log"])[0]["time"].as_i64().unwrap();
    let log = env.must(&["log"]);
    let shown = log.split("  ").find(|part| part.starts_with("20")).expect("a time").to_owned();
    (Timestamp::from_millisecond(time).unwrap(), shown)
}

#[test]
fn a_time_is_that_of_the_persons_clock() {
    let (time, shown) = changed_in("JST-9");
    let there = time.to_zoned(TimeZone::fixed(offset(9)));
    assert_eq!(shown, there.strftime("%Y-%m-%d %H:%M").to_string());
}

#[test]
fn where_the_zone_cannot_be_read_a_time_says_that_it_is_utc() {
    for zone in ["UTC", "", "Nowhere/At_All", "/etc/passwd", "\u{1b}[2J"] {
        let (time, shown) = changed_in(zone);
        assert_eq!(shown, time.strftime("%Y-%m-%d %H:%M UTC").to_string(), "{zone:?}");
    }
}

#[test]
fn today_begins_at_the_persons_midnight() {
    // Fourteen hours ahead and twelve behind: at any moment one of them has another day than UTC.
    for (zone, hours) in [("<+14>-14", 14), ("<-12>12", -12)] {
        let env = TestEnv::new().without_seeds().with_variable("TZ", zone);
        let here = Timestamp::now().to_zoned(TimeZone::fixed(offset(hours)));
        let midnight = here.start_of_day().unwrap().timestamp().as_millisecond();
        let folder = env.data().join("events");
        fs::create_dir_all(&folder).unwrap();
        for time in [midnight - 1, midnight] {
            let day = Timestamp::from_millisecond(time).unwrap().strftime("%Y-%m-%d");
            let event = json!({"v": 1, "t": time, "session": "s", "call": "c", "agent": "main", "outcome": "told",
                "lessons": ["user/frob"], "us": 90});
            let file = folder.join(format!("{day}.jsonl"));
            let before = fs::read_to_string(&file).unwrap_or_default();
            fs::write(&file, format!("{before}{event}\n")).unwrap();
        }
        assert_eq!(env.lessons_json(&["status"])["told"], 1, "{zone}");
    }
}
