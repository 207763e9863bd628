//! What a pruning took out, in words.

use std::fmt;

use lessons_store::curate::{Pruned, Shortened};
use lessons_text::wording::counted;

/// What a pruning took out, a line for each lesson or kind of item.
pub struct Summary<'p> {
    /// The layer of the lessons, as their ids show it.
    pub layer: &'p str,
    /// What was taken out.
    pub pruned: &'p Pruned,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        let each = |what: &str, lessons: &[Shortened]| -> Vec<String> {
            let line = |it: &Shortened| {
                format!("{}/{}: {} {what}", self.layer, it.id, counted(it.removed_count, "trigger"))
            };
            lessons.iter().map(line).collect()
        };
        lines.extend(each("without a file", &self.pruned.removed_dead_globs));
        lines.extend(each("too many", &self.pruned.trimmed_lessons));
        for (what, ids) in
            [("trigger", &self.pruned.removed_trigger_ids), ("topic", &self.pruned.removed_topic_ids)]
        {
            if !ids.is_empty() {
                lines.push(format!("{} that nothing uses: {}", counted(ids.len(), what), ids.join(", ")));
            }
        }
        f.write_str(&lines.join("\n"))
    }
}
