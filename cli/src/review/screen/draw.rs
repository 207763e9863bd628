//! The layout of the screen: a title bar, the candidate or the list, a question over it, and the keys.

use lessons_text::{counted, line, listed};
use ratatui::Frame;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, List, ListState, Paragraph};
use textwrap::Options;
use textwrap::core::display_width;
use tui_input::Input;

use super::item::{ItemStatus, ReviewItem, Trial};
use super::list::{ListFocus, Question};
use super::state::{ReviewState, View};
use crate::ui::paint::Paint;
use crate::ui::rows::Rows;

/// The smallest usable terminal, in columns and lines.
const SMALLEST: (u16, u16) = (24, 8);
/// The name of the filter.
const FILTER: &str = "filter / ";

/// The keys while a candidate is shown, each with what it does.
const KEYS: &str = "p: promote, e: edit, m: merge, r: reject, s: skip, u: undo, l: list, n: next, b: back, j: down, k: up, \
                    w: write, ?: help, q: quit";
/// The keys of the list.
const LIST_KEYS: &str =
    "Space: select, a: all, /: filter, p: promote, r: reject, u: undo, Enter: show, Esc: back";

/// What the keys do, for the help.
const HELP: [(&str, &str); 12] = [
    ("p", "make it a lesson, as it is shown here"),
    ("e", "change it in your editor; what it would do then is shown before p saves it"),
    ("m", "merge it into an existing lesson"),
    ("r", "reject it, with a reason"),
    ("s", "skip it for now; it keeps waiting"),
    ("u", "undo the latest decision, or drop the edit of the candidate that is shown"),
    ("w", "write a lesson from what nobody has read: your own words, refused and failed calls"),
    ("l", "list all; filter, select several, reject or promote them at once"),
    ("n b", "the next one, the one before; also the arrows right and left"),
    ("j k", "scroll; also the arrows, Space, Page up and down, Home"),
    ("q", "leave; what is decided is saved. Also Ctrl-C"),
    ("Ctrl-Z", "stop for now; `fg` comes back.  Ctrl-L redraws"),
];

/// Draws a frame. Returns the first visible line, limited to the end of the candidate.
pub(super) fn draw(frame: &mut Frame<'_>, state: &ReviewState, paint: Paint) -> u16 {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        frame.render_widget(Paragraph::new("Too small.\nq quits."), area);
        return state.scroll;
    }
    let keys = keys_of(state, area.width);
    let height = u16::try_from(keys.len()).unwrap_or(u16::MAX).min(area.height / 2);
    let note = state.note.as_deref().map(|note| wrapped(&line(note), area.width)).unwrap_or_default();
    let note_height = u16::try_from(note.len()).unwrap_or(u16::MAX).min(3);
    let [top, body, noted, bottom] =
        Layout::vertical([Length(1), Min(1), Length(note_height), Length(height)]).areas(area);
    frame.render_widget(Paragraph::new(title(state, area.width)).style(BAR), top);
    let scroll = draw_body(frame, body, state, paint);
    if let Some(question) = &state.question {
        draw_question(frame, body, question, paint);
    }
    let note: Vec<Line<'_>> = note.into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(note).style(STRONG), noted);
    frame.render_widget(Paragraph::new(keys), bottom);
    scroll
}

/// The title bar: the position among the candidates, and the numbers of decisions.
fn title(state: &ReviewState, width: u16) -> String {
    let saving = state.number(|status| matches!(status, ItemStatus::Saving(_)));
    let counts = ["promoted", "merged", "rejected", "skipped"]
        .map(|word| (state.number(|status| status.word() == Some(word)), word));
    let counts = counts.into_iter().chain([(saving, "being saved")]).filter(|(number, _)| *number > 0);
    let right = listed(counts.map(|(number, what)| format!("{number} {what}")));
    let place = match state.view {
        View::End | View::List => format!(" {}", counted(state.items.len(), "candidate")),
        View::Candidate | View::Help => format!(" candidate {} of {}", state.at + 1, state.items.len()),
    };
    let used = place.chars().count() + right.chars().count() + 1;
    let gap = usize::from(width).saturating_sub(used).max(1);
    format!("{place}{}{right}", " ".repeat(gap))
}

