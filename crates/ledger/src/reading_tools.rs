//! What bumps and blocks on files meant in the version before, written down for this one.
//!
//! Before, a lesson with a path and without `tools` was about whoever named the file. Now it is about what writes it
//! ([`Terms::tools`](lessons_lesson::compiled::Terms)). A bump or block that a person accepted must not stop refusing
//! without a word, so what it refused until now is written into its `tools` when its home is taken over.

use lessons_lesson::call::FILE_TOOLS;
use lessons_lesson::lesson::{Lesson, When};
use lessons_pattern::trigger::TriggerKind;
use lessons_store::graph::Graph;

/// Names the tools of the lessons of `graph` that refuse to have a file read and are accepted as they are. Returns whether
/// there are any.
pub(crate) fn name_tools(graph: &mut Graph, accepted: &Graph) -> bool {
    let mut taken: Vec<Lesson> =
        graph.lessons().filter(|lesson| accepted.get(&lesson.id) == Some(lesson)).cloned().collect();
    taken.retain(refuses_reading);
    for lesson in &mut taken {
        let named = lesson.triggers.iter().filter(|trigger| trigger.kind == TriggerKind::Tool);
        let named = named.map(|trigger| trigger.pattern.as_str()).filter(|name| !FILE_TOOLS.contains(name));
        lesson.tools = FILE_TOOLS.into_iter().chain(named).map(str::to_owned).collect();
    }
    // A lesson that was read has a topic and triggers with ids, so it can be put.
    taken.iter().filter(|lesson| graph.put(lesson).is_ok()).count() > 0
}

/// Whether a lesson of the version before refuses to have a file read.
fn refuses_reading(lesson: &Lesson) -> bool {
    let is_about_files = lesson.triggers.iter().any(|trigger| trigger.kind.is_about_files());
    is_about_files && lesson.mode.refuses() && lesson.when == When::Tool && lesson.tools.is_empty()
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_lesson::lesson::Mode;
    use lessons_pattern::trigger::Trigger;

    use super::*;

    fn lesson(id: &str, kind: TriggerKind, mode: Mode) -> Lesson {
        let topic = TopicId::new("t").unwrap();
        let mut lesson = Lesson::new(LessonId::new(id).unwrap(), "Do not.", topic, "2026-01-01");
        lesson.triggers = vec![Trigger::new(kind, "x")];
        lesson.mode = mode;
        lesson
    }

    fn graph(lessons: &[Lesson]) -> Graph {
        let mut graph = Graph::empty("lessons.json");
        for lesson in lessons {
            graph.put(lesson).unwrap();
        }
        graph
    }

    fn tools(graph: &Graph, id: &str) -> Vec<String> {
        graph.get(&LessonId::new(id).unwrap()).unwrap().tools.clone()
    }

    #[test]
    fn what_refused_to_have_a_file_read_goes_on_refusing_it() {
        let mut own = lesson("own", TriggerKind::FileGlob, Mode::Bump);
        own.tools = vec!["Edit".into()];
        let mut fetch = lesson("fetch", TriggerKind::PathPattern, Mode::Block);
        fetch.triggers.push(Trigger::new(TriggerKind::Tool, "WebFetch"));
        let before = graph(&[
            lesson("glob", TriggerKind::FileGlob, Mode::Bump),
            fetch,
            own,
            lesson("advice", TriggerKind::FileGlob, Mode::Advise),
            lesson("command", TriggerKind::CommandPattern, Mode::Bump),
        ]);
        let mut taken = before.clone();
        assert!(name_tools(&mut taken, &before));
        assert_eq!(tools(&taken, "glob"), FILE_TOOLS);
        assert_eq!(tools(&taken, "fetch"), [&FILE_TOOLS[..], &["WebFetch"]].concat());
        assert_eq!(tools(&taken, "own"), ["Edit"]);
        assert!(tools(&taken, "advice").is_empty() && tools(&taken, "command").is_empty());
        assert!(!name_tools(&mut taken.clone(), &taken), "twice is once");
    }

    #[test]
    fn what_nobody_accepted_stays_as_it_is() {
        let glob = lesson("glob", TriggerKind::FileGlob, Mode::Bump);
        let accepted = graph(std::slice::from_ref(&glob));
        let mut store = graph(&[glob, lesson("new", TriggerKind::FileGlob, Mode::Block)]);
        assert!(name_tools(&mut store, &accepted));
        assert_eq!(tools(&store, "glob"), FILE_TOOLS);
        assert!(tools(&store, "new").is_empty());
    }
}
