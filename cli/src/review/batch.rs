//! A file of decisions.
//!
//! A person agrees to one line, which names every candidate and its decision and ends with a hash of the file. When
//! the file is carried out, the line is worked out again, and any difference stops it: what was agreed to is what is
//! done. The line holds ids and fixed words, and no recorded text, because the client shows it and it is typed into a
//! shell.

use std::path::Path;

use anyhow::{Context, Result, bail};
use lessons_text::digest;
use serde::Deserialize;

use super::carry_out::PlannedDecision;
use super::decision::{Acceptance, Decision};
use crate::app::Refused;
use crate::args::Fields;
use crate::fields;
use crate::json_input::{self, Input};

/// The number of digits of a candidate's id in the line.
const ID_DIGITS: usize = 8;
/// The number of digits of the file's hash in the line.
const SUM_DIGITS: usize = 16;

/// Decisions that are carried out together.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) decisions: Vec<Decision>,
    /// The hash of the file.
    sum: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    decisions: Vec<Decision>,
}

impl Batch {
    /// Reads a file of decisions; `-` is standard input.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let Input { name, bytes } = Input::read(path)?;
        Self::parse(&bytes).with_context(|| name)
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let file: File = serde_json::from_slice(bytes).map_err(|error| {
            let error = json_input::complaint(&error);
            Refused(format!("{error}; `lessons review --help` shows what a file of decisions looks like"))
        })?;
        if file.decisions.is_empty() {
            bail!(Refused("there is no decision in it".into()));
        }
        Ok(Self { decisions: file.decisions, sum: digest::hex(bytes, SUM_DIGITS) })
    }

    /// The line that a person agrees to.
    pub(crate) fn line(&self, planned: &[PlannedDecision]) -> String {
        let mut groups: [(&str, Vec<String>); 5] =
            ["promote", "edit", "merge", "reject", "skip"].map(|name| (name, Vec::new()));
        for (decision, planned) in self.decisions.iter().zip(planned) {
            let id: String = planned.candidate.chars().take(ID_DIGITS).collect();
            let lesson = planned.lesson().map_or("a lesson that has it", |lesson| lesson.id.as_str());
            let although =
                |accept: &Option<Acceptance>| accept.as_ref().map(|_| "although flagged".to_owned());
            let (group, told) = match decision {
                Decision::Promote { fields, accept, .. } => {
                    (0, format!("{id}{}", remarks(changes(fields).into_iter().chain(although(accept)))))
                }
                Decision::Edit { fields, accept, .. } => {
                    let remarks = remarks(changes(fields).into_iter().chain(although(accept)));
                    (1, format!("{id} into {lesson}{remarks}"))
                }
                Decision::Merge { accept, .. } => {
                    (2, format!("{id} into {lesson}{}", remarks(although(accept))))
                }
                Decision::Reject { .. } => (3, id),
                Decision::Skip { .. } => (4, id),
            };
            if let Some((_, members)) = groups.get_mut(group) {
                members.push(told);
            }
        }
        let groups = groups.into_iter().filter(|(_, members)| !members.is_empty());
        let told: Vec<String> = groups
            .map(|(name, members)| format!("{name} {} ({})", members.len(), members.join("; ")))
            .collect();
        format!("{}; file {}", told.join(", "), self.sum)
    }
}

fn remarks(remarks: impl IntoIterator<Item = String>) -> String {
    let remarks: Vec<String> = remarks.into_iter().collect();
    if remarks.is_empty() { String::new() } else { format!(" {}", remarks.join(" ")) }
}

/// The person's changes in fixed words, the mode first: it matters most.
fn changes(fields: &Fields) -> Vec<String> {
    let mode = fields.mode.map(|mode| match mode {
        lessons_lesson::lesson::Mode::Advise => "that advises".to_owned(),
        lessons_lesson::lesson::Mode::Bump => "that stops a call once".to_owned(),
        lessons_lesson::lesson::Mode::Block => "that ALWAYS STOPS a call".to_owned(),
    });
    let given = fields::given(fields);
    let own = (!given.is_empty()).then(|| format!("with changed {}", given.join(" ")));
    mode.into_iter().chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_a_whole_or_not_at_all() {
        let good = br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}]}"#;
        assert_eq!(Batch::parse(good).unwrap().decisions.len(), 1);
        for bad in [
            &b"[]"[..],
            br#"{"decisions": []}"#,
            br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}, {}]}"#,
            br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}], "apply": true}"#,
            b"",
        ] {
            let error = Batch::parse(bad).unwrap_err();
            assert!(error.is::<Refused>(), "{error}");
        }
    }

    #[test]
    fn another_file_is_another_sum() {
        let sum = |text: &str| Batch::parse(text.as_bytes()).unwrap().sum;
        let one = sum(r#"{"decisions": [{"do": "reject", "candidate": "3f2a", "reason": "a"}]}"#);
        let other = sum(r#"{"decisions": [{"do": "reject", "candidate": "3f2a", "reason": "b"}]}"#);
        assert_ne!(one, other);
        assert_eq!(one.len(), SUM_DIGITS);
    }

    #[test]
    fn what_a_person_changed_is_named_and_never_quoted() {
        let fields: Fields = serde_json::from_str(
            r#"{"rule": "'; rm -rf / #", "mode": "block", "trigger": ["cmd=$(id)"], "priority": 9}"#,
        )
        .unwrap();
        assert_eq!(remarks(changes(&fields)), " that ALWAYS STOPS a call with changed rule trigger priority");
    }
}
