//! The state of the screen and its transitions.
//!
//! Nothing here touches a terminal, a file or a clock: a key changes the state and asks for [`Effect`]s, whose
//! results come back as [`EffectResult`]s.

mod answers;

use std::collections::VecDeque;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use lessons_text::neutral;
use tui_input::backend::crossterm::EventHandler as _;
use tui_input::{Input, InputRequest};

use super::item::{Edit, ItemStatus, ReviewItem, Trial};
pub(super) use super::item::{Effect, EffectResult};
use super::list::{CandidateList, ListFocus, Question, TakeUp};
use crate::review::candidate_details::CandidateDetails;

/// What the screen shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum View {
    /// A candidate.
    #[default]
    Candidate,
    /// The list of all candidates.
    List,
    /// The list of keys.
    Help,
    /// The end: no candidate is left.
    End,
}

/// The whole state of the screen.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReviewState {
    /// The candidates, in the order in which they are shown.
    pub(crate) items: Vec<ReviewItem>,
    /// The position of the candidate that is shown.
    pub(crate) at: usize,
    /// What the screen shows.
    pub(crate) view: View,
    /// The question over it.
    pub(crate) question: Option<Question>,
    /// The list of all candidates.
    pub(crate) list: CandidateList,
    /// The first visible line.
    pub(crate) scroll: u16,
    /// A message for the person, until the next key.
    pub(crate) note: Option<String>,
    /// What is asked for and not carried out yet.
    pub(crate) effects: VecDeque<Effect>,
    /// The candidates whose decisions can be undone, the latest last.
    undoable: Vec<usize>,
}

impl ReviewState {
    /// The state of a screen that begins with the candidate at `at`.
    pub(crate) fn new(candidates: Vec<CandidateDetails>, at: usize) -> Self {
        let items: Vec<ReviewItem> = candidates.into_iter().map(ReviewItem::new).collect();
        Self {
            at: if at < items.len() { at } else { 0 },
            view: if items.is_empty() { View::End } else { View::Candidate },
            items,
            ..Self::default()
        }
    }

    /// The candidate that is shown.
    pub(crate) fn item(&self) -> Option<&ReviewItem> {
        self.items.get(self.at)
    }

    /// The number of candidates with such a status.
    pub(crate) fn number(&self, is_meant: impl Fn(ItemStatus) -> bool) -> usize {
        self.items.iter().filter(|item| is_meant(item.status)).count()
    }

    /// Asks for an effect.
    fn want(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    /// Handles a key.
    pub(crate) fn press(&mut self, key: &KeyEvent) {
        // A key with Alt must not decide by accident.
        if key.kind == KeyEventKind::Release || key.modifiers.contains(KeyModifiers::ALT) {
            return;
        }
        let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c' | 'C') if with_control => return self.want(Effect::Quit),
            KeyCode::Char('z' | 'Z') if with_control => return self.want(Effect::Suspend),
            KeyCode::Char('l' | 'L') if with_control => return self.want(Effect::Redraw),
            _ => {}
        }
        self.note = None;
        if let Some(field) = self.field()
            && !matches!(key.code, KeyCode::Enter | KeyCode::Esc | KeyCode::Down)
        {
            if !matches!(key.code, KeyCode::Char(c) if neutral::is_hidden(c)) {
                field.handle_event(&Event::Key(*key));
            }
            self.list.cursor = if self.question.is_none() { 0 } else { self.list.cursor };
            return;
        }
        if with_control {
            return;
        }
        match (self.question.take(), self.view) {
            (Some(question), _) => self.answer(question, key.code),
            (None, View::Candidate) => self.on_candidate(key.code),
            (None, View::List) => self.on_list(key.code),
            (None, View::Help) => self.view = View::Candidate,
            (None, View::End) => match key.code {
                KeyCode::Char('q') => self.want(Effect::Quit),
                KeyCode::Char('u') => self.take_back(),
                KeyCode::Char('w') => self.find_unread(),
                KeyCode::Enter => self.start_over(),
                _ => {}
            },
        }
    }

    /// Handles pasted text. Where no text is wanted, every letter is a command: a paste must not decide anything.
    pub(crate) fn paste(&mut self, text: &str) {
        let Some(field) = self.field() else { return };
        let spaced = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
        for c in spaced.filter(|c| !neutral::is_hidden(*c)) {
            field.handle(InputRequest::InsertChar(c));
        }
    }

