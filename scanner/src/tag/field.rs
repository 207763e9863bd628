//! The parser for the fields between two markers.

use lessons_ledger::{Finding, Insight};
use lessons_lesson::Quality;
use lessons_lesson::hooked::spelled;
use lessons_lesson::lesson::{MAX_METACOGNITION_CHARS, MAX_SUMMARY_CHARS, MAX_TEXT_CHARS};
use lessons_lesson::validate::is_phase;
use lessons_text::neutral::{self, shortened};

use super::{Cancel, Tag, VoidReason};

/// The longest name of a tool, in bytes. Names of MCP tools are the longest there are.
const MAX_TOOL_BYTES: usize = 128;
/// The most tools, and the most tags, of a block.
const MAX_LIST: usize = 20;
/// The longest tag or agent type, in characters.
const MAX_WORD_CHARS: usize = 100;

lessons_text::named! {
    /// The names of the fields that are read. Every other field is dropped: a tag can never set mode, priority, scope or
    /// status.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[allow(missing_docs, reason = "the names are those of the fields")]
    pub enum FieldName {
        Tool = "tool",
        Trigger = "trigger",
        Path = "path",
        Mistake = "mistake",
        Fix = "fix",
        Why = "why",
        Tags = "tags",
        Quality = "quality",
        Agent = "agent",
        Unless = "unless",
        Title = "title",
        Detail = "detail",
        Worth = "worth",
        Phase = "phase",
    }
}

impl FieldName {
    /// The field that a line begins with, also by the names that two of them have elsewhere.
    fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "problem" => Some(Self::Mistake),
            "solution" => Some(Self::Fix),
            name => Self::named(name),
        }
    }
}

/// The values of one block, with continuation lines joined.
#[derive(Default)]
pub(super) struct Fields {
    values: [Option<String>; FieldName::ALL.len()],
    sanitised: bool,
}

impl Fields {
    /// Reads the lines of a block.
    ///
    /// `name: value` starts a field and ends the one before it. A field that is there twice voids the block: nobody
    /// knows which of the two was meant. A line that is no field continues the one above it. An unknown name starts a field that is dropped,
    /// unless the line is indented deeper than the first one: then it is text
    /// (`fix: set in ci.yml` / `  retries: 2`).
    pub(super) fn read(lines: &[&str]) -> Result<Self, VoidReason> {
        let mut fields = Self::default();
        // The field that a line continues; `None` where it is dropped.
        let mut current = None;
        let base = lines.first().map_or(0, |line| indentation(line));
        for line in lines {
            let mut value = line.trim();
            if let Some((next, rest)) = start(line, current, base) {
                (current, value) = (next, rest);
                if let Some(name) = next
                    && fields.values[name as usize].is_some()
                {
                    return Err(VoidReason::Repeated(name));
                }
            }
            if let Some(name) = current {
                fields.put(name, value);
            }
        }
        Ok(fields)
    }

    fn put(&mut self, name: FieldName, value: &str) {
        let seen = neutral::visible(value);
        self.sanitised |= seen != value;
        let slot = self.values[name as usize].get_or_insert_default();
        for word in seen.split_whitespace() {
            if !slot.is_empty() {
                slot.push(' ');
            }
            slot.push_str(word);
        }
    }

    /// Removes and returns a value. `None` when the field is missing or empty.
    fn take(&mut self, name: FieldName) -> Result<Option<String>, VoidReason> {
        let Some(value) = self.values[name as usize].take().filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        if value.chars().count() > MAX_TEXT_CHARS {
            return Err(VoidReason::TooLong(name));
        }
        if is_placeholder(&value) {
            return Err(VoidReason::Placeholder(name));
        }
        Ok(Some(value))
    }

    fn take_list(&mut self, name: FieldName) -> Result<Vec<String>, VoidReason> {
        let mut out: Vec<String> = Vec::new();
        for part in self.take(name)?.unwrap_or_default().split(',') {
            let part = part.trim();
            let fits = !part.is_empty() && part.chars().count() <= MAX_WORD_CHARS;
            if fits && out.len() < MAX_LIST && !out.iter().any(|known| known == part) {
                out.push(part.to_owned());
            }
        }
        Ok(out)
    }

    pub(super) fn into_tag(mut self) -> Result<Tag, VoidReason> {
        let mistake = self.take(FieldName::Mistake)?.ok_or(VoidReason::Missing(FieldName::Mistake))?;
        let fix = self.take(FieldName::Fix)?.ok_or(VoidReason::Missing(FieldName::Fix))?;
        let tools = self.take_list(FieldName::Tool)?.into_iter().filter(|tool| is_tool_name(tool));
        let tools = tools.map(|tool| spelled(&tool).to_owned()).collect();
        let insight = Insight {
            title: self.take(FieldName::Title)?.map(|title| shortened(&title, MAX_SUMMARY_CHARS)),
            detail: self.take(FieldName::Detail)?,
            worth: self.take(FieldName::Worth)?.map(|worth| shortened(&worth, MAX_METACOGNITION_CHARS)),
            phase: self.take(FieldName::Phase)?.map(|phase| phase.to_lowercase()).filter(|it| is_phase(it)),
            ..Insight::default()
        };
        let quality = self.take(FieldName::Quality)?.and_then(|it| Quality::named(&it.to_ascii_lowercase()));
        let finding = Finding {
            tools,
            trigger: self.take(FieldName::Trigger)?,
            path: self.take(FieldName::Path)?,
            mistake,
            fix,
            why: self.take(FieldName::Why)?,
            tags: self.take_list(FieldName::Tags)?,
            quality: quality.map(|quality| quality.name().to_owned()),
            agent: self.take(FieldName::Agent)?.filter(|agent| agent.chars().count() <= MAX_WORD_CHARS),
            insight,
            ..Finding::default()
        };
        Ok(Tag { finding, unless: self.take(FieldName::Unless)?, sanitised: self.sanitised })
    }

    pub(super) fn into_cancel(mut self) -> Result<Cancel, VoidReason> {
        let cancel =
            Cancel { trigger: self.take(FieldName::Trigger)?, mistake: self.take(FieldName::Mistake)? };
        if cancel.trigger.is_none() && cancel.mistake.is_none() {
            return Err(VoidReason::NothingToCancel);
        }
        Ok(cancel)
    }
}

fn indentation(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).count()
}

/// The field that a line starts, `None` for one that is dropped, with its value.
///
/// `tool:git` without a space starts a field too, except below `tags:`, where it is a tag. Space before the colon does
/// not matter to a known name; `error : …` is text.
fn start(line: &str, current: Option<FieldName>, base: usize) -> Option<(Option<FieldName>, &str)> {
    let (written, value) = line.trim().split_once(':')?;
    let name = written.trim_end();
    let is_name = !name.is_empty()
        && name.len() <= 40
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if !is_name {
        return None;
    }
    let spaced = value.is_empty() || value.starts_with(char::is_whitespace);
    match FieldName::parse(name) {
        Some(known) if spaced || current != Some(FieldName::Tags) => Some((Some(known), value)),
        None if spaced && name == written && indentation(line) <= base => Some((None, value)),
        _ => None,
    }
}

/// Whether a value is a placeholder of a form: `<what went wrong>`, `...`, `[…]`.
pub fn is_placeholder(value: &str) -> bool {
    let bare = value.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '[' | ']'));
    if bare.chars().all(|c| matches!(c, '.' | '…')) {
        return true;
    }
    bare.strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
        .is_some_and(|inner| !inner.contains(['<', '>']))
}

fn is_tool_name(text: &str) -> bool {
    text.len() <= MAX_TOOL_BYTES
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':'))
}
