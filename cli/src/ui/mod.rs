//! What a person types and reads: questions, forms, tables, colours, times, help.

pub(crate) mod answer;
pub mod completions;
pub(crate) mod edit_form;
pub(crate) mod editor;
pub mod failure;
pub(crate) mod json_input;
pub mod messages;
pub mod output;
pub mod overview;
pub(crate) mod paging;
pub mod paint;
pub(crate) mod progress;
pub(crate) mod prompt;
pub(crate) mod rows;
