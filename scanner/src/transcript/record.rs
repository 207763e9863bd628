//! The lenient parser for the JSON of a line.

use lessons_text::json::unescape;
use lessons_text::{digest, neutral};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::needle::Needle;
use super::{Agent, InputSource, LineInfo, Unreadable};
use crate::transcript::timestamp::Timestamp;

/// The longest id, model or agent type that is stored unchanged, in characters.
const MAX_WORD_CHARS: usize = 200;
/// What the client writes before a text that the user pasted, and behind it.
const PASTE: &str = "<pasted_content";
const END_OF_PASTE: &str = "</pasted_content";
/// The key of the model in a message.
static MODEL: Needle = Needle::new("\"model\"");
/// The longest working folder that is remembered, in bytes: `PATH_MAX` of Linux.
const MAX_FOLDER_BYTES: usize = 4096;

/// The fields of a line that are used. They are `RawValue`s because these take every type and are skipped without
/// recursion: a line of 100,000 braces is harmless.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
pub(super) struct Record<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Option<&'a RawValue>,
    pub(super) uuid: Option<&'a RawValue>,
    pub(super) session_id: Option<&'a RawValue>,
    pub(super) timestamp: Option<&'a RawValue>,
    pub(super) cwd: Option<&'a RawValue>,
    pub(super) git_branch: Option<&'a RawValue>,
    pub(super) worktree_session: Option<&'a RawValue>,
    pub(super) message: Option<&'a RawValue>,
    pub(super) attachment: Option<&'a RawValue>,
    pub(super) is_sidechain: Option<&'a RawValue>,
    pub(super) agent_id: Option<&'a RawValue>,
    pub(super) attribution_agent: Option<&'a RawValue>,
    pub(super) is_api_error_message: Option<&'a RawValue>,
    pub(super) is_meta: Option<&'a RawValue>,
    pub(super) is_compact_summary: Option<&'a RawValue>,
    pub(super) tool_denial_kind: Option<&'a RawValue>,
    pub(super) user_feedback: Option<&'a RawValue>,
    pub(super) tool_use_result: Option<&'a RawValue>,
    pub(super) origin: Option<&'a RawValue>,
    pub(super) prompt_source: Option<&'a RawValue>,
    #[serde(rename = "sourceToolAssistantUUID")]
    pub(super) source_tool: Option<&'a RawValue>,
    pub(super) entrypoint: Option<&'a RawValue>,
    pub(super) operation: Option<&'a RawValue>,
    pub(super) content: Option<&'a RawValue>,
    pub(super) subtype: Option<&'a RawValue>,
}

impl<'a> Record<'a> {
    pub(super) fn read(line: &'a [u8]) -> Result<Self, Unreadable> {
        let text = std::str::from_utf8(line).map_err(|_| Unreadable::Encoding)?;
        // A list in the order of the fields would do for serde as well.
        let object = Some(text).filter(|text| text.trim_start().starts_with('{'));
        object.and_then(|text| serde_json::from_str(text).ok()).ok_or(Unreadable::Json)
    }

    /// The message of the assistant. Errors of the API, which the client makes up, are none.
    pub(super) fn of_assistant(&self) -> Option<Message<'a>> {
        self.said_by("assistant").filter(|_| !is_true(self.is_api_error_message))
    }

    /// The message of a speaker, or in the name of one.
    pub(super) fn said_by(&self, speaker: &str) -> Option<Message<'a>> {
        let message: Message<'a> = object(self.message.filter(|_| self.is_of(speaker)))?;
        text_of(message.role).is_none_or(|role| role == speaker).then_some(message)
    }

    /// Whose words the line holds, as input of the model. The prompts of sub-agents and summaries are words of the
    /// model; what was pasted is in the words of others.
    pub(super) fn input_source(&self) -> InputSource {
        let is_prompt = match self.said_by("user") {
            Some(message) => {
                !is_true(self.is_meta)
                    && is_human(self.origin)
                    && !message.content.is_some_and(|content| content.get().contains(PASTE))
                    && message.of_kind("tool_result").next().is_none()
            }
            None => self.is_of("queue-operation") || self.attached().is_some_and(|it| it.is_queued_prompt()),
        };
        if is_prompt { InputSource::Session } else { InputSource::Others }
    }

    pub(super) fn is_of(&self, kind: &str) -> bool {
        is(self.kind, kind)
    }

    /// Whether a person may have typed the text of the line, and not a sub-agent, a program or the client itself.
    pub(super) fn may_be_typed(&self) -> bool {
        let is_of_the_client = is_true(self.is_meta)
            || is_true(self.is_compact_summary)
            || is_true(self.is_sidechain)
            || self.agent_id.is_some();
        let is_source = |source: String| matches!(source.as_str(), "typed" | "sdk" | "queued");
        !is_of_the_client && text_of(self.prompt_source).is_none_or(is_source) && is_human(self.origin)
    }

    /// What is attached to the line.
    pub(super) fn attached(&self) -> Option<Attachment<'a>> {
        object(self.attachment.filter(|_| self.is_of("attachment")))
    }

    /// What is put into the queue of prompts.
    pub(super) fn put_into_queue(&self) -> Option<String> {
        text_of(self.content.filter(|_| self.is_of("queue-operation") && is(self.operation, "enqueue")))
    }

    /// The facts of the line. The id is empty where it has none.
    pub(super) fn facts(&self) -> LineInfo {
        // What the user sends names none, and may be long.
        let of_model = self.message.filter(|message| MODEL.is_in(message.get().as_bytes()));
        LineInfo {
            uuid: word(self.uuid).unwrap_or_default(),
            session: word(self.session_id),
            time: moment(self.timestamp),
            cwd: folder_of(self.cwd),
            model: object::<Message<'_>>(of_model).and_then(|message| word(message.model)),
            agent: self.agent(),
            texts: Vec::new(),
        }
    }

    /// The sub-agent that speaks, if one does.
    pub(super) fn agent(&self) -> Option<Agent> {
        let (id, kind) = (word(self.agent_id), word(self.attribution_agent));
        (is_true(self.is_sidechain) || id.is_some()).then_some(Agent { id, kind })
    }
}

