//! `config.toml` as its owner has written it.
//!
//! Holds: nothing panics; settings are within their limits, whatever stands there; writing it back
//! changes no setting; what is switched off is off, and on again when it is switched on.

#![no_main]

use lessons_store::config::ConfigFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(mut file) = ConfigFile::parse("config.toml", input.to_vec()) else { return };
    let (config, bad) = file.settings();
    assert!((1..=10).contains(&config.minimum_priority));
    assert!((0.0..=1.0).contains(&config.minimum_confidence));
    assert!((256..=9500).contains(&config.budget_bytes));
    assert!((0..=4096).contains(&config.session_bytes));
    for setting in bad {
        assert!(!setting.to_string().is_empty());
    }
    let read = |file: &ConfigFile| {
        ConfigFile::parse("config.toml", file.to_bytes()).expect("what was written can be read")
    };
    assert_eq!(read(&file).settings().0, config);

    // Where `off` is something else than a table there is nothing to switch.
    let before = file.to_bytes();
    file.switch_off("user/a", None);
    if file.to_bytes() == before {
        return;
    }
    let mut off = read(&file);
    assert!(off.settings().0.lessons_off().contains_key("user/a"));
    assert!(off.switch_on("user/a"));
    assert!(!read(&off).settings().0.lessons_off().contains_key("user/a"));
});
