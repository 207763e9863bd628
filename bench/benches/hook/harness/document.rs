//! The document with the tables. The text between two marks in it is measured, the rest is written by hand.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

const BEGIN: &str = "<!-- measured: written by cargo xtask bench -->";
const END: &str = "<!-- end of what was measured -->";

/// Replaces the text between the marks of `document`.
pub(crate) fn write(document: &Path, text: &str) -> Result<()> {
    let old = fs::read_to_string(document).with_context(|| format!("cannot read {}", document.display()))?;
    let new = replaced(&old, text)
        .with_context(|| format!("{} has not the marks {BEGIN} and {END}", document.display()))?;
    fs::write(document, new).with_context(|| format!("cannot write {}", document.display()))
}

fn replaced(old: &str, text: &str) -> Option<String> {
    let (before, rest) = old.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let old = format!("# Title\n\n{BEGIN}\nold\n{END}\n\nHow.\n");
        let new = replaced(&old, "new\n").unwrap();
        assert_eq!(new, format!("# Title\n\n{BEGIN}\n\nnew\n\n{END}\n\nHow.\n"));
        assert_eq!(replaced(&new, "new").unwrap(), new);
        assert_eq!(replaced("no marks", "new"), None);
    }
}
