//! One topic, measured.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::case::{Case, MOST_STEPS, Topic};
use super::cases;
use super::contender::{Answer, Contender};
use super::count::{Counted, count};
use super::report::{CallRow, Report};
use super::sampling::{Effort, sample};
use super::scratch::{self, Scratch};

/// Measures a topic over stores of at most `largest` lessons and adds the rows to `report`.
pub(crate) fn measure(
    topic: Topic,
    scratch: &Scratch,
    largest: usize,
    effort: Effort,
    report: &mut Report,
) -> Result<()> {
    let cases = match topic {
        Topic::Short => cases::short(scratch, largest)?,
        Topic::Shared => cases::shared(scratch, largest)?,
        Topic::Quoted => cases::quoted(scratch, largest)?,
        Topic::Told => cases::told(scratch, cases::USUAL.min(largest))?,
        Topic::Crowd => vec![cases::crowd(scratch, cases::USUAL.min(largest))?],
        Topic::Edit => cases::edit(scratch, cases::USUAL.min(largest))?,
        Topic::Heredoc => cases::heredoc(scratch, cases::USUAL.min(largest))?,
        Topic::Megabyte => cases::megabyte(scratch, cases::USUAL.min(largest))?,
        Topic::Outside => cases::outside(scratch, cases::USUAL.min(largest))?,
        Topic::Cold => cases::cold(scratch, cases::USUAL.min(largest))?,
    };
    compare(scratch, topic, &cases, effort, report)
}

/// Runs the cases and the floors in turn, and adds a row for each.
fn compare(
    scratch: &Scratch,
    topic: Topic,
    cases: &[Case],
    effort: Effort,
    report: &mut Report,
) -> Result<()> {
    let Some(first) = cases.first() else { return Ok(()) };
    let floor = |path: &Path, answer: &'static str| Contender {
        path: path.to_owned(),
        answer: Answer::Bytes(answer),
        chilled: Vec::new(),
        ..first.contender.clone()
    };
    let floors = [
        ("the exit floor", floor(&scratch.floors.empty, "")),
        ("the floor of input and output", floor(&scratch.floors.drain, "{}")),
        ("`/bin/true`", floor(&PathBuf::from("/bin/true"), "")),
    ];
    let mut contenders: Vec<Contender> = floors.iter().map(|(_, contender)| contender.clone()).collect();
    contenders.extend(cases.iter().map(|case| case.contender.clone()));
    let check = || cases.iter().try_for_each(|case| case.check_sees_lessons(scratch));
    check()?;
    let samples = sample(&contenders, effort)?;
    check()?;
    let (of_floors, of_cases) = samples.split_at(floors.len());
    let [empty, _, truth] = of_floors else { return Ok(()) };

    // The floors differ only with the payload: most topics have small ones, one has a large one.
    if matches!(topic, Topic::Short | Topic::Megabyte) {
        for ((label, _), samples) in floors.iter().zip(of_floors) {
            report.calls.push(CallRow::of_floor(topic, label, samples, empty));
        }
    }
    for (case, samples) in cases.iter().zip(of_cases) {
        let counted = counted(topic, case)?;
        report.calls.push(CallRow::of_case(topic, case, samples, empty, truth, counted));
    }
    for case in cases {
        scratch.put_sessions_aside(&case.store)?;
    }
    scratch::remove(&scratch.runtime.join("lessons"))
}

/// Counts what a call does. The counts of a call with a cold cache are those of the same call with a warm one. The hook
/// after a call looks at the processor time that it has used, and single steps use up all that it may.
fn counted(topic: Topic, case: &Case) -> Result<Option<Counted>> {
    match topic {
        Topic::Cold | Topic::Outside => Ok(None),
        _ => count(&case.contender, MOST_STEPS).map(Some),
    }
}
