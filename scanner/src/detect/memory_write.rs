//! **Memory files**: a rule in what the agent adds to a file that is there to be remembered.
//!
//! - A note in the client's own memory says what it is about in its `description:`, and what to do under
//!   `**How to apply:**`. Such a note is read only when the model looks for it.
//! - Of instructions that the client loads anyway (`CLAUDE.md`), a new rule is proposed where the person had just asked
//!   for it, or where it names the calls that it is about: then it can be told at these. Where only a few points are
//!   added, it may be one in whatever words, and before anything else was done the prompt asked for it in whatever words.
//! - Of a file of lessons (`tasks/lessons.md`), each new entry is proposed that says a mistake and a rule; else its rules
//!   count as those of instructions do, because `docs/lessons.md` may be the documentation of a project.
//!
//! It counts in whatever way it is written: with an edit, in a command line, or with a tool of a server for memories.

mod rule_line;
mod shell_write;

use lessons_text::words::tokens;

use super::aim::rule_aim::{aim_of_entry, aim_of_rule, aim_of_subject, at_place};
use super::command::options::lists;
use super::draft::{Cleaner, Draft, relative};
use super::history::{Event, Step};
use super::spoken;
use super::statement::kin;
use super::statement::phrases::{PhraseKind, Said, is_kept, said};
use super::statement::sentence::{sentences, without_bullet};
use super::{Detector, Reason};
use crate::lesson_entries::labelled;
use crate::transcript::needle::Needle;
use crate::transcript::raw_json::{decoded_text, value_of};
use crate::transcript::stores_memories;
use rule_line::{paragraphs, rule_lines, without_bold};
use shell_write::{ShellWrite, shell_write};

/// The number of events before a write in which the person may have asked for it.
const SOON: usize = 20;
/// More rules than this in one edit are a document.
const MOST_RULES: usize = 8;
/// More rules than this in a file that is written as a whole are a document.
const MOST_RULES_OF_A_FILE: usize = 3;
/// More points than this, none of which says what always or never to do, describe something.
const FEW_POINTS: usize = 3;
/// The most entries of one write to a file of lessons.
const MOST_ENTRIES: usize = 20;
/// The shortest bullet of a note that says enough, in characters.
const SHORTEST_BULLET: usize = 50;

/// The names of files that the client loads at the start of every session, in lower case.
const INSTRUCTIONS: &str = "claude.md claude.local.md agents.md gemini.md copilot-instructions.md .cursorrules .windsurfrules \
     conventions.md memory.md";
/// The names of files of lessons, in lower case.
const LESSONS: &str = "lessons.md lessons-learned.md lessons_learned.md";

/// The key of the file as it was before a write, in the client's copy of the result.
static FILE_BEFORE: Needle = Needle::new("\"originalFile\"");

/// The kind of a memory file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryFile {
    /// A note of the client's own memory, or of a folder for lessons learned.
    Note,
    /// Instructions that the client loads at the start of every session.
    Instructions,
    /// A file of lessons, or so it is called.
    Lessons,
}

impl MemoryFile {
    fn of(path: &str) -> Option<Self> {
        let path = path.replace('\\', "/");
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let lower = name.to_lowercase();
        let is_text = lower.rsplit_once('.').is_some_and(|(_, end)| matches!(end, "md" | "mdc"));
        let within = |parts: &str| folder.split('/').any(|own| lists(parts, own));
        match lower.as_str() {
            name if lists(INSTRUCTIONS, name) => Some(Self::Instructions),
            name if lists(LESSONS, name) => Some(Self::Lessons),
            _ if !is_text => None,
            name if within(".claude") && name.starts_with("lessons") => Some(Self::Lessons),
            _ if within(".learnings") => Some(Self::Lessons),
            _ if within("rules") && within(".claude .cursor") => Some(Self::Instructions),
            _ if within("memory-bank agent-memory") => Some(Self::Note),
            _ if within("memory") && within("projects .claude") => Some(Self::Note),
            _ => within("memory").then_some(Self::Lessons),
        }
    }
}

/// What a call writes into a memory file.
struct Writing {
    kind: MemoryFile,
    /// The path of the file, or what stores it, in words.
    path: String,
    text: String,
    /// The text that it replaces. `None` where it is the whole file.
    old: Option<String>,
}

