//! What a decision about a lesson takes: finding lessons and candidates, cleaning texts, comparing them.
//!
//! It never prints, asks or parses arguments.

pub mod caught;
pub mod cleaning;
pub mod evidence;
pub mod lint;
pub mod lookup;
pub mod project_files;
pub mod project_names;
pub mod recalling;
pub mod search;
pub mod waiting;
pub mod wording;
