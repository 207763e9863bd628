//! What a person types and reads: questions, forms, tables, colours, times, help.

pub(crate) mod edit_form;
pub mod help;
pub(crate) mod input;
pub mod messages;
pub mod paint;
pub(crate) mod progress;
pub(crate) mod prompt;
pub(crate) mod rows;
