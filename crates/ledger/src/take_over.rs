//! The one take-over: what the version before meant by a lesson, written down where this version means something else.
//!
//! Before, a lesson with a path and without `tools` was about whoever named the file. Now it is about what writes it
//! ([`Terms::tools`](lessons_lesson::compiled::Terms)). A bump or block that a person accepted must not stop refusing
//! without a word, so what it refused until now is written into its `tools`, in the store and in the accepted copies.
//! Nothing else changes, so the journal has no row for it.

use std::io::Read as _;

use lessons_home::files;
use lessons_home::home::Home;
use lessons_lesson::call::FILE_TOOLS;
use lessons_lesson::lesson::{Lesson, When};
use lessons_pattern::trigger::TriggerKind;
use lessons_store::accepted::Accepted;
use lessons_store::durable;
use lessons_store::graph::{Exactness, Graph};
use lessons_store::load;

use crate::error::LedgerError;

/// How the index of the version before begins. A home in which it is in force was not opened by this version yet: the
/// build that follows writes another.
const BEFORE: &[u8; 12] = b"LSN-IDX\n\x07\0\0\0";

/// Takes a home over, if the version before has left it. The caller holds the lock, and builds afterwards.
pub(crate) fn take_over(home: &Home) -> Result<(), LedgerError> {
    let mut start = [0; BEFORE.len()];
    let index = files::open_regular(&home.index());
    if !index.is_ok_and(|mut index| index.read_exact(&mut start).is_ok() && start == *BEFORE) {
        return Ok(());
    }
    let Some(mut accepted) = Accepted::read(home)? else { return Ok(()) };
    let before = accepted.graph.clone();
    // The store first: a process that dies in between has left the index, so the next one does the same again.
    if let Ok(mut store) = load::lessons(home)
        && store.exactness() == Exactness::Exact
        && name_tools(&mut store, &before)
    {
        durable::replace(&home.lessons(), &store.to_bytes())?;
    }
    if name_tools(&mut accepted.graph, &before) {
        accepted.write(home)?;
    }
    Ok(())
}

/// Names the tools of the lessons of `graph` that refuse to have a file read and are accepted as they are. Returns whether
/// there are any.
fn name_tools(graph: &mut Graph, accepted: &Graph) -> bool {
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
    use std::fs;

    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_lesson::lesson::Mode;
    use lessons_pattern::trigger::Trigger;
    use lessons_store::accepted::SettingTexts;

    use super::*;

    fn lesson(id: &str, kind: TriggerKind, mode: Mode) -> Lesson {
        let topic = TopicId::new("t").unwrap();
        let mut lesson = Lesson::new(LessonId::new(id).unwrap(), "Do not.", topic, "2026-01-01");
        lesson.triggers = vec![Trigger::new(kind, "x")];
        lesson.mode = mode;
        lesson
    }

    /// A home with these lessons accepted, and an index that begins with `index`.
    fn home(lessons: &[Lesson], index: &[u8]) -> (tempfile::TempDir, Home) {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().to_owned());
        let mut graph = Graph::empty(home.lessons());
        for lesson in lessons {
            graph.put(lesson).unwrap();
        }
        fs::write(home.lessons(), graph.to_bytes()).unwrap();
        Accepted::of(graph, SettingTexts::new()).write(&home).unwrap();
        fs::write(home.index(), index).unwrap();
        (dir, home)
    }

    fn tools(home: &Home, id: &str) -> Vec<String> {
        let id = LessonId::new(id).unwrap();
        let accepted = Accepted::read(home).unwrap().unwrap().graph;
        assert_eq!(accepted.get(&id), load::lessons(home).unwrap().get(&id), "{id}");
        accepted.get(&id).unwrap().tools.clone()
    }

    #[test]
    fn what_refused_to_have_a_file_read_goes_on_refusing_it() {
        let mut own = lesson("own", TriggerKind::FileGlob, Mode::Bump);
        own.tools = vec!["Edit".into()];
        let mut fetch = lesson("fetch", TriggerKind::PathPattern, Mode::Block);
        fetch.triggers.push(Trigger::new(TriggerKind::Tool, "WebFetch"));
        let lessons = [
            lesson("glob", TriggerKind::FileGlob, Mode::Bump),
            fetch,
            own,
            lesson("advice", TriggerKind::FileGlob, Mode::Advise),
            lesson("command", TriggerKind::CommandPattern, Mode::Bump),
        ];
        let (_dir, home) = home(&lessons, BEFORE);
        for _ in 0..2 {
            take_over(&home).unwrap();
            assert_eq!(tools(&home, "glob"), FILE_TOOLS);
            assert_eq!(tools(&home, "fetch"), [&FILE_TOOLS[..], &["WebFetch"]].concat());
            assert_eq!(tools(&home, "own"), ["Edit"]);
            assert!(tools(&home, "advice").is_empty() && tools(&home, "command").is_empty());
        }
    }

    #[test]
    fn a_home_of_this_version_and_what_nobody_accepted_stay_as_they_are() {
        let glob = lesson("glob", TriggerKind::FileGlob, Mode::Bump);
        let (_dir, now) = home(std::slice::from_ref(&glob), b"LSN-IDX\n\x08\0\0\0");
        take_over(&now).unwrap();
        assert!(tools(&now, "glob").is_empty());
        let (_dir, edited) = home(std::slice::from_ref(&glob), BEFORE);
        let mut graph = load::lessons(&edited).unwrap();
        graph.put(&lesson("new", TriggerKind::FileGlob, Mode::Block)).unwrap();
        fs::write(edited.lessons(), graph.to_bytes()).unwrap();
        take_over(&edited).unwrap();
        assert_eq!(tools(&edited, "glob"), FILE_TOOLS);
        let new = LessonId::new("new").unwrap();
        assert!(load::lessons(&edited).unwrap().get(&new).unwrap().tools.is_empty());
    }
}
