//! Rules of other tools in Markdown with front matter: gptme lessons, hookify rules, ECC instincts, and memory notes.

use lessons_pattern::{Trigger, TriggerKind};
use serde::Deserialize;

use super::document::Document;
use super::entry::Entry;
use super::label::Label;
use crate::tag::trigger::literal;

/// The fields of front matter that mean something here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Front {
    name: Option<String>,
    description: Option<String>,
    status: Option<String>,
    // gptme
    #[serde(rename = "match")]
    matching: Match,
    // hookify
    enabled: Option<bool>,
    event: Option<String>,
    pattern: Option<String>,
    conditions: Vec<Condition>,
    // ECC
    trigger: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Match {
    keywords: Vec<String>,
    tools: Vec<String>,
}

/// A condition of hookify; all of them must hold.
#[derive(Debug, Deserialize)]
struct Condition {
    field: String,
    operator: String,
    pattern: String,
}

impl Front {
    /// Whether it says when a rule holds, as the formats of rules do.
    fn is_of_rule(&self) -> bool {
        let Self { matching, enabled, event, pattern, conditions, trigger, status, .. } = self;
        let has_match = !matching.keywords.is_empty() || !matching.tools.is_empty() || !conditions.is_empty();
        has_match || enabled.is_some() || [event, pattern, trigger, status].into_iter().any(Option::is_some)
    }
}

/// The entry of a document with front matter; `None` without, and where it stands over several entries. An error says why it cannot be read.
pub(crate) fn entry(document: &Document<'_>) -> Result<Option<Entry>, String> {
    let Some(yaml) = document.front else { return Ok(None) };
    let front: Front = serde_saphyr::from_str(yaml).map_err(|error| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default().trim_start_matches("error: ");
        format!("its front matter is no YAML: {first}")
    })?;
    let mut entries = document.entries();
    if entries.len() > 1 && !front.is_of_rule() {
        return Ok(None);
    }
    // Prose without a labelled rule is the rule as it stands, and so are several points.
    let titled = entries.iter().position(|entry| entry.has(Label::Rule) && !entry.title.is_empty());
    let is_one = entries.len() == 1 && entries.iter().all(|entry| entry.has(Label::Rule));
    let mut entry = if let Some(at) = titled.or(is_one.then_some(0)) {
        entries.swap_remove(at)
    } else {
        let mut entry = Entry::default();
        let words: Vec<&str> = document.body.split_whitespace().collect();
        entry.add(Label::Rule, &words.join(" ").replace("**", ""));
        entry
    };
    entry.line = document.line;
    if let Some(about) = front.description.or(front.name.filter(|_| entry.title.is_empty())) {
        entry.title = about;
    }
    if let Some(when) = front.trigger {
        entry.holds(&when);
    }
    entry.add(Label::Status, front.status.as_deref().unwrap_or_default());
    if front.enabled == Some(false) {
        entry.add(Label::Status, "disabled");
    }
    let of_field = |field: &str| match field {
        "command" | "bash" => Some(TriggerKind::CommandPattern),
        "file_path" => Some(TriggerKind::PathPattern),
        "new_text" | "content" | "file" => Some(TriggerKind::ContentPattern),
        _ => None,
    };
    let event = front.event.as_deref().and_then(of_field);
    let pattern = front.pattern.and_then(|pattern| Some(Trigger::new(event?, pattern)));
    let mut all = front.conditions.into_iter().filter_map(|condition| {
        let kind = of_field(&condition.field)?;
        let pattern = match condition.operator.as_str() {
            "regex_match" => condition.pattern,
            "contains" | "equals" => literal(&condition.pattern),
            _ => return None,
        };
        Some(Trigger::new(kind, pattern))
    });
    let keywords = front.matching.keywords.into_iter().map(|word| Trigger::new(TriggerKind::Keyword, word));
    entry.proposal.triggers = pattern.or_else(|| all.next()).into_iter().chain(keywords).collect();
    entry.proposal.also = all.collect();
    if entry.proposal.triggers.is_empty() {
        let tools = front.matching.tools.into_iter().filter(|tool| !tool.is_empty());
        entry.proposal.triggers = tools.map(|tool| Trigger::new(TriggerKind::Tool, tool)).collect();
    }
    Ok(Some(entry))
}