impl Writing {
    fn of(step: &Step) -> Option<Self> {
        let call = step.call();
        if let Some(path) = &call.path {
            let kind = MemoryFile::of(path)?;
            return Some(Self { kind, path: path.clone(), text: call.new.clone()?, old: call.old.clone() });
        }
        if let Some(command) = &call.command {
            let folder = step.origin().info.cwd.as_deref().unwrap_or_default();
            let ShellWrite { path, text, is_added } =
                shell_write(command, folder, |path| MemoryFile::of(path).is_some())?;
            let old = is_added.then(String::new);
            return Some(Self { kind: MemoryFile::of(&path)?, path, text, old });
        }
        let text = call.new.clone().filter(|_| stores_memories(&call.tool))?;
        let server = call.tool.split("__").nth(1)?;
        let path = format!("the MCP server {server}");
        Some(Self { kind: MemoryFile::Lessons, path, text, old: Some(String::new()) })
    }

    fn file_name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or_default()
    }

    /// The lines that were not there before.
    fn added(&self) -> Vec<&str> {
        let old: Vec<&str> = self.old.as_deref().unwrap_or_default().lines().map(str::trim).collect();
        self.text.lines().filter(|line| !old.contains(&line.trim())).collect()
    }
}

/// Looks for rules that the last event wrote down. `result` is the line with its result.
pub(super) fn look<'e>(events: &'e [Event], result: &[u8]) -> Vec<Draft<'e>> {
    let Some((Event::Step(step), before)) = events.split_last() else { return Vec::new() };
    if !step.is_done() || !step.lazy_call.may_write_memory() {
        return Vec::new();
    }
    let Some(mut writing) = Writing::of(step) else { return Vec::new() };
    let mut drafts = match writing.kind {
        MemoryFile::Note => of_note(step, &writing).into_iter().collect(),
        MemoryFile::Instructions => of_instructions(step, before, &writing),
        MemoryFile::Lessons => {
            writing.old = writing.old.or_else(|| file_before(result));
            of_lessons(step, &writing).unwrap_or_else(|| of_instructions(step, before, &writing))
        }
    };
    let own = drafts.iter_mut().filter(|draft| std::ptr::eq(draft.origin, step.origin()));
    for (order, draft) in own.enumerate() {
        draft.order = order;
    }
    drafts
}

/// The file as it was before a write, where the result says it: empty for a new one.
fn file_before(result: &[u8]) -> Option<String> {
    let value = value_of(&result[FILE_BEFORE.find(result)?..]);
    if value.starts_with(b"null") {
        return Some(String::new());
    }
    decoded_text(value)
}

/// The drafts of the new entries. `None` where no entry says a mistake and a rule under their labels.
fn of_lessons<'e>(step: &'e Step, writing: &Writing) -> Option<Vec<Draft<'e>>> {
    let entries = labelled(&writing.text);
    let known = labelled(writing.old.as_deref().unwrap_or_default());
    let new: Vec<_> = entries.iter().filter(|entry| !known.contains(entry)).collect();
    // Where many may have been there before, the last is the new one.
    let most = if writing.old.is_some() || new.len() <= MOST_RULES { MOST_ENTRIES } else { 1 };
    let draft = |(rule, mistake): &(String, String)| {
        let points = Reason::new(65, "the agent wrote it into a file of lessons");
        let mut draft = draft(step, writing, rule, points, |cleaner| cleaner.quoted(mistake));
        draft.proposal = aim_of_entry(&draft.fix, &draft.cleaner.clean(mistake));
        draft
    };
    let from = new.len().saturating_sub(most);
    (!entries.is_empty()).then(|| new.into_iter().skip(from).map(draft).collect())
}

/// Whether a note is about how far the work is, which is true for a while only.
fn tells_a_state(path: &str, description: Option<&str>) -> bool {
    const STATES: &str = "state status progress decisions roadmap todo";
    let texts = path.rsplit(['/', '\\']).next().into_iter().chain(description);
    texts.flat_map(tokens).any(|word| lists(STATES, &word))
}