    /// The field in which the person types.
    fn field(&mut self) -> Option<&mut Input> {
        match &mut self.question {
            Some(question) => question.typed.as_mut(),
            None if self.view == View::List && self.list.focus == ListFocus::Filter => {
                Some(&mut self.list.filter)
            }
            None => None,
        }
    }

    /// Takes in the result of an effect.
    pub(crate) fn receive(&mut self, result: EffectResult) {
        match result {
            EffectResult::Decided(at, result) => {
                let Some(item) = self.items.get_mut(at) else { return };
                // A decision that is being undone meanwhile needs no message.
                let ItemStatus::Saving(done) = item.status else { return };
                match result {
                    Ok(message) => {
                        item.status = ItemStatus::Decided(done);
                        self.note = Some(message);
                    }
                    Err(why) => {
                        self.undoable.retain(|past| *past != at);
                        self.fail(at, ItemStatus::Waits, format!("not done: {why}"));
                    }
                }
            }
            EffectResult::TakenBack(at, result) => {
                let Some(item) = self.items.get_mut(at) else { return };
                let ItemStatus::Undoing(done) = item.status else { return };
                match result {
                    Ok(()) => {
                        item.status = ItemStatus::Waits;
                        self.note = Some(format!("{} waits again", item.id()));
                    }
                    Err(why) => self.fail(at, ItemStatus::Decided(done), format!("not undone: {why}")),
                }
            }
            EffectResult::Tried(at, lesson, rows) => {
                // The person may have edited it since.
                if let Some(item) = self.items.get_mut(at).filter(|item| item.tried_lesson() == *lesson) {
                    item.trial = Trial::Done(rows);
                }
            }
            EffectResult::Unread(Err(why)) => self.note = Some(why),
            EffectResult::Unread(Ok(items)) if items.is_empty() => {
                self.note = Some("There is nothing unread that no candidate explains.".into());
            }
            // What the person has begun meanwhile is not taken away from them.
            EffectResult::Unread(Ok(_)) if self.question.is_some() => {}
            EffectResult::Unread(Ok(items)) => {
                (self.note, self.question) = (None, Some(Question::unread(items)));
            }
        }
    }

    /// Adds a candidate that a person chose to write a lesson from, and lets them write it.
    pub(crate) fn add(&mut self, details: CandidateDetails) {
        self.items.push(ReviewItem::new(details));
        self.at = self.items.len() - 1;
        (self.view, self.scroll) = (View::Candidate, 0);
        self.want(Effect::Edit(self.at));
    }

    /// Looks for what nobody has read.
    pub(crate) fn find_unread(&mut self) {
        self.note = Some("Looking through your sessions …".into());
        self.want(Effect::FindUnread);
    }

    /// Takes in what the person made of a candidate in the editor, and has it tried. `None` if nothing was changed.
    pub(crate) fn take_edit(&mut self, at: usize, edit: Result<Option<Box<Edit>>, String>) {
        let Some(item) = self.items.get_mut(at) else { return };
        self.note = Some(match edit {
            Ok(Some(edit)) => {
                (item.edit, item.trial, item.failure) = (Some(edit), Trial::Unasked, None);
                "Edited, not saved: p promotes it like this, e edits again, u drops the edit.".to_owned()
            }
            Ok(None) => "Nothing was changed.".to_owned(),
            Err(why) => why,
        });
        self.request_trials();
    }

    fn fail(&mut self, at: usize, status: ItemStatus, why: String) {
        if let Some(item) = self.items.get_mut(at) {
            item.status = status;
            self.note = Some(format!("{}: {why}", item.id()));
            item.failure = Some(why);
        }
        // A candidate that waits again is shown again.
        if self.view == View::End {
            (self.at, self.view) = (at, View::Candidate);
        }
    }

