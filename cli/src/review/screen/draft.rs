//! The draft of a lesson on the screen, and the form that edits it.

use lessons_context::known_projects::{folder, only_in};
use lessons_lesson::lesson::{Mode, When};

use super::keys::Key;
use super::line_editor::LineEditor;
use crate::args::Fields;
use crate::review::candidate_details::FullDetails;

/// The projects in which a lesson is in force.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LessonScope {
    /// Every project.
    #[default]
    Everywhere,
    /// The projects with these root folders.
    Projects(Vec<String>),
}

impl LessonScope {
    /// The scope in words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Everywhere => "in every project".to_owned(),
            Self::Projects(roots) => only_in(roots.iter().map(|root| folder(root))).unwrap_or_default(),
        }
    }

    /// The choices for a candidate that was seen in these folders, and the position of `scope` among them.
    fn choices(folders: &[String], scope: &Self) -> (Vec<Self>, usize) {
        let folders = folders.iter().cloned().map(|folder| Self::Projects(vec![folder]));
        let mut choices: Vec<Self> = std::iter::once(Self::Everywhere).chain(folders).collect();
        let chosen = choices.iter().position(|choice| choice == scope).unwrap_or_else(|| {
            choices.push(scope.clone());
            choices.len() - 1
        });
        (choices, chosen)
    }
}

/// The fields of a lesson that can be edited on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonDraft {
    /// The rule: what to do instead.
    pub rule: String,
    /// The mistake: what goes wrong.
    pub mistake: String,
    /// The triggers, in the syntax of `--trigger`.
    pub triggers: Vec<String>,
    /// The exceptions, in the syntax of `--unless`.
    pub unless: Vec<String>,
    /// The mode.
    pub mode: Mode,
    /// The time at which the lesson is given.
    pub when: When,
    /// The projects in which it is in force.
    pub scope: LessonScope,
    /// A call that it must block, in the syntax of `--fires`; empty for none.
    pub example: String,
    /// The reason to block without proof from past sessions; empty for none.
    pub block_reason: String,
}

impl LessonDraft {
    /// The draft without the fields that do not change a replay.
    #[must_use]
    pub fn replayed_part(&self) -> Self {
        Self { example: String::new(), block_reason: String::new(), ..self.clone() }
    }

    /// Whether the lesson would block calls. Then it needs an example of one.
    pub fn blocks(&self) -> bool {
        self.mode.refuses() && self.when == When::Tool
    }

    /// The draft that a candidate proposes.
    pub fn of(details: &FullDetails) -> Self {
        Self {
            rule: details.candidate.finding.fix.clone(),
            mistake: details.candidate.finding.mistake.clone(),
            triggers: details.proposed.trigger.clone(),
            unless: details.proposed.unless.clone(),
            mode: Mode::default(),
            // What no call shows is told at the start of a session.
            when: if details.proposed.trigger.is_empty() { When::Session } else { When::Tool },
            scope: match details.roots.as_slice() {
                [] => LessonScope::Everywhere,
                roots => LessonScope::Projects(roots.to_vec()),
            },
            example: details.example.clone().unwrap_or_default(),
            block_reason: String::new(),
        }
    }

    /// The fields that differ from the candidate's proposal.
    pub fn changes(&self, details: &FullDetails) -> Fields {
        let proposed = Self::of(details);
        let text = |own: &String, theirs: &String| (own != theirs).then(|| own.clone());
        // One empty value clears a list.
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
            scope_project: match &self.scope {
                // With other triggers something else may be proposed, and what the person saw holds.
                scope if *scope == proposed.scope && self.triggers == proposed.triggers => Vec::new(),
                LessonScope::Everywhere => vec![String::new()],
                LessonScope::Projects(roots) => roots.clone(),
            },
            fires: match self.example.trim() {
                example if !self.blocks() || example.is_empty() || example == proposed.example => Vec::new(),
                example => vec![example.to_owned()],
            },
            force_block: Some(self.block_reason.trim().to_owned())
                .filter(|reason| self.mode == Mode::Block && !reason.is_empty()),
            ..Fields::default()
        }
    }
}

/// The field that a text row edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum TextField {
    Rule,
    Mistake,
    Trigger,
    Unless,
    Example,
    BlockReason,
}

/// A row of the form.
#[derive(Debug, Clone)]
pub enum FormRow {
    /// A text field.
    Text(TextField, LineEditor),
    /// The choice of a mode.
    Mode(Mode),
    /// The choice of the time at which the lesson is given.
    When(When),
    /// The choice of the projects in which it is in force.
    Scope {
        /// What there is to choose from.
        choices: Vec<LessonScope>,
        /// The position of the choice.
        chosen: usize,
    },
}

/// The form that edits a draft.
#[derive(Debug, Clone)]
pub struct DraftForm {
    /// The rows, from top to bottom.
    pub rows: Vec<FormRow>,
    /// The index of the row with the cursor.
    pub focused: usize,
    /// The draft as it was, with texts whose rows come and go with the mode.
    before: LessonDraft,
}

impl DraftForm {
    /// A form filled with a draft of a candidate that was seen in these project folders. The cursor is in the first
    /// trigger.
    pub fn of(draft: &LessonDraft, folders: &[String]) -> Self {
        let text = |field: TextField| move |text: &String| FormRow::Text(field, LineEditor::new(text));
        let mut rows = vec![text(TextField::Rule)(&draft.rule), text(TextField::Mistake)(&draft.mistake)];
        let focused = rows.len();
        let empty = [String::new()];
        rows.extend(draft.triggers.iter().chain(&empty).map(text(TextField::Trigger)));
        rows.extend(draft.unless.iter().chain(&empty).map(text(TextField::Unless)));
        let (choices, chosen) = LessonScope::choices(folders, &draft.scope);
        rows.push(FormRow::Scope { choices, chosen });
        rows.push(FormRow::Mode(draft.mode));
        rows.push(FormRow::When(draft.when));
        let mut form = Self { rows, focused, before: draft.clone() };
        form.match_rows_to_mode();
        form
    }

