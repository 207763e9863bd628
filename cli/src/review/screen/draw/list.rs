//! The list of all candidates, as it is seen.

use lessons_text::neutral::line;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::{Focus, draw_editor};
use crate::review::screen::item::{DecisionKind, ItemStatus, ReviewItem};
use crate::review::screen::list::{CandidateList, ListFocus};
use crate::review::screen::page::{self, Palette};

/// The width of the name of the filter, in columns.
const NAME: u16 = 8;

/// Draws the filter and the rows. The row with the cursor is always visible.
pub(super) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    list: &CandidateList,
    items: &[ReviewItem],
    palette: Palette,
) {
    let top = Rect { height: 1, ..area };
    frame.render_widget(Paragraph::new("filter /").style(palette.dim()), top);
    let editor = Rect { x: area.x + NAME + 1, width: area.width.saturating_sub(NAME + 1), ..top };
    let focus = if list.focus == ListFocus::Filter { Focus::Here } else { Focus::Elsewhere };
    draw_editor(frame, editor, &list.filter, focus, palette);

    let height = usize::from(area.height.saturating_sub(1)).max(1);
    let shown = list.shown(items);
    let first = (list.cursor + 1).saturating_sub(height);
    let rows: Vec<Line<'_>> = shown
        .iter()
        .enumerate()
        .skip(first)
        .take(height)
        .filter_map(|(row, at)| {
            let marker = if row == list.cursor { ">" } else { " " };
            let check = if list.selected.contains(at) { "[x]" } else { "[ ]" };
            let text = format!("{marker} {check} {}", described(items.get(*at)?));
            let style = if row == list.cursor { palette.strong() } else { palette.plain() };
            Some(Line::styled(page::shortened(&text, area.width), style))
        })
        .collect();
    let rows = if rows.is_empty() { vec![Line::from("No candidate has these words.")] } else { rows };
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    frame.render_widget(Paragraph::new(rows), below);
}

/// A candidate in a line: what was decided, a flag, where it was seen, and the mistake.
fn described(item: &ReviewItem) -> String {
    let status = match item.status {
        ItemStatus::Waits => "",
        ItemStatus::Skipped => "skipped: ",
        ItemStatus::Deciding(DecisionKind::Promoted) | ItemStatus::Decided(DecisionKind::Promoted) => {
            "promoted: "
        }
        ItemStatus::Deciding(DecisionKind::Merged) | ItemStatus::Decided(DecisionKind::Merged) => "merged: ",
        ItemStatus::Deciding(DecisionKind::Rejected) | ItemStatus::Decided(DecisionKind::Rejected) => {
            "rejected: "
        }
    };
    let flag = if item.details.candidate.finding.flags.is_empty() { "" } else { "flagged: " };
    let place = match page::project_names(item).as_str() {
        "" => String::new(),
        names => format!("{names}: "),
    };
    format!("{status}{flag}{place}{}", line(&item.draft.mistake))
}

#[cfg(test)]
mod tests;
