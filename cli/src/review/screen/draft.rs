//! The lesson that a candidate would become, as the person has it so far.

use lessons_lesson::lesson::{Mode, When};

use super::keys::Key;
use super::line_editor::LineEditor;
use crate::args::Fields;
use crate::review::dossier::FullDossier;

/// What can be changed on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What to do instead.
    pub rule: String,
    /// What goes wrong.
    pub mistake: String,
    /// When it fires.
    pub triggers: Vec<String>,
    /// What keeps it quiet.
    pub unless: Vec<String>,
    /// What it does.
    pub mode: Mode,
    /// When it is told.
    pub when: When,
    /// Why it should refuse calls without proof from the past; empty for no reason.
    pub because: String,
}

impl Draft {
    /// What bears on when it fires: why it may is another matter.
    #[must_use]
    pub fn as_tried(&self) -> Self {
        Self { because: String::new(), ..self.clone() }
    }

    /// What the candidate proposes.
    pub fn of(whole: &FullDossier) -> Self {
        Self {
            rule: whole.candidate.finding.fix.clone(),
            mistake: whole.candidate.finding.mistake.clone(),
            triggers: whole.proposed.trigger.clone(),
            unless: whole.proposed.unless.clone(),
            mode: Mode::default(),
            when: When::default(),
            because: String::new(),
        }
    }

    /// What is not as the candidate proposes it.
    pub fn changes(&self, whole: &FullDossier) -> Fields {
        let proposed = Self::of(whole);
        let text = |own: &String, theirs: &String| (own != theirs).then(|| own.clone());
        // One empty value empties a list.
        let list = |own: &[String], theirs: &[String]| match own {
            _ if own == theirs => Vec::new(),
            [] => vec![String::new()],
            own => own.to_vec(),
        };
        Fields {
            rule: text(&self.rule, &proposed.rule),
            mistake: text(&self.mistake, &proposed.mistake),
            trigger: list(&self.triggers, &proposed.triggers),
            unless: list(&self.unless, &proposed.unless),
            mode: (self.mode != proposed.mode).then_some(self.mode),
            when: (self.when != proposed.when).then_some(self.when),
            force_block: Some(self.because.trim().to_owned())
                .filter(|because| self.mode == Mode::Block && !because.is_empty()),
            ..Fields::default()
        }
    }
}

/// What a row of the form is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum About {
    Rule,
    Mistake,
    Trigger,
    Unless,
    Because,
}

/// A row of the form.
#[derive(Debug, Clone)]
pub enum Row {
    /// A text.
    Text(About, LineEditor),
    /// What it does.
    Mode(Mode),
    /// When it is told.
    When(When),
}

/// The form in which a draft is changed.
#[derive(Debug, Clone)]
pub struct Form {
    /// The rows, from above.
    pub rows: Vec<Row>,
    /// The row with the cursor.
    pub at: usize,
}

impl Form {
    /// A form with what the draft says, the cursor in its first trigger.
    pub fn of(draft: &Draft) -> Self {
        let text = |about: About| move |text: &String| Row::Text(about, LineEditor::new(text));
        let mut rows = vec![text(About::Rule)(&draft.rule), text(About::Mistake)(&draft.mistake)];
        let at = rows.len();
        let empty = [String::new()];
        rows.extend(draft.triggers.iter().chain(&empty).map(text(About::Trigger)));
        rows.extend(draft.unless.iter().chain(&empty).map(text(About::Unless)));
        rows.push(Row::Mode(draft.mode));
        if draft.mode == Mode::Block {
            rows.push(text(About::Because)(&draft.because));
        }
        rows.push(Row::When(draft.when));
        Self { rows, at }
    }

    /// What stands in it now.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft {
            rule: String::new(),
            mistake: String::new(),
            triggers: Vec::new(),
            unless: Vec::new(),
            mode: Mode::default(),
            when: When::default(),
            because: String::new(),
        };
        for row in &self.rows {
            match row {
                Row::Text(About::Rule, typed) => typed.text().clone_into(&mut draft.rule),
                Row::Text(About::Mistake, typed) => typed.text().clone_into(&mut draft.mistake),
                Row::Text(About::Because, typed) => typed.text().clone_into(&mut draft.because),
                Row::Text(_, typed) if typed.text().trim().is_empty() => {}
                Row::Text(About::Trigger, typed) => draft.triggers.push(typed.text().to_owned()),
                Row::Text(About::Unless, typed) => draft.unless.push(typed.text().to_owned()),
                Row::Mode(mode) => draft.mode = *mode,
                Row::When(when) => draft.when = *when,
            }
        }
        draft
    }

    /// Takes a key.
    pub fn press(&mut self, key: Key) {
        match key {
            Key::Tab | Key::Down => self.at = (self.at + 1) % self.rows.len().max(1),
            Key::BackTab | Key::Up => self.at = self.at.checked_sub(1).unwrap_or(self.rows.len() - 1),
            _ => {}
        }
        match (self.rows.get_mut(self.at), key) {
            (Some(Row::Text(_, typed)), key) => drop(typed.press(key)),
            (Some(Row::Mode(mode)), Key::Right | Key::Char(' ')) => {
                *mode = match mode {
                    Mode::Advise => Mode::Bump,
                    Mode::Bump => Mode::Block,
                    Mode::Block => Mode::Advise,
                };
            }
            (Some(Row::Mode(mode)), Key::Left) => {
                *mode = match mode {
                    Mode::Advise => Mode::Block,
                    Mode::Bump => Mode::Advise,
                    Mode::Block => Mode::Bump,
                };
            }
            (Some(Row::When(when)), Key::Left | Key::Right | Key::Char(' ')) => {
                *when = match when {
                    When::Tool => When::Session,
                    When::Session => When::Tool,
                };
            }
            _ => {}
        }
        self.keep_a_free_row();
        self.keep_a_reason();
    }

    /// Takes what was pasted.
    pub fn paste(&mut self, text: &str) {
        if let Some(Row::Text(_, typed)) = self.rows.get_mut(self.at) {
            typed.paste(text);
        }
        self.keep_a_free_row();
    }

    /// There is always an empty row for one more trigger, and one for one more exception.
    fn keep_a_free_row(&mut self) {
        for about in [About::Trigger, About::Unless] {
            let last = self.rows.iter().rposition(|row| matches!(row, Row::Text(of, _) if *of == about));
            let Some(last) = last else { continue };
            let is_used =
                matches!(self.rows.get(last), Some(Row::Text(_, typed)) if !typed.text().is_empty());
            if is_used {
                self.rows.insert(last + 1, Row::Text(about, LineEditor::default()));
                if self.at > last {
                    self.at += 1;
                }
            }
        }
    }

    /// What blocks may do so for a reason, for which there is a row below the mode.
    fn keep_a_reason(&mut self) {
        let mode = self.rows.iter().rposition(|row| matches!(row, Row::Mode(_)));
        let Some((at, Row::Mode(mode))) = mode.and_then(|at| Some((at, self.rows.get(at)?))) else { return };
        let is_there = matches!(self.rows.get(at + 1), Some(Row::Text(About::Because, _)));
        match (*mode == Mode::Block, is_there) {
            (true, false) => self.rows.insert(at + 1, Row::Text(About::Because, LineEditor::default())),
            // The cursor is in the mode, above it.
            (false, true) => drop(self.rows.remove(at + 1)),
            _ => {}
        }
    }
}