    /// The same with the cursor in the example.
    #[must_use]
    pub fn at_example(mut self) -> Self {
        let is_example = |row: &FormRow| matches!(row, FormRow::Text(TextField::Example, _));
        self.focused = self.rows.iter().position(is_example).unwrap_or(self.focused);
        self
    }

    /// The draft with the current values of all rows.
    pub fn draft(&self) -> LessonDraft {
        let mut draft = LessonDraft {
            rule: String::new(),
            mistake: String::new(),
            triggers: Vec::new(),
            unless: Vec::new(),
            mode: Mode::default(),
            when: When::default(),
            scope: LessonScope::default(),
            example: self.before.example.clone(),
            block_reason: String::new(),
        };
        for row in &self.rows {
            match row {
                FormRow::Text(TextField::Rule, editor) => editor.text().clone_into(&mut draft.rule),
                FormRow::Text(TextField::Mistake, editor) => editor.text().clone_into(&mut draft.mistake),
                FormRow::Text(TextField::Example, editor) => editor.text().clone_into(&mut draft.example),
                FormRow::Text(TextField::BlockReason, editor) => {
                    editor.text().clone_into(&mut draft.block_reason);
                }
                FormRow::Text(_, editor) if editor.text().trim().is_empty() => {}
                FormRow::Text(TextField::Trigger, editor) => draft.triggers.push(editor.text().to_owned()),
                FormRow::Text(TextField::Unless, editor) => draft.unless.push(editor.text().to_owned()),
                FormRow::Mode(mode) => draft.mode = *mode,
                FormRow::When(when) => draft.when = *when,
                FormRow::Scope { choices, chosen } => {
                    draft.scope = choices.get(*chosen).cloned().unwrap_or_default();
                }
            }
        }
        draft
    }

    /// Handles a key.
    pub fn press(&mut self, key: Key) {
        match key {
            Key::Tab | Key::Down => self.focused = (self.focused + 1) % self.rows.len().max(1),
            Key::BackTab | Key::Up => {
                self.focused = self.focused.checked_sub(1).unwrap_or(self.rows.len() - 1);
            }
            _ => {}
        }
        match (self.rows.get_mut(self.focused), key) {
            (Some(FormRow::Text(_, editor)), key) => drop(editor.press(key)),
            (Some(FormRow::Mode(mode)), Key::Right | Key::Char(' ')) => {
                *mode = match mode {
                    Mode::Advise => Mode::Bump,
                    Mode::Bump => Mode::Block,
                    Mode::Block => Mode::Advise,
                };
            }
            (Some(FormRow::Mode(mode)), Key::Left) => {
                *mode = match mode {
                    Mode::Advise => Mode::Block,
                    Mode::Bump => Mode::Advise,
                    Mode::Block => Mode::Bump,
                };
            }
            (Some(FormRow::When(when)), Key::Left | Key::Right | Key::Char(' ')) => {
                *when = match when {
                    When::Tool => When::Session,
                    When::Session => When::Tool,
                };
            }
            (Some(FormRow::Scope { choices, chosen }), Key::Right | Key::Char(' ')) => {
                *chosen = (*chosen + 1) % choices.len().max(1);
            }
            (Some(FormRow::Scope { choices, chosen }), Key::Left) => {
                *chosen = chosen.checked_sub(1).unwrap_or(choices.len().saturating_sub(1));
            }
            _ => {}
        }
        self.keep_an_empty_row();
        self.match_rows_to_mode();
    }

    /// Handles pasted text.
    pub fn paste(&mut self, text: &str) {
        if let Some(FormRow::Text(_, editor)) = self.rows.get_mut(self.focused) {
            editor.paste(text);
        }
        self.keep_an_empty_row();
    }

    /// Keeps an empty row at the end of the triggers and of the exceptions, to add one more.
    fn keep_an_empty_row(&mut self) {
        for field in [TextField::Trigger, TextField::Unless] {
            let last = self.rows.iter().rposition(|row| matches!(row, FormRow::Text(of, _) if *of == field));
            let Some(last) = last else { continue };
            let is_used =
                matches!(self.rows.get(last), Some(FormRow::Text(_, editor)) if !editor.text().is_empty());
            if is_used {
                self.rows.insert(last + 1, FormRow::Text(field, LineEditor::default()));
                if self.focused > last {
                    self.focused += 1;
                }
            }
        }
    }

    /// Shows below the mode what it needs, and nothing else: the example of a mode that blocks, and the reason for a block.
    fn match_rows_to_mode(&mut self) {
        let mode = self.rows.iter().rposition(|row| matches!(row, FormRow::Mode(_)));
        let Some((at, FormRow::Mode(mode))) = mode.and_then(|at| Some((at, self.rows.get(at)?))) else {
            return;
        };
        let needed = [
            (TextField::Example, mode.refuses(), &self.before.example),
            (TextField::BlockReason, *mode == Mode::Block, &self.before.block_reason),
        ];
        let mut next = at + 1;
        for (field, is_needed, text) in needed {
            let is_there = matches!(self.rows.get(next), Some(FormRow::Text(of, _)) if *of == field);
            match (is_needed, is_there) {
                (true, false) => self.rows.insert(next, FormRow::Text(field, LineEditor::new(text))),
                // The cursor is above it, in the row of the mode.
                (false, true) => drop(self.rows.remove(next)),
                _ => {}
            }
            next += usize::from(is_needed);
        }
    }
}
