//! A picture of a terminal's screen, as SVG.
//!
//! It has a background of its own, so it can be read on a light page and on a dark one. Each run of equal cells is one
//! text whose length is given, so it stays in its columns whatever monospace font there is.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

/// The size of a cell, in units of the picture.
const CELL: (u32, u32) = (9, 20);
/// The space around the screen.
const MARGIN: u32 = 16;
/// From the top of a row to the line on which its letters stand.
const BASELINE: u32 = 15;

const BACKGROUND: &str = "#1d1f21";
const FOREGROUND: &str = "#d9dbda";
/// The first eight of the terminal's sixteen colours.
const COLOURS: [&str; 8] =
    ["#1d1f21", "#e06c75", "#8fbc6f", "#e5c07b", "#7aa6da", "#c397d8", "#70c0ba", "#d9dbda"];

/// Draws a screen. `title` is what a screen reader says of it.
pub fn picture(screen: &Screen, title: &str) -> String {
    let (rows, columns) = screen.size();
    let width = u32::from(columns) * CELL.0 + 2 * MARGIN;
    let height = u32::from(rows) * CELL.1 + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" font-size=\"15\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\">\n\
         <title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n",
        escaped(title)
    );
    for row in 0..rows {
        for run in runs(screen, row) {
            svg.push_str(&run.drawn(row));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Cells of a row beside each other that look the same.
struct Run {
    first: u16,
    length: u16,
    look: Look,
    text: String,
}

/// How a cell looks.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    colour: Color,
    bold: bool,
    inverse: bool,
    underlined: bool,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        Self {
            colour: cell.fgcolor(),
            bold: cell.bold(),
            inverse: cell.inverse(),
            underlined: cell.underline(),
        }
    }
}

fn runs(screen: &Screen, row: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for column in 0..screen.size().1 {
        let Some(cell) = screen.cell(row, column) else { continue };
        let look = Look::of(cell);
        let text = if cell.has_contents() { cell.contents() } else { " " };
        match runs.last_mut().filter(|run| run.look == look) {
            Some(run) => {
                run.length += 1;
                run.text.push_str(if cell.is_wide_continuation() { "" } else { text });
            }
            None => runs.push(Run { first: column, length: 1, look, text: text.to_owned() }),
        }
    }
    runs
}

impl Run {
    fn drawn(&self, row: u16) -> String {
        let (x, y) = (MARGIN + u32::from(self.first) * CELL.0, MARGIN + u32::from(row) * CELL.1);
        let width = u32::from(self.length) * CELL.0;
        let colour = match self.look.colour {
            Color::Idx(number) => COLOURS.get(usize::from(number)).copied().unwrap_or(FOREGROUND),
            Color::Default | Color::Rgb(..) => FOREGROUND,
        };
        let mut svg = String::new();
        if self.look.inverse {
            let height = CELL.1;
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\"/>"
            );
        }
        let text = self.text.trim_end();
        if !text.is_empty() {
            let letters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
            // A run with a wide character takes the columns of all its cells.
            let length = if text.len() == self.text.len() { width } else { letters * CELL.0 };
            let fill = if self.look.inverse { BACKGROUND } else { colour };
            let bold = if self.look.bold { " font-weight=\"bold\"" } else { "" };
            let line = if self.look.underlined { " text-decoration=\"underline\"" } else { "" };
            let baseline = y + BASELINE;
            let text = escaped(text);
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{baseline}\" textLength=\"{length}\" fill=\"{fill}\"{bold}{line} \
                 xml:space=\"preserve\">{text}</text>"
            );
        }
        svg
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(bytes: &[u8]) -> String {
        let mut parser = vt100::Parser::new(2, 20, 0);
        parser.process(bytes);
        picture(parser.screen(), "a test")
    }

    #[test]
    fn text_keeps_its_columns_colours_and_weight() {
        let svg = drawn(b"\x1b[36mfix\x1b[0m  a < b\r\n\x1b[1;7m q \x1b[0m");
        assert!(
            svg.contains("x=\"16\" y=\"31\" textLength=\"27\" fill=\"#70c0ba\" xml:space=\"preserve\">fix<"),
            "{svg}"
        );
        assert!(
            svg.contains(
                "x=\"43\" y=\"31\" textLength=\"63\" fill=\"#d9dbda\" xml:space=\"preserve\">  a &lt; b<"
            ),
            "{svg}"
        );
        assert!(
            svg.contains("<rect x=\"16\" y=\"36\" width=\"27\" height=\"20\" fill=\"#d9dbda\"/>"),
            "{svg}"
        );
        assert!(svg.contains("fill=\"#1d1f21\" font-weight=\"bold\" xml:space=\"preserve\"> q<"), "{svg}");
    }

    #[test]
    fn a_screen_without_text_is_a_background() {
        assert_eq!(drawn(b"").matches("<text").count(), 0);
    }
}
