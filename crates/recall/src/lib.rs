//! Recall: the lessons that concern a file, a command or a topic of work, best first.
//!
//! A hook answers for one call; recall answers a question about work that has not begun.
//!
//! In reading order:
//!
//! - `question` ([`Question`]): the files, commands and words of a question, and whether a trigger matches any of them.
//! - `find` ([`recall`]): every lesson of the index with such a trigger.
//! - `bm25`: how well the words of a rule fit the question.
//! - `rank` ([`Found`]): the order. It depends on how specific the trigger is, on the topic that most of the matches
//!   share, and on the words of the rule.
//! - `limits` ([`Limits`]): how many of the lessons are shown.
//!
//! Invariants: work is linear in the number of lessons and in the length of the question. A lesson beyond a limit is
//! counted, never dropped silently. Nothing here writes a file or decides the answer to a call.

mod bm25;
mod find;
mod limits;
mod question;
mod rank;

pub use find::recall;
pub use limits::{Limits, tokens};
pub use question::Question;
pub use rank::{Entry, Found, Signals, Ways};
