use super::*;

fn file(text: &str) -> ConfigFile {
    ConfigFile { path: "config.toml".into(), document: text.parse().unwrap() }
}

#[test]
fn nothing_set_means_the_defaults() {
    assert_eq!(file("").settings(), (Config::default(), Vec::new()));
    assert_eq!(Config::default().for_hooks(), Settings::default());
}

#[test]
fn tables_and_dotted_keys_are_the_same() {
    for text in ["budget.lessons = 5\nbudget.bytes = 1000", "[budget]\nlessons = 5\nbytes = 1000"] {
        let (config, bad) = file(text).settings();
        assert_eq!((config.budget_lessons, config.budget_bytes, bad.len()), (5, 1000, 0), "{text}");
    }
}

#[test]
fn a_file_that_is_no_toml_is_refused_with_the_line() {
    // Found by the fuzz target `config`: the first one was a panic of the parser.
    for text in ["a = =1\na.b = 1", "[seeds]\noff = =99\noff.\"user/a\" = \"\"", "[off\n", "a = 1\na = 2"] {
        let error = ConfigFile::parse("config.toml", text.into()).unwrap_err().to_string();
        assert!(error.starts_with("config.toml: ") && error.contains("line "), "{error}");
    }
    let error = ConfigFile::parse("config.toml", "a = 1\ngate = [".into()).unwrap_err().to_string();
    assert!(error.starts_with("config.toml: line 2: unclosed array"), "{error}");
    assert!(ConfigFile::parse("config.toml", vec![0xff]).is_err());
}

#[test]
fn a_bad_value_falls_back_and_hides_no_other() {
    let (config, bad) = file("enabled = \"yes\"\nbudget.bytes = 99999\nminimum.priority = 4").settings();
    assert_eq!((config.enabled, config.budget_bytes, config.minimum_priority), (true, 4096, 4));
    let keys: Vec<_> = bad.iter().map(|bad| bad.key.as_str()).collect();
    assert_eq!(keys, ["budget.bytes", "enabled"]);
    assert!(bad[0].to_string().contains("must be a number from 256 to 9500"), "{}", bad[0]);
    assert!(bad[1].to_string().contains("must be true or false"), "{}", bad[1]);
}

#[test]
fn switching_off_and_on_keeps_the_users_comments() {
    let mut config = file("# mine\nenabled = true # yes\n\n[seeds]\noff = [\"a\", \"b\"]\n");
    config.switch_off("user/x", None);
    config.switch_off("all", Some("2026-11-20T12:00:00Z".parse().unwrap()));
    let text = String::from_utf8(config.to_bytes()).unwrap();
    assert!(text.starts_with("# mine\nenabled = true # yes\n"), "{text}");
    let (settings, bad) = file(&text).settings();
    assert!(bad.is_empty() && settings.off["user/x"].is_none());
    assert_eq!(settings.for_hooks().off_until, Some(1_795_176_000_000));
    assert_eq!(settings.lessons_off().len(), 3);
    assert!(config.switch_on("user/x") && config.switch_on("seed/a") && !config.switch_on("user/y"));
    assert_eq!(file(std::str::from_utf8(&config.to_bytes()).unwrap()).settings().0.seeds_off, ["b"]);
}

#[test]
fn a_variable_counts_more_than_the_file() {
    let variables = |name: &str| match name {
        "LESSONS_BUDGET_LESSONS" | "LESSONS_TELEMETRY" => Some("1".to_owned()),
        "LESSONS_DEDUP_SCOPE" => Some("session".to_owned()),
        "LESSONS_ENABLED" => Some("maybe".to_owned()),
        "LESSONS_SCAN_DETECTORS" => Some("0".to_owned()),
        _ => None,
    };
    let (config, bad) = file("budget.lessons = 5\nbudget.bytes = 1000").overridden_by(variables).settings();
    assert_eq!((config.budget_lessons, config.budget_bytes), (1, 1000));
    assert_eq!(config.dedup_scope, DedupScope::Session);
    assert_eq!((config.enabled, bad.len()), (true, 1));
    assert_eq!((config.telemetry, config.scan_detectors), (true, false));
}

#[test]
fn a_time_that_is_not_understood_keeps_the_switch() {
    let (config, bad) = file("[off]\n\"user/x\" = \"tomorrow\"").settings();
    assert_eq!((config.off["user/x"], bad.len()), (None, 1));
}

#[test]
fn every_value_says_what_it_takes() {
    let text = "budget.lessons = 51\nminimum.confidence = 2\nincidents.similarity = 0.1\ndedup.scope = \"all\"\n\
                scan.roots = 1\nseeds.off = [1]\nagents.Explore.domains = 1\nscan.follow = 1979-05-27\n\
                share.folders = [\"a\", \"/b\"]\n[off]\na = 1\n[[query.limit]]\nx = 1\n";
    let (config, bad) = file(text).settings();
    let told: Vec<_> = bad.iter().map(|bad| format!("{}: {}", bad.key, bad.expected)).collect();
    assert_eq!(
        told,
        [
            "agents.Explore.domains: a list of topics and tags",
            "budget.lessons: a number from 0 to 50",
            "dedup.scope: `context` or `session`",
            "incidents.similarity: a number from 0.5 to 1",
            "minimum.confidence: a number from 0 to 1",
            "off.a: \"\" or a time such as \"2026-11-20T12:00:00Z\"",
            "query.limit: a number from 1 to 1000",
            "scan.follow: true or false",
            "scan.roots: a list of folders",
            "seeds.off: a list of ids",
        ]
    );
    assert_eq!(config.share_folders, [PathBuf::from("/b")]);
}

#[test]
fn agents_have_settings_and_domains_of_their_own() {
    let text =
        "[agents]\nprotocol = false\ncap = 9\nstart.bytes = 300\n[agents.Explore]\ndomains = [\"search\"]";
    let (config, bad) = file(text).settings();
    let agents = AgentSettings { bytes: 300, protocol: false, ..AgentSettings::default() };
    assert_eq!((config.for_hooks().agents, config.agent_cap, bad.len()), (agents, 9, 0));
    assert_eq!(config.agent_domains["Explore"], ["search"]);
}

#[test]
fn every_default_is_written_out_and_what_stands_there_stays() {
    let mut config = file("# mine\nquery.limit = 3\n\n[budget]\nbytes = 1000\n");
    let written = config.write_defaults();
    let wrote = |key: &str| written.iter().any(|written| written == key);
    assert!(wrote("telemetry") && wrote("trust.minimum") && !wrote("query.limit"), "{written:?}");
    let text = String::from_utf8(config.to_bytes()).unwrap();
    let expected = Config { recall_limit: 3, budget_bytes: 1000, ..Config::default() };
    assert_eq!(file(&text).settings(), (expected, Vec::new()), "{text}");
    assert!(text.starts_with("# mine") && config.write_defaults().is_empty());
}
