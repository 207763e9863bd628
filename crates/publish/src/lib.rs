//! From what a person accepted to what hooks act on: building, publishing, and what was lost on the way.
//!
//! [`building`]: compiling what was accepted. [`publishing`]: replacing manifest and index. [`previous`]: what was in force before;
//! [`lost_refusals`], [`late_lessons`], [`news`]: what differs, for the person and for running sessions. [`in_force`]: the lessons in
//! force; [`repair`]: an index that cannot be used. [`peer_lessons`]: which lessons of peers are in force; [`peers_like_incidents`]: those that
//! are withheld.
//!
//! It never prints, asks or parses arguments.

pub mod building;
pub mod in_force;
pub mod late_lessons;
pub mod lost_refusals;
pub mod news;
pub mod peer_lessons;
pub mod peers_like_incidents;
pub mod previous;
pub mod publishing;
pub mod repair;
pub mod weakened;