fn of_note<'e>(step: &'e Step, writing: &Writing) -> Option<Draft<'e>> {
    let added = writing.added();
    let field = |name: &str| {
        let line = added.iter().take(12).find_map(|line| line.trim().strip_prefix(name))?;
        Some(line.trim().trim_matches('"')).filter(|value| !value.is_empty())
    };
    let paragraphs = paragraphs(&added, &[]);
    let how = paragraphs.iter().enumerate().find_map(|(at, text)| {
        let text = text.strip_prefix("**How to apply:**").or_else(|| text.strip_prefix("How to apply:"))?;
        with_points(text.trim(), &paragraphs[at + 1..])
    });
    let bullet = paragraphs.iter().find_map(|text| {
        let bullet = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "))?;
        let is_index = bullet.starts_with('[') && bullet.contains("](");
        (!is_index && bullet.chars().count() >= SHORTEST_BULLET).then(|| bullet.to_owned())
    });
    // What the note says first, below its front matter, in a sentence.
    let begin = paragraphs.iter().skip(1).position(|line| line.starts_with("---")).map(|at| at + 2);
    let below = begin.and_then(|begin| paragraphs.get(begin..)).unwrap_or_default();
    let first = below.split_first().filter(|(text, _)| text.starts_with(char::is_alphanumeric));
    let first = first.and_then(|(text, rest)| with_points(text, rest));
    let description = field("description:").map(str::to_owned);
    let kind = field("type:");
    let is_feedback = kind == Some("feedback");
    if !is_feedback && tells_a_state(&writing.path, description.as_deref()) {
        return None;
    }
    let told = rule_lines(&added).into_iter().next();
    // A note without a way to apply it, without points and without a rule is a report of a decision.
    let rule = match (&description, how, bullet) {
        (Some(_), how, _) if let Some(first) = first.as_ref().filter(|_| is_feedback) => {
            format!("{first} {}", how.unwrap_or_default()).trim_end().to_owned()
        }
        (Some(description), Some(how), _) => format!("{}. {how}", description.trim_end_matches('.')),
        // What a place or a name is, the first sentence says: "the sources are in `/opt/base`".
        (Some(description), None, _) if let Some(first) = first.filter(|_| kind == Some("reference")) => {
            format!("{}. {first}", description.trim_end_matches('.'))
        }
        (Some(description), None, Some(bullet)) => format!("{}: {bullet}", description.trim_end_matches('.')),
        (Some(_), None, None) if let Some(told) = &told => told.clone(),
        (Some(description), None, None) if is_feedback => description.clone(),
        (None, _, Some(bullet)) => bullet,
        _ => return None,
    };
    let points = if is_feedback {
        Reason::new(75, "the agent noted it as feedback of the user")
    } else {
        Reason::new(60, "the agent wrote it into its memory")
    };
    let mut draft = draft(step, writing, &rule, points, |cleaner| match &description {
        Some(description) => cleaner.quoted(description),
        None => format!("Noted in {}", writing.file_name()),
    });
    for text in told.into_iter().chain(description) {
        if draft.proposal.triggers.is_empty() {
            draft.proposal = aim_of_rule(&draft.cleaner.clean(&text));
        }
    }
    if draft.proposal.triggers.is_empty() {
        draft.proposal = at_place(&draft.fix).unwrap_or_default();
    }
    Some(draft)
}

/// A text, with the points behind it where it says nothing without them: where it ends with a colon, or is empty. `None` where
/// there are none either.
fn with_points(text: &str, behind: &[String]) -> Option<String> {
    let says_little = |text: &str| text.is_empty() || text.ends_with(':');
    if !says_little(text) {
        return Some(text.to_owned());
    }
    let behind = behind.iter().skip_while(|line| text.is_empty() && line.starts_with('#'));
    let points = behind.map_while(|line| Some(without_bullet(line)).filter(|point| point.len() < line.len()));
    let whole = format!("{text} {}", points.collect::<Vec<_>>().join("; ")).trim().to_owned();
    (!says_little(&whole)).then_some(whole)
}

