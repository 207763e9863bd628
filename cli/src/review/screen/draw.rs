//! The layout of the screen: a title bar, the candidate or the view that covers it, and the keys.

use lessons_lesson::lesson::{Mode, When};
use lessons_text::neutral::line;
use lessons_text::wording::counted;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Clear, Paragraph};

mod list;

use super::draft::{DraftForm, FormRow, LessonScope, TextField};
use super::line_editor::LineEditor;
use super::list::ListFocus;
use super::page::{self, Palette};
use super::state::{
    ACCEPTED, AcceptFor, DecisionKind, ItemStatus, MODES, Overlay, REASONS, ReplayStatus, ReviewItem,
    ReviewState,
};
use crate::review::promotion::LOSES_DATA;

/// The smallest usable terminal, in columns and lines.
const SMALLEST: (u16, u16) = (24, 8);
/// The width of the names in the form, in columns.
const NAME_WIDTH: u16 = page::NAME_WIDTH + 2;

/// The keys while a candidate is shown.
const KEYS: [(&str, &str); 13] = [
    ("p", "promote"),
    ("e", "edit"),
    ("m", "merge"),
    ("r", "reject"),
    ("s", "skip"),
    ("u", "undo"),
    ("l", "list"),
    ("n", "next"),
    ("b", "back"),
    ("j", "down"),
    ("k", "up"),
    ("?", "help"),
    ("q", "quit"),
];

/// Draws a frame. Returns the first visible line, limited to the end of the candidate.
pub fn draw(frame: &mut Frame<'_>, state: &ReviewState, palette: Palette) -> u16 {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        frame.render_widget(Paragraph::new("Too small.\nq quits."), area);
        return state.scroll;
    }
    let keys = keys_of(state, area.width, palette);
    let height = u16::try_from(keys.len()).unwrap_or(u16::MAX).min(area.height / 2);
    let note = state.note.as_deref().map(|note| page::wrapped(&line(note), area.width)).unwrap_or_default();
    let note_height = u16::try_from(note.len()).unwrap_or(u16::MAX).min(3);
    let [top, body, noted, bottom] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(note_height),
        Constraint::Length(height),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(title(state, area.width)).style(palette.bar()), top);
    let scroll = draw_body(frame, body, state, palette);
    let note: Vec<Line<'_>> = note.into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(note).style(palette.strong()), noted);
    frame.render_widget(Paragraph::new(keys), bottom);
    scroll
}

