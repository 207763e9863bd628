//! The types of incidents and the sources of texts.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use lessons_lesson::lesson::Severity;

/// The type of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IncidentType {
    /// A text gave the agent orders.
    InjectionBlocked,
    /// A text came from where it cannot be trusted.
    TrustViolation,
    /// Two lessons contradicted each other.
    ContradictionPattern,
    /// A person reported the text.
    UserReported,
    /// A memory turned out to be false. Reserved: nothing records it.
    FalseMemory,
}

/// The kind of the source that a text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum SourceKind {
    Web,
    Mcp,
    File,
    Command,
    Candidate,
    Store,
    Import,
    Shared,
    Memory,
    Person,
}

/// What a person decided about an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// A person retired it: texts like it pass, also if they raise rules.
    Retired,
    /// Nobody decided anything: texts like it are recognised.
    Active,
    /// A person confirmed it: it is critical, and its text is withheld whatever it comes from.
    Confirmed,
}

/// The reason why a text names no value of a type.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{given}` is not one of {expected}")]
pub struct UnknownName {
    given: String,
    expected: String,
}

/// Writes and reads a type by the names of its values.
macro_rules! named {
    ($type:ident { $($value:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// Every value, in the order of the definition.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// The name of the value, as files and people write it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$value => $name),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(given: &str) -> Result<Self, UnknownName> {
                Self::ALL.iter().copied().find(|value| value.name() == given).ok_or_else(|| UnknownName {
                    given: given.to_owned(),
                    expected: [$($name),+].join(", "),
                })
            }
        }
    };
}

named!(IncidentType {
    InjectionBlocked = "injection_blocked",
    TrustViolation = "trust_violation",
    ContradictionPattern = "contradiction_pattern",
    UserReported = "user_reported",
    FalseMemory = "false_memory",
});

named!(Standing {
    Retired = "retired",
    Active = "active",
    Confirmed = "confirmed",
});

named!(SourceKind {
    Web = "web",
    Mcp = "mcp",
    File = "file",
    Command = "command",
    Candidate = "candidate",
    Store = "store",
    Import = "import",
    Shared = "shared",
    Memory = "memory",
    Person = "person",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_serde_writes_and_leads_back() {
        for kind in IncidentType::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(kind.name().parse(), Ok(*kind));
        }
        for kind in SourceKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(kind.name().parse(), Ok(*kind));
        }
        let error = "injection".parse::<IncidentType>().unwrap_err();
        assert!(error.to_string().starts_with("`injection` is not one of injection_blocked, "));
    }
}
