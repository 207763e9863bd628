//! The types of incidents and the sources of texts.

use lessons_text::{neutral, path, redact};

pub use lessons_lesson::lesson::Severity;

lessons_text::named! {
    /// The type of an incident.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum IncidentType {
        /// A text gave the agent orders.
        InjectionBlocked = "injection_blocked",
        /// A text came from where it cannot be trusted.
        TrustViolation = "trust_violation",
        /// Two lessons contradicted each other.
        ContradictionPattern = "contradiction_pattern",
        /// A person reported the text.
        UserReported = "user_reported",
        /// A memory turned out to be false. Reserved: nothing records it.
        FalseMemory = "false_memory",
    }
}

lessons_text::named! {
    /// The kind of the source that a text came from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[allow(missing_docs, reason = "the names say it")]
    pub enum SourceKind {
        Web = "web",
        Mcp = "mcp",
        File = "file",
        Command = "command",
        Candidate = "candidate",
        Store = "store",
        Import = "import",
        Shared = "shared",
        Memory = "memory",
        Person = "person",
    }
}

lessons_text::named! {
    /// What a person decided about an incident.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Standing {
        /// A person retired it: texts like it pass, also if they raise rules.
        Retired = "retired",
        /// Nobody decided anything: texts like it are recognised.
        Active = "active",
        /// A person confirmed it: it is critical, and its text is withheld whatever it comes from.
        Confirmed = "confirmed",
    }
}

/// The longest source and query, in characters.
const MOST_CHARS: usize = 200;

/// The source of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The kind.
    pub kind: SourceKind,
    /// Host and path without query, a path from the root of the project, or the name of the tool. Neutral and redacted.
    pub name: String,
    /// The query that led to it. Neutral and redacted.
    pub query: Option<String>,
}

impl Source {
    /// The source of the result of a call, given its tool, the texts of its parameters, and the root of the project.
    pub fn of_call(tool: &str, parameter: impl Fn(&str) -> Option<String>, root: Option<&str>) -> Self {
        let (kind, name, query) = match tool {
            "WebFetch" => {
                let url = parameter("url");
                (SourceKind::Web, url.map_or_else(|| tool.to_owned(), |url| host_and_path(&url)), None)
            }
            "WebSearch" => (SourceKind::Web, tool.to_owned(), parameter("query")),
            "Read" | "NotebookRead" | "Grep" | "Glob" | "Edit" | "Write" => {
                let file = ["file_path", "notebook_path", "path"].into_iter().find_map(parameter);
                let name = file.map_or_else(|| tool.to_owned(), |file| from_root(&file, root));
                (SourceKind::File, name, None)
            }
            tool if tool.starts_with("mcp__") => (SourceKind::Mcp, tool.to_owned(), None),
            tool => (SourceKind::Command, tool.to_owned(), None),
        };
        Self { kind, name: plain(&name), query: query.map(|query| plain(&query)) }
    }
}

/// The host and the path of a URL, without user, port, query and fragment, which may hold secrets.
pub fn host_and_path(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(host, |(host, _)| host);
    format!("{}{}", host.to_lowercase(), path.trim_end_matches('/'))
}

fn from_root(file: &str, root: Option<&str>) -> String {
    let below = root.and_then(|root| path::below(file, root)).filter(|below| !below.is_empty());
    below.unwrap_or(file).to_owned()
}

fn plain(text: &str) -> String {
    neutral::shortened(&redact(&neutral::line(text)).text, MOST_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tool: &str, name: &str, value: &str) -> (SourceKind, String, Option<String>) {
        let parameter = |wanted: &str| (wanted == name).then(|| value.to_owned());
        let Source { kind, name, query } = Source::of_call(tool, parameter, Some("/p"));
        (kind, name, query)
    }

    #[test]
    fn a_page_is_its_host_and_path() {
        for (url, source) in [
            ("https://Docs.Example/a/b/?token=1#x", "docs.example/a/b"),
            ("http://user:secret@docs.example:8080/a", "docs.example/a"),
            ("docs.example", "docs.example"),
            ("https://docs.example?q=1", "docs.example"),
        ] {
            assert_eq!(of("WebFetch", "url", url), (SourceKind::Web, source.to_owned(), None));
        }
    }

    #[test]
    fn a_file_is_its_path_from_the_root_and_a_search_keeps_its_query() {
        assert_eq!(of("Read", "file_path", "/p/src/a.rs"), (SourceKind::File, "src/a.rs".into(), None));
        assert_eq!(of("Grep", "path", "/q/b.rs"), (SourceKind::File, "/q/b.rs".into(), None));
        let query = Some("stash untracked".to_owned());
        assert_eq!(
            of("WebSearch", "query", "stash\nuntracked"),
            (SourceKind::Web, "WebSearch".into(), query)
        );
        assert_eq!(of("mcp__gh__issue", "id", "7"), (SourceKind::Mcp, "mcp__gh__issue".into(), None));
        assert_eq!(of("Bash", "command", "ls"), (SourceKind::Command, "Bash".into(), None));
    }

    #[test]
    fn no_secret_and_no_hidden_character_gets_in() {
        let token = ["gh", "p_", &"c".repeat(36)].concat();
        let (_, name, _) = of("WebFetch", "url", &format!("https://a.example/{token}/\u{1b}[2J"));
        assert!(!name.contains("cccc") && !name.contains('\u{1b}'), "{name}");
    }
}
