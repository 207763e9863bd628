//! The types of incidents and the sources of texts.

pub use lessons_lesson::lesson::Severity;

lessons_text::named! {
    /// The type of an incident.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum IncidentType {
        /// A text gave the agent orders.
        InjectionBlocked = "injection_blocked",
        /// A text came from where it cannot be trusted.
        TrustViolation = "trust_violation",
        /// Two lessons contradicted each other.
        ContradictionPattern = "contradiction_pattern",
        /// A person reported the text.
        UserReported = "user_reported",
        /// A memory turned out to be false. Reserved: nothing records it.
        FalseMemory = "false_memory",
    }
}

lessons_text::named! {
    /// The kind of the source that a text came from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[allow(missing_docs, reason = "the names say it")]
    pub enum SourceKind {
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
    }
}

lessons_text::named! {
    /// What a person decided about an incident.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Standing {
        /// A person retired it: texts like it pass, also if they raise rules.
        Retired = "retired",
        /// Nobody decided anything: texts like it are recognised.
        Active = "active",
        /// A person confirmed it: it is critical, and its text is withheld whatever it comes from.
        Confirmed = "confirmed",
    }
}
