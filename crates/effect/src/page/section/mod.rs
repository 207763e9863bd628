//! The sections of the page, one for each question that a user asks.
//!
//! - [`opening`]: was it worth it? A sentence, and four numbers.
//! - [`decisions`]: what is worth doing?
//! - [`room`]: which lessons help?
//! - [`weeks`]: are there fewer mistakes?
//! - [`tokens`]: is it worth its tokens?
//! - [`way`]: does it get in the way?
//! - [`sessions`]: what happened with this one?
//! - [`reach`]: what slips through?
//! - [`empty`]: what will be here, while there is nothing yet.
//! - [`reading`]: how to read the page.

pub(crate) mod decisions;
pub(crate) mod empty;
pub(crate) mod opening;
pub(crate) mod reach;
pub(crate) mod reading;
pub(crate) mod room;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod way;
pub(crate) mod weeks;
