//! Text as bytes and words: the base of all other crates.
//!
//! - [`neutral`]: text that is safe to show to a person or a model.
//! - [`folded`]: a text as rules compare it, with the way back to the original.
//! - [`redact`]: a text without its secrets.
//! - [`json`], [`content`]: strings of a JSON payload, unescaped only when they are read.
//! - [`words`]: the one tokenizer and the one list of stop words.
//! - [`path`]: paths compared by component, without asking the disk.
//! - [`shell_word`]: words quoted for a shell.
//! - [`named!`]: enums whose values have one name each. [`serde_as_text!`]: types that are a text in JSON.
//! - [`digest`], [`find`], [`wording`]: hashes, searching bytes, numbers in sentences.
//!
//! Invariants: nothing here reads a file, a clock or the environment, and every function is linear in its input, whatever
//! the bytes.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod as_text;
pub mod content;
pub mod digest;
pub mod find;
pub mod folded;
pub mod json;
pub mod named;
pub mod neutral;
pub mod path;
pub mod redact;
pub mod shell_word;
mod twins;
pub mod wording;
pub mod words;

pub use content::Content;
pub use folded::Folded;
pub use named::Named;

pub use neutral::{line, shortened};
pub use redact::redact;
#[doc(hidden)]
pub use serde;
pub use shell_word::{quoted, quoted_path};
pub use wording::{counted, listed};
