//! The entries of files of lessons, as they are written: Markdown under labels, points or prose, with or without front matter.
//! What becomes of them is the business of others.

mod document;
mod entry;
mod front_matter;
mod label;

pub(crate) use document::documents;
pub(crate) use entry::Entry;
pub(crate) use front_matter::entry as of_front_matter;
pub(crate) use label::Label;

/// The entries of a text that say a rule and a mistake or a summary, each under its label as in a file of lessons: the rule,
/// and that mistake or summary.
pub(crate) fn labelled(text: &str) -> Vec<(String, String)> {
    let entries = documents(text).into_iter().flat_map(|document| document.entries());
    let both = |entry: Entry| {
        let about = [Label::Mistake, Label::Summary].into_iter().find(|label| entry.has(*label))?;
        entry.has(Label::Rule).then(|| (entry.text(Label::Rule).to_owned(), entry.text(about).to_owned()))
    };
    entries.filter_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entries_that_say_why_under_a_label_are_found() {
        let filed = "## [LRN-1] x\n### Summary\nuv, not pip\n### Suggested Action\nUse `uv add`.\n";
        let both = |rule: &str, why: &str| (rule.to_owned(), why.to_owned());
        assert_eq!(labelled(filed), [both("Use `uv add`.", "uv, not pip")]);
        let two = "**Mistake:** a\n**Rule:** b\n\n- Some point\n\n## Two\n**Mistake:** c\n**Rule:** d\n";
        assert_eq!(labelled(two), [both("b", "a"), both("d", "c")]);
        assert_eq!(labelled("# Lessons of a course\n\n- Use a list\n- Use a map\n"), []);
    }
}
