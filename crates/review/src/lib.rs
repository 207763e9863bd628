//! What a decision about a lesson takes: finding lessons and candidates, cleaning texts, comparing them.
//!
//! [`lookup`]: lessons, candidates and folders of transcripts by name; [`project_names`], [`project_files`]: projects. [`search`],
//! [`recalling`]: lessons by their texts; [`wording`]: what of a text counts as likeness. [`cleaning`], [`evidence`]: texts without
//! secrets; [`lint`]: lessons of little use; [`placeholders`] in their calls. [`caught`]: candidates that a lesson catches already; [`waiting`]: how many wait.
//!
//! It never prints, asks or parses arguments.

pub mod caught;
pub mod cleaning;
pub mod evidence;
pub mod lint;
pub mod lookup;
pub mod placeholders;
pub mod project_files;
pub mod project_names;
pub mod recalling;
pub mod search;
pub mod waiting;
pub mod wording;