/// The title bar: the position among the candidates, and the numbers of decisions.
fn title(state: &ReviewState, width: u16) -> String {
    let done = |kind: DecisionKind| {
        state.number(
            |status| matches!(status, ItemStatus::Deciding(of) | ItemStatus::Decided(of) if *of == kind),
        )
    };
    let counts = [
        (done(DecisionKind::Promoted), "promoted"),
        (done(DecisionKind::Merged), "merged"),
        (done(DecisionKind::Rejected), "rejected"),
        (state.number(|status| *status == ItemStatus::Skipped), "skipped"),
        (state.unsaved(), "being saved"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    let place = match &state.overlay {
        Overlay::End | Overlay::List(_) | Overlay::RejectSelected(_) => {
            format!(" {}", counted(state.items.len(), "candidate"))
        }
        _ => format!(" candidate {} of {}", state.at + 1, state.items.len()),
    };
    let right = counts.join(", ");
    let used = place.chars().count() + right.chars().count() + 1;
    let gap = usize::from(width).saturating_sub(used).max(1);
    format!("{place}{}{right}", " ".repeat(gap))
}

fn draw_body(frame: &mut Frame<'_>, area: Rect, state: &ReviewState, palette: Palette) -> u16 {
    let mut scrolled = state.scroll;
    match &state.overlay {
        Overlay::End => frame.render_widget(Paragraph::new(the_end(state, area.width)), area),
        Overlay::Help => frame.render_widget(Paragraph::new(help(area.width, palette)), area),
        Overlay::List(list) => list::draw(frame, area, list, &state.items, palette),
        Overlay::RejectSelected(list) => {
            list::draw(frame, area, list, &state.items, palette);
            let number = list.meant(&state.items).len();
            let question = format!("Reject {}, because", counted(number, "candidate"));
            draw_choices(frame, area, &question, &REASONS.map(str::to_owned), None, palette);
        }
        Overlay::Edit(form, replay) => {
            if let Some(item) = state.item() {
                draw_form(frame, area, form, replay, item, palette);
            }
        }
        overlay => {
            let Some(item) = state.item() else { return scrolled };
            let lines = page::of(item, area.width, palette);
            let max_scroll = lines.len().saturating_sub(usize::from(area.height));
            let scroll = usize::from(state.scroll).min(max_scroll);
            scrolled = u16::try_from(scroll).unwrap_or(u16::MAX);
            let more = max_scroll.saturating_sub(scroll);
            let seen: Vec<Line<'_>> = lines.into_iter().skip(scroll).take(usize::from(area.height)).collect();
            frame.render_widget(Paragraph::new(seen), area);
            if more > 0 {
                let hint = format!(" {} below: j ", counted(more, "line"));
                let width = u16::try_from(hint.chars().count()).unwrap_or(0).min(area.width);
                let at = Rect { x: area.right() - width, y: area.bottom() - 1, width, height: 1 };
                frame.render_widget(Paragraph::new(hint).style(palette.bar()), at);
            }
            draw_question(frame, area, overlay, item, palette);
        }
    }
    scrolled
}

/// Draws a question over the lower part of the candidate.
fn draw_question(frame: &mut Frame<'_>, area: Rect, overlay: &Overlay, item: &ReviewItem, palette: Palette) {
    let mut editor: Option<&LineEditor> = None;
    let (question, answers): (String, Vec<String>) = match overlay {
        Overlay::Reject => {
            let own = ["in your own words".to_owned()];
            ("Reject it, because".into(), REASONS.map(str::to_owned).into_iter().chain(own).collect())
        }
        Overlay::RejectBecause(text) => {
            editor = Some(text);
            ("Reject it, because:".into(), Vec::new())
        }
        Overlay::Accept(then) => {
            let flags = &item.details.candidate.finding.flags;
            let flags: Vec<String> =
                flags.iter().map(|flag| format!("it {} ({})", flag.meaning, flag.name)).collect();
            let what = match then {
                AcceptFor::Promote => "become a lesson",
                AcceptFor::Merge(_) => "be merged",
            };
            let own = ["in your own words".to_owned()];
            (
                format!("Flagged: {}. It may {what} anyway, because", flags.join("; ")),
                ACCEPTED.map(str::to_owned).into_iter().chain(own).collect(),
            )
        }
        Overlay::AcceptBecause(_, text) => {
            editor = Some(text);
            ("It is right anyway, because:".into(), Vec::new())
        }
        Overlay::Merge => {
            let near = item.details.own.iter();
            (
                "Merge into which lesson?".into(),
                near.map(|near| format!("{}: {}", near.id, near.rule)).collect(),
            )
        }
        Overlay::Mode => (
            format!("Promote it: {LOSES_DATA}, and a reminder comes after the call. It should"),
            MODES.map(|(_, what)| what.to_owned()).to_vec(),
        ),
        Overlay::Candidate
        | Overlay::Edit(..)
        | Overlay::List(_)
        | Overlay::RejectSelected(_)
        | Overlay::Help
        | Overlay::End => return,
    };
    draw_choices(frame, area, &question, &answers, editor, palette);
}

/// Draws a question with its numbered answers, or with the field in which it is answered.
fn draw_choices(
    frame: &mut Frame<'_>,
    area: Rect,
    question: &str,
    answers: &[String],
    editor: Option<&LineEditor>,
    palette: Palette,
) {
    let mut lines: Vec<Line<'_>> = page::wrapped(&line(question), area.width)
        .into_iter()
        .map(|text| Line::styled(text, palette.strong()))
        .collect();
    for (number, answer) in answers.iter().enumerate() {
        let text = page::shortened(&format!("  {} {}", number + 1, line(answer)), area.width);
        lines.push(Line::from(text));
    }
    let height = u16::try_from(lines.len() + 1 + usize::from(editor.is_some())).unwrap_or(u16::MAX);
    let height = height.min(area.height);
    let at = Rect { y: area.bottom() - height, height, ..area };
    frame.render_widget(Clear, at);
    let mut all = vec![Line::styled("─".repeat(usize::from(area.width)), palette.dim())];
    all.extend(lines);
    frame.render_widget(Paragraph::new(all), at);
    if let Some(editor) = editor {
        let row = Rect { y: at.bottom() - 1, height: 1, ..at };
        draw_editor(frame, row, editor, Focus::Here, palette);
    }
}

/// Whether a row has the cursor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Focus {
    Here,
    Elsewhere,
}

fn draw_editor(frame: &mut Frame<'_>, row: Rect, editor: &LineEditor, focus: Focus, palette: Palette) {
    let (scroll, cursor) =
        if focus == Focus::Here { editor.viewport(usize::from(row.width)) } else { (0, 0) };
    let scroll = u16::try_from(scroll).unwrap_or(u16::MAX);
    let style = if focus == Focus::Here { palette.field() } else { palette.plain() };
    frame.render_widget(Paragraph::new(editor.text().to_owned()).scroll((0, scroll)).style(style), row);
    if focus == Focus::Here {
        let x = row.x + u16::try_from(cursor).unwrap_or(0).min(row.width.saturating_sub(1));
        frame.set_cursor_position(Position { x, y: row.y });
    }
}

fn draw_form(
    frame: &mut Frame<'_>,
    area: Rect,
    form: &DraftForm,
    replay: &ReplayStatus,
    item: &ReviewItem,
    palette: Palette,
) {
    let replay_lines = page::replay_lines(replay, area.width, palette);
    // The row with the cursor is always visible.
    let height = usize::from(area.height);
    let rows = height.saturating_sub(replay_lines.len().min(height / 2) + 1);
    let first = (form.focused + 1).saturating_sub(rows.max(1));
    for (place, (number, row)) in form.rows.iter().enumerate().skip(first).take(rows).enumerate() {
        let y = area.y + u16::try_from(place).unwrap_or(0);
        let focus = if number == form.focused { Focus::Here } else { Focus::Elsewhere };
        let (name, choice) = match row {
            FormRow::Text(TextField::Rule, _) => ("fix", None),
            FormRow::Text(TextField::Mistake, _) => ("mistake", None),
            FormRow::Text(TextField::Trigger, _) => ("fires on", None),
            FormRow::Text(TextField::Unless, _) => ("unless", None),
            FormRow::Text(TextField::Example, _) => ("example", None),
            FormRow::Text(TextField::BlockReason, _) => ("because", None),
            FormRow::Mode(mode) => ("does", Some(mode_in_words(*mode).to_owned())),
            FormRow::When(when) => ("when", Some(when_in_words(*when).to_owned())),
            FormRow::Scope { choices, chosen } => {
                ("where", Some(choices.get(*chosen).map(LessonScope::in_words).unwrap_or_default()))
            }
        };
        let marker = if focus == Focus::Here { "> " } else { "  " };
        let [names, texts] = Layout::horizontal([Constraint::Length(NAME_WIDTH), Constraint::Min(1)])
            .areas(Rect { y, height: 1, ..area });
        frame.render_widget(Paragraph::new(format!("{marker}{name}")).style(palette.dim()), names);
        match (row, choice) {
            (FormRow::Text(field, editor), _) => {
                draw_editor(frame, texts, editor, focus, palette);
                let hint = match field {
                    TextField::Trigger => Some("(one more: cmd=REGEX, glob=GLOB, kw=WORDS …)"),
                    TextField::Example => Some("(a call that it must block)"),
                    TextField::BlockReason => Some("(why it may block without proof)"),
                    TextField::Rule | TextField::Mistake | TextField::Unless => None,
                };
                if let Some(hint) = hint.filter(|_| editor.text().is_empty() && focus == Focus::Elsewhere) {
                    frame.render_widget(Paragraph::new(hint).style(palette.dim()), texts);
                }
            }
            (_, Some(words)) => {
                let style = if focus == Focus::Here { palette.field() } else { palette.plain() };
                frame.render_widget(Paragraph::new(format!("< {words} >")).style(style), texts);
                if focus == Focus::Here {
                    frame.set_cursor_position(Position { x: texts.x, y });
                }
            }
            _ => {}
        }
    }
    let shown = form.rows.len().min(rows);
    let below = area.y + u16::try_from(shown).unwrap_or(0) + 1;
    if below < area.bottom() {
        let at = Rect { y: below, height: area.bottom() - below, ..area };
        let mut lines = replay_lines;
        lines.extend(page::evidence(item, area.width, palette));
        frame.render_widget(Paragraph::new(lines), at);
    }
}

fn mode_in_words(mode: Mode) -> &'static str {
    match mode {
        Mode::Advise => "advise: reminds the model after the call",
        Mode::Bump => "bump: blocks the call once",
        Mode::Block => "block: blocks the call every time",
    }
}