/// The draft of the first rule that was asked for or names the calls that it is about; of a file of lessons those of all.
fn of_instructions<'e>(step: &'e Step, before: &'e [Event], writing: &Writing) -> Vec<Draft<'e>> {
    let asks_to_write = |prompt: &String| sentences(prompt).iter().any(|sentence| is_kept(&sentence.line));
    let added = writing.added();
    let points = points_in(&added);
    // A few points that are written before anything else is done are what was asked for, in whatever words and language.
    let is_short = (1..=FEW_POINTS).contains(&points.len());
    let looked = before.iter().rev().take_while(|event| event.step().is_some_and(Step::looks)).count();
    let asked = before.iter().rev().take(SOON).enumerate().find_map(|(at, event)| match event {
        Event::Typed(prompt) => {
            let asked = (prompt, &before[..before.len() - at - 1]);
            Some(asked).filter(|(prompt, _)| is_short && at == looked || asks_to_write(&prompt.text))
        }
        Event::Step(_) => None,
    });
    let mut rules = rule_lines(&added);
    // A few points that somebody added are rules in whatever words, where nothing else is one.
    if rules.is_empty() && (asked.is_some() || writing.old.is_some()) {
        rules = Some(points).filter(|points| points.len() <= FEW_POINTS).unwrap_or_default();
    }
    let is_of_lessons = writing.kind == MemoryFile::Lessons;
    let is_part = writing.old.is_some() || is_of_lessons;
    if rules.len() > if is_part { MOST_RULES } else { MOST_RULES_OF_A_FILE } {
        return Vec::new();
    }
    let points = || match asked {
        Some(_) => Reason::new(85, "the user asked for it to be written down"),
        None => Reason::new(60, "the agent wrote it into the instructions of the project"),
    };
    let draft = |rule: &String| {
        let mut draft = draft(step, writing, rule, points(), |cleaner| match asked {
            Some(asked) => format!("The user said: \"{}\"", cleaner.quoted(&asked.0.text)),
            None => format!("Noted in {}", writing.file_name()),
        });
        if asked.is_some() {
            draft.detector = Detector::Asked;
        }
        if draft.proposal.triggers.is_empty() {
            draft.proposal = aim_of_subject(&draft.fix)
                .or_else(|| at_place(&draft.fix).filter(|_| asked.is_some()))
                .unwrap_or_default();
        }
        (asked.is_some() || !draft.proposal.triggers.is_empty()).then_some(draft)
    };
    let most = if is_of_lessons { MOST_RULES } else { 1 };
    let mut drafts: Vec<_> = rules.iter().filter_map(draft).take(most).collect();
    // What was asked for in so many words is the first of them, and no lesson of its own. It may also have been about
    // something else that is to be kept.
    let said = asked.and_then(|(prompt, before)| {
        let said = spoken::of_prompt(&prompt.origin, &prompt.text, sentences(&prompt.text), before)?;
        let written = rules.iter().find_map(draft).filter(|_| said.detector == Detector::Asked)?;
        let words = kin::features(&prompt.text);
        let is_same = kin::features(&written.fix).iter().any(|word| words.contains(word));
        (is_same || asks_to_record(&prompt.text)).then_some(Draft { origin: said.origin, ..written })
    });
    drafts.extend(said);
    drafts
}

/// Whether a prompt says that something is to be written into a file that is there to be remembered.
fn asks_to_record(prompt: &str) -> bool {
    let asks = |said: &Said<'_>| said.kind == PhraseKind::Record;
    sentences(prompt).iter().any(|sentence| said(&sentence.line).iter().any(asks))
}

/// The points among some lines, without their marks.
fn points_in(lines: &[&str]) -> Vec<String> {
    let texts = paragraphs(lines, &['.', ':']).into_iter();
    let point = |text: String| text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).map(str::to_owned);
    texts.filter_map(point).collect()
}

/// The text without the targets of its links: an index of notes names their files.
fn without_links(text: &str) -> String {
    let mut parts = text.split("](");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let opening = out.rfind('[');
        match (opening, part.split_once(')')) {
            (Some(at), Some((_, rest))) => {
                out.remove(at);
                out.push_str(rest);
            }
            _ => out.extend(["](", part]),
        }
    }
    out
}

/// The draft of a rule. `mistake` says what happened.
fn draft<'e>(
    step: &'e Step,
    writing: &Writing,
    rule: &str,
    points: Reason,
    mistake: impl FnOnce(&mut Cleaner) -> String,
) -> Draft<'e> {
    let mut cleaner = Cleaner::default();
    // Without the marks of Markdown.
    let rule = cleaner.told(&without_links(&without_bold(rule)));
    let file = cleaner.told(&relative(&writing.path, step.origin().info.cwd.as_deref()));
    let proposal = aim_of_rule(&rule);
    let mut basis = vec![points];
    basis.extend(
        (!proposal.triggers.is_empty()).then(|| Reason::new(5, "it names the calls that it is about")),
    );
    let mistake = mistake(&mut cleaner);
    Draft {
        order: 0,
        detector: Detector::Written,
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
