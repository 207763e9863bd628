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

/// The rule of the last entry of a text that says a rule and a mistake or a summary, each under its label as in a file of
/// lessons, and that mistake or summary.
pub(crate) fn last_labelled(text: &str) -> Option<(String, String)> {
    let entries: Vec<_> = documents(text).into_iter().flat_map(|document| document.entries()).collect();
    entries.iter().rev().filter(|entry| entry.has(Label::Rule)).find_map(|entry| {
        let about = [Label::Mistake, Label::Summary].into_iter().find(|label| entry.has(*label))?;
        Some((entry.text(Label::Rule).to_owned(), entry.text(about).to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_entry_that_says_why_under_a_label_is_found() {
        let filed = "## [LRN-1] x\n### Summary\nuv, not pip\n### Suggested Action\nUse `uv add`.\n";
        let both = |rule: &str, why: &str| Some((rule.to_owned(), why.to_owned()));
        assert_eq!(last_labelled(filed), both("Use `uv add`.", "uv, not pip"));
        assert_eq!(last_labelled("**Mistake:** a\n**Rule:** b\n\n- Some point\n"), both("b", "a"));
        assert_eq!(last_labelled("# Lessons of a course\n\n- Use a list\n- Use a map\n"), None);
    }
}