/// Something that is attached to a message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
pub(super) struct Attachment<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Option<&'a RawValue>,
    pub(super) prompt: Option<&'a RawValue>,
    pub(super) content: Option<&'a RawValue>,
    #[serde(rename = "toolUseID")]
    pub(super) call: Option<&'a RawValue>,
    command_mode: Option<&'a RawValue>,
    origin: Option<&'a RawValue>,
}

impl Attachment<'_> {
    /// Whether it is a prompt that a person typed while the assistant worked.
    pub(super) fn is_queued_prompt(&self) -> bool {
        is(self.kind, "queued_command")
            && text_of(self.command_mode).is_none_or(|mode| mode == "prompt")
            && is_human(self.origin)
    }
}

/// Whether an origin, where one is named, is a person.
fn is_human(origin: Option<&RawValue>) -> bool {
    origin.is_none_or(|origin| object::<Value>(Some(origin)).is_some_and(|origin| origin["kind"] == "human"))
}

/// A message to or from a model.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct Message<'a> {
    pub(super) id: Option<&'a RawValue>,
    pub(super) role: Option<&'a RawValue>,
    pub(super) model: Option<&'a RawValue>,
    pub(super) content: Option<&'a RawValue>,
    pub(super) usage: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    /// The blocks of one type.
    pub(super) fn of_kind(&self, kind: &str) -> impl Iterator<Item = Block<'a>> {
        blocks(self.content).into_iter().filter(move |block| is(block.kind, kind))
    }
}

/// The blocks in a list, each by itself: one that cannot be read leaves the others. Content that is a string has none.
pub(super) fn blocks(content: Option<&RawValue>) -> Vec<Block<'_>> {
    // Of a string a message would be made that nobody reads.
    let list = content.filter(|content| content.get().starts_with('['));
    let all = object::<Vec<&RawValue>>(list).unwrap_or_default();
    all.into_iter().filter_map(|block| object(Some(block))).collect()
}

/// The texts of a content: a string, or those of its blocks.
pub(super) fn texts_of(content: Option<&RawValue>) -> Vec<String> {
    match text_of(content) {
        Some(text) => vec![text],
        None => blocks(content).into_iter().filter_map(|block| text_of(block.text)).collect(),
    }
}

/// A block of a message, or of a result.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct Block<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Option<&'a RawValue>,
    pub(super) text: Option<&'a RawValue>,
    pub(super) id: Option<&'a RawValue>,
    pub(super) name: Option<&'a RawValue>,
    pub(super) input: Option<&'a RawValue>,
    pub(super) tool_use_id: Option<&'a RawValue>,
    pub(super) is_error: Option<&'a RawValue>,
    pub(super) content: Option<&'a RawValue>,
}

pub(super) fn object<'a, T: Deserialize<'a>>(value: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(value?.get()).ok()
}

/// The text of a string. Half a surrogate pair, which a cut in the middle of an emoji leaves, becomes U+FFFD.
pub(super) fn text_of(value: Option<&RawValue>) -> Option<String> {
    object(value).or_else(|| {
        let inside = value?.get().strip_prefix('"')?.strip_suffix('"')?;
        Some(unescape::text(inside.as_bytes().to_vec()))
    })
}

/// Whether a value is this text.
pub(super) fn is(value: Option<&RawValue>, text: &str) -> bool {
    text_of(value).is_some_and(|own| own == text)
}

pub(super) fn is_true(value: Option<&RawValue>) -> bool {
    object(value).unwrap_or(false)
}

/// A text with `stand_in` in the place of each part that the client marks as pasted.
pub(super) fn without_pastes(text: &str, stand_in: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(PASTE) {
        out.extend([before, stand_in]);
        let after = after.split_once(END_OF_PASTE).map_or("", |(_, after)| after);
        rest = after.split_once('>').map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// A name that can be stored and shown: one that cannot is replaced by its hash, so that two stay two.
pub(super) fn word(value: Option<&RawValue>) -> Option<String> {
    let text = text_of(value).filter(|text| !text.is_empty())?;
    let fits = is_plain(&text) && text.len() <= MAX_WORD_CHARS
        || text.chars().count() <= MAX_WORD_CHARS && !text.chars().any(neutral::is_hidden);
    Some(if fits { text } else { format!("hash-{}", digest::hex(text.as_bytes(), 32)) })
}

/// Whether nothing in a text is hidden, as can be seen byte by byte: most names are like that.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

pub(super) fn moment(value: Option<&RawValue>) -> Option<Timestamp> {
    Timestamp::parse(&text_of(value)?)
}

pub(super) fn folder_of(value: Option<&RawValue>) -> Option<String> {
    text_of(value).filter(|path| {
        path.starts_with('/')
            && path.len() <= MAX_FOLDER_BYTES
            && (is_plain(path) || !path.chars().any(neutral::is_hidden))
    })
}
