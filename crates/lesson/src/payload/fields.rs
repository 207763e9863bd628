//! The fields of a payload: which keys are read, and where their values go.

use std::borrow::Cow;

use super::{Contents, Payload};
use crate::call::{FETCH, MCP_PATHS, may_run_commands, tool_name, writes_files};
use crate::hooked::is_mcp;
use lessons_text::Content;
use lessons_text::json::unescape;

/// A container in the payload of which some keys or items are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Container {
    /// The object at the top level.
    #[default]
    Top,
    /// `tool_input`, an object.
    Input,
    /// `edits` of a `MultiEdit`, a list.
    Edits,
    /// An item of `edits`, an object.
    Edit,
}

impl Container {
    /// The container around this one.
    pub(super) fn outer(self) -> Option<Self> {
        match self {
            Self::Top => None,
            Self::Input => Some(Self::Top),
            Self::Edits => Some(Self::Input),
            Self::Edit => Some(Self::Edits),
        }
    }
}

/// A field whose text is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field {
    /// A text of the payload that is kept as it is.
    Text(fn(&mut Payload) -> &mut Option<String>),
    Cwd,
    /// A field that Claude Code never writes.
    Foreign,
    Tool,
    Command,
    Path,
    Content,
    /// What an edit takes out.
    Replaced,
}

/// The part of a value that is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum WantedPart {
    #[default]
    Nothing,
    /// The text, if the value is a string.
    Text(Field),
    /// The content, if the value has the type of the container.
    Inside(Container),
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

    pub(super) fn tool(&self) -> &str {
        &self.payload.call.tool
    }

    /// The part that is read of the value of `key` in `container`.
    pub(super) fn wanted(&self, container: Container, key: &[u8]) -> WantedPart {
        match container {
            Container::Top => match key {
                b"session_id" => WantedPart::Text(Field::Text(|payload| &mut payload.session_id)),
                b"agent_id" => WantedPart::Text(Field::Text(|payload| &mut payload.agent_id)),
                b"agent_type" => WantedPart::Text(Field::Text(|payload| &mut payload.agent_type)),
                b"tool_use_id" => WantedPart::Text(Field::Text(|payload| &mut payload.tool_use_id)),
                b"source" => WantedPart::Text(Field::Text(|payload| &mut payload.source)),
                b"error" => WantedPart::Text(Field::Text(|payload| &mut payload.error)),
                b"cwd" => WantedPart::Text(Field::Cwd),
                // Codex, Kimi, Qwen, and Copilot or Gemini, in this order.
                b"turn_id" | b"client_type" | b"tool_call_id" | b"timestamp" => {
                    WantedPart::Text(Field::Foreign)
                }
                b"tool_name" => WantedPart::Text(Field::Tool),
                b"tool_input" => WantedPart::Inside(Container::Input),
                _ => WantedPart::Nothing,
            },
            Container::Input => match key {
                b"command" if self.may_run() => WantedPart::Text(Field::Command),
                b"edits" => WantedPart::Inside(Container::Edits),
                b"url" if self.tool() == FETCH => WantedPart::Text(Field::Path),
                _ => self.wanted_of_file(key),
            },
            Container::Edits => WantedPart::Nothing,
            Container::Edit => self.wanted_of_file(key),
        }
    }

    fn wanted_of_file(&self, key: &[u8]) -> WantedPart {
        match key {
            b"file_path" | b"notebook_path" | b"path" => WantedPart::Text(Field::Path),
            b"new_string" | b"content" | b"new_source" if self.may_write() => {
                WantedPart::Text(Field::Content)
            }
            b"old_string" if self.may_write() => WantedPart::Text(Field::Replaced),
            _ if is_mcp(self.tool()) => self.wanted_of_mcp(key),
            _ => WantedPart::Nothing,
        }
    }

    /// What is read of the input of an MCP tool. Only its server knows what it is for: every text may be one that is written,
    /// but for what by its name is a path or goes.
    fn wanted_of_mcp(&self, key: &[u8]) -> WantedPart {
        if MCP_PATHS.iter().any(|name| name.as_bytes() == key) {
            WantedPart::Text(Field::Path)
        } else if self.contents == Contents::Skip {
            WantedPart::Nothing
        } else if key.starts_with(b"old") {
            WantedPart::Text(Field::Replaced)
        } else {
            WantedPart::Text(Field::Content)
        }
    }

    /// Whether the tool may run a command line, or is not known yet: the client names it before its input, but other programs may not.
    fn may_run(&self) -> bool {
        let tool = &self.payload.call.tool;
        tool.is_empty() || may_run_commands(tool)
    }

    /// Whether contents are read and the tool writes files, or is not known yet.
    fn may_write(&self) -> bool {
        let tool = &self.payload.call.tool;
        self.contents == Contents::Keep && (tool.is_empty() || writes_files(tool))
    }

    /// Stores the value of a field, as written between its quotes; `None` if it has the wrong type.
    pub(super) fn put(&mut self, field: Field, raw: Option<Vec<u8>>) {
        let call = &mut self.payload.call;
        let text = |raw: Option<Vec<u8>>| raw.map(unescape::text);
        match field {
            Field::Text(of) => *of(&mut self.payload) = text(raw),
            Field::Cwd => call.cwd = text(raw).filter(|cwd| !cwd.is_empty()).map(Cow::Owned),
            Field::Foreign => self.payload.is_of_another_client = true,
            Field::Tool => {
                let given = text(raw).unwrap_or_default();
                let name = tool_name(&given);
                call.tool = Cow::Owned(if name == given { given } else { name.into() });
                // What came before the name was read as if for an editor.
                if is_mcp(&call.tool) {
                    call.contents.clear();
                    call.replaced.clear();
                }
            }
            Field::Command => call.command = text(raw).map(Cow::Owned),
            Field::Path => call.paths.extend(text(raw).map(Cow::Owned)),
            Field::Content => call.contents.extend(raw.map(Content::quoted)),
            Field::Replaced => call.replaced.extend(raw.map(Content::quoted)),
        }
    }

    /// The payload, without the fields that turned out not to apply to its tool.
    pub(super) fn settle(mut self) -> Payload {
        if !may_run_commands(&self.payload.call.tool) {
            self.payload.call.command = None;
        }
        if !writes_files(&self.payload.call.tool) && !is_mcp(&self.payload.call.tool) {
            self.payload.call.contents.clear();
            self.payload.call.replaced.clear();
        }
        self.payload
    }
}
