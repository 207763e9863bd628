//! Keeping a graph in order: two lessons made one, a lesson put in the place of another, what no longer
//! matches or is no longer used taken out.
//!
//! Each is a change of a [`Graph`] in memory; [`crate::transaction`] saves it.
//!
//! ```
//! use lessons_store::curate;
//! use lessons_store::graph::{Graph, Origin};
//!
//! let text = br#"{
//!   "version": 1,
//!   "lessons": { "a": { "rule": "Say why. See L12", "topics": ["git"], "triggers": [], "evidence": [],
//!                       "status": "active", "createdAt": "2026-01-31" } },
//!   "topics": { "git": { "summary": "Git" }, "unused": { "summary": "Nobody" } },
//!   "triggers": { "t1": { "kind": "keyword", "pattern": "nobody" } }
//! }"#;
//! let mut graph = Graph::parse("lessons.json", text, Origin::Own)?;
//! assert_eq!(curate::strip_markers(&mut graph)?, ["a"]);
//! let pruned = curate::prune(&mut graph, None, Some(curate::CAP));
//! assert_eq!((pruned.removed_trigger_ids.len(), pruned.removed_topic_ids.len()), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod prune;

use lessons_lesson::{FORCED, Lesson, LessonId, Status};
use lessons_pattern::Regex;

use crate::capture::union;
pub use crate::curate::prune::{CAP, Pruned, Shortened, prune};
use crate::graph::problem::NodeKind;
use crate::graph::{Graph, PutError};

/// The code for a trigger that the lesson does not have.
pub const NOT_REFERENCED: &str = "NOT_REFERENCED";

/// An error of curating a graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct CurateError {
    /// The code for programs. A code never changes its meaning.
    pub code: &'static str,
    what: String,
}

/// A result of keeping a graph in order.
pub type Result<T, E = CurateError> = std::result::Result<T, E>;

impl CurateError {
    fn new(code: &'static str, what: String) -> Self {
        Self { code, what }
    }

    fn itself(id: &LessonId) -> Self {
        Self::new("SELF_MERGE", format!("user/{id} cannot be merged into itself; name two lessons"))
    }
}

impl From<PutError> for CurateError {
    fn from(error: PutError) -> Self {
        Self::new("WRITE_REFUSED", error.to_string())
    }
}

fn known(graph: &Graph, id: &LessonId) -> Result<Lesson> {
    graph.get(id).cloned().ok_or_else(|| {
        let what = format!("there is no lesson `{id}`; `lessons list --all` shows all of them");
        CurateError::new("UNKNOWN_LESSON", what)
    })
}

/// Replaces `id` by `by`. Lessons that `id` had replaced are then replaced by `by` too.
pub fn supersede(graph: &mut Graph, id: &LessonId, by: &LessonId, now: &str) -> Result<Lesson> {
    let mut lesson = known(graph, id)?;
    if id == by {
        return Err(CurateError::itself(id));
    }
    if known(graph, by)?.status != Status::Active {
        let what = format!(
            "user/{by} is not active, so nothing would be in force; `lessons restore {by}` brings it back"
        );
        return Err(CurateError::new("INACTIVE_SUPERSEDER", what));
    }
    // Repeating it changes nothing.
    if lesson.status == Status::Superseded && lesson.superseded_by.as_ref() == Some(by) {
        return Ok(lesson);
    }
    let is_follower =
        |other: &&Lesson| other.status == Status::Superseded && other.superseded_by.as_ref() == Some(id);
    let followers: Vec<Lesson> = graph.lessons().filter(is_follower).cloned().collect();
    let replaced = |lesson: Lesson| {
        let (superseded_by, updated_at) = (Some(by.clone()), Some(now.to_owned()));
        Lesson { status: Status::Superseded, superseded_by, updated_at, ..lesson }
    };
    for follower in followers {
        graph.put(&replaced(follower))?;
    }
    lesson = replaced(lesson);
    graph.put(&lesson)?;
    Ok(lesson)
}