fn draw_body(frame: &mut Frame<'_>, area: Rect, state: &ReviewState, paint: Paint) -> u16 {
    let lines = match (state.view, state.item()) {
        (View::List, _) => {
            draw_list(frame, area, state, paint);
            return state.scroll;
        }
        (View::Candidate, Some(item)) => candidate_page(item, area.width, paint),
        (View::Help, _) => help(area.width, paint),
        (View::End | View::Candidate, _) => {
            wrapped(&the_end(state), area.width).into_iter().map(Line::from).collect()
        }
    };
    let max_scroll = lines.len().saturating_sub(usize::from(area.height));
    let scroll = usize::from(state.scroll).min(max_scroll);
    let more = max_scroll.saturating_sub(scroll);
    let seen: Vec<Line<'_>> = lines.into_iter().skip(scroll).take(usize::from(area.height)).collect();
    frame.render_widget(Paragraph::new(seen), area);
    if more > 0 && state.view == View::Candidate {
        let hint = format!(" {} below: j ", counted(more, "line"));
        let width = u16::try_from(hint.chars().count()).unwrap_or(0).min(area.width);
        let at = Rect { x: area.right() - width, y: area.bottom() - 1, width, height: 1 };
        frame.render_widget(Paragraph::new(hint).style(BAR), at);
    }
    u16::try_from(scroll).unwrap_or(u16::MAX)
}

/// Draws the filter and the rows of the list. The row with the cursor is always visible.
fn draw_list(frame: &mut Frame<'_>, area: Rect, state: &ReviewState, paint: Paint) {
    let list = &state.list;
    let [top, below] = Layout::vertical([Length(1), Min(0)]).areas(area);
    let width = u16::try_from(FILTER.len()).unwrap_or(0);
    let [name, field] = Layout::horizontal([Length(width), Min(0)]).areas(top);
    frame.render_widget(Paragraph::new(FILTER).style(dim(paint)), name);
    if list.focus == ListFocus::Filter {
        draw_field(frame, field, &list.filter);
    } else {
        frame.render_widget(Paragraph::new(list.filter.value()), field);
    }
    let row = |at: usize| {
        let check = if list.selected.contains(&at) { "[x]" } else { "[ ]" };
        let text = format!("{check} {}", in_a_line(state.items.get(at)?));
        Some(shortened(&text, below.width.saturating_sub(2)))
    };
    let rows: Vec<String> = list.shown(&state.items).into_iter().filter_map(row).collect();
    if rows.is_empty() {
        return frame.render_widget("No candidate has these words.", below);
    }
    let rows = List::new(rows).highlight_symbol("> ").highlight_style(STRONG);
    frame.render_stateful_widget(rows, below, &mut ListState::default().with_selected(Some(list.cursor)));
}

/// A candidate in a line: what was decided, a flag, where it was seen, and the mistake.
fn in_a_line(item: &ReviewItem) -> String {
    let flag = (!item.details.candidate.finding.flags.is_empty()).then_some("flagged".to_owned());
    let places = Some(item.details.folder_names()).filter(|names| !names.is_empty());
    let mistake = item.lesson().mistake.as_deref().unwrap_or(&item.lesson().rule);
    let parts = [item.status.word().map(str::to_owned), flag, places, Some(line(mistake))];
    parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
}

