//! What the index proposes for a call, and why a lesson does not match it: told case by case.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use lessons_index::Index;
use lessons_index::manifest::Manifest;
use lessons_index::matching::matched::Mismatch;
use lessons_index::matching::trials::{Trial, Trials};
use lessons_index::matching::{matches, mismatch_of};
use lessons_index::views::Views;
use lessons_lesson::call::Call;
use lessons_lesson::lesson::{Subject, When};
use lessons_lesson::project::ProjectLocation;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::{Sketch, advice_by, indexed, manifest_of, oracle};

fn bash(command: &str) -> Call<'_> {
    Call { tool: "Bash".into(), command: Some(command.into()), ..Call::default() }
}

fn edit<'a>(path: &'a str, content: &'a str) -> Call<'a> {
    Call {
        tool: "Edit".into(),
        paths: vec![path.into()],
        texts: Vec::new(),
        contents: vec![content.into()],
        cwd: Some(oracle::ROOT.into()),
        ..Call::default()
    }
}

/// One lesson for each trigger, whose patterns look at this view of a command.
fn manifest_on(subject: Subject, triggers: &[Trigger]) -> Manifest {
    let sketches: Vec<Sketch> =
        (0..triggers.len()).map(|trigger| Sketch { subject, ..advice_by(trigger) }).collect();
    manifest_of(triggers, &sketches)
}

fn manifest_of_kinds(triggers: &[(TriggerKind, &str)]) -> Manifest {
    let triggers: Vec<Trigger> =
        triggers.iter().map(|(kind, pattern)| Trigger::new(*kind, *pattern)).collect();
    manifest_on(Subject::Command, &triggers)
}

/// The kinds of the triggers at these positions.
fn kinds(index: &Index<'_>, triggers: &BTreeSet<u32>) -> BTreeSet<TriggerKind> {
    let kind = |trigger: &u32| index.with_trigger(*trigger, |trigger| Ok(trigger.kind)).unwrap();
    triggers.iter().map(kind).collect()
}

/// The kinds of the triggers that the index proposes for a call.
fn proposed(manifest: &Manifest, call: &Call<'_>) -> BTreeSet<TriggerKind> {
    let loaded = indexed(manifest);
    let index = loaded.ask().unwrap();
    let place = ProjectLocation::fixed(oracle::ROOT);
    let triggers = index.possible_triggers(&Views::new(call, &place)).unwrap();
    kinds(&index, &triggers)
}

/// The number of lessons that match a call.
fn matching(manifest: &Manifest, call: &Call<'_>) -> usize {
    let loaded = indexed(manifest);
    let place = ProjectLocation::fixed(oracle::ROOT);
    matches(&loaded.ask().unwrap(), &Views::new(call, &place), "main", &1000, &mut ()).unwrap().len()
}

#[test]
fn a_trigger_may_be_tried_on_one_view_and_not_on_the_other() {
    let triggers = ["git stash", "npm"].map(|text| Trigger::new(TriggerKind::CommandPattern, text));
    let loaded = indexed(&manifest_on(Subject::Executable, &triggers));
    let index = loaded.ask().unwrap();
    let (call, place) = (bash("cd /p && git stash"), ProjectLocation::fixed(oracle::ROOT));
    let views = Views::new(&call, &place);
    let possible = index.possible_triggers(&views).unwrap();
    let asked = Cell::new(0);
    let mut trials = Trials::new(&index, &views, |trigger, views, subject| {
        asked.set(asked.get() + 1);
        trigger.matches(views, subject)
    });
    let stash = *possible.first().unwrap();
    assert!(!trials.was_tried(stash));
    assert_eq!(trials.candidates(possible).unwrap().len(), 1);
    assert!(trials.was_tried(stash) && !trials.was_tried(stash + 1));
    let known = |subject| trials.known(stash, subject);
    assert_eq!(known(Subject::Command), None);
    let trial = Trial { kind: TriggerKind::CommandPattern, document_frequency: Some(1) };
    assert_eq!(known(Subject::Executable), Some(trial));
    for subject in [Subject::Executable, Subject::Command, Subject::Command] {
        assert_eq!(trials.of(stash, subject), Ok(trial), "{subject}");
    }
    assert_eq!(asked.get(), 2, "each view once");
}

