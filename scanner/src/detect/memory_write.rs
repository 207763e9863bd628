//! **Memory files**: a rule in what the agent adds to a file that is there to be remembered.
//!
//! - A note in the client's own memory says what it is about in its `description:`, and what to do under
//!   `**How to apply:**`. Such a note is read only when the model looks for it.
//! - Of instructions that the client loads anyway (`CLAUDE.md`), a new rule is proposed where the person had just asked
//!   for it, or where it names the calls that it is about: then it can be told at these.

use lessons_text::words::tokens;

use super::draft::{Cleaner, Draft, relative};
use super::history::{Event, Step};
use super::options::lists;
use super::rule_aim::aim_of_rule;
use super::rule_line::{RuleLine, rule_lines};
use super::{Detector, Weight};
use crate::transcript::ToolCall;

/// The number of events before a write in which the person may have asked for it.
const SOON: usize = 20;
/// More rules than this in one edit are a document.
const MOST_RULES: usize = 8;
/// More rules than this in a file that is written as a whole are a document.
const MOST_RULES_OF_A_FILE: usize = 3;
/// The shortest bullet of a note that says enough, in characters.
const SHORTEST_BULLET: usize = 50;

/// What people call a memory file, and words for writing into it, in lower case.
const MEMORY_NAMES: &str = "claude.md|agents.md|gemini.md|memory|instructions|your rules|remember";
const WRITING: &str = "add|put|note|write|document|update|save|record|remember|live in|contain";

/// The names of files that the client loads at the start of every session, in lower case.
const INSTRUCTIONS: &str = "claude.md claude.local.md agents.md gemini.md copilot-instructions.md .cursorrules .windsurfrules \
     conventions.md lessons.md lessons-learned.md memory.md";

/// The kind of a memory file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryFile {
    /// A note of the client's own memory, or of a folder for lessons learned.
    Note,
    /// Instructions that the client loads at the start of every session.
    Instructions,
}

impl MemoryFile {
    fn of(path: &str) -> Option<Self> {
        let path = path.replace('\\', "/");
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let lower = name.to_lowercase();
        let is_text = lower.rsplit_once('.').is_some_and(|(_, end)| matches!(end, "md" | "mdc"));
        let within = |part: &str| folder.split('/').any(|own| own == part);
        match lower.as_str() {
            name if lists(INSTRUCTIONS, name) => Some(Self::Instructions),
            _ if is_text && within("rules") && (within(".claude") || within(".cursor")) => {
                Some(Self::Instructions)
            }
            _ if is_text
                && within("memory")
                && (within("projects") || within(".claude") || within("agent-memory")) =>
            {
                Some(Self::Note)
            }
            _ if is_text && (within(".learnings") || within("memory-bank") || within("agent-memory")) => {
                Some(Self::Note)
            }
            _ => None,
        }
    }
}

/// Looks for a rule that the last event wrote down.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(step), before) = events.split_last()? else { return None };
    if !step.is_done() || !step.may_write_memory() {
        return None;
    }
    let call = step.call();
    let file = MemoryFile::of(call.path.as_deref()?)?;
    let added = added_lines(call)?;
    match file {
        MemoryFile::Note => of_note(step, &added),
        MemoryFile::Instructions => of_instructions(step, before, &added),
    }
}

/// The lines that a write adds.
fn added_lines(call: &ToolCall) -> Option<Vec<&str>> {
    let old: Vec<&str> = call.old.as_deref().unwrap_or_default().lines().map(str::trim).collect();
    let new = call.new.as_deref()?;
    Some(new.lines().filter(|line| !old.contains(&line.trim())).collect())
}

/// Whether a note is about how far the work is, which is true for a while only.
fn tells_a_state(path: Option<&str>, description: Option<&str>) -> bool {
    const STATES: [&str; 6] = ["state", "status", "progress", "decisions", "roadmap", "todo"];
    let texts = path.and_then(|path| path.rsplit(['/', '\\']).next()).into_iter().chain(description);
    texts.flat_map(tokens).any(|word| STATES.contains(&word.as_str()))
}

