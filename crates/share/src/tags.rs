//! The tags of an event, by name.

/// The error for a tag whose value cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its tag `{name}` {what}")]
pub struct BadTag {
    /// The name of the tag.
    pub name: &'static str,
    /// The fault.
    pub what: &'static str,
}

/// The tags of an event.
#[derive(Clone, Copy)]
pub(crate) struct Tags<'t>(pub(crate) &'t [Vec<String>]);

impl<'t> Tags<'t> {
    /// The values of each tag with this name.
    pub(crate) fn all(self, name: &'static str) -> impl Iterator<Item = &'t [String]> {
        self.0
            .iter()
            .filter_map(move |tag| tag.split_first().filter(|(own, _)| *own == name).map(|(_, rest)| rest))
    }

    /// The first value of each tag with this name. Further values, as the relay after an id, say nothing to us.
    pub(crate) fn texts(self, name: &'static str) -> Result<Vec<&'t str>, BadTag> {
        self.all(name)
            .map(|values| values.first().map(String::as_str).ok_or(BadTag { name, what: "has no value" }))
            .collect()
    }

    /// The value of the only tag with this name, if there is one.
    pub(crate) fn text(self, name: &'static str) -> Result<Option<&'t str>, BadTag> {
        match self.texts(name)?.as_slice() {
            [] => Ok(None),
            [text] => Ok(Some(text)),
            _ => Err(BadTag { name, what: "is there more than once" }),
        }
    }
}
