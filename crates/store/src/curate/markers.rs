//! References to lines of a deleted file: `See L128`, `(L92, L163)`, `[L3]`.

use lessons_lesson::lesson::Lesson;
use lessons_pattern::Regex;

use super::CurateError;
use crate::graph::Graph;

/// The patterns of such references, with the white space before them.
const MARKERS: [&str; 4] = [
    r"[ \t]*\((?:[Ss]ee )?L[0-9]+(?:, ?L[0-9]+)*\)",
    r"[ \t]*\[(?:[Ss]ee )?L[0-9]+(?:, ?L[0-9]+)*\]",
    r"[ \t]*\(also relevant[^()]*\)",
    r"(?:\A|[ \t\n]+)[Ss]ee L[0-9]+(?:, ?L[0-9]+)*\.?",
];

/// A rule without them. A rule that would become empty stays.
pub fn without_markers(rule: &str) -> String {
    let mut text = rule.to_owned();
    for marker in MARKERS {
        let Ok(regex) = Regex::new(marker) else { continue };
        while let Some(found) = regex.find(&text) {
            text.replace_range(found, "");
        }
    }
    let text = text.trim();
    if text.is_empty() || text == rule.trim() { rule.to_owned() } else { text.to_owned() }
}

/// Removes them from every rule. Returns the ids of the changed lessons.
pub fn strip_markers(graph: &mut Graph) -> Result<Vec<String>, CurateError> {
    let changed: Vec<Lesson> = graph
        .lessons()
        .filter_map(|lesson| {
            let rule = without_markers(&lesson.rule);
            (rule != lesson.rule).then(|| Lesson { rule, ..lesson.clone() })
        })
        .collect();
    for lesson in &changed {
        graph.put(lesson)?;
    }
    Ok(changed.into_iter().map(|lesson| lesson.id.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_go_and_what_looks_like_one_stays() {
        for (rule, without) in [
            ("Do the thing. See L128", "Do the thing."),
            ("First clause (L92, L163), then rest.", "First clause, then rest."),
            ("Use one helper. [L161, L208]", "Use one helper."),
            ("(also relevant — primary in `x`) Mock it.", "Mock it."),
            ("See L140, L149. More text", "More text"),
            ("Keep (CWE-78) and L12 alone.", "Keep (CWE-78) and L12 alone."),
            ("See L1", "See L1"),
        ] {
            assert_eq!(without_markers(rule), without, "{rule}");
        }
    }
}