/// Merges `loser` into `keeper`: its triggers, topics and evidence move, and `keeper` replaces it. The triggers of a
/// lesson that is not active stay where they are: nobody asked for them to fire again.
pub fn merge(graph: &mut Graph, loser: &LessonId, keeper: &LessonId, now: &str) -> Result<Lesson> {
    let (mut from, mut to) = (known(graph, loser)?, known(graph, keeper)?);
    if loser == keeper {
        return Err(CurateError::itself(loser));
    }
    if from.status != Status::Active {
        from.triggers.clear();
    }
    let brings = from.triggers.iter().any(|trigger| !to.triggers.contains(trigger));
    let conditions = |it: &Lesson| {
        (it.also.clone(), it.unless.clone(), it.tools.clone(), it.scope.clone(), it.conditions())
    };
    if brings && conditions(&from) != conditions(&to) {
        let what = format!(
            "user/{loser} fires under other conditions than user/{keeper} (`also`, `unless`, tools or scope), so its \
             triggers would fire where they should not; make the conditions the same first, or use lessons merge --replace"
        );
        return Err(CurateError::new("DIFFERENT_CONDITIONS", what));
    }
    supersede(graph, loser, keeper, now)?;
    let before = to.clone();
    union(&mut to.triggers, &from.triggers);
    union(&mut to.topics, &from.topics);
    // A reason to block without proof is not the other lesson's.
    from.evidence.retain(|source| !source.starts_with(FORCED));
    union(&mut to.evidence, &from.evidence);
    if to != before {
        to.updated_at = Some(now.to_owned());
        graph.put(&to)?;
    }
    Ok(to)
}

/// The result of removing a trigger from a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untriggered {
    /// The id of the trigger.
    pub trigger: String,
    /// Whether no other lesson had it, so that the node is gone.
    pub is_gone: bool,
    /// The number of triggers left.
    pub left: usize,
}

/// Removes a trigger from a lesson. `trigger` is its id in the file, or `KIND=PATTERN`.
pub fn untrigger(graph: &mut Graph, id: &LessonId, trigger: &str, now: &str) -> Result<Untriggered> {
    let mut lesson = known(graph, id)?;
    let ids: Vec<String> = graph.listed(id.as_str(), "triggers").map(str::to_owned).collect();
    let is_meant = |found: &String| {
        found == trigger || graph.triggers().any(|(id, known)| id == found && known.to_string() == trigger)
    };
    let Some(found) = ids.iter().find(|id| is_meant(id)).cloned() else {
        let trigger = crate::graph::problem::shown(trigger);
        let what = format!("user/{id} has no trigger `{trigger}`; `lessons show {id}` shows those it has");
        return Err(CurateError::new(NOT_REFERENCED, what));
    };
    let left: Vec<String> = ids.into_iter().filter(|id| *id != found).collect();
    if left.is_empty() && lesson.status == Status::Active {
        let what = format!(
            "this is the last trigger of user/{id}, which would never fire; retire it, or give it another trigger first"
        );
        return Err(CurateError::new("LAST_TRIGGER", what));
    }
    let count = left.len();
    graph.set_trigger_ids(id.as_str(), "triggers", left);
    if let Some(changed) = graph.get(id) {
        lesson = changed.clone();
        lesson.updated_at = Some(now.to_owned());
        graph.put(&lesson)?;
    }
    let is_gone = !graph.named().triggers.contains(found.as_str());
    if is_gone {
        graph.set_node(NodeKind::Trigger, &found, None);
    }
    Ok(Untriggered { trigger: found, is_gone, left: count })
}

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
pub fn strip_markers(graph: &mut Graph) -> Result<Vec<String>> {
    let stripped = |lesson: &Lesson| {
        let rule = without_markers(&lesson.rule);
        (rule != lesson.rule).then(|| Lesson { rule, ..lesson.clone() })
    };
    let changed: Vec<Lesson> = graph.lessons().filter_map(stripped).collect();
    for lesson in &changed {
        graph.put(lesson)?;
    }
    Ok(changed.into_iter().map(|lesson| lesson.id.to_string()).collect())
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod markers_tests {
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
