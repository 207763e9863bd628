//! Records: the encoding of settings, lessons, texts and triggers in the index.
//!
//! Numbers are little-endian. A text is its length in four bytes and its UTF-8; a list is its length in four bytes and
//! its items; an optional value has a byte 0 or 1 in front. Values that no call needs are JSON.

mod read;
mod types;
mod write;

pub use read::Cursor;
pub use types::{AgentLesson, PatternNote, Rule, Subjects, Test, Trigger};
pub use write::Writer;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrupt::Corrupt;
    use lessons_lesson::compiled::{
        AcceptedSource, AgentSettings, BuildNotes, DedupScope, FileState, LostRefusal, News, Settings, Terms,
        TrustedRoot, Weakened, Weakening,
    };
    use lessons_lesson::conditions::{Conditions, Os, Shell, StateCheck};
    use lessons_lesson::lesson::{Mode, Quality, Severity, Subject, When};
    use lessons_lesson::lot::{InLot, Lot, Share};
    use lessons_pattern::trigger::TriggerKind;

    fn terms() -> Terms {
        Terms {
            id: "user/git-stash".parse().unwrap(),
            mode: Mode::Bump,
            when: When::Tool,
            priority: 7,
            quality: Quality::Valuable,
            severity: Severity::Medium,
            created_at: "2026-11-20T10:00:00Z".into(),
            triggers: vec![0, 4],
            also: vec![1],
            unless: vec![2, 3],
            tools: vec!["Bash".into()],
            roots: Some(vec!["/srv/app".into()]),
            conditions: Conditions::of(&[Os::Macos], &[Shell::Bash, Shell::Sh], &[StateCheck::PathMissing]),
            agents: vec!["main".into()],
            subject: Subject::Program,
            off_until: Some(12),
            in_lot: InLot::Never,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut writer = Writer::default();
        writer.terms(&terms(), |trigger| trigger);
        let record = writer.finish();
        let mut cursor = Cursor::new(&record);
        assert_eq!(cursor.terms(), Ok(terms()));
        assert_eq!(cursor.end(), Ok(()));

        let settings =
            Settings { off_until: Some(9), dedup_scope: DedupScope::Session, ..Settings::default() };
        let mut writer = Writer::default();
        writer.settings(&settings);
        assert_eq!(Cursor::new(&writer.finish()).settings(), Ok(settings));

        for test in [
            Test::Pattern(b"\x01\x02"),
            Test::Pattern(b""),
            Test::Words(vec!["big".into(), "cat".into()]),
            Test::Tool("Edit"),
        ] {
            let trigger = Trigger {
                kind: TriggerKind::PathPattern,
                document_frequency: 3,
                subjects: Subjects::default().with(Subject::Executable).with(Subject::Program),
                test,
                lessons: vec![1, 2, 9],
            };
            let mut writer = Writer::default();
            writer.trigger(&trigger);
            assert_eq!(Cursor::new(&writer.finish()).trigger(), Ok(trigger));
        }
    }

    #[test]
    fn pattern_notes_and_rules_are_read_as_they_were_written() {
        let clauses = vec![vec!["git".to_owned()], vec!["stash".to_owned(), "clean".to_owned()]];
        let note = PatternNote { pattern: "git", clauses: clauses.into(), endings: b"t" };
        let rule = Rule { lesson: 7, rule: "Look first.", topics: vec!["git", "shell"] };
        let agent_lesson = AgentLesson { lesson: 9, text: "Look first [valuable]\n" };
        let mut writer = Writer::default();
        writer.pattern_note(&note);
        writer.rule(&rule);
        writer.agent_lesson(&agent_lesson);
        writer.late_lesson(9, 1_769_817_600_000);
        let bytes = writer.finish();
        let mut cursor = Cursor::new(&bytes);
        assert_eq!((cursor.pattern_note(), cursor.rule()), (Ok(note), Ok(rule)));
        assert_eq!(cursor.agent_lesson(), Ok(agent_lesson));
        assert_eq!(cursor.late_lesson(), Ok((9, 1_769_817_600_000)));
        assert!(cursor.is_at_end());
        assert_eq!(cursor.rule(), Err(Corrupt));
    }

    #[test]
    fn build_notes_are_read_as_they_were_written() {
        let trusted = |settings: Option<&str>| TrustedRoot {
            root: "/srv/app".into(),
            sha256: "00".into(),
            settings: settings.map(ToOwned::to_owned),
        };
        let notes = BuildNotes {
            made_by: "0.1.0".into(),
            trusted: vec![trusted(None), trusted(Some("11"))],
            news: vec![News { id: "user/a".parse().unwrap(), at: 3, by: "you".into(), summary: "s".into() }],
            sources: Some(vec![
                AcceptedSource {
                    file: "lessons.json".into(),
                    state: Some(FileState(2, -3, 5)),
                    sha256: "22".into(),
                },
                AcceptedSource { file: "config.toml".into(), state: None, sha256: String::new() },
            ]),
            lost_refusals: vec![LostRefusal { id: "user/b".parse().unwrap(), reason: "r".into() }],
            weakened: vec![Weakened {
                id: "user/d".parse().unwrap(),
                at: 6,
                by: "you".into(),
                how: Weakening::Off { until: Some(7) },
            }],
            built_in: 79,
        };
        let mut writer = Writer::default();
        writer.build_notes(&notes);
        let bytes = writer.finish();
        assert_eq!(Cursor::new(&bytes).build_notes(), Ok(notes));
        for end in 0..bytes.len() {
            assert_eq!(Cursor::new(&bytes[..end]).build_notes(), Err(Corrupt), "{end}");
        }
    }

    #[test]
    fn a_record_that_ends_early_or_claims_too_much_is_damaged() {
        let mut writer = Writer::default();
        writer.terms(&terms(), |trigger| trigger);
        let record = writer.finish();
        for end in 0..record.len() {
            assert_eq!(Cursor::new(&record[..end]).terms(), Err(Corrupt), "{end}");
        }
        let mut huge = record;
        huge[0..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(Cursor::new(&huge).terms(), Err(Corrupt));
    }

    #[test]
    fn a_record_that_goes_on_is_damaged() {
        let mut writer = Writer::default();
        writer.terms(&terms(), |trigger| trigger);
        let mut record = writer.finish();
        record.push(0);
        let mut cursor = Cursor::new(&record);
        assert_eq!(cursor.terms(), Ok(terms()));
        assert!(!cursor.is_at_end());
        assert_eq!(cursor.end(), Err(Corrupt));
        assert_eq!(Cursor::new(&[]).end(), Ok(()));
    }

    #[test]
    fn terms_of_every_mode_time_and_view_are_read_as_they_were_written() {
        for mode in [Mode::Advise, Mode::Bump, Mode::Block] {
            for when in [When::Tool, When::Session] {
                for (subject, severity) in Subject::ALL.into_iter().zip(Severity::ALL) {
                    let terms =
                        Terms { mode, when, subject, severity, roots: None, off_until: None, ..terms() };
                    let mut writer = Writer::default();
                    writer.terms(&terms, |trigger| trigger);
                    assert_eq!(Cursor::new(&writer.finish()).terms(), Ok(terms));
                }
            }
        }
    }

    #[test]
    fn a_lesson_for_no_project_is_not_one_for_every_project() {
        for roots in [None, Some(vec![]), Some(vec!["/a".to_owned(), "/b".to_owned()])] {
            let terms = Terms { roots, ..terms() };
            let mut writer = Writer::default();
            writer.terms(&terms, |trigger| trigger);
            assert_eq!(Cursor::new(&writer.finish()).terms(), Ok(terms));
        }
    }

    #[test]
    fn settings_are_read_as_they_were_written() {
        for (enabled, off_until, dedup_scope) in
            [(true, None, DedupScope::Context), (false, Some(u64::MAX), DedupScope::Session)]
        {
            let settings = Settings {
                enabled,
                off_until,
                dedup_scope,
                budget_lessons: 2,
                budget_bytes: 3000,
                session_bytes: 2000,
                compaction_threshold: 9,
                agents: AgentSettings { lessons: 4, bytes: 500, protocol: !enabled },
                lot: Share::one_of(3).filter(|_| enabled).map(|share| Lot { salt: [7; 16], share }),
            };
            let mut writer = Writer::default();
            writer.settings(&settings);
            let record = writer.finish();
            assert_eq!(Cursor::new(&record).settings(), Ok(settings));
            for end in 0..record.len() {
                assert_eq!(Cursor::new(&record[..end]).settings(), Err(Corrupt), "{end}");
            }
        }
    }

    #[test]
    fn a_value_without_a_meaning_is_damage() {
        assert_eq!(Cursor::new(&[0]).flag(), Ok(false));
        assert_eq!(Cursor::new(&[1]).flag(), Ok(true));
        assert_eq!(Cursor::new(&[2]).flag(), Err(Corrupt));

        let mut writer = Writer::default();
        writer.terms(&terms(), |trigger| trigger);
        let record = writer.finish();
        // The mode, the time and the view of the command come behind the id and its length.
        let mode = 4 + "user/git-stash".len();
        // The conditions come before the last field, a flag and a time.
        let os = record.len() - 9 - 3;
        let codes = [(mode, 3), (mode + 1, 2), (mode + 2, 3), (mode + 4, 3), (mode + 5, 4)];
        let unknown = codes.into_iter().chain([(os, 8), (os + 1, 8), (os + 2, 8)]);
        for (at, first_unknown) in unknown {
            let mut damaged = record.clone();
            damaged[at] = first_unknown;
            assert_eq!(Cursor::new(&damaged).terms(), Err(Corrupt), "{at}");
        }

        let trigger = Trigger {
            kind: TriggerKind::Tool,
            document_frequency: 3,
            subjects: Subjects::default().with(Subject::Command),
            test: Test::Tool("Edit"),
            lessons: vec![1],
        };
        let mut writer = Writer::default();
        writer.trigger(&trigger);
        let record = writer.finish();
        // The kind is the first byte; what is tested comes behind it, the frequency and the views.
        for (at, first_unknown) in [(0, u8::try_from(TriggerKind::ALL.len()).unwrap()), (6, 3)] {
            let mut damaged = record.clone();
            damaged[at] = first_unknown;
            assert_eq!(Cursor::new(&damaged).trigger(), Err(Corrupt), "{at}");
        }
        for end in 0..record.len() {
            assert_eq!(Cursor::new(&record[..end]).trigger(), Err(Corrupt), "{end}");
        }
    }

    #[test]
    fn a_list_of_numbers_is_held_against_what_is_left() {
        let list = |count: u32, bytes: usize| [&count.to_le_bytes()[..], &vec![1; bytes]].concat();
        let one = u32::from_le_bytes([1; 4]);
        assert_eq!(Cursor::new(&list(0, 0)).shorts(), Ok(vec![]));
        assert_eq!(Cursor::new(&list(2, 8)).shorts(), Ok(vec![one, one]));
        assert_eq!(Cursor::new(&list(2, 7)).shorts(), Err(Corrupt));
        assert_eq!(Cursor::new(&list(u32::MAX, 8)).shorts(), Err(Corrupt));
    }
}
