//! The names of the clients.

/// A client: a program that runs an agent and raises our hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// The Codex CLI.
    Codex,
    /// The GitHub Copilot CLI.
    Copilot,
    /// opencode.
    Opencode,
    /// pi.
    Pi,
    /// The Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
}

impl Client {
    /// Every client.
    pub const ALL: [Self; 7] =
        [Self::ClaudeCode, Self::Codex, Self::Copilot, Self::Opencode, Self::Pi, Self::Gemini, Self::Qwen];

    /// Its name, which files and commands hold; it never changes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
        }
    }

    /// The client of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

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