fn of_note<'e>(step: &'e Step, added: &[&str]) -> Option<Draft<'e>> {
    let field = |name: &str| {
        let line = added.iter().take(12).find_map(|line| line.trim().strip_prefix(name))?;
        Some(line.trim().trim_matches('"')).filter(|value| !value.is_empty())
    };
    let text: Vec<&str> = added.iter().map(|line| line.trim()).collect();
    let paragraphs = paragraphs(&text);
    let how = paragraphs.iter().find_map(|text| {
        let text = text.strip_prefix("**How to apply:**").or_else(|| text.strip_prefix("How to apply:"))?;
        Some(text.trim().to_owned())
    });
    let bullet = paragraphs.iter().find_map(|text| {
        let bullet = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "))?;
        let is_index = bullet.starts_with('[') && bullet.contains("](");
        (!is_index && bullet.chars().count() >= SHORTEST_BULLET).then(|| bullet.to_owned())
    });
    let description = field("description:").map(str::to_owned);
    let is_feedback = field("type:") == Some("feedback");
    if !is_feedback && tells_a_state(step.call().path.as_deref(), description.as_deref()) {
        return None;
    }
    // A note without a way to apply it and without points is a report of a decision.
    let rule = match (&description, how, bullet) {
        (Some(description), Some(how), _) => format!("{}. {how}", description.trim_end_matches('.')),
        (Some(description), None, Some(bullet)) => format!("{}: {bullet}", description.trim_end_matches('.')),
        (Some(description), None, None) if is_feedback => description.clone(),
        (None, _, Some(bullet)) => bullet,
        _ => return None,
    };
    let points = if is_feedback {
        Weight::new(75, "the agent noted it as feedback of the user")
    } else {
        Weight::new(60, "the agent wrote it into its memory")
    };
    Some(draft(step, &rule, description.as_deref(), points, Detector::Written))
}

fn of_instructions<'e>(step: &'e Step, before: &[Event], added: &[&str]) -> Option<Draft<'e>> {
    let rules = rule_lines(added);
    let most = if step.call().old.is_some() { MOST_RULES } else { MOST_RULES_OF_A_FILE };
    if rules.len() > most {
        return None;
    }
    let was_asked = before.iter().rev().take(SOON).any(|event| match event {
        Event::Typed(prompt) => asks_to_write(&prompt.text),
        Event::Step(_) => false,
    });
    let RuleLine { text, .. } = rules.iter().rev().max_by_key(|rule| (rule.is_bold, rule.has_code))?;
    let points = if was_asked {
        Weight::new(75, "the user asked for it to be written down")
    } else {
        Weight::new(60, "the agent wrote it into the instructions of the project")
    };
    let detector = if was_asked { Detector::Asked } else { Detector::Written };
    let draft = draft(step, text, None, points, detector);
    (was_asked || !draft.proposal.triggers.is_empty()).then_some(draft)
}

/// Whether a prompt asks for something to be written into a memory file.
fn asks_to_write(prompt: &str) -> bool {
    let lower = prompt.to_lowercase();
    let holds = |words: &str| words.split('|').any(|word| lower.contains(word));
    holds(MEMORY_NAMES) && holds(WRITING)
}

fn draft<'e>(
    step: &'e Step,
    rule: &str,
    about: Option<&str>,
    points: Weight,
    detector: Detector,
) -> Draft<'e> {
    let mut cleaner = Cleaner::default();
    let rule = cleaner.told(&plain(rule));
    let path = step.call().path.as_deref().unwrap_or_default();
    let file = cleaner.told(&relative(path, step.origin().info.cwd.as_deref()));
    let proposal = aim_of_rule(&rule);
    let mut basis = vec![points];
    basis.extend(
        (!proposal.triggers.is_empty()).then(|| Weight::new(5, "it names the calls that it is about")),
    );
    let mistake = match about {
        Some(about) => cleaner.quoted(about),
        None => format!("This was written into {}", file.rsplit(['/', '\\']).next().unwrap_or_default()),
    };
    Draft {
        detector,
        origin: step.origin(),
        key: rule.clone(),
        is_strong: true,
        mistake,
        fix: rule,
        trigger: None,
        tools: Vec::new(),
        proposal,
        evidence: vec![format!("written to: {file}")],
        basis,
        cleaner,
    }
}

/// Lines joined where one goes on in the next.
fn paragraphs(lines: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        let begins = line.starts_with(['-', '*', '#']) || line.starts_with("How to");
        if goes_on && !begins && !line.is_empty() {
            if let Some(last) = out.last_mut() {
                last.push(' ');
                last.push_str(line);
            }
        } else if !line.is_empty() {
            out.push((*line).to_owned());
        }
        goes_on = !line.is_empty();
    }
    out
}

/// A text without the marks of Markdown for emphasis.
fn plain(text: &str) -> String {
    text.replace("**", "").replace("__", "")
}
