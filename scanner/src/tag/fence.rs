//! The tracker of code fences around tags.

/// The state of code fences after the lines seen so far.
///
/// The rules of `CommonMark`, with one difference: a fence may be indented by any white space, since
/// inside a list it is.
#[derive(Default)]
pub(crate) struct Fence {
    open: Option<(char, usize)>,
}

impl Fence {
    /// Whether the next line is inside a fence.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Processes a line.
    pub(crate) fn process(&mut self, line: &str) {
        let line = line.trim();
        let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else { return };
        let length = line.chars().take_while(|&c| c == mark).count();
        if length < 3 {
            return;
        }
        // Both marks are ASCII, so characters are bytes here.
        let rest = &line[length..];
        match self.open {
            None if mark == '`' && rest.contains('`') => {} // a span of code on one line
            None => self.open = Some((mark, length)),
            Some((opened, needed)) if opened == mark && length >= needed && rest.is_empty() => {
                self.open = None;
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_after(lines: &[&str]) -> bool {
        let mut fence = Fence::default();
        for line in lines {
            fence.process(line);
        }
        fence.is_open()
    }

    #[test]
    fn a_fence_closes_with_at_least_as_many_of_its_own_marks() {
        assert!(open_after(&["```rust"]));
        assert!(!open_after(&["```", "```"]));
        assert!(open_after(&["````markdown", "```"]));
        assert!(!open_after(&["````markdown", "```", "`````"]));
        assert!(open_after(&["```", "~~~"]));
        assert!(open_after(&["```", "``` rust"]));
        assert!(!open_after(&["  ~~~ text", "\t~~~\r"]));
    }

    #[test]
    fn a_span_of_code_is_no_fence() {
        assert!(!open_after(&["```one line```", "`x`", "``", "text ```"]));
    }
}