#[test]
fn a_lesson_that_does_not_match_has_one_first_reason() {
    let triggers = ["git stash", "--safe", "npm"].map(|text| Trigger::new(TriggerKind::CommandPattern, text));
    let sketches: Vec<Sketch> = (0..9).map(|_| advice_by(0)).collect();
    let mut manifest = manifest_of(&triggers, &sketches);
    let terms = |lesson: usize| format!("user/l-{lesson:02}");
    manifest.lessons[1].terms.when = When::Session;
    manifest.lessons[2].terms.off_until = Some(1001);
    manifest.lessons[3].terms.tools = vec!["Edit".into()];
    manifest.lessons[4].terms.agents = vec!["Explore".into()];
    manifest.lessons[5].terms.triggers = vec![2];
    manifest.lessons[6].terms.also = vec![2];
    manifest.lessons[7].terms.unless = vec![1];
    manifest.lessons[8].terms.roots = Some(vec!["/elsewhere".into()]);

    let loaded = indexed(&manifest);
    let index = loaded.ask().unwrap();
    let mut lessons = index.session_lessons().unwrap();
    index.each_rule(|rule| lessons.push(rule.lesson)).unwrap();
    let positions: BTreeMap<String, u32> =
        lessons.into_iter().map(|lesson| (index.terms(lesson).unwrap().id.to_string(), lesson)).collect();
    assert_eq!(positions.len(), 9);
    let (call, place) = (bash("git stash --safe"), ProjectLocation::fixed(oracle::ROOT));
    let views = Views::new(&call, &place);
    let reason = |lesson: usize, agent: &str| {
        mismatch_of(&index, positions[&terms(lesson)], &views, agent, &1000).unwrap()
    };
    let stored = |lesson: usize| index.terms(positions[&terms(lesson)]).unwrap();
    assert_eq!(reason(0, "main"), None);
    assert_eq!(reason(1, "main"), Some(Mismatch::AtStart));
    assert_eq!(reason(2, "main"), Some(Mismatch::Off));
    assert_eq!(reason(3, "main"), Some(Mismatch::Tool));
    assert_eq!(reason(4, "main"), Some(Mismatch::Agent));
    assert_eq!(reason(4, "Explore"), None);
    assert_eq!(reason(5, "main"), Some(Mismatch::NoTrigger));
    assert_eq!(reason(6, "main"), Some(Mismatch::Also(stored(6).also[0])));
    assert_eq!(reason(7, "main"), Some(Mismatch::Unless(stored(7).unless[0])));
    assert_eq!(reason(8, "main"), Some(Mismatch::Scope));
    // Beside an error, a lesson that looks at none was due before the call.
    let failed = Call { error: Some("rejected".into()), ..call.clone() };
    let views = Views::new(&failed, &place);
    let after =
        |lesson: usize| mismatch_of(&index, positions[&terms(lesson)], &views, "main", &1000).unwrap();
    assert_eq!(after(0), Some(Mismatch::NoErrorTrigger));
    assert_eq!(after(5), Some(Mismatch::NoTrigger));
    let views = Views::new(&call, &place);
    // What is found for a call agrees with the reasons.
    let found: Vec<String> = matches(&index, &views, "main", &1000, &mut ())
        .unwrap()
        .iter()
        .map(|found| found.id.to_string())
        .collect();
    assert_eq!(found, [terms(0)]);
}

#[test]
fn a_lesson_with_an_error_among_its_conditions_matches_beside_that_error_alone() {
    let triggers = [
        Trigger::new(TriggerKind::CommandPattern, "git push"),
        Trigger::new(TriggerKind::ErrorPattern, "rejected"),
    ];
    let mut manifest = manifest_of(&triggers, &[advice_by(0)]);
    manifest.lessons[0].terms.also = vec![1];
    let with = |error: Option<&'static str>| Call { error: error.map(Into::into), ..bash("git push") };
    for (error, expected) in [(None, 0), (Some("no remote"), 0), (Some("! [rejected]"), 1)] {
        assert_eq!(matching(&manifest, &with(error)), expected, "{error:?}");
    }
}

#[test]
fn a_trigger_is_proposed_only_for_texts_of_its_kind() {
    let manifest = manifest_of_kinds(&[
        (TriggerKind::CommandPattern, "stash"),
        (TriggerKind::PathPattern, "stash"),
        (TriggerKind::ContentPattern, "stash"),
        (TriggerKind::Keyword, "stash"),
        (TriggerKind::ErrorPattern, "stash"),
        (TriggerKind::Tool, "Agent"),
    ]);
    let (command, path) = (TriggerKind::CommandPattern, TriggerKind::PathPattern);
    let (content, keyword) = (TriggerKind::ContentPattern, TriggerKind::Keyword);
    let long = format!("{} stash", "x ".repeat(300));
    for (call, expected) in [
        (bash("git stash"), vec![command, keyword]),
        (edit("/p/stash", ""), vec![path, keyword]),
        (edit("/p/x", "stash"), vec![content]),
        (edit("/p/x", &long), vec![content]),
        (edit("/p/stash", "stash"), vec![path, keyword, content]),
        (Call { error: Some("no stash".into()), ..bash("ls") }, vec![TriggerKind::ErrorPattern]),
        (Call { error: Some("no stash".into()), ..edit("/p/x", "") }, vec![TriggerKind::ErrorPattern]),
        (Call { error: Some("no".into()), ..bash("git stash") }, vec![command, keyword]),
        (Call { tool: "Agent".into(), ..Call::default() }, vec![TriggerKind::Tool]),
        (bash("Agent"), vec![]),
    ] {
        assert_eq!(proposed(&manifest, &call), BTreeSet::from_iter(expected), "{call:?}");
    }
}

