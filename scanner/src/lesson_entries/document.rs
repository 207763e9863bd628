//! A document of Markdown as entries: a section with a labelled rule is one, else each of its points, rows or paragraphs.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::entry::Entry;
use super::label::Label;

/// The most documents of a file; the last holds the rest.
const MOST_DOCUMENTS: usize = 500;

/// The most words of a point that only says what the points below it are about.
const MOST_WORDS_OF_TOPIC: usize = 3;

/// Marks in front of a point that forbid it, and those that do not.
const CROSSES: &str = "\u{274c}\u{1f6ab}\u{2717}\u{2718}";
const TICKS: &str = "\u{2705}\u{2713}\u{2714}\u{fe0f}";
/// Headings above what is forbidden, in lower case.
const FORBIDDEN: [&str; 7] = ["don't", "don'ts", "donts", "do not", "never", "avoid", "anti-patterns"];
/// How a point begins that says itself that it forbids, in lower case.
const NEGATIONS: [&str; 6] = ["don't", "do not", "never", "avoid", "no ", "stop "];

/// What may stand in front of a label within a line.
const BETWEEN_LABELS: [char; 6] = ['|', ';', '.', '\u{2192}', '\u{2014}', '>'];
/// The longest label, in characters, with its colon.
const LONGEST_LABEL: usize = 30;

/// A part of a file with front matter of its own, or the whole file.
#[derive(Debug)]
pub(crate) struct Document<'t> {
    /// The YAML between its `---`.
    pub(crate) front: Option<&'t str>,
    pub(crate) body: &'t str,
    /// The line at which it begins, from 1.
    pub(crate) line: usize,
    /// The line at which its body begins, from 1.
    pub(crate) body_line: usize,
}

/// The documents of a file. Front matter stands between two lines `---`, and begins with a key: a rule across the page does
/// not.
pub(crate) fn documents(text: &str) -> Vec<Document<'_>> {
    let text = text.trim_start_matches('\u{feff}');
    let mut marks = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            marks.push(at..at + line.len());
        }
        at += line.len();
    }
    let is_key = |text: &str| {
        let key = text.split_once(':').map_or("", |(key, _)| key);
        !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
    };
    let opens = |marks: &&[Range<usize>]| {
        let inside = &text[marks[0].end..];
        is_key(inside) && (marks[0].start == 0 || inside.starts_with("id:"))
    };
    let fronts: Vec<&[Range<usize>]> = marks.windows(2).filter(opens).take(MOST_DOCUMENTS).collect();
    let first = fronts.first().map_or(text.len(), |marks| marks[0].start);
    let whole = Document { front: None, body: &text[..first], line: 1, body_line: 1 };
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let ends = fronts.iter().skip(1).map(|marks| marks[0].start).chain([text.len()]);
    let with_front = fronts.iter().zip(ends).map(|(marks, end)| Document {
        front: Some(&text[marks[0].end..marks[1].start]),
        body: &text[marks[1].end.min(end)..end],
        line: line_of(marks[0].start),
        body_line: line_of(marks[1].end),
    });
    Some(whole).filter(|_| first > 0 || fronts.is_empty()).into_iter().chain(with_front).collect()
}

impl Document<'_> {
    /// The entries of the body.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let mut reading = Reading { is_one_entry: self.front.is_some(), ..Reading::default() };
        let mut text = String::new();
        // Where the bold text and the code begin that are being read.
        let (mut bold, mut code, mut struck) = (None, 0, 0);
        let mut is_comment = false;
        // The lines at which the points begin that are being read, the innermost last.
        let mut items = Vec::new();
        let (mut line, mut counted) = (self.body_line, 0);
        let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
        for (event, range) in Parser::new_ext(self.body, options).into_offset_iter() {
            if range.start > counted {
                line += self.body[counted..range.start].matches('\n').count();
                counted = range.start;
            }
            match &event {
                Event::End(TagEnd::Heading(level)) => {
                    reading.heading(*level, &std::mem::take(&mut text), line);
                }
                Event::Start(Tag::Paragraph) => reading.line = line,
                Event::End(TagEnd::Paragraph) if items.is_empty() => {
                    reading.paragraph(&std::mem::take(&mut text));
                }
                // The text of a point ends where a list in it begins.
                Event::Start(Tag::Item) | Event::End(TagEnd::Item) => {
                    let begun = items.last().copied().unwrap_or(line);
                    reading.point(items.len(), &std::mem::take(&mut text), begun);
                    if matches!(event, Event::Start(_)) {
                        items.push(line);
                    } else {
                        items.pop();
                    }
                }
                Event::Start(Tag::CodeBlock(_)) => code = text.len(),
                Event::End(TagEnd::CodeBlock) => {
                    let block = text.split_off(code.min(text.len()));
                    for line in block.lines().map(str::trim).filter(|line| !line.is_empty()) {
                        text.extend(["\n`", &line.replace('`', "'"), "`"]);
                    }
                    if items.is_empty() {
                        reading.code(&std::mem::take(&mut text));
                    }
                }
                // Points right below a tag such as `<important>` are text to nobody but people.
                Event::Start(Tag::HtmlBlock) => is_comment = self.body[range].starts_with("<!--"),
                Event::Html(part) if !is_comment => {
                    if let Some(point) = part.trim().strip_prefix(['-', '*']) {
                        reading.point(1, point, line);
                    }
                }
                // What is struck out holds no longer.
                Event::Start(Tag::Strikethrough) => struck = text.len(),
                Event::End(TagEnd::Strikethrough) => text.truncate(struck),
                Event::Start(Tag::Strong) => bold = Some(text.len()),
                Event::End(TagEnd::Strong) => {
                    if let Some(at) = bold.take().filter(|at| Label::called(&text[*at..]).is_some()) {
                        text.insert(at, '\n');
                    }
                }
                Event::End(TagEnd::TableHead) => {
                    reading.columns = std::mem::take(&mut text).lines().map(Label::called).collect();
                }
                Event::End(TagEnd::TableRow) => reading.row(&std::mem::take(&mut text), line),
                Event::Text(part) => text.push_str(part),
                Event::Code(part) => text.extend(["`", part, "`"]),
                Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::TableCell) => {
                    text.push('\n');
                }
                _ => {}
            }
        }
        reading.end();
        if reading.entries.is_empty() { reading.paragraphs } else { reading.entries }
    }
}

