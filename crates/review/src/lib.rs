//! What a decision about a lesson takes: finding lessons and candidates, judging and saving a change, saying what came of it.
//!
//! - [`lookup`]: lessons, candidates and folders of transcripts by name, and the candidates that wait; [`project_names`],
//!   [`project_files`]: projects.
//! - [`change`]: saving changes to lessons and bringing them into force. [`checks`]: what is said of a lesson before that;
//!   [`lint`]: that it says too little; [`cleaning`]: texts without secrets; [`typed`]: what a person typed and others wrote.
//! - [`candidates`]: decisions about candidates, and the lessons that they become. [`reflection`]: a model reads what happened.
//! - [`proof`]: the proof that a lesson needs before it may block. [`trials`]: replays over past sessions.
//! - [`search`]: lessons by their texts.
//! - [`mod@explain`]: why a call was advised, blocked or left alone; [`overridden`]: blocks that the client dropped. [`effects`]: what lessons do; [`agent_statistics`]: what
//!   agents have learned.
//!
//! It never prints, asks or parses arguments.

pub mod agent_statistics;
pub mod candidates;
pub mod change;
pub mod checks;
pub mod cleaning;
pub mod effects;
pub mod explain;
pub mod lint;
pub mod lookup;
pub mod overridden;
pub mod project_files;
pub mod project_names;
pub mod proof;
pub mod reflection;
pub mod search;
pub mod trials;
pub mod typed;

pub use agent_statistics::AgentStatistics;
pub use candidates::carry_out::Terms;
pub use candidates::decision::{Acceptance, GivenFields, SettledFields};
pub use candidates::nearest::{KnownLessons, NearLesson, Nearest, Relation, Wordings};
pub use candidates::{carry_out, promotion};
pub use checks::duplicates::Remedy;
pub use checks::{duplicates, own_advice, project_bound, too_broad};
pub use proof::{ChangeOrigin, ProofGap};
pub use search::Holding;
pub use trials::{MachineFacts, MeasuredLesson};
