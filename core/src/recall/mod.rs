//! Which lessons concern a file, a command or a topic of work, best first.
//!
//! The hook answers for one call; recall answers a question about what is going to be done. It takes
//! every active lesson with a trigger that matches any of what is asked for, and ranks them
//! ([`rank`]) by how particular the trigger is, by the topic that most of the matches share, and by
//! the words of the rule ([`bm25`]). What does not fit a limit is counted, never dropped in silence
//! ([`Limits`]).
//!
//! Work is linear in the number of lessons and in the question; a pattern is compiled only where the
//! question holds a text that the pattern cannot do without ([`crate::pattern::literals`]).
//!
//! ```
//! use lessons_core::id::{LessonId, QualifiedId, TopicId};
//! use lessons_core::lesson::Lesson;
//! use lessons_core::recall::{Corpus, Limits, Question};
//! use lessons_core::trigger::{Trigger, TriggerKind};
//!
//! let mut lesson = Lesson::new(
//!     LessonId::new("stash-untracked")?,
//!     "Use `git stash -u`, or new files stay behind.",
//!     TopicId::new("git")?,
//!     "2026-01-31",
//! );
//! lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, r"\bgit\s+stash\b")];
//!
//! let mut corpus = Corpus::default();
//! corpus.add_lesson(&"user/stash-untracked".parse::<QualifiedId>()?, &lesson);
//!
//! let question = Question { command: Some("git stash"), ..Question::default() };
//! let found = corpus.recall(&question);
//! let shown = Limits { lessons: 10, tokens: 400 }.cut(&found);
//! assert_eq!(found[shown][0].entry.id, "user/stash-untracked");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asked;
mod bm25;
mod corpus;
mod limits;
mod rank;
mod vocabulary;

pub use asked::Question;
pub use corpus::{Conditions, Corpus, Entry, Told, TriggerPlace};
pub use limits::{Limits, tokens};
pub use rank::{Found, Signals, Ways};
pub use vocabulary::WordPlace;