/// What is known while the events of a document pass.
#[derive(Default)]
struct Reading {
    entries: Vec<Entry>,
    /// The section that is being read, and the level of its heading.
    section: Entry,
    level: Option<HeadingLevel>,
    /// Whether the document is one entry, titled by its first heading.
    is_one_entry: bool,
    /// The points of the section that have no label.
    points: Vec<Entry>,
    /// The label of the heading, or of the line above, that text without a label belongs to.
    label: Option<Label>,
    /// The paragraphs below the title: where a document has nothing else, they are its entries.
    paragraphs: Vec<Entry>,
    columns: Vec<Option<Label>>,
    /// The line at which the paragraph or the point begins that is being read.
    line: usize,
    /// The name of the first label of the section: where it comes again, the next entry begins.
    opening: Option<String>,
    /// The place in `points` of a point of a few words, and these: they stand before each point below it.
    topic: Option<(usize, String)>,
    /// Whether the point of the outermost list is an entry, to which what stands in it belongs.
    in_entry: bool,
}

impl Reading {
    fn heading(&mut self, level: HeadingLevel, title: &str, line: usize) {
        self.in_entry = false;
        let bare = title.trim_start_matches(|c: char| !c.is_alphanumeric());
        match Label::of_line(bare) {
            Some((Label::Mistake, mistake)) if !mistake.is_empty() => {
                self.end();
                self.section = Entry::at(line);
                self.section.add(Label::Mistake, mistake);
                self.level = Some(level);
                return;
            }
            Some((Label::Rule, rule))
                if self.section.has(Label::Mistake) && !self.section.has(Label::Rule) =>
            {
                return self.section.add(Label::Rule, rule);
            }
            _ => {}
        }
        // How it was resolved in the end is no part of the rule.
        let is_settled = self.section.is_filed() && self.section.has(Label::Rule);
        let named = Label::called(title).filter(|label| !(is_settled && *label == Label::Rule));
        let label = named.or(self.section.is_filed().then_some(Label::Other));
        if label.is_some() && (self.is_one_entry || self.level.is_some_and(|above| level > above)) {
            self.label = label;
            return;
        }
        self.end();
        self.section = Entry::titled(title, line);
        // The title of a document is none of an entry.
        self.level = Some(level).filter(|level| *level > HeadingLevel::H1 || self.is_one_entry);
    }

    fn paragraph(&mut self, text: &str) {
        self.in_entry = false;
        if self.level.is_none() {
            let mut entry = Entry::at(self.line);
            parts(text).for_each(|part| entry.add(Label::Rule, part));
            self.paragraphs.push(entry);
        }
        let label = self.label.unwrap_or(Label::Detail);
        parts(text).fold(label, |label, line| self.part(line, label));
    }

    /// Adds a line of the section to the part that its label names, or else to `label`. Returns the part to which the next
    /// line belongs.
    fn part(&mut self, line: &str, label: Label) -> Label {
        let Some((label, value)) = Label::of_line(line) else {
            self.section.add(label, line);
            return label;
        };
        let name = line.split(':').next().map(str::to_lowercase);
        let is_next = name == self.opening || label == Label::Mistake && self.section.has(Label::Mistake);
        if self.section.has(Label::Rule) && is_next {
            let next = Entry::at(self.line);
            self.entries.push(std::mem::replace(&mut self.section, next));
        }
        if self.opening.is_none() && self.level.is_none() {
            self.section.line = self.line;
        }
        self.opening = self.opening.take().or(name);
        self.label = Some(label).filter(|_| value.is_empty());
        self.section.add(label, value);
        if label.is_text() || value.is_empty() { label } else { Label::Detail }
    }

