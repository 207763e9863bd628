//! The page of a candidate, as styled lines.

use lessons_context::known_projects::folder_name;
use lessons_context::proposal::NO_TRIGGER;
use lessons_lesson::lesson::{Mode, When};
use lessons_text::neutral::line;
use lessons_text::wording::counted;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use textwrap::Options;
use textwrap::core::display_width;

use super::state::{DecisionKind, FireCount, ItemStatus, ReplayStatus, ReviewItem};
use crate::review::nearest::Relation;
use crate::review::promotion::LOSES_DATA;

/// The width of the names at the start of lines, in columns.
pub const NAME_WIDTH: u16 = 10;
/// The most lines of one text.
const MAX_LINES: usize = 12;
/// The most examples that are shown.
const MAX_EXAMPLES: usize = 3;

/// The colours that may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// The sixteen colours of the terminal.
    Colours,
    /// No colours.
    Plain,
}

impl Palette {
    /// The palette that the environment variable `NO_COLOR` asks for: <https://no-color.org>.
    pub fn of_environment(no_color: Option<&str>) -> Self {
        if no_color.is_some_and(|value| !value.is_empty()) { Self::Plain } else { Self::Colours }
    }

    fn coloured(self, colour: Color) -> Style {
        match self {
            Self::Colours => Style::new().fg(colour),
            Self::Plain => Style::new(),
        }
    }

    /// The style of ordinary text.
    pub fn plain(self) -> Style {
        Style::new()
    }

    /// The style of names and separators.
    pub fn dim(self) -> Style {
        self.coloured(Color::Cyan)
    }

    /// The style of important text.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The style of warnings.
    pub fn warning(self) -> Style {
        self.coloured(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// The style of the title bar.
    pub fn bar(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// The style of a key.
    pub fn key(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED)
    }

    /// The style of the field with the cursor.
    pub fn field(self) -> Style {
        Style::new().add_modifier(Modifier::UNDERLINED)
    }
}

/// All lines of a candidate, wrapped to `width` columns.
pub fn of(item: &ReviewItem, width: u16, palette: Palette) -> Vec<Line<'static>> {
    let details = &item.details;
    let found = &details.candidate.finding;
    let mut lines = Vec::new();
    let projects = match project_names(item).as_str() {
        "" => counted(details.candidate.projects, "project"),
        names => format!("in {names}"),
    };
    let head = format!(
        "{}  found by {}, confidence {:.2}, {} in {}, {projects}",
        details.candidate.id,
        line(&found.source),
        details.confidence,
        counted(details.candidate.seen, "time"),
        counted(details.candidate.sessions, "session"),
    );
    lines.extend(wrapped(&head, width).into_iter().map(|text| Line::styled(text, palette.dim())));
    if let Some(text) = status_in_words(&item.status) {
        lines.push(Line::styled(text, palette.strong()));
    }
    if let Some(failure) = &item.failure {
        lines.extend(styled("trouble", failure, width, palette, palette.warning()));
    }
    for flag in &found.flags {
        let text = format!("{}: it {}", flag.name, flag.meaning);
        lines.extend(styled("flag", &text, width, palette, palette.warning()));
    }
    for mark in &found.marks {
        let text = format!("{}: it {}", mark.name, mark.meaning);
        lines.extend(row("mark", &text, width, palette));
    }
    lines.extend(styled("mistake", &item.draft.mistake, width, palette, palette.strong()));
    lines.extend(styled("fix", &item.draft.rule, width, palette, palette.strong()));
    if let Some(why) = &found.why {
        lines.extend(row("why", why, width, palette));
    }
    for trigger in &item.draft.triggers {
        lines.extend(row("fires on", trigger, width, palette));
    }
    if item.draft.triggers.is_empty() {
        let text = match item.draft.when {
            When::Tool => "nothing yet; e gives it a trigger",
            When::Session => NO_TRIGGER,
        };
        lines.extend(styled("fires on", text, width, palette, palette.warning()));
    }
    for also in &details.proposed.also {
        lines.extend(row("and", also, width, palette));
    }
    for unless in &item.draft.unless {
        lines.extend(row("unless", unless, width, palette));
    }
    if !details.proposed.tool.is_empty() {
        lines.extend(row("tools", &details.proposed.tool.join(", "), width, palette));
    }
    let does = match (item.draft.mode, item.draft.when) {
        (_, When::Session) => "given at the start of every session",
        (Mode::Advise, When::Tool) => "reminds the model afterwards",
        (Mode::Bump, When::Tool) => "blocks the call once",
        (Mode::Block, When::Tool) => "blocks the call every time",
    };
    lines.extend(row("does", does, width, palette));
    if item.is_asked_for_mode() {
        let text = format!("blocking the call once: {LOSES_DATA}; p asks");
        lines.extend(styled("proposed", &text, width, palette, palette.warning()));
    }
    if item.is_asked_for_mode() || item.draft.blocks() {
        let example = Some(item.draft.example.as_str()).filter(|example| !example.is_empty());
        lines.extend(row("example", example.unwrap_or("none yet; e gives it one"), width, palette));
    }
    lines.extend(row("where", &item.draft.scope.in_words(), width, palette));
    lines.extend(replay_lines(&item.replay, width, palette));
    lines.extend(evidence(item, width, palette));
    for near in &details.near {
        let relation = near.relation.map_or("", Relation::in_words);
        let text = format!("{relation} {}: {}", near.id, near.rule);
        lines.extend(row("like", &text, width, palette));
    }
    for seen in &details.sightings {
        lines.extend(row("seen in", &format!("{}:{}", seen.file, seen.line), width, palette));
    }
    lines
}

/// The names of the folders of the projects in which a candidate was seen.
pub fn project_names(item: &ReviewItem) -> String {
    let names = item.details.folders.iter().map(|folder| folder_name(folder));
    line(&names.collect::<Vec<_>>().join(", "))
}

fn status_in_words(status: &ItemStatus) -> Option<&'static str> {
    Some(match status {
        ItemStatus::Waits => return None,
        ItemStatus::Skipped => "skipped for now",
        ItemStatus::Deciding(DecisionKind::Promoted) | ItemStatus::Decided(DecisionKind::Promoted) => {
            "promoted"
        }
        ItemStatus::Deciding(DecisionKind::Merged) | ItemStatus::Decided(DecisionKind::Merged) => "merged",
        ItemStatus::Deciding(DecisionKind::Rejected) | ItemStatus::Decided(DecisionKind::Rejected) => {
            "rejected"
        }
    })
}

