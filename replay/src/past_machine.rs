//! This machine, as it was at a past call.

use lessons_home::ThisMachine;
use lessons_lesson::project::{Disk, Machine};
use lessons_lesson::{Os, Shell};

/// This machine at a past call. Nobody knows what was on its disk, so every path counts as missing: a replay may count
/// calls at which a lesson on missing paths would have kept quiet, and leaves none out.
#[derive(Debug)]
pub(crate) struct PastMachine;

impl Machine for PastMachine {
    fn os(&self) -> Option<Os> {
        ThisMachine.os()
    }

    fn shell(&self) -> Option<Shell> {
        ThisMachine.shell()
    }
}

impl Disk for PastMachine {
    fn holds(&self, _: &str) -> bool {
        false
    }

    fn small_file(&self, _: &str) -> Option<String> {
        None
    }
}