/// Draws a question with its numbered answers, or with the field in which it is answered, over the lower part of the body.
fn draw_question(frame: &mut Frame<'_>, area: Rect, question: &Question, paint: Paint) {
    let words = wrapped(&line(&question.words), area.width);
    let mut lines = vec![Line::styled("─".repeat(usize::from(area.width)), dim(paint))];
    lines.extend(words.into_iter().map(|text| Line::styled(text, STRONG)));
    match question.typed {
        Some(_) => lines.push(Line::default()),
        None => lines.extend((1..).zip(&question.answers).map(|(number, (answer, _))| {
            Line::from(shortened(&format!("  {number} {}", line(answer)), area.width))
        })),
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
    let at = Rect { y: area.bottom() - height, height, ..area };
    frame.render_widget(Clear, at);
    frame.render_widget(Paragraph::new(lines), at);
    if let Some(typed) = &question.typed {
        draw_field(frame, Rect { y: at.bottom() - 1, height: 1, ..at }, typed);
    }
}

/// Draws the field in which the person types.
fn draw_field(frame: &mut Frame<'_>, row: Rect, field: &Input) {
    let scroll = field.visual_scroll(usize::from(row.width).saturating_sub(1));
    let cursor = u16::try_from(field.visual_cursor().saturating_sub(scroll)).unwrap_or(0);
    let shown = Paragraph::new(field.value()).scroll((0, u16::try_from(scroll).unwrap_or(u16::MAX)));
    frame.render_widget(shown.style(FIELD), row);
    frame.set_cursor_position(Position { x: row.x + cursor.min(row.width.saturating_sub(1)), y: row.y });
}

/// The keys of the current view, wrapped to the width.
fn keys_of(state: &ReviewState, width: u16) -> Vec<Line<'static>> {
    let answers = state.question.as_ref().map_or(0, |question| question.answers.len());
    let digits = if answers > 1 { format!("1-{answers}") } else { "1".to_owned() };
    let choose = format!("{digits}: choose, Esc: back");
    let may_give_none = format!("{digits}: choose, Enter: without a reason, Esc: back");
    let skipped = state.number(|status| status == ItemStatus::Skipped);
    let keys = match (&state.question, state.view) {
        (Some(question), _) if question.typed.is_some() => "Enter: done, Esc: back",
        (Some(question), _) if question.may_stay_open() => &may_give_none,
        (Some(_), _) => &choose,
        (None, View::Candidate) => KEYS,
        (None, View::List) if state.list.focus == ListFocus::Filter => {
            "Enter: keep the filter, Esc: no filter"
        }
        (None, View::List) => LIST_KEYS,
        (None, View::Help) => "any key: back",
        (None, View::End) if skipped > 0 => "Enter: those that were skipped, u: undo, w: write, q: quit",
        (None, View::End) => "u: undo, w: write, q: quit",
    };
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (key, what) in keys.split(", ").filter_map(|key| key.split_once(": ")) {
        let spans = [Span::styled(key.to_owned(), KEY), Span::raw(format!(" {what}  "))];
        let long: usize = spans.iter().map(Span::width).sum();
        match lines.last_mut() {
            Some(last) if last.width() + long <= usize::from(width) => last.extend(spans),
            _ => lines.push(Line::from_iter(spans)),
        }
    }
    lines
}

fn the_end(state: &ReviewState) -> String {
    match (state.items.len(), state.number(|status| status == ItemStatus::Skipped)) {
        (0, _) => "Nothing waits for you.".to_owned(),
        (_, 0) => "That was the last one. Everything is decided.".to_owned(),
        (_, skipped) => format!("That was the last one. {} skipped.", counted(skipped, "candidate")),
    }
}

fn help(width: u16, paint: Paint) -> Vec<Line<'static>> {
    let rows = HELP.iter().flat_map(|(key, what)| styled(key, what, width, paint, Style::new()));
    let mut lines: Vec<Line<'_>> = rows.collect();
    lines.push(Line::default());
    let more = "A flagged candidate asks for a reason. Next time, review starts where you stopped.";
    lines.extend(wrapped(more, width).into_iter().map(Line::from));
    lines
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod view_tests;

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
pub(super) fn candidate_page(item: &ReviewItem, width: u16, paint: Paint) -> Vec<Line<'static>> {
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
        Trial::Running => vec![("replay", "counting …".to_owned())],
        Trial::Done(rows) => rows.0.clone(),
    };
    let doubts = Rows::doubts(&details.candidate).0;
    let lesson = details.lesson_rows(item.lesson(), item.place()).0;
    // After an edit the person wants to know first what it would do.
    let parts = if edited.is_some() { [trial, doubts, lesson] } else { [doubts, lesson, trial] };
    rows.0.extend(parts.into_iter().flatten().chain(details.origin_rows().0));
    for (name, text) in &rows.0 {
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
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    let row = |(name, part)| {
        Line::from_iter([Span::styled(format!("{name:width$}"), dim(paint)), Span::styled(part, style)])
    };
    names.zip(parts).map(row).collect()
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
    let mut used = 1;
    let fits = |c: &char| {
        used += display_width(c.encode_utf8(&mut [0; 4]));
        used <= width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}
