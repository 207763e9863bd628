//! Arguments of `lessons replay` and `lessons explain`.

use std::path::PathBuf;

use clap::Args;

use lessons_text::shell_word::quoted;

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

/// `lessons explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// What Bash would run, as it is typed; other options come before it
    #[arg(trailing_var_arg = true, value_name = "COMMAND", conflicts_with_all = ["command", "tool_use"])]
    pub words: Vec<String>,
    /// The tool; without it, Bash for a command and Edit for a file
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// What Bash would run, in one word
    #[arg(long, visible_alias = "cmd", conflicts_with = "tool_use")]
    pub command: Option<String>,
    /// The file that the tool works on
    #[arg(long, value_name = "PATH", conflicts_with = "tool_use")]
    pub file: Option<String>,
    /// What an edit puts into it
    #[arg(long, value_name = "TEXT", requires = "file")]
    pub content: Option<String>,
    /// The error with which the call failed: what is told beside it
    #[arg(long, value_name = "TEXT")]
    pub error: Option<String>,
    /// Where; without it, here
    #[arg(long, value_name = "FOLDER", conflicts_with = "tool_use")]
    pub cwd: Option<PathBuf>,
    /// The type of the agent that makes the call; `main` is the main thread
    #[arg(long, value_name = "AGENT", conflicts_with = "tool_use")]
    pub agent: Option<String>,
    /// The id of that agent, for what was told to it already; without it, the main thread
    #[arg(long, value_name = "ID", conflicts_with = "tool_use")]
    pub agent_id: Option<String>,
    /// The session whose claims count, or in which the call of --tool-use was made
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// A call of the past, by its id, which `lessons log --fired` shows
    #[arg(long, visible_alias = "call", value_name = "ID", conflicts_with = "tool")]
    pub tool_use: Option<String>,
    /// Why this lesson keeps quiet: its id, or the start of it
    #[arg(long, value_name = "LESSON")]
    pub lesson: Option<String>,
}

impl Explain {
    /// The command, if there is one. A single word is a whole command; several are quoted as the shell had them.
    pub fn typed_command(&self) -> Option<String> {
        match self.words.as_slice() {
            [] => self.command.clone(),
            [whole] => Some(whole.clone()),
            words => Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
        }
    }
}
