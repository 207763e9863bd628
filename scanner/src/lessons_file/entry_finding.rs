//! The finding that an entry becomes.

use lessons_ledger::recording::ENTRY;
use lessons_ledger::{Finding, Insight, Proposal, Reason, Sighting};
use lessons_lesson::lesson::{MAX_SUMMARY_CHARS, MAX_TEXT_CHARS};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_text::{digest, neutral};

use crate::detect::{Detector, aim_of_entry, with_trigger};
use crate::lesson_entries::{Entry, Label};
use crate::run::cleaner::{Cleaner, without_markers};
use crate::run::finding::doubts_about;
use crate::tag::trial::fired_advice;
use crate::transcript::timestamp::Timestamp;

/// The number of hex digits of an entry's id.
const ID_DIGITS: usize = 32;
/// The states of an entry that does not hold any more.
const PAST: [&str; 8] =
    ["wont_fix", "won't fix", "deprecated", "archived", "superseded", "inactive", "disabled", "obsolete"];

/// The finding, and the place of the entry. An error says why it is none.
pub(super) fn finding(
    entry: &Entry,
    file: &str,
    project: Option<&str>,
    now: u64,
) -> Result<(Finding, Sighting), String> {
    let status = entry.text(Label::Status).to_lowercase();
    if PAST.contains(&status.as_str()) {
        return Err(format!("its status is {status}"));
    }
    let mut cleaner = Cleaner::default();
    let given = |label: Label| Some(entry.text(label)).filter(|text| !text.is_empty());
    let summary = given(Label::Summary);
    let (rule, about) = given(Label::Rule).map_or((summary, None), |rule| (Some(rule), summary));
    let rule = cleaner.clean(rule.unwrap_or_default());
    let length = rule.chars().count();
    if rule.is_empty() {
        return Err("it says no rule".to_owned());
    }
    if length > MAX_TEXT_CHARS {
        return Err(format!("its rule has {length} characters, more than {MAX_TEXT_CHARS}; split it there"));
    }
    let mut short = |text: &str| neutral::shortened(&cleaner.clean(text), MAX_TEXT_CHARS);
    let mistake = short(given(Label::Mistake).or(about).unwrap_or_default());
    let [why, detail] = [Label::Why, Label::Detail].map(|label| given(label).map(&mut short));
    let says_more = !entry.title.is_empty() && !entry.is_filed() && !rule.starts_with(&entry.title);
    let title =
        (says_more && entry.title.chars().count() <= MAX_SUMMARY_CHARS).then(|| cleaner.clean(&entry.title));
    let texts = [&mistake, &rule].into_iter().chain(&why).chain(&detail).chain(&title);
    let doubts = doubts_about(cleaner.doubts(), texts);
    let proposal = proposal(entry, &rule, &mistake);
    let name =
        project.and_then(|root| file.strip_prefix(root)).map_or(file, |rest| rest.trim_start_matches('/'));
    let finding = Finding {
        source: Detector::Written.name().into(),
        why,
        proposal,
        flags: doubts,
        evidence: vec![format!("written in: {name}:{}", entry.line)],
        basis: vec![Reason::new(65, "it is written in a file of lessons")],
        insight: Insight { title, detail, ..Insight::default() },
        mistake,
        fix: rule,
        ..Finding::default()
    };
    let begin = |day: &String| Timestamp::parse(&format!("{day}T00:00:00Z")).map(Timestamp::millis);
    let day = entry.date.as_ref().and_then(begin).filter(|day| *day < now);
    let parts = [file, &finding.fix, &finding.mistake].map(str::as_bytes);
    let id = digest::hex_of_parts(&parts, ID_DIGITS);
    let sighting = Sighting {
        uuid: format!("{ENTRY}{id}"),
        session: digest::hex(file.as_bytes(), ID_DIGITS),
        file: file.to_owned(),
        line: entry.line as u64,
        project: project.map(str::to_owned),
        time: day.unwrap_or(now),
        ..Sighting::default()
    };
    Ok((finding, sighting))
}

/// The triggers that the file gives, else those of the code, the commands and the paths in its texts. They are tried: what
/// would fire on what the rule advises is none.
fn proposal(entry: &Entry, rule: &str, mistake: &str) -> Proposal {
    let mut proposal = entry.proposal.clone();
    if proposal.triggers.is_empty() {
        proposal = aim_of_entry(rule, mistake);
    }
    if proposal.triggers.is_empty() {
        let files = entry.text(Label::Files).split([',', ' ']).map(|file| file.trim_matches(['`', '"']));
        let is_inside =
            |file: &&str| file.contains('.') && !file.starts_with(['/', '~', '.']) && !file.contains("..");
        let globs: Vec<Trigger> =
            files.filter(is_inside).map(|file| Trigger::new(TriggerKind::FileGlob, file)).collect();
        if let Some(first) = globs.first() {
            proposal = Proposal { triggers: globs.clone(), ..with_trigger(first.clone()) };
        }
    }
    let proposal = without_markers(proposal);
    if fired_advice(&proposal, rule, "").is_empty() { proposal } else { Proposal::default() }
}
