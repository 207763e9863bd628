//! Flags that several verbs have: the fields of a lesson, the store that is changed, and the acceptance of an incident.

use clap::Args;
use lessons_lesson::{Mode, Quality, Severity, Subject, When};
use lessons_review::change::in_project;
use serde::Deserialize;

use crate::app::App;

/// Which store a verb changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args, Default)]
pub struct InProject {
    /// Change the lessons that this project carries, in .lessons/lessons.json, instead of your own
    #[arg(long)]
    pub project: bool,
}

impl InProject {
    /// The verb in the context of the store that it changes.
    pub(crate) fn chosen(self, app: &App) -> anyhow::Result<App> {
        Ok(if self.project { app.within(in_project::around_here(app)?) } else { app.clone() })
    }
}

/// The acceptance of a lesson that is like a critical incident.
#[derive(Debug, Clone, Default, Args)]
pub struct AcceptIncident {
    /// Save it although it resembles a critical incident
    #[arg(long, value_name = "FLAG", value_parser = ["incident"], requires = "reason")]
    pub accept: Option<String>,
    /// The reason for `--accept`
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub reason: Option<String>,
}

/// Parses a whole number of at least 1.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "it must be a whole number above 0".to_owned())
}

/// The fields of a lesson. A list replaces the list that was there; none, or one empty value, empties it.
#[derive(Debug, Clone, PartialEq, Args, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Fields {
    /// What to do instead
    #[arg(long, alias = "fix", help_heading = "What it says")]
    pub rule: Option<String>,
    /// What goes wrong
    #[arg(long, help_heading = "What it says")]
    pub mistake: Option<String>,
    /// One line, used when the full text does not fit
    #[arg(long, help_heading = "What it says")]
    pub summary: Option<String>,
    /// One line of why
    #[arg(long, help_heading = "What it says")]
    pub rationale: Option<String>,
    /// Longer text for people, never given to the model
    #[arg(long, help_heading = "What it says")]
    pub detail: Option<String>,
    /// Why it is worth keeping, never given to the model
    #[arg(long, help_heading = "What it says")]
    pub worth: Option<String>,
    /// The phase of work in which it was learned, such as plan
    #[arg(long, help_heading = "What it says")]
    pub phase: Option<String>,

    /// A pattern on which it fires: cmd=REGEX, glob=GLOB, path=REGEX, content=REGEX, kw=WORDS, tool=NAME, error=REGEX
    #[arg(long, value_name = "KIND=PATTERN", help_heading = "When it fires")]
    pub trigger: Option<Vec<String>>,
    /// A condition that must match too
    #[arg(long, value_name = "KIND=PATTERN", help_heading = "When it fires")]
    pub also: Option<Vec<String>>,
    /// An exception: it does not fire if this matches
    #[arg(long, value_name = "KIND=PATTERN", help_heading = "When it fires")]
    pub unless: Option<Vec<String>>,
    /// Only for these tools. Bash means every shell, `*` the rest of a name: `mcp__fs__*`
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "When it fires")]
    pub tool: Option<Vec<String>>,
    /// Only on these operating systems: linux (WSL too), macos, windows
    #[arg(long, value_name = "SYSTEM", value_delimiter = ',', help_heading = "When it fires")]
    pub os: Option<Vec<String>>,
    /// Only where this shell runs the commands: bash, zsh, sh
    #[arg(long, value_name = "SHELL", value_delimiter = ',', help_heading = "When it fires")]
    pub shell: Option<Vec<String>>,
    /// Only in this state: cwd-ends-with-target (`cd X` where the folder already ends in X), path-missing,
    /// path-exists
    #[arg(long, value_name = "STATE", value_delimiter = ',', help_heading = "When it fires")]
    pub state: Option<Vec<String>>,
    /// What command patterns look at: the command as typed, the part of it that would run, or each program that would run
    #[arg(long, value_parser = word::<Subject>, value_name = "command|executable|program", help_heading = "When it fires")]
    pub subject: Option<Subject>,
    /// Only in these projects: a folder, or a remote such as github.com/owner/name
    #[arg(long, value_name = "PROJECT", help_heading = "When it fires")]
    pub scope_project: Option<Vec<String>>,
    /// Only for these agent types; `main` is the main thread
    #[arg(long, value_name = "AGENT", help_heading = "When it fires")]
    pub scope_agent: Option<Vec<String>>,
    /// A call on which it must fire: a command, or JSON such as {"tool":"Edit","file":"a.ts"}
    #[arg(long, value_name = "CALL", help_heading = "When it fires")]
    pub fires: Option<Vec<String>>,
    /// A call on which it must not fire
    #[arg(long, value_name = "CALL", help_heading = "When it fires")]
    pub quiet: Option<Vec<String>>,

    /// Remind after the call, block it once and allow the retry (bump), or block it every time
    #[arg(long, value_parser = word::<Mode>, value_name = "advise|bump|block", help_heading = "What it does")]
    pub mode: Option<Mode>,
    /// Let it block without proof from past sessions (see `lessons replay --label`), for this reason
    #[arg(long, value_name = "REASON", help_heading = "What it does")]
    pub force_block: Option<String>,
    /// At a tool call, or at the start of every session
    #[arg(long, value_parser = word::<When>, value_name = "tool|session", help_heading = "What it does")]
    pub when: Option<When>,
    /// Its rank where several fire on a call; 10 comes first
    #[arg(long, value_name = "1-10", help_heading = "What it does")]
    pub priority: Option<u8>,
    /// Your confidence in it, 0 to 1
    #[arg(long, value_name = "0-1", help_heading = "What it does")]
    pub confidence: Option<f64>,
    /// How much damage the mistake does
    #[arg(long, value_parser = word::<Severity>, value_name = "low|medium|high|critical", help_heading = "What it does")]
    pub severity: Option<Severity>,
    /// The value of the lesson
    #[arg(long, value_parser = word::<Quality>, value_name = "trivial|valuable|critical", help_heading = "What it does")]
    pub quality: Option<Quality>,

    /// Its topic, such as git
    #[arg(long, value_name = "TOPIC", help_heading = "Where it belongs")]
    pub topic: Option<Vec<String>>,
    /// A tag, such as tool:git
    #[arg(long, value_name = "CATEGORY:VALUE", help_heading = "Where it belongs")]
    pub tag: Option<Vec<String>>,
    /// Where it comes from, such as commit:3f2a
    #[arg(long, value_name = "SOURCE", help_heading = "Where it belongs")]
    pub evidence: Option<Vec<String>>,
}

/// Parses a value of an enum by its name in the files. The error lists the names.
pub(crate) fn word<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::from(text)).map_err(|error| {
        let error = error.to_string();
        let names = error.split_once(", expected ").map_or(error.as_str(), |(_, names)| names);
        format!("must be {}", names.replace('`', ""))
    })
}
