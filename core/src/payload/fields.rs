//! Which key goes where.

use std::borrow::Cow;

use super::{Contents, Payload};
use crate::call::{tool_name, writes_files};
use crate::content::Content;
use crate::json::unescape;

/// A place in the payload whose keys or items somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The object at the top.
    Top,
    /// `tool_input`, an object.
    Input,
    /// `edits` of a `MultiEdit`, a list.
    Edits,
    /// One of its items, an object.
    Edit,
}

impl Place {
    /// What the place stands in.
    pub(super) fn outer(self) -> Option<Self> {
        match self {
            Self::Top => None,
            Self::Input => Some(Self::Top),
            Self::Edits => Some(Self::Input),
            Self::Edit => Some(Self::Edits),
        }
    }
}

/// A text that somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Session,
    AgentId,
    AgentType,
    ToolUse,
    Source,
    Cwd,
    Tool,
    Command,
    Path,
    Content,
}

/// What is asked of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Nothing,
    /// The text, if it is one.
    Text(Field),
    /// What stands inside, if it is of the place's type.
    Inside(Place),
}

/// The fields that are complete so far.
#[derive(Debug)]
pub(super) struct Fields {
    payload: Payload,
    contents: Contents,
}

impl Fields {
    pub(super) fn new(contents: Contents) -> Self {
        Self { payload: Payload::default(), contents }
    }

    /// What is asked of the value of a key.
    pub(super) fn wanted(&self, place: Place, key: &[u8]) -> Wanted {
        match place {
            Place::Top => match key {
                b"session_id" => Wanted::Text(Field::Session),
                b"agent_id" => Wanted::Text(Field::AgentId),
                b"agent_type" => Wanted::Text(Field::AgentType),
                b"tool_use_id" => Wanted::Text(Field::ToolUse),
                b"source" => Wanted::Text(Field::Source),
                b"cwd" => Wanted::Text(Field::Cwd),
                b"tool_name" => Wanted::Text(Field::Tool),
                b"tool_input" => Wanted::Inside(Place::Input),
                _ => Wanted::Nothing,
            },
            Place::Input => match key {
                b"command" if self.may_run() => Wanted::Text(Field::Command),
                b"edits" => Wanted::Inside(Place::Edits),
                _ => self.wanted_of_file(key),
            },
            Place::Edits => Wanted::Nothing,
            Place::Edit => self.wanted_of_file(key),
        }
    }

    fn wanted_of_file(&self, key: &[u8]) -> Wanted {
        match key {
            b"file_path" | b"notebook_path" | b"path" => Wanted::Text(Field::Path),
            b"new_string" | b"content" | b"new_source" if self.may_write() => Wanted::Text(Field::Content),
            _ => Wanted::Nothing,
        }
    }

    /// Whether the tool is Bash, as far as is known: the client names it before its input, but others may not.
    fn may_run(&self) -> bool {
        let tool = &self.payload.call.tool;
        tool.is_empty() || tool == "Bash"
    }

    /// Whether contents are asked for and the tool writes files, as far as is known.
    fn may_write(&self) -> bool {
        let tool = &self.payload.call.tool;
        self.contents == Contents::Keep && (tool.is_empty() || writes_files(tool))
    }

    /// Takes the value of a field, as it stands between its quotes: `None` for one of the wrong type.
    pub(super) fn put(&mut self, field: Field, raw: Option<Vec<u8>>) {
        let payload = &mut self.payload;
        let call = &mut payload.call;
        let text = |raw: Option<Vec<u8>>| raw.map(unescape::text);
        match field {
            Field::Session => payload.session_id = text(raw),
            Field::AgentId => payload.agent_id = text(raw),
            Field::AgentType => payload.agent_type = text(raw),
            Field::ToolUse => payload.tool_use_id = text(raw),
            Field::Source => payload.source = text(raw),
            Field::Cwd => call.cwd = text(raw).filter(|cwd| !cwd.is_empty()).map(Cow::Owned),
            Field::Tool => {
                let given = text(raw).unwrap_or_default();
                let name = tool_name(&given);
                call.tool = Cow::Owned(if name == given { given } else { name.into() });
            }
            Field::Command => call.command = text(raw).map(Cow::Owned),
            Field::Path => call.paths.extend(text(raw).map(Cow::Owned)),
            Field::Content => call.contents.extend(raw.map(Content::quoted)),
        }
    }

    /// The payload, without what turned out not to be asked for.
    pub(super) fn settle(mut self) -> Payload {
        if self.payload.call.tool != "Bash" {
            self.payload.call.command = None;
        }
        if !writes_files(&self.payload.call.tool) {
            self.payload.call.contents.clear();
        }
        self.payload
    }
}
