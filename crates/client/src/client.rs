//! The names of the clients.

lessons_text::named! {
    /// A client: a program that runs an agent and raises our hooks. Its name, which files and commands hold, never changes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub enum Client {
        /// Claude Code.
        #[default]
        ClaudeCode = "claude",
        /// The Codex CLI.
        Codex = "codex",
        /// The GitHub Copilot CLI.
        Copilot = "copilot",
        /// opencode.
        Opencode = "opencode",
        /// pi.
        Pi = "pi",
        /// The Gemini CLI.
        Gemini = "gemini",
        /// Qwen Code.
        Qwen = "qwen",
    }
}

impl Client {
    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Copilot => "Copilot",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
            Self::Gemini => "Gemini",
            Self::Qwen => "Qwen",
        }
    }
}
