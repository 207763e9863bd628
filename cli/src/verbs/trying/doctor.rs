//! `lessons doctor`: check the whole installation and suggest fixes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::Result;
use clap::Args;
use lessons_context::error::Exit;
use lessons_text::neutral::line;
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::App;
use crate::doctor::fix::Fix;
use crate::doctor::{DoctorFinding, FindingSeverity, findings};
use crate::ui::messages;

/// Arguments of `lessons doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Apply safe fixes: rebuild, finish interrupted changes, clean up, restore the database
    #[arg(long)]
    pub fix: bool,
}

/// The most findings of a code that are shown: those of a thousand lessons are mostly the same.
const SHOWN: usize = 10;

/// The answer: all findings.
#[derive(Debug, Serialize)]
struct DoctorReport {
    /// Whether there is no error among them.
    ok: bool,
    /// What was fixed, or why it could not be.
    fixed: Vec<String>,
    findings: Vec<DoctorFinding>,
}

pub(crate) fn run(app: &App, args: &Doctor) -> Result<Exit> {
    let mut found = findings(app);
    let mut fixed = Vec::new();
    if args.fix {
        let wanted: BTreeSet<Fix> = found.iter().filter_map(|finding| finding.fix).collect();
        if !wanted.is_empty() {
            let purposes: Vec<String> = wanted.iter().map(|fix| format!("  {}", fix.purpose())).collect();
            app.agree(&format!("Fix what can be fixed safely\n{}", purposes.join("\n")))?;
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
    app.recorded(&DoctorReport { ok, fixed, findings: found })?;
    Ok(if ok { Exit::Done } else { Exit::Findings })
}

impl fmt::Display for DoctorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for done in &self.fixed {
            writeln!(f, "Fixed: {}", line(done))?;
        }
        let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in &self.findings {
            let before = shown.entry(finding.code).or_default();
            *before += 1;
            if *before > SHOWN {
                continue;
            }
            let word = match finding.severity {
                FindingSeverity::Error => "error",
                FindingSeverity::Warning => "warning",
                FindingSeverity::Note => "note",
            };
            writeln!(f, "{word}: {} ({})", line(&finding.message), finding.code)?;
            writeln!(f, "    {}", line(&finding.remedy))?;
        }
        for (code, all) in shown.into_iter().filter(|(_, all)| *all > SHOWN) {
            writeln!(f, "… and {} more {code}; `lessons doctor --json` has them all", all - SHOWN)?;
        }
        let count = |severity| self.findings.iter().filter(|it| it.severity == severity).count();
        let fixable = self.findings.iter().filter(|finding| finding.fix.is_some()).count();
        match (count(FindingSeverity::Error), count(FindingSeverity::Warning), count(FindingSeverity::Note)) {
            (0, 0, 0) => write!(f, "All is well\nNext: lessons")?,
            (errors, warnings, notes) => write!(
                f,
                "{}, {}, {}",
                counted(errors, "error"),
                counted(warnings, "warning"),
                counted(notes, "note")
            )?,
        }
        if fixable > 0 {
            write!(f, "\nNext: lessons doctor --fix, which fixes {fixable} of them")?;
        }
        Ok(())
    }
}