    /// The text of a point at this depth of lists, from 1, up to the list in it.
    fn point(&mut self, depth: usize, text: &str, line: usize) {
        let Some(first) = parts(text).next() else { return };
        self.line = line;
        let topic = self.topic.take().filter(|_| depth > 1);
        let is_below = depth == 2 && self.in_entry && topic.is_some();
        let is_entry = (depth == 1 && self.label.is_none() || is_below) && Label::of_line(first).is_none();
        if is_entry {
            let mut entry = Entry::at(line);
            entry.date.clone_from(&self.section.date);
            match &topic {
                Some((at, topic)) => {
                    if let Some(above) = self.points.get_mut(*at) {
                        above.texts.remove(&Label::Rule);
                    }
                    entry.add(Label::Rule, topic);
                }
                None if is_topic(text) => {
                    self.topic = Some((self.points.len(), format!("{}:", first.trim_end_matches(':'))));
                }
                None => {}
            }
            self.points.push(entry);
            self.in_entry = true;
        } else if depth == 1 {
            self.in_entry = false;
        }
        let mut label = if is_entry { Label::Rule } else { self.label.unwrap_or(Label::Detail) };
        let above = self.label;
        for (at, line) in parts(text).enumerate() {
            match self.points.last_mut().filter(|_| self.in_entry) {
                Some(entry) => {
                    let (named, value) = Label::of_line(line).unwrap_or((Label::Rule, line));
                    if at == 0 && is_entry {
                        entry.add(named, &as_rule(&self.section.title, value));
                        continue;
                    }
                    if at == 0 && named == Label::Rule {
                        entry.end_rule();
                    }
                    entry.add(named, value);
                }
                None => label = self.part(line, label),
            }
        }
        self.label = above;
        self.topic = self.topic.take().or(topic);
    }

    fn code(&mut self, code: &str) {
        let label = self.label.unwrap_or(Label::Detail);
        parts(code).for_each(|line| self.section.add(label, line));
    }

    fn row(&mut self, cells: &str, line: usize) {
        let mut entry = Entry::at(line);
        for (label, cell) in self.columns.iter().zip(cells.lines()) {
            entry.add(label.unwrap_or(Label::Other), cell.trim());
        }
        if entry.has(Label::Rule) {
            self.entries.push(entry);
        }
    }

    /// Ends the section.
    fn end(&mut self) {
        let section = std::mem::take(&mut self.section);
        let mut points = std::mem::take(&mut self.points);
        points.retain(|point| point.has(Label::Rule));
        (self.label, self.opening, self.topic) = (None, None, None);
        // A mistake without a rule is named as what is left out.
        if [Label::Rule, Label::Summary, Label::Mistake].into_iter().any(|label| section.has(label)) {
            self.entries.push(section);
            self.entries.extend(points);
        } else if !points.is_empty() {
            self.entries.extend(points);
        } else if self.level.is_some() {
            self.entries.extend(section.of_prose());
        }
    }
}

/// A point as a rule of its own: what stands below "Don'ts", or behind a cross, is forbidden.
fn as_rule(title: &str, point: &str) -> String {
    let bare = point.trim_start_matches(|c: char| CROSSES.contains(c) || TICKS.contains(c) || c == ' ');
    let lower = bare.to_lowercase().replace('\u{2019}', "'");
    let title = title.to_lowercase().replace('\u{2019}', "'");
    let is_forbidden = point.starts_with(|c| CROSSES.contains(c)) || FORBIDDEN.contains(&title.as_str());
    let says_so = NEGATIONS.iter().any(|word| lower.starts_with(word));
    if is_forbidden && !says_so { format!("Avoid {bare}") } else { bare.to_owned() }
}

/// Whether a point says what those below it are about: few words, and no code.
fn is_topic(text: &str) -> bool {
    text.split_whitespace().count() <= MOST_WORDS_OF_TOPIC && !text.contains('`')
}

/// The lines of a text that say something. In a line that begins with a label the next one begins a line: "Wrong: a | Right: b".
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.flat_map(|line| {
        let begins = |at: &usize| {
            let start: String = line[*at..].trim_start().chars().take(LONGEST_LABEL).collect();
            Label::of_line(&start).is_some_and(|(label, _)| label.is_text())
        };
        let marks = line.match_indices(BETWEEN_LABELS).map(|(at, mark)| at + mark.len());
        let ends = marks.filter(|at| begins(&0) && begins(at)).chain([line.len()]);
        let mut start = 0;
        let parts = ends.map(|end| &line[std::mem::replace(&mut start, end)..end]);
        let parts =
            parts.map(|part| part.trim().trim_end_matches(['|', ';', '\u{2192}', '\u{2014}', '>', '-', ' ']));
        parts.collect::<Vec<_>>()
    })
}
