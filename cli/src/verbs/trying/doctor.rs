//! `lessons doctor`: check the whole installation and suggest fixes.

use std::collections::{BTreeMap, BTreeSet};

use lessons_doctor::checks::findings;
use lessons_doctor::finding::{DoctorFinding, FindingSeverity, Fix};

use crate::prelude::*;

/// Arguments of `lessons doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Apply safe fixes: rebuild, finish interrupted changes, clean up, restore the database
    #[arg(long)]
    pub fix: bool,
}

/// The most findings of a code that are shown: those of a thousand lessons are mostly the same.
const SHOWN: usize = 10;

pub(crate) fn run(app: &App, args: &Doctor) -> Result<Exit> {
    let mut found = findings(app);
    let mut fixed = Vec::new();
    if args.fix {
        let wanted: BTreeSet<Fix> = found.iter().filter_map(|finding| finding.fix).collect();
        if !wanted.is_empty() {
            let results: Vec<String> = wanted.iter().map(|fix| format!("  {}", fix.result())).collect();
            app.agree(&format!("Fix what can be fixed safely, so that\n{}", results.join("\n")))?;
        }
        for fix in wanted {
            fixed.push(match fix.apply(app) {
                Ok(done) => done,
                Err(error) => format!("not fixed: {}", messages::sentence(&error)),
            });
        }
        if !fixed.is_empty() {
            found = findings(app);
        }
    }
    let ok = !found.iter().any(|finding| finding.severity == FindingSeverity::Error);
    let lines = lines(&fixed, &found);
    app.recorded(&Answer::new(lines, json!({ "ok": ok, "fixed": fixed, "findings": found })))?;
    Ok(if ok { Exit::Done } else { Exit::Findings })
}

/// The report in lines.
fn lines(fixed: &[String], findings: &[DoctorFinding]) -> Vec<String> {
    let mut lines: Vec<String> = fixed.iter().map(|done| format!("Fixed: {}", line(done))).collect();
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        let before = shown.entry(finding.code).or_default();
        *before += 1;
        if *before > SHOWN {
            continue;
        }
        lines.push(format!("{}: {} ({})", finding.severity, line(&finding.message), finding.code));
        lines.push(format!("    {}", line(&finding.remedy)));
    }
    for (code, all) in shown.into_iter().filter(|(_, all)| *all > SHOWN) {
        lines.push(format!("… and {} more {code}; `lessons doctor --json` has them all", all - SHOWN));
    }
    if findings.is_empty() {
        lines.push("All is well\nNext: lessons".to_owned());
        return lines;
    }
    let count = |severity| findings.iter().filter(|it| it.severity == severity).count();
    let errors = counted(count(FindingSeverity::Error), "error");
    let warnings = counted(count(FindingSeverity::Warning), "warning");
    lines.push(format!("{errors}, {warnings}, {}", counted(count(FindingSeverity::Note), "note")));
    let fixable = findings.iter().filter(|finding| finding.fix.is_some()).count();
    lines.extend((fixable > 0).then(|| format!("Next: lessons doctor --fix, which fixes {fixable} of them")));
    lines
}
