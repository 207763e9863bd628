//! Signs in texts: one search tells whether any of many stands there.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;

/// Signs in lower case, separated by bars. In a text their ASCII letters may be of either case.
#[derive(Debug)]
pub(crate) struct Signs {
    list: &'static str,
    /// Made when first used. `None` cannot happen: the lists are short.
    search: OnceLock<Option<AhoCorasick>>,
}

impl Signs {
    pub(crate) const fn new(list: &'static str) -> Self {
        Self { list, search: OnceLock::new() }
    }

    fn search(&self) -> Option<&AhoCorasick> {
        let make = || AhoCorasick::builder().ascii_case_insensitive(true).build(self.list.split('|')).ok();
        self.search.get_or_init(make).as_ref()
    }

    /// Whether any of them stands in a text.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        self.search().is_some_and(|search| search.is_match(text))
    }

    /// The places where they stand, which may overlap.
    pub(crate) fn places<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        self.search()
            .into_iter()
            .flat_map(move |search| search.find_overlapping_iter(text))
            .map(|it| it.range())
    }
}
