//! The labels of the parts of an entry, such as `**Rule:**`, `### Suggested Action` and the head of a column.

/// The part of an entry that a label begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    Rule,
    Summary,
    Mistake,
    Why,
    Detail,
    Date,
    Files,
    Status,
    /// What is no part of a lesson.
    Other,
}

/// What the parts are called, in lower case.
const NAMES: [(Label, &[&str]); 9] = [
    (
        Label::Rule,
        &[
            "rule",
            "rules",
            "fix",
            "lesson",
            "lesson learned",
            "solution",
            "correction",
            "prevention",
            "suggested action",
            "suggested fix",
            "action",
            "how to apply",
            "instead",
            "do instead",
            "correct",
            "correct approach",
            "takeaway",
            "next time",
            "resolution",
            "prevention rule",
            "what to do instead",
            "pattern to follow",
            "do",
        ],
    ),
    (Label::Summary, &["summary", "title", "learning"]),
    (
        Label::Mistake,
        &[
            "mistake",
            "problem",
            "what happened",
            "what went wrong",
            "issue",
            "wrong",
            "symptom",
            "symptoms",
            "error",
            "anti-pattern",
            "the mistake",
            "bug",
            "don't",
        ],
    ),
    (Label::Why, &["why", "reason", "root cause", "cause", "rationale", "why it matters"]),
    (
        Label::Detail,
        &[
            "details",
            "detail",
            "context",
            "example",
            "examples",
            "pattern",
            "outcome",
            "detection",
            "evidence",
            "notes",
        ],
    ),
    (Label::Date, &["date", "logged", "added", "learned", "when"]),
    (Label::Files, &["related files", "files", "file", "applies to", "scope", "where"]),
    (Label::Status, &["status"]),
    (
        Label::Other,
        &[
            "metadata",
            "priority",
            "area",
            "tags",
            "tag",
            "source",
            "see also",
            "related",
            "reproducible",
            "severity",
            "category",
            "confidence",
            "pattern-key",
            "recurrence-count",
            "first-seen",
            "last-seen",
            "id",
            "trigger",
        ],
    ),
];

impl Label {
    /// The label that is called so.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = name.trim().trim_end_matches(':').trim().to_lowercase();
        NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(label, _)| *label)
    }

    /// The label of a line such as `Rule: use pnpm`, and what follows it.
    pub(super) fn of_line(line: &str) -> Option<(Self, &str)> {
        let (name, rest) = line.split_once(':')?;
        Some((Self::named(name)?, rest.trim()))
    }

    /// Whether it begins a text, and not a word or two.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Rule | Self::Summary | Self::Mistake | Self::Why | Self::Detail)
    }
}
