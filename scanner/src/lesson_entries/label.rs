//! The labels of the parts of an entry, such as `**Rule:**`, `### Suggested Action` and the head of a column.

/// What the parts are called.
const NAMES: &str = include_str!("labels.txt");

lessons_text::named! {
    /// The part of an entry that a label begins.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum Label {
        Rule = "rule",
        Summary = "summary",
        Mistake = "mistake",
        Why = "why",
        Detail = "detail",
        Date = "date",
        Files = "files",
        Status = "status",
        /// What is no part of a lesson.
        Other = "other",
    }
}

impl Label {
    /// The label that is called so.
    pub(crate) fn called(name: &str) -> Option<Self> {
        let name = name.trim().trim_end_matches(':').trim().to_lowercase();
        let rows = NAMES.lines().filter_map(|row| row.split_once(" | "));
        let part = rows.into_iter().find(|(_, names)| names.split("; ").any(|known| known == name))?.0;
        Self::named(part)
    }

    /// The label of a line such as `Rule: use pnpm`, and what follows it.
    pub(crate) fn of_line(line: &str) -> Option<(Self, &str)> {
        let (name, rest) = line.split_once(':')?;
        Some((Self::called(name)?, rest.trim()))
    }

    /// Whether it begins a text, and not a word or two.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Rule | Self::Summary | Self::Mistake | Self::Why | Self::Detail)
    }
}
