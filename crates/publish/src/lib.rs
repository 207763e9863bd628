//! From what a person accepted to what hooks act on: building, publishing, and what was lost on the way.
//!
//! [`building`]: compiling what was accepted, again where the index cannot be used. [`publishing`]: replacing manifest and
//! index. [`news`]: what differs from before, for the person and for running sessions. [`in_force`]: the lessons in force.
//! [`peer_lessons`]: which lessons of peers are in force, and which are withheld.
//!
//! It never prints, asks or parses arguments.

pub mod building;
pub mod in_force;
pub mod news;
pub mod peer_lessons;
pub mod publishing;
