//! The file to which lines belong, and what becomes of what is found in them.

use std::cell::OnceCell;
use std::path::Path;

use lessons_ledger::recording::ScanItem;
use lessons_ledger::{Sighting, Signal};

use super::SessionScanner;
use crate::detect::Draft;
use crate::echo::Provenance;
use crate::run::finding::{self, Circumstances};
use crate::run::report::Report;
use crate::run::{intake_marks, session_facts};
use crate::tag::Block;
use crate::tag::lines::PlacedBlock;
use crate::transcript::LineInfo;
use crate::transcript::walk::Session;

/// The reason why a tag does not count in a session in which a model was asked for lessons.
const REFLECTING: &str = "in a session of /lessons:reflect";

/// The file to which lines belong.
pub(super) struct FileContext<'v> {
    pub(super) scanner: &'v SessionScanner<'v>,
    pub(super) session: &'v Session,
    /// The number of the file in the session.
    pub(super) index: usize,
    pub(super) path: &'v Path,
    /// The name of the transcript in the database.
    pub(super) name: String,
    pub(super) agent_type: OnceCell<Option<String>>,
}

impl FileContext<'_> {
    /// The change to the database that a block makes. `None` for a cancel that is not obeyed, and for a
    /// tag of a session in which a model was asked for lessons.
    pub(super) fn found(
        &self,
        block: &PlacedBlock,
        circumstances: Circumstances,
        report: &mut Report,
    ) -> Option<ScanItem<'static>> {
        let said = &block.said;
        let Circumstances { provenance, fenced, .. } = circumstances;
        match &block.found.block {
            Block::Lesson(_) if self.scanner.reflecting.contains(&self.session_of(said)) => {
                *report.void.entry(REFLECTING.to_owned()).or_default() += 1;
                None
            }
            Block::Lesson(tag) => {
                report.echoes += usize::from(provenance == Provenance::Echo);
                report.unchecked += usize::from(provenance == Provenance::Unchecked);
                let mut finding = Box::new(finding::of_tag(tag, circumstances));
                let sighting = self.sighting(said, block.line);
                let agent = sighting.agent_type.as_deref();
                finding.marks = intake_marks::marks(&finding, agent, &self.scanner.options.domains);
                Some(ScanItem::Seen { finding, sighting })
            }
            // A cancel works at once, so one that may be quoted does not.
            Block::Cancel(_) if provenance != Provenance::Own || fenced => {
                report.cancels_ignored += 1;
                None
            }
            Block::Cancel(cancel) => {
                let cancel = finding::of_cancel(cancel);
                Some(ScanItem::TakenBack {
                    uuid: format!("{}#{}", said.uuid, block.number),
                    session: self.session_of(said),
                    fits: Box::new(move |mistake, trigger| cancel.fits(mistake, trigger)),
                })
            }
        }
    }

    /// The signal that is stored for a detection.
    pub(super) fn note(&self, draft: Draft<'_>) -> Signal {
        let sighting = Sighting { uuid: draft.uuid(), ..self.sighting(draft.origin(), draft.line()) };
        draft.into_signal(sighting)
    }

    /// The sighting of something in a line.
    pub(super) fn sighting(&self, said: &LineInfo, line: u64) -> Sighting {
        let beside = || self.agent_type.get_or_init(|| session_facts::agent_type(self.path)).clone();
        let own = said.agent.as_ref();
        Sighting {
            uuid: said.uuid.clone(),
            file: self.name.clone(),
            line,
            session: self.session_of(said),
            project: said.cwd.as_deref().map(|cwd| self.scanner.projects().root_of(cwd)),
            agent_id: own.and_then(|agent| agent.id.clone()),
            agent_type: own.and_then(|agent| agent.kind.clone()).or_else(beside),
            model: said.model.clone(),
            time: said.time.unwrap_or(self.scanner.options.now).millis(),
        }
    }

    /// The session that a line belongs to: the one that it names, or the one whose file it is in.
    pub(super) fn session_of(&self, said: &LineInfo) -> String {
        said.session.clone().unwrap_or_else(|| self.session.id())
    }
}