fn when_in_words(when: When) -> &'static str {
    match when {
        When::Tool => "at a call that matches",
        When::Session => "at the start of every session",
    }
}

/// The keys of the current view, wrapped to the width.
fn keys_of(state: &ReviewState, width: u16, palette: Palette) -> Vec<Line<'static>> {
    let choices = digits(match &state.overlay {
        Overlay::Merge => state.item().map_or(0, |item| item.details.own.len()),
        Overlay::Reject => REASONS.len() + 1,
        Overlay::RejectSelected(_) => REASONS.len(),
        Overlay::Accept(_) => ACCEPTED.len() + 1,
        Overlay::Mode => MODES.len(),
        _ => 0,
    });
    let keys: Vec<(&str, &str)> = match &state.overlay {
        Overlay::Candidate => KEYS.to_vec(),
        Overlay::Edit(..) => vec![
            ("Tab", "next field"),
            ("Shift-Tab", "field before"),
            ("Space", "another choice"),
            ("Enter", "keep"),
            ("Esc", "discard"),
        ],
        Overlay::Merge | Overlay::Accept(_) | Overlay::Mode => {
            vec![(choices.as_str(), "choose"), ("Esc", "back")]
        }
        Overlay::List(list) if list.focus == ListFocus::Filter => {
            vec![("Enter", "keep the filter"), ("Esc", "no filter")]
        }
        Overlay::List(_) => vec![
            ("Space", "select"),
            ("a", "all"),
            ("/", "filter"),
            ("p", "promote"),
            ("r", "reject"),
            ("u", "undo"),
            ("Enter", "show"),
            ("Esc", "back"),
        ],
        Overlay::RejectSelected(_) => {
            vec![(choices.as_str(), "choose"), ("Enter", "without a reason"), ("Esc", "back")]
        }
        Overlay::Reject => vec![(choices.as_str(), "choose"), ("Enter", "without a reason"), ("Esc", "back")],
        Overlay::RejectBecause(_) | Overlay::AcceptBecause(..) => vec![("Enter", "done"), ("Esc", "back")],
        Overlay::Help => vec![("any key", "back")],
        Overlay::End if state.number(|status| *status == ItemStatus::Skipped) > 0 => {
            vec![("Enter", "those that were skipped"), ("u", "undo"), ("q", "quit")]
        }
        Overlay::End => vec![("u", "undo"), ("q", "quit")],
    };
    let mut lines: Vec<Vec<Span<'static>>> = vec![Vec::new()];
    let mut used = 0;
    for (key, what) in keys {
        let long = key.chars().count() + what.chars().count() + 3;
        if used > 0 && used + long > usize::from(width) {
            lines.push(Vec::new());
            used = 0;
        }
        used += long;
        if let Some(last) = lines.last_mut() {
            last.push(Span::styled(key.to_owned(), palette.key()));
            last.push(Span::raw(format!(" {what}  ")));
        }
    }
    lines.into_iter().map(Line::from).collect()
}

