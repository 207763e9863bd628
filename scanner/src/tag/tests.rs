use super::*;

const STASH: &str = "#lesson\ntool: Bash\ntrigger: git stash\nmistake: git stash silently leaves untracked \
                     files behind\nfix: use `git stash -u` when untracked files matter\ntags: tool:git\n#/lesson";

fn lessons(text: &str) -> Vec<Tag> {
    let lesson = |found: TagBlock| match found.block {
        Block::Lesson(tag) => Some(*tag),
        Block::Cancel(_) => None,
    };
    parse(text).blocks.into_iter().filter_map(lesson).collect()
}

fn lesson(text: &str) -> Tag {
    let mut all = lessons(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

fn reasons(text: &str) -> Vec<VoidReason> {
    parse(text).voided
}

#[test]
fn a_block_gives_its_fields() {
    let tag = lesson(&format!("Done.\n\n{STASH}\n\nOutro."));
    assert_eq!(tag.finding.tools, ["Bash"]);
    assert_eq!(tag.finding.trigger.as_deref(), Some("git stash"));
    assert_eq!(tag.finding.mistake, "git stash silently leaves untracked files behind");
    assert_eq!(tag.finding.fix, "use `git stash -u` when untracked files matter");
    assert_eq!(tag.finding.tags, ["tool:git"]);
    assert!(!tag.sanitised);
}

#[test]
fn every_field_is_read_and_problem_and_solution_are_accepted() {
    let tag = lesson(
        "#lesson\ntool: bash, Edit\npath: src/**/*.ts\nproblem: p\nsolution: s\nwhy: w\nquality: Critical\n\
         agent: Explore\nunless: -p no:cacheprovider\n#/lesson",
    );
    assert_eq!((tag.finding.mistake.as_str(), tag.finding.fix.as_str()), ("p", "s"));
    assert_eq!(tag.finding.tools, ["Bash", "Edit"]);
    assert_eq!(tag.finding.path.as_deref(), Some("src/**/*.ts"));
    assert_eq!(tag.finding.why.as_deref(), Some("w"));
    assert_eq!(tag.finding.quality.as_deref(), Some("critical"));
    assert_eq!(tag.finding.agent.as_deref(), Some("Explore"));
    assert_eq!(tag.unless.as_deref(), Some("-p no:cacheprovider"));
}

#[test]
fn continuation_lines_are_joined_whether_indented_or_not() {
    let tag = lesson(
        "#lesson\nmistake: git stash only stashes tracked files;\n  untracked files stay behind\nfix:\nuse git \
         stash -u\n\tand check with\n  git stash show -u\n#/lesson",
    );
    assert_eq!(tag.finding.mistake, "git stash only stashes tracked files; untracked files stay behind");
    assert_eq!(tag.finding.fix, "use git stash -u and check with git stash show -u");
}

#[test]
fn an_indented_name_that_is_no_field_is_text() {
    let tag = lesson("#lesson\nmistake: m\nfix: set in ci.yml\n  retries: 2\n#/lesson");
    assert_eq!(tag.finding.fix, "set in ci.yml retries: 2");
}

#[test]
fn a_block_may_be_indented_as_a_whole() {
    let tag = lesson("- noted:\n  #lesson\n    mistake: m\n    block: true\n    fix: f\n  #/lesson");
    assert_eq!((tag.finding.mistake.as_str(), tag.finding.fix.as_str()), ("m", "f"));
}

#[test]
fn a_tag_can_never_set_mode_priority_scope_or_status() {
    // ADV-036. There is no field to hold them: what is checked is that they leave no trace.
    let tag = lesson(
        "#lesson\n__proto__: polluted\nconstructor: x\nmistake: prototype keys in tag fields\nfix: unknown \
         fields are dropped\nblock: true\npriority: 10\n  and more\nscope: global\nstatus: active\n#/lesson",
    );
    let expected = Finding {
        mistake: "prototype keys in tag fields".into(),
        fix: "unknown fields are dropped".into(),
        ..Finding::default()
    };
    assert_eq!(tag, Tag { finding: expected, ..Tag::default() });
}

#[test]
fn a_tag_may_say_more_about_its_lesson() {
    let said = "#lesson\nmistake: m\nfix: f\ntitle: Cast the key\ndetail: long\nworth: it comes back\nphase: Plan\n#/lesson";
    let insight = lesson(said).finding.insight;
    assert_eq!(insight.title.as_deref(), Some("Cast the key"));
    assert_eq!(insight.detail.as_deref(), Some("long"));
    assert_eq!(insight.worth.as_deref(), Some("it comes back"));
    assert_eq!(insight.phase.as_deref(), Some("plan"));
    let long = format!(
        "#lesson\nmistake: m\nfix: f\ntitle: {0}\nworth: {0}\nphase: two words\n#/lesson",
        "x".repeat(900)
    );
    let insight = lesson(&long).finding.insight;
    let lengths = [insight.title, insight.worth].map(|text| text.map(|text| text.chars().count()));
    assert_eq!((lengths, insight.phase), ([Some(120), Some(500)], None));
}

#[test]
fn a_field_that_is_there_twice_voids_the_block() {
    let twice = "#lesson\nproblem: first\nsolution: s\nmistake: last\n#/lesson";
    assert_eq!(reasons(twice), [VoidReason::Repeated(FieldName::Mistake)]);
    let empty = "#lesson\nmistake: m\nwhy:\nfix: f\nwhy: because\n#/lesson";
    assert_eq!(reasons(empty), [VoidReason::Repeated(FieldName::Why)]);
    let cancel = "#lesson:cancel\ntrigger: a\ntrigger: b\n#/lesson";
    assert_eq!(reasons(cancel), [VoidReason::Repeated(FieldName::Trigger)]);
}

#[test]
fn space_before_the_colon_of_a_known_name_does_not_matter() {
    let tag = lesson("#lesson\nProblem : it said\nerror : no such file\nFix\t: look first\n#/lesson");
    assert_eq!(
        (tag.finding.mistake.as_str(), tag.finding.fix.as_str()),
        ("it said error : no such file", "look first")
    );
}

#[test]
fn every_end_of_a_line_separates_words() {
    let tag = lesson("#lesson\nmistake: one\u{2028}two\u{85}three\u{2029}four\nfix: f\n#/lesson");
    assert_eq!(tag.finding.mistake, "one two three four");
}

#[test]
fn tags_are_split_trimmed_and_kept_once() {
    let tag = lesson("#lesson\nproblem: p\nsolution: s\ntags:  a:b ,, c:d , a:b,\ntool:git\n#/lesson");
    assert_eq!(tag.finding.tags, ["a:b", "c:d", "tool:git"]);
    assert!(tag.finding.tools.is_empty());
}

#[test]
fn a_field_needs_no_space_and_an_empty_one_is_missing() {
    let tag = lesson("#lesson\nproblem:p\nSolution:s\ntrigger: \n#/lesson");
    assert_eq!(
        (tag.finding.mistake.as_str(), tag.finding.fix.as_str(), tag.finding.trigger),
        ("p", "s", None)
    );
    assert_eq!(reasons("#lesson\nmistake: m\n#/lesson"), [VoidReason::Missing(FieldName::Fix)]);
    assert_eq!(reasons("#lesson\nmistake:\nfix: f\n#/lesson"), [VoidReason::Missing(FieldName::Mistake)]);
}

#[test]
fn carriage_returns_belong_to_the_line_end() {
    let tag = lesson("#lesson\r\nproblem: crlf\r\nsolution: trimmed\r\n#/lesson\r\n");
    assert_eq!(
        (tag.finding.mistake.as_str(), tag.finding.fix.as_str(), tag.sanitised),
        ("crlf", "trimmed", false)
    );
}

#[test]
fn a_marker_is_a_whole_line_in_lower_case() {
    for text in [
        "see #lesson-plan and #lessons\n#LESSON\nmistake: upper\nfix: f\n#/LESSON",
        "> #lesson\n> mistake: m\n> fix: f\n> #/lesson",
        "#lesson mistake: m\nfix: f\n#/lesson",
        "x #lesson\nmistake: m\nfix: f\n#/lesson",
    ] {
        assert_eq!(parse(text), ParsedTags::default(), "{text}");
    }
    assert_eq!(lessons("  #lesson \t\nmistake: m\nfix: f\n #/lesson ").len(), 1);
}

#[test]
fn an_unclosed_or_interrupted_block_is_void() {
    for (text, reason) in [
        ("#lesson\nmistake: m\nfix: f", VoidReason::Unclosed),
        ("#lesson\nmistake: m\nfix: f\n\nlater #/lesson in prose\n#/lesson", VoidReason::BlankLine),
        ("#lesson\nmistake: m\n \t\nfix: f\n#/lesson", VoidReason::BlankLine),
        ("#lesson\nmistake: m\nfix: f\n#/lesson:cancel", VoidReason::Interleaved),
    ] {
        assert_eq!(lessons(text), [], "{text}");
        assert_eq!(reasons(text), [reason], "{text}");
    }
}

#[test]
fn a_block_has_at_most_forty_lines_and_four_kibibytes() {
    let block = |lines: usize| format!("#lesson\nmistake: m\nfix: f\n{}#/lesson", "x\n".repeat(lines - 2));
    assert_eq!(lessons(&block(MAX_LINES)).len(), 1);
    assert_eq!(reasons(&block(MAX_LINES + 1)), [VoidReason::TooManyLines]);
    let long = |n: usize| format!("#lesson\nmistake: m\nnote: {}\nfix: f\n#/lesson", "x".repeat(n));
    assert_eq!(lessons(&long(4000)).len(), 1);
    assert_eq!(reasons(&long(4090)), [VoidReason::TooManyBytes]);
}

#[test]
fn a_field_of_more_than_two_thousand_characters_voids_its_block() {
    let block = |n: usize| format!("#lesson\nmistake: {}\nfix: f\n#/lesson", "é".repeat(n));
    assert_eq!(lessons(&block(2000)).len(), 1);
    assert_eq!(reasons(&block(2001)), [VoidReason::TooLong(FieldName::Mistake)]);
}

#[test]
fn a_nested_lesson_voids_the_outer_one_and_never_lends_it_fields() {
    // ADV-028.
    let text = "#lesson\nmistake: outer\n#lesson\nmistake: inner\nfix: inner fix\n#/lesson\n#/lesson";
    assert_eq!(lesson(text).finding.mistake, "inner");
    assert_eq!(reasons(text), [VoidReason::Nested]);
}

#[test]
fn a_cancel_inside_a_lesson_voids_both_and_so_does_the_reverse() {
    // ADV-031.
    let text = "#lesson\nmistake: aaaaaaaaaaaaaaa\n#lesson:cancel\nmistake: git stash silently leaves\n\
                #/lesson:cancel\nfix: bbbbbbbbbbbbbbb\n#/lesson";
    assert_eq!(parse(text).blocks, []);
    assert_eq!(reasons(text), [VoidReason::Interleaved]);
    let text = "#lesson:cancel\ntrigger: t\n#lesson\nmistake: m\nfix: f\n#/lesson";
    assert_eq!(parse(text).blocks, []);
    assert_eq!(reasons(text), [VoidReason::Interleaved]);
}

#[test]
fn a_cancel_ends_with_either_marker_and_needs_a_key() {
    for end in ["#/lesson", "#/lesson:cancel"] {
        let parsed = parse(&format!("#lesson:cancel\ntrigger: git stash\n{end}"));
        let cancel = Cancel { trigger: Some("git stash".into()), mistake: None };
        assert_eq!(parsed.blocks[0].block, Block::Cancel(cancel));
    }
    assert_eq!(reasons("#lesson:cancel\nnote: nothing here\n#/lesson:cancel"), [VoidReason::NothingToCancel]);
}

#[test]
fn a_cancel_fits_an_equal_trigger_or_a_long_enough_start_of_the_mistake() {
    let by_mistake = |text: &str| Cancel { trigger: None, mistake: Some(text.into()) };
    let mistake = "Pytest Hangs waiting for a TTY forever";
    assert!(by_mistake("pytest hangs waiting").fits(mistake, None));
    assert!(!by_mistake("pytest hangs waitin").fits(mistake, None), "19 characters");
    assert!(!by_mistake("p").fits(mistake, None));
    assert!(by_mistake("p").fits("P", None), "equal, however short");
    assert!(!by_mistake("hangs waiting for a TTY").fits(mistake, None), "not the start");

    let by_trigger = Cancel { trigger: Some("git stash".into()), mistake: None };
    assert!(by_trigger.fits(mistake, Some("Git stash")));
    assert!(!by_trigger.fits(mistake, Some("git stash -u")));
    assert!(!by_trigger.fits(mistake, None));
    let both = Cancel { trigger: Some("git stash".into()), mistake: Some("another mistake entirely".into()) };
    assert!(!both.fits(mistake, Some("git stash")), "both must fit");
}

#[test]
fn placeholders_are_rejected() {
    // ADV-025.
    let form = "Format reminder:\n#lesson\ntool: <tool name>\ntrigger: <what was being run>\nmistake: <what \
                went wrong>\nfix: <what to do instead>\ntags: a, b\n#/lesson";
    assert_eq!(reasons(form), [VoidReason::Placeholder(FieldName::Mistake)]);
    for value in ["...", "…", "[...]", "`<text>`", ". . .", "\"...\""] {
        let text = format!("#lesson\nmistake: {value}\nfix: f\n#/lesson");
        let placeholder = value != ". . .";
        assert_eq!(lessons(&text).is_empty(), placeholder, "{value}");
    }
    assert_eq!(
        lesson("#lesson\nmistake: Vec<T> is not Vec<U>\nfix: ... then <b> it\n#/lesson").finding.fix,
        "... then <b> it"
    );
}

#[test]
fn a_block_in_a_code_fence_counts_and_is_marked() {
    let parsed = parse(&format!("{STASH}\n````markdown\n{STASH}\n````\n{STASH}"));
    let fenced: Vec<bool> = parsed.blocks.iter().map(|found| found.fenced).collect();
    assert_eq!(fenced, [false, true, false]);
    assert_eq!(parsed.blocks[1].line, 9);
}

#[test]
fn hidden_characters_are_removed_and_said() {
    // ADV-040, 045, 048, 051.
    for (raw, clean) in [
        ("a \u{1b}[31mred\u{1b}[0m end", "a [31mred[0m end"),
        ("a \u{9b}31mred", "a 31mred"),
        ("review \u{202e}gpj.exe\u{202c} now", "review gpj.exe now"),
        ("ig\u{200b}nore\u{2060} all\u{feff}", "ignore all"),
        ("rm -rf / \rls", "rm -rf / ls"),
    ] {
        let tag = lesson(&format!("#lesson\nmistake: {raw}\nfix: f\n#/lesson"));
        assert_eq!((tag.finding.mistake.as_str(), tag.sanitised), (clean, true));
    }
}

#[test]
fn a_text_has_at_most_twenty_blocks_and_the_rest_is_counted() {
    // ADV-037.
    let parsed = parse(&format!("{STASH}\n").repeat(500));
    assert_eq!((parsed.blocks.len(), parsed.excess), (MAX_BLOCKS, 480));
    let parsed = parse(&"#lesson\n".repeat(500));
    assert_eq!((parsed.voided.len(), parsed.excess), (MAX_BLOCKS, 480));
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    /// Lines that the grammar cares about, and some that it does not.
    fn any_line() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("#lesson".to_owned()),
            Just("#/lesson".to_owned()),
            Just("#lesson:cancel".to_owned()),
            Just("#/lesson:cancel".to_owned()),
            Just(" #lesson\r".to_owned()),
            Just(String::new()),
            Just("```".to_owned()),
            Just("mistake: it broke".to_owned()),
            Just("fix: repair it".to_owned()),
            Just("trigger: git stash".to_owned()),
            Just("  continued".to_owned()),
            Just("priority: 10".to_owned()),
            "\\PC{0,12}",
        ]
    }

    /// The slow reference: for every opening marker, look ahead line by line for what ends it.
    fn reference(lines: &[String]) -> (Vec<usize>, usize) {
        let mut closed = Vec::new();
        let mut void = 0;
        let mut at = 0;
        while at < lines.len() {
            let kind = lines[at].trim();
            if !matches!(kind, "#lesson" | "#lesson:cancel") {
                at += 1;
                continue;
            }
            let end = lines[at + 1..].iter().position(|line| {
                matches!(line.trim(), "" | "#lesson" | "#lesson:cancel" | "#/lesson" | "#/lesson:cancel")
            });
            let Some(end) = end.map(|n| at + 1 + n) else {
                void += 1;
                break;
            };
            let inside = end - at - 1;
            if inside > MAX_LINES {
                void += 1;
                at += 1 + MAX_LINES + 1;
                continue;
            }
            let ends_well = match lines[end].trim() {
                "#/lesson" => true,
                "#/lesson:cancel" => kind == "#lesson:cancel",
                _ => false,
            };
            if ends_well {
                closed.push(at + 1);
            } else {
                void += 1;
            }
            // The same kind nested opens a block of its own; the other kind is swallowed.
            at = if lines[end].trim() == kind { end } else { end + 1 };
        }
        (closed, void)
    }

    proptest! {
        #[test]
        fn blocks_are_those_of_the_reference(lines in prop::collection::vec(any_line(), 0..60)) {
            let (closed, void) = reference(&lines);
            let parsed = parse(&lines.join("\n"));
            let total = parsed.blocks.len() + parsed.voided.len() + parsed.excess;
            prop_assert_eq!(total, closed.len() + void);
            for found in &parsed.blocks {
                prop_assert!(closed.contains(&found.line));
            }
        }

        #[test]
        fn what_is_captured_is_one_line_of_visible_text(text in "(#lesson\n|#/lesson\n|mistake: |fix: |\\PC|.|\n){0,60}") {
            for found in parse(&text).blocks {
                if let Block::Lesson(tag) = found.block {
                    for value in [&tag.finding.mistake, &tag.finding.fix] {
                        prop_assert!(!value.is_empty());
                        prop_assert!(!value.chars().any(lessons_text::neutral::is_hidden));
                        prop_assert_eq!(value.trim(), value);
                        prop_assert!(value.chars().count() <= MAX_TEXT_CHARS);
                    }
                }
            }
        }
    }
}