/// The lines with the evidence for a candidate and the reasons for its confidence.
pub fn evidence(item: &ReviewItem, width: u16, palette: Palette) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for seen in &item.details.candidate.finding.evidence {
        lines.extend(row("evidence", seen, width, palette));
    }
    let score: Vec<String> = item
        .details
        .score
        .iter()
        .map(|reason| format!("{:.2} {}", f64::from(reason.points) / 100.0, reason.because))
        .collect();
    lines.extend(row("score", &score.join("; "), width, palette));
    lines
}

/// The lines with the result of a replay.
pub fn replay_lines(status: &ReplayStatus, width: u16, palette: Palette) -> Vec<Line<'static>> {
    let text = match status {
        ReplayStatus::Unasked => return Vec::new(),
        ReplayStatus::Counting => "counting …".to_owned(),
        ReplayStatus::Cannot(why) => why.clone(),
        ReplayStatus::Counted(count) => in_words(count),
    };
    let mut lines = styled("replay", &text, width, palette, palette.strong());
    let detail = if let ReplayStatus::Counted(count) = status { count.detail.as_ref() } else { None };
    let Some(detail) = detail else { return lines };
    let indent = usize::from(NAME_WIDTH);
    let fired = if detail.refused > 0 { "blocks" } else { "" };
    for (name, calls) in [(fired, &detail.examples), ("passes", &detail.passes)] {
        for (at, call) in calls.iter().take(MAX_EXAMPLES).enumerate() {
            let name = if at == 0 { name } else { "" };
            lines.push(Line::from(shortened(&format!("{name:indent$}{}", line(call)), width)));
        }
    }
    lines
}

fn in_words(count: &FireCount) -> String {
    if count.calls == 0 {
        return format!("would have fired at none of {}", counted(count.all, "call"));
    }
    let mut parts = vec![format!(
        "would have fired at {} of {}, in {}",
        count.calls,
        counted(count.all, "call"),
        counted(count.sessions, "session")
    )];
    if count.room.is_known() {
        parts.push(format!("it {}", count.room));
    }
    if let Some(detail) = &count.detail {
        parts.push(format!("{} failed", share(detail.failed, count.calls)));
        if detail.projects > 1 {
            parts.push(format!("they were in {}", counted(detail.projects, "project")));
        }
        if detail.refused > 0 {
            parts.push(format!("it would have blocked {}", share(detail.refused, count.calls)));
        }
    }
    parts.join("; ")
}

/// A part of a number, with its share in per cent.
fn share(part: usize, all: usize) -> String {
    let all = all.max(1);
    format!("{part} ({} %)", (part * 100 + all / 2) / all)
}

/// A name and a text, wrapped to the width.
pub fn row(name: &str, text: &str, width: u16, palette: Palette) -> Vec<Line<'static>> {
    styled(name, text, width, palette, palette.plain())
}

fn styled(name: &str, text: &str, width: u16, palette: Palette, style: Style) -> Vec<Line<'static>> {
    let mut parts = wrapped(&line(text), width.saturating_sub(NAME_WIDTH));
    if parts.len() > MAX_LINES {
        parts.truncate(MAX_LINES);
        parts.push("… (all of it: lessons show)".to_owned());
    }
    let width = usize::from(NAME_WIDTH);
    let mut lines = Vec::new();
    for (number, part) in parts.into_iter().enumerate() {
        let name = if number == 0 { name } else { "" };
        lines.push(Line::from(vec![
            Span::styled(format!("{name:width$}"), palette.dim()),
            Span::styled(part, style),
        ]));
    }
    lines
}

/// A text, wrapped to `width` columns.
pub fn wrapped(text: &str, width: u16) -> Vec<String> {
    let options = Options::new(usize::from(width).max(1)).break_words(true);
    let lines = textwrap::wrap(text, options);
    lines.into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// A text, cut to `width` columns.
pub fn shortened(text: &str, width: u16) -> String {
    let width = usize::from(width);
    if display_width(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += display_width(c.encode_utf8(&mut [0; 4]));
        if used > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}
