//! Which lessons concern a file, a command or a topic of work, best first.
//!
//! The hook answers for one call; recall answers a question about what is going to be done. It takes
//! every lesson of the index with a trigger that matches any part of the question ([`find`]), and ranks them
//! ([`rank`]) by how specific the trigger is, by the topic that most of the matches share, and by
//! the words of the rule ([`bm25`]). What does not fit a limit is counted, never dropped in silence
//! ([`Limits`]).
//!
//! Work is linear in the number of lessons and in the question.

mod bm25;
mod find;
mod limits;
mod question;
mod rank;

pub use find::recall;
pub use limits::{Limits, tokens};
pub use question::Question;
pub use rank::{Entry, Found, Signals, Ways};
