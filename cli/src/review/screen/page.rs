//! The page of a candidate, as styled lines.

use lessons_text::neutral::line;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use textwrap::Options;
use textwrap::core::display_width;

use super::item::{ReviewItem, Trial};
use crate::ui::paint::Paint;
use crate::ui::rows::{Row, Rows};

/// The width of the names at the start of lines, in columns.
const NAME_WIDTH: u16 = 10;
/// The most lines of one text.
const MAX_LINES: usize = 12;

/// The style of important text.
pub(super) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
/// The style of the title bar.
pub(super) const BAR: Style = Style::new().add_modifier(Modifier::REVERSED);
/// The style of a key.
pub(super) const KEY: Style = Style::new().add_modifier(Modifier::BOLD.union(Modifier::REVERSED));
/// The style of the field with the cursor.
pub(super) const FIELD: Style = Style::new().add_modifier(Modifier::UNDERLINED);

fn coloured(paint: Paint, colour: Color) -> Style {
    match paint {
        Paint::Colours => Style::new().fg(colour),
        Paint::Plain => Style::new(),
    }
}

/// The style of names and separators.
pub(super) fn dim(paint: Paint) -> Style {
    coloured(paint, Color::Cyan)
}

/// The style of warnings.
pub(super) fn warning(paint: Paint) -> Style {
    coloured(paint, Color::Yellow).add_modifier(Modifier::BOLD)
}

/// All lines of a candidate, wrapped to `width` columns.
pub(super) fn of(item: &ReviewItem, width: u16, paint: Paint) -> Vec<Line<'static>> {
    let details = &item.details;
    let head = wrapped(&details.head(), width).into_iter().map(|text| Line::styled(text, dim(paint)));
    let mut lines: Vec<Line<'_>> = head.collect();
    let edited = item.edit.as_ref().filter(|_| item.status.is_open()).map(|_| "edited, not saved yet");
    let status = item.status.word().into_iter().chain(edited);
    lines.extend(status.map(|text| Line::styled(text, STRONG)));
    let mut rows = Rows::default();
    rows.add_each("trouble", item.failure.as_ref());
    let trial = match &item.trial {
        Trial::Unasked => Vec::new(),
        Trial::Running => vec![Row { name: "replay", text: "counting …".to_owned() }],
        Trial::Done(rows) => rows.0.clone(),
    };
    let lesson = details.lesson_rows(item.lesson(), item.place()).0;
    // After an edit the person wants to know first what it would do.
    let mut doubts = Rows::default();
    doubts.add_doubts(&details.candidate);
    let parts = if edited.is_some() { [trial, doubts.0, lesson] } else { [doubts.0, lesson, trial] };
    rows.0.extend(parts.into_iter().flatten());
    rows.0.extend(details.origin_rows().0);
    for Row { name, text } in &rows.0 {
        let style = match *name {
            "mistake" | "fix" | "replay" => STRONG,
            "trouble" | "flag" | "propose" | "warning" => warning(paint),
            "fires on" if item.lesson().triggers.is_empty() => warning(paint),
            _ => Style::new(),
        };
        lines.extend(styled(name, text, width, paint, style));
    }
    lines
}

/// A name and a text, wrapped to the width.
pub(super) fn styled(name: &str, text: &str, width: u16, paint: Paint, style: Style) -> Vec<Line<'static>> {
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
            Span::styled(format!("{name:width$}"), dim(paint)),
            Span::styled(part, style),
        ]));
    }
    lines
}

/// A text, wrapped to `width` columns.
pub(super) fn wrapped(text: &str, width: u16) -> Vec<String> {
    let options = Options::new(usize::from(width).max(1)).break_words(true);
    let lines = textwrap::wrap(text, options);
    lines.into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// A text, cut to `width` columns.
pub(super) fn shortened(text: &str, width: u16) -> String {
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
