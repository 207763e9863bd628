//! Consent: the permission for a change, asked when the change is known in full and before a row of it is written.
//!
//! The journal asks it for every change (see [`super`]), so no command can forget to ask.

use std::fmt;
use std::sync::Arc;

use super::Difference;

/// The refusal of a change. Nothing of the change was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConsentRefused(pub String);

/// A function that permits or refuses a change, given everything that it changes.
type Ask = dyn Fn(&[Difference]) -> Result<(), ConsentRefused> + Send + Sync;

/// The permission for the changes of a command.
#[derive(Clone, Default)]
pub enum Consent {
    /// Every change is permitted: a person decided, or the change decides nothing.
    #[default]
    Given,
    /// Each change is put to a function first.
    Asked(Arc<Ask>),
}

impl Consent {
    /// Consent that is asked of `ask` for each change.
    pub fn asked(ask: impl Fn(&[Difference]) -> Result<(), ConsentRefused> + Send + Sync + 'static) -> Self {
        Self::Asked(Arc::new(ask))
    }

    /// Asks for a change.
    pub(crate) fn to(&self, changes: &[Difference]) -> Result<(), ConsentRefused> {
        match self {
            Self::Given => Ok(()),
            Self::Asked(ask) => ask(changes),
        }
    }
}

impl fmt::Debug for Consent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given => "Given",
            Self::Asked(_) => "Asked",
        })
    }
}
