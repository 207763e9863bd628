//! The lessons in force: the index that hooks read, opened by commands.

use std::collections::BTreeMap;

use lessons_context::{Context, Error, Result};
use lessons_index::Corrupt;
use lessons_lesson::{QualifiedId, Terms};
use lessons_manifest_builder::index::LoadedIndex;
use lessons_manifest_builder::layers::Off;
use lessons_manifest_builder::patterns::Patterns;
use lessons_store::durable::mapped;

use crate::publishing::INDEX_LIMIT;

/// The index in force, if there is one.
pub fn index(context: &Context) -> Result<Option<LoadedIndex>> {
    let read = mapped::read(&context.home.index(), INDEX_LIMIT);
    let Some(bytes) = read.map_err(|error| Error::Failed(error.to_string()))? else { return Ok(None) };
    LoadedIndex::parse(bytes).map(Some).map_err(|error| cannot_be_read(context, error))
}

/// The error for a corrupt index.
pub fn cannot_be_read(context: &Context, error: Corrupt) -> Error {
    Error::Failed(format!("{} cannot be read: {error}", context.home.index().display()))
}

/// The index in force; `None` without a readable one.
pub fn readable_index(context: &Context) -> Option<LoadedIndex> {
    index(context).unwrap_or_default()
}

/// The compiled patterns of the lessons in force; none without a readable index.
pub fn patterns(context: &Context) -> Patterns {
    readable_index(context).and_then(|index| index.patterns().ok()).unwrap_or_default()
}

/// The lessons in force, each with the time until which it is off, if it is, in milliseconds since 1970.
pub fn lessons(context: &Context) -> BTreeMap<QualifiedId, Option<u64>> {
    let lessons = readable_index(context).and_then(|index| index.lessons().ok()).unwrap_or_default();
    let off_until = |terms: &Terms| terms.off_until.filter(|_| terms.is_off(&context.now_ms()));
    lessons.into_iter().map(|(_, terms)| (terms.id.clone(), off_until(&terms))).collect()
}

/// The switch that turns everything off, if it is set, with its end in milliseconds since 1970.
pub fn all_off(context: &Context) -> Option<Off> {
    let index = readable_index(context)?;
    let settings = index.settings();
    let off = !lessons_decide::answer::in_force(settings, &context.now_ms());
    off.then(|| settings.off_until.filter(|_| settings.enabled).map_or(Off::ForEver, Off::Until))
}
