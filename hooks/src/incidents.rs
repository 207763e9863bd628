//! Texts from outside that give orders: where they come from, and what the model is told of them.

use std::borrow::Cow;
use std::path::Path;

use lessons_decide::{Claim, Owner, SessionClaims, SessionFolder, Suspicion, warning};
use lessons_home::{Home, files, home};
use lessons_incident::index::{MOST_BYTES, MOST_MATCHES};
use lessons_incident::kind::host_and_path;
use lessons_incident::{CheckSettings, IncidentIndex, SourceKind};
use lessons_lesson::{Payload, ProjectLocation};
use serde::Deserialize;

/// The index of incidents of a data folder. `None` if it is missing, damaged, of another version, or not ours alone:
/// then nothing is checked.
pub(crate) fn index(home: &Home) -> Option<IncidentIndex> {
    IncidentIndex::read(&files::read(&home.incident_index(), MOST_BYTES).ok()??)
}

/// The origin of the text that a tool brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) kind: SourceKind,
    /// Host and path of a page without its query, a path of the project, or nothing.
    pub(crate) source: String,
    pub(crate) owner: Owner,
}

/// The fields of a tool's input that say where its text comes from.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ToolInput<'p> {
    #[serde(borrow)]
    url: Option<Cow<'p, str>>,
    #[serde(borrow)]
    file_path: Option<Cow<'p, str>>,
    #[serde(borrow)]
    path: Option<Cow<'p, str>>,
}

impl Origin {
    /// The origin of the result of a call. `None` if the results of the tool are not checked.
    pub(crate) fn of(
        payload: &Payload,
        input: &ToolInput<'_>,
        place: &ProjectLocation<'_>,
        settings: CheckSettings,
    ) -> Option<Self> {
        let foreign = |kind, source| Self { kind, source, owner: Owner::Foreign };
        match payload.call.tool.as_ref() {
            "WebFetch" => {
                Some(foreign(SourceKind::Web, input.url.as_deref().map_or_else(String::new, host_and_path)))
            }
            "WebSearch" => Some(foreign(SourceKind::Web, String::new())),
            tool if tool.starts_with("mcp__") => Some(foreign(SourceKind::Mcp, String::new())),
            "Bash" if settings.local => Some(foreign(SourceKind::Command, String::new())),
            "Read" | "Grep" if settings.local => {
                let cwd = payload.call.cwd.as_deref().unwrap_or("/");
                let path = input.file_path.as_deref().or(input.path.as_deref()).unwrap_or_default();
                Some(Self::of_file(&home::lexical(&Path::new(cwd).join(path)), place))
            }
            _ => None,
        }
    }

    fn of_file(path: &Path, place: &ProjectLocation<'_>) -> Self {
        let inside = place.roots().and_then(|roots| path.strip_prefix(&roots.root).ok());
        let owner = if inside.is_some() { Owner::Project } else { Owner::Foreign };
        Self { kind: SourceKind::File, source: inside.unwrap_or(path).to_string_lossy().into_owned(), owner }
    }
}

/// The warnings about the suspicious parts of a result, each incident once in a context.
pub(crate) fn warnings(
    tool: &str,
    origin: &Origin,
    suspicions: &[Suspicion],
    claims: &mut SessionClaims<SessionFolder>,
) -> Option<String> {
    let told: Vec<String> = suspicions
        .iter()
        .take(MOST_MATCHES)
        // Where nothing can be recorded a warning may come twice, which is better than never.
        .filter(|suspicion| claims.name_incident(suspicion.id) != Claim::Taken)
        .map(|suspicion| warning::text(tool, &origin.source, suspicion))
        .collect();
    (!told.is_empty()).then(|| told.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(json: &str, settings: CheckSettings) -> Option<Origin> {
        let mut reader = lessons_lesson::payload::PayloadReader::new(lessons_lesson::payload::Contents::Skip);
        reader.feed(json.as_bytes());
        let (payload, _) = reader.finish();
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        let input = value["tool_input"].to_string();
        Origin::of(&payload, &serde_json::from_str(&input).unwrap(), &ProjectLocation::fixed("/p"), settings)
    }

    #[test]
    fn a_page_is_named_without_what_may_be_secret() {
        let json =
            r#"{"tool_name":"WebFetch","tool_input":{"url":"https://me:pw@docs.example/a/b?token=1#x"}}"#;
        let found = origin(json, CheckSettings::default()).unwrap();
        assert_eq!((found.kind, found.source.as_str()), (SourceKind::Web, "docs.example/a/b"));
        assert_eq!(host_and_path("docs.example"), "docs.example");
        assert_eq!(host_and_path("https://docs.example?q=@secret"), "docs.example");
    }

    #[test]
    fn a_file_belongs_to_the_project_it_is_in_and_is_checked_on_request() {
        let local = CheckSettings { local: true, ..CheckSettings::default() };
        let read = |path: &str| {
            format!(r#"{{"tool_name":"Read","cwd":"/p","tool_input":{{"file_path":"{path}"}}}}"#)
        };
        let found = |path: &str| origin(&read(path), local).map(|found| (found.source, found.owner));
        assert_eq!(found("/p/src/a.rs"), Some(("src/a.rs".to_owned(), Owner::Project)));
        assert_eq!(found("/p/../etc/x"), Some(("/etc/x".to_owned(), Owner::Foreign)));
        assert_eq!(origin(&read("/p/a"), CheckSettings::default()), None);
        let grep = r#"{"tool_name":"Grep","cwd":"/p","tool_input":{"pattern":"x"}}"#;
        assert_eq!(origin(grep, local).map(|found| found.owner), Some(Owner::Project));
        assert_eq!(origin(r#"{"tool_name":"Edit","tool_input":{}}"#, local), None);
    }
}