#[test]
fn a_pattern_is_proposed_only_where_each_of_its_parts_may_be() {
    let manifest = manifest_of_kinds(&[(TriggerKind::CommandPattern, r"\bcargo\s+publish\b")]);
    for (command, expected) in
        [("cargo  publish", 1), ("cargo build", 0), ("npm publish", 0), ("CARGO PUBLISH", 1), ("", 0)]
    {
        assert_eq!(proposed(&manifest, &bash(command)).len(), expected, "{command}");
    }
}

#[test]
fn a_pattern_with_an_end_is_proposed_only_where_a_text_ends_so() {
    let trigger = [Trigger::new(TriggerKind::CommandPattern, "^git push$")];
    let manifest = manifest_on(Subject::Executable, &trigger);
    for (command, matched, possible) in [
        ("git push", 1, 1),
        ("ls && sh -c 'git push'", 1, 1),
        ("ls\ngit push\npwd", 1, 1),
        ("git push   \npwd", 1, 1),
        ("git push '../x'", 0, 0),
        // In a plain command, what an inner shell runs may end with any word.
        ("git push ../x", 0, 1),
        ("eval git push && ls ../x", 1, 1),
    ] {
        assert_eq!(matching(&manifest, &bash(command)), matched, "{command}");
        assert_eq!(proposed(&manifest, &bash(command)).len(), possible, "{command}");
    }
}

#[test]
fn keywords_are_proposed_for_a_text_that_contains_them_and_not_for_others() {
    let manifest = manifest_of_kinds(&[
        (TriggerKind::Keyword, "über uns"),
        (TriggerKind::CommandPattern, "stash"),
        (TriggerKind::ContentPattern, "fetch"),
        (TriggerKind::Tool, "Edit"),
    ]);
    let loaded = indexed(&manifest);
    let index = loaded.ask().unwrap();
    let possible = |text: &str| kinds(&index, &index.possible_keywords(text).unwrap());
    for text in ["see über uns", "see ÜBER/Uns.html"] {
        assert_eq!(possible(text), BTreeSet::from([TriggerKind::Keyword]), "{text}");
    }
    assert_eq!(possible("git stash"), BTreeSet::from([TriggerKind::CommandPattern]));
    for text in ["", "nothing of it", "fetch Edit"] {
        assert_eq!(possible(text), BTreeSet::new(), "{text}");
    }
}

#[test]
fn what_would_run_is_found_wherever_quotes_split_it() {
    let trigger = [Trigger::new(TriggerKind::CommandPattern, r"\bgit stash\b")];
    let manifest = manifest_on(Subject::Executable, &trigger);
    for at in 1.."stash".len() {
        let (start, end) = "stash".split_at(at);
        for command in [format!("git {start}\\{end}"), format!("ls -la /some/where; git {start}''{end} pop")]
        {
            assert_eq!(matching(&manifest, &bash(&command)), 1, "{command}");
        }
    }
}

#[test]
fn what_would_run_is_found_behind_any_number_of_lines() {
    let trigger = [Trigger::new(TriggerKind::CommandPattern, "^git stash$")];
    let manifest = manifest_on(Subject::Executable, &trigger);
    for lines in [0, 1, 62, 63, 64, 65, 66, 200] {
        let command = format!("{}git 'stash'", "echo 'a b'\n".repeat(lines));
        assert_eq!(matching(&manifest, &bash(&command)), 1, "{lines}");
        let nothing = format!("{}git 'status'", "echo 'a b'\n".repeat(lines));
        assert_eq!(matching(&manifest, &bash(&nothing)), 0, "{lines}");
    }
}

#[test]
fn a_content_of_any_length_is_searched_to_its_end() {
    let manifest = manifest_of_kinds(&[(TriggerKind::ContentPattern, r"fetch\(")]);
    for length in [6, 7, 255, 256, 257, 258, 300, 5000] {
        for before in [0, (length - 6) / 2, length - 6] {
            let content = format!("{}FETCH({}", "x".repeat(before), "y".repeat(length - 6 - before));
            assert_eq!(content.len(), length);
            assert_eq!(proposed(&manifest, &edit("/p/a.ts", &content)).len(), 1, "{length} {before}");
            assert_eq!(matching(&manifest, &edit("/p/a.ts", &content)), 0, "patterns tell cases apart");
            let lower = content.to_ascii_lowercase();
            assert_eq!(matching(&manifest, &edit("/p/a.ts", &lower)), 1, "{length} {before}");
        }
        let none = "fetch ".repeat(length);
        assert_eq!(matching(&manifest, &edit("/p/a.ts", &none)), 0, "{length}");
    }
}