    fn on_candidate(&mut self, key: KeyCode) {
        let Some(item) = self.items.get_mut(self.at) else { return self.view = View::End };
        match key {
            // Not Escape: pressing it once too often after a question must not leave the screen.
            KeyCode::Char('q') => self.want(Effect::Quit),
            KeyCode::Char('?' | 'h') => self.view = View::Help,
            KeyCode::Char('u') if item.status.is_open() && item.edit.is_some() => {
                (item.edit, item.trial) = (None, Trial::Unasked);
                self.note = Some("The edit is dropped: this is what was proposed.".into());
                self.request_trials();
            }
            KeyCode::Char('u') => self.take_back(),
            KeyCode::Char('l') => {
                self.list = CandidateList { cursor: self.at, ..CandidateList::default() };
                self.view = View::List;
            }
            KeyCode::Char('w') => self.find_unread(),
            KeyCode::Char('n') | KeyCode::Right => self.show(self.at + 1),
            KeyCode::Char('b') | KeyCode::Left => self.show(self.at.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.scroll = self.scroll.saturating_add(1),
            KeyCode::Up | KeyCode::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll = self.scroll.saturating_add(10),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(10),
            KeyCode::Home => self.scroll = 0,
            KeyCode::Char('p' | 'e' | 'm' | 'r' | 's') if !item.status.is_open() => {
                self.note = Some("It is decided; u undoes the last decision.".into());
            }
            KeyCode::Char('p') if item.lesson().rule.is_empty() => {
                self.note = Some("It has no rule yet: e writes one.".into());
            }
            KeyCode::Char('p') if item.asks_for_mode() => self.question = Some(Question::mode(item)),
            KeyCode::Char('p') => self.take_up(TakeUp::Promote),
            KeyCode::Char('e') => self.want(Effect::Edit(self.at)),
            KeyCode::Char('m') if item.details.own.is_empty() => {
                self.note = Some("You have no lesson yet to merge it into.".into());
            }
            KeyCode::Char('m') => self.question = Some(Question::merge(item)),
            KeyCode::Char('r') => self.question = Some(Question::reject(vec![self.at])),
            KeyCode::Char('s') => {
                (item.status, item.failure) = (ItemStatus::Skipped, None);
                self.undoable.push(self.at);
                self.go_on();
            }
            _ => {}
        }
    }

    fn on_list(&mut self, key: KeyCode) {
        if self.list.focus == ListFocus::Filter {
            if key == KeyCode::Esc {
                self.list.filter.reset();
            }
            (self.list.focus, self.list.cursor) = (ListFocus::Rows, 0);
            return;
        }
        let meant = self.list.meant(&self.items);
        match key {
            KeyCode::Esc | KeyCode::Char('l') => self.show(self.at),
            KeyCode::Char('q') => self.want(Effect::Quit),
            KeyCode::Char('u') => self.take_back(),
            KeyCode::Enter => {
                if let Some(at) = self.list.current(&self.items) {
                    self.show(at);
                }
            }
            KeyCode::Char('p' | 'r') if meant.is_empty() => {
                self.note = Some("There is nothing to decide here.".into());
            }
            KeyCode::Char('p') => self.promote_all(meant),
            KeyCode::Char('r') => self.question = Some(Question::reject(meant)),
            key => self.list.press(key, &self.items),
        }
    }

    /// Handles a key while a question is open.
    fn answer(&mut self, mut question: Question, key: KeyCode) {
        let typed = question.typed.as_ref().map(|typed| typed.value().trim().to_owned());
        match (key, typed, question.own.clone()) {
            (KeyCode::Esc, None, _) => return,
            (KeyCode::Esc, Some(_), _) => question.typed = None,
            (KeyCode::Enter, Some(words), _) if words.is_empty() && !question.may_stay_open() => {
                self.note = Some("Say in a few words why it is right anyway.".into());
            }
            (KeyCode::Enter, typed, Some(own)) if typed.is_some() || question.may_stay_open() => {
                return self.answered(own, typed.as_deref().filter(|words| !words.is_empty()));
            }
            (KeyCode::Char(digit), None, own) => match question.chosen(digit) {
                Some(number) if own.is_some() && number + 1 == question.answers.len() => {
                    question.typed = Some(Input::default());
                }
                Some(number) => {
                    let (answer, then) = question.answers.swap_remove(number);
                    return self.answered(then, Some(&answer));
                }
                None => {}
            },
            _ => {}
        }
        self.question = Some(question);
    }

    fn show(&mut self, at: usize) {
        if at < self.items.len() {
            (self.at, self.scroll) = (at, 0);
        }
        self.view = View::Candidate;
        self.request_trials();
    }

    /// Requests the trial of the candidate that is shown and of the next one.
    pub(crate) fn request_trials(&mut self) {
        // The latest request is served first.
        for at in [self.at + 1, self.at] {
            if let Some(item) = self.items.get_mut(at)
                && item.trial == Trial::Unasked
            {
                item.trial = Trial::Running;
                // What a person wrote is held against everything that would be checked when it is saved.
                let decision =
                    item.edit.is_some().then(|| item.promotion(item.acceptance("not yet accepted")));
                let lesson = Box::new(item.tried_lesson());
                self.want(Effect::Try(at, lesson, decision));
            }
        }
    }
}

#[cfg(test)]
mod bulk_tests;
#[cfg(test)]
pub(super) mod tests;
