//! Recall: the lessons that concern a file, a command or a topic of work, best first.
//!
//! A hook answers for one call; recall answers a question about work that has not begun.
//!
//! In reading order:
//!
//! - `find` ([`recall`]): the files, commands and words of a [`Question`], and every lesson of the index with a trigger that
//!   matches any of them.
//! - `rank` ([`Found`]): the order. It depends on how specific the trigger is, on the topic that most of the matches
//!   share, and on the words of the rule. [`Limits`]: how many of the lessons are shown.
//!
//! Invariants: work is linear in the number of lessons and in the length of the question. A lesson beyond a limit is
//! counted, never dropped silently. Nothing here writes a file or decides the answer to a call.

mod find;
mod rank;

pub use find::{Question, recall};
pub use rank::{Entry, Found, Limits, Signals, Ways, tokens};