/// The digits that choose among this number of answers.
fn digits(number: usize) -> String {
    if number > 1 { format!("1-{number}") } else { "1".to_owned() }
}

fn the_end(state: &ReviewState, width: u16) -> Text<'static> {
    let skipped = state.number(|status| *status == ItemStatus::Skipped);
    let text = match (state.items.len(), skipped) {
        (0, _) => "Nothing waits for you.".to_owned(),
        (_, 0) => "That was the last one. Everything is decided.".to_owned(),
        (_, skipped) => format!("That was the last one. {} skipped.", counted(skipped, "candidate")),
    };
    Text::from(page::wrapped(&text, width).into_iter().map(Line::from).collect::<Vec<_>>())
}

fn help(width: u16, palette: Palette) -> Text<'static> {
    let rows = [
        ("p", "make it a lesson, as it is shown here"),
        ("e", "change what it says and when it fires, with a live count"),
        ("m", "merge it into an existing lesson"),
        ("r", "reject it, with a reason"),
        ("s", "skip it for now; it keeps waiting"),
        ("u", "undo the latest decision"),
        ("l", "list all; filter, select several, reject or promote them at once"),
        ("n b", "the next one, the one before; also the arrows right and left"),
        ("j k", "scroll; also the arrows, Space, Page up and down, Home"),
        ("q", "leave; what is decided is saved. Also Ctrl-C"),
        ("Ctrl-Z", "stop for now; `fg` comes back.  Ctrl-L redraws"),
    ];
    let mut lines = Vec::new();
    for (key, what) in rows {
        lines.extend(page::row(key, what, width, palette));
    }
    lines.push(Line::default());
    let more = "A flagged candidate asks for a reason. Next time, review starts where you stopped.";
    lines.extend(page::wrapped(more, width).into_iter().map(Line::from));
    Text::from(lines).patch_style(Modifier::empty())
}

#[cfg(test)]
mod sizes;
#[cfg(test)]
mod tests;
