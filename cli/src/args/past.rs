//! What can be typed to try lessons on the past.

use clap::Args;

use super::Fields;

/// `lessons replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// A lesson's or candidate's id, or the start of it; without one, --trigger says what is tried
    pub id: Option<String>,
    /// Ask about hits whether they are right, and keep the answers as examples of the lesson
    #[arg(long)]
    pub label: bool,
    /// What is tried instead of what the lesson says
    #[command(flatten)]
    pub fields: Fields,
}
