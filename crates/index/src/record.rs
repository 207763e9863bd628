//! Records: the encoding of settings, lessons, texts and triggers in the index.
//!
//! Numbers are little-endian. A text is its length in four bytes and its UTF-8; a list is its length in four bytes and
//! its items; an optional value has a byte 0 or 1 in front. Values that no call needs are JSON.

mod types;
mod value;

pub use types::{AgentLesson, PatternNote, Rule, Subjects, Test, Trigger};
pub use value::Value;
pub(crate) use value::structs;

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
    use std::fmt::Debug;

    fn written<'a>(value: &impl Value<'a>) -> Vec<u8> {
        let mut record = Vec::new();
        value.write(&mut record);
        record
    }

    /// Reads the value at the start of a record.
    fn read<'a, T: Value<'a>>(mut record: &'a [u8]) -> Result<T, Corrupt> {
        T::read(&mut record)
    }

    /// Checks that a value is read as it was written, and that no part of its record is.
    #[track_caller]
    fn is_read_whole_alone<T: for<'a> Value<'a> + PartialEq + Debug>(value: &T) {
        let record = written(value);
        assert_eq!(read::<T>(&record).as_ref(), Ok(value));
        for end in 0..record.len() {
            assert_eq!(read::<T>(&record[..end]), Err(Corrupt), "{end}");
        }
    }

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
        is_read_whole_alone(&terms());
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
            assert_eq!(read(&written(&trigger)), Ok(trigger));
        }
    }

    #[test]
    fn pattern_notes_and_rules_are_read_as_they_were_written() {
        let clauses = vec![vec!["git".to_owned()], vec!["stash".to_owned(), "clean".to_owned()]];
        let note = PatternNote { pattern: "git", clauses: clauses.into(), endings: b"t" };
        let rule = Rule { lesson: 7, rule: "Look first.", topics: vec!["git", "shell"] };
        let agent_lesson = AgentLesson { lesson: 9, text: "Look first [valuable]\n" };
        let late_lesson = (9_u32, 1_769_817_600_000_u64);
        let record = [written(&note), written(&rule), written(&agent_lesson), written(&late_lesson)].concat();
        let left = &mut record.as_slice();
        assert_eq!((Value::read(left), Value::read(left)), (Ok(note), Ok(rule)));
        assert_eq!((Value::read(left), Value::read(left)), (Ok(agent_lesson), Ok(late_lesson)));
        assert!(left.is_empty());
        assert_eq!(Rule::read(left), Err(Corrupt));
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
        is_read_whole_alone(&notes);
    }

    #[test]
    fn a_record_that_ends_early_or_claims_too_much_is_damaged() {
        is_read_whole_alone(&terms());
        let mut huge = written(&terms());
        huge[0..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(read::<Terms>(&huge), Err(Corrupt));
    }

    #[test]
    fn what_follows_a_value_is_left() {
        let record = [written(&terms()), vec![7]].concat();
        let left = &mut record.as_slice();
        assert_eq!(Value::read(left), Ok(terms()));
        assert_eq!(*left, [7]);
    }

    #[test]
    fn terms_of_every_mode_time_and_view_are_read_as_they_were_written() {
        for mode in [Mode::Advise, Mode::Bump, Mode::Block] {
            for when in [When::Tool, When::Session] {
                for (subject, severity) in Subject::ALL.into_iter().zip(Severity::ALL) {
                    let terms =
                        Terms { mode, when, subject, severity, roots: None, off_until: None, ..terms() };
                    assert_eq!(read(&written(&terms)), Ok(terms));
                }
            }
        }
    }

    #[test]
    fn a_lesson_for_no_project_is_not_one_for_every_project() {
        for roots in [None, Some(vec![]), Some(vec!["/a".to_owned(), "/b".to_owned()])] {
            let terms = Terms { roots, ..terms() };
            assert_eq!(read(&written(&terms)), Ok(terms));
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
            is_read_whole_alone(&settings);
        }
    }

    #[test]
    fn a_value_without_a_meaning_is_damage() {
        assert_eq!(read(&[0]), Ok(false));
        assert_eq!(read(&[1]), Ok(true));
        assert_eq!(read::<bool>(&[2]), Err(Corrupt));

        let record = written(&terms());
        // The mode, the time and the view of the command come behind the id and its length.
        let mode = 4 + "user/git-stash".len();
        // The conditions come before the last field, a flag and a time.
        let os = record.len() - 9 - 3;
        let codes = [(mode, 3), (mode + 1, 2), (mode + 2, 3), (mode + 4, 3), (mode + 5, 4)];
        let unknown = codes.into_iter().chain([(os, 8), (os + 1, 8), (os + 2, 8)]);
        for (at, first_unknown) in unknown {
            let mut damaged = record.clone();
            damaged[at] = first_unknown;
            assert_eq!(read::<Terms>(&damaged), Err(Corrupt), "{at}");
        }

        let trigger = Trigger {
            kind: TriggerKind::Tool,
            document_frequency: 3,
            subjects: Subjects::default().with(Subject::Command),
            test: Test::Tool("Edit"),
            lessons: vec![1],
        };
        let record = written(&trigger);
        // The kind is the first byte; what is tested comes behind it, the frequency and the views.
        for (at, first_unknown) in [(0, u8::try_from(TriggerKind::ALL.len()).unwrap()), (6, 3)] {
            let mut damaged = record.clone();
            damaged[at] = first_unknown;
            assert_eq!(read::<Trigger<'_>>(&damaged), Err(Corrupt), "{at}");
        }
        for end in 0..record.len() {
            assert_eq!(read::<Trigger<'_>>(&record[..end]), Err(Corrupt), "{end}");
        }
    }

    #[test]
    fn a_list_of_numbers_is_held_against_what_is_left() {
        let list = |count: u32, bytes: usize| [&count.to_le_bytes()[..], &vec![1; bytes]].concat();
        let one = u32::from_le_bytes([1; 4]);
        assert_eq!(read::<Vec<u32>>(&list(0, 0)), Ok(vec![]));
        assert_eq!(read(&list(2, 8)), Ok(vec![one, one]));
        assert_eq!(read::<Vec<u32>>(&list(2, 7)), Err(Corrupt));
        assert_eq!(read::<Vec<u32>>(&list(u32::MAX, 8)), Err(Corrupt));
    }
}
