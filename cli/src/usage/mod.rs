//! What is counted about lessons, and the pages and numbers made of it.

pub(crate) mod report_page;
pub(crate) mod shown;
