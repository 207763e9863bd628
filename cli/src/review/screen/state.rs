//! The state of the screen and its transitions.
//!
//! Nothing here touches a terminal, a file or a clock: a key changes the state and returns [`Effect`]s, whose
//! results come back as [`EffectResult`]s.

use super::draft::Form;
pub use super::effects::{Effect, EffectResult};
pub use super::item::{DecisionKind, FireCount, FireDetail, Item, ItemStatus, ReplayStatus, Ticket};
use super::keys::Key;
use super::line_editor::LineEditor;
use crate::review::decision::{Acceptance, Decision};
use crate::review::dossier::FullDossier;

/// Reasons for a rejection, chosen by digit.
pub const REASONS: [&str; 5] = [
    "one-off: it will not happen again",
    "a competent engineer knows it anyway",
    "too vague to act on",
    "wrong, or no longer true",
    "said elsewhere already",
];

/// Reasons for accepting a flagged candidate, chosen by digit.
pub const ACCEPTED: [&str; 3] =
    ["read in full; it is right and harmless", "it quotes what it warns of", "I know where it comes from"];

/// The view that covers the candidate.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// None: the candidate itself.
    Candidate,
    /// The form, and the replay of the draft in it.
    Edit(Form, ReplayStatus),
    /// The choice of a lesson to merge into.
    Merge,
    /// The choice of a reason for rejecting.
    Reject,
    /// A reason for rejecting in the person's own words.
    RejectBecause(LineEditor),
    /// The choice of a reason for accepting a flagged candidate.
    Accept(AcceptFor),
    /// A reason for accepting in the person's own words.
    AcceptBecause(AcceptFor, LineEditor),
    /// The list of keys.
    Help,
    /// The end: no candidate is left.
    End,
}

/// What follows when a flagged candidate is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcceptFor {
    /// It is promoted.
    Promote,
    /// It is merged into the lesson with this id.
    Merge(String),
}

/// The whole state of the screen.
#[derive(Debug, Clone)]
pub struct State {
    /// The candidates, in the order in which they are shown.
    pub items: Vec<Item>,
    /// The position of the candidate that is shown.
    pub at: usize,
    /// The view that covers it.
    pub layer: Overlay,
    /// The first visible line.
    pub scroll: u16,
    /// A message for the person, until the next key.
    pub note: Option<String>,
    /// Decisions that can be undone, the latest last.
    undoable: Vec<Ticket>,
    /// Decisions that are being undone.
    undoing: Vec<(Ticket, DecisionKind)>,
    /// The number of decisions so far.
    decisions: u64,
}

impl State {
    /// The state of a screen that begins with the candidate at `at`.
    pub fn new(candidates: Vec<FullDossier>, at: usize) -> Self {
        let items: Vec<Item> = candidates.into_iter().map(Item::new).collect();
        let at = if at < items.len() { at } else { 0 };
        let layer = if items.is_empty() { Overlay::End } else { Overlay::Candidate };
        Self {
            items,
            at,
            layer,
            scroll: 0,
            note: None,
            undoable: Vec::new(),
            undoing: Vec::new(),
            decisions: 0,
        }
    }

    /// The candidate that is shown.
    pub fn item(&self) -> Option<&Item> {
        self.items.get(self.at)
    }

    /// The number of candidates with such a status.
    pub fn number(&self, is_meant: impl Fn(&ItemStatus) -> bool) -> usize {
        self.items.iter().filter(|item| is_meant(&item.status)).count()
    }

    /// The number of decisions that are being saved.
    pub fn unsaved(&self) -> usize {
        self.number(|status| matches!(status, ItemStatus::Deciding(_)))
    }

    /// Effects that are due before the first key.
    pub fn begin(&mut self) -> Vec<Effect> {
        self.look()
    }

    /// Handles a key.
    pub fn press(&mut self, key: Key) -> Vec<Effect> {
        match key {
            Key::Ctrl('c') => return vec![Effect::Quit],
            Key::Ctrl('z') => return vec![Effect::Suspend],
            Key::Ctrl('l') => return vec![Effect::Redraw],
            _ => {}
        }
        self.note = None;
        match self.layer.clone() {
            Overlay::Candidate => self.on_candidate(key),
            Overlay::Edit(form, measure) => self.on_form(key, form, measure),
            Overlay::Merge => self.on_merge(key),
            Overlay::Reject => self.on_reject(key),
            Overlay::RejectBecause(mut typed) => match key {
                Key::Enter => self.reject(Some(typed.text().trim()).filter(|text| !text.is_empty())),
                Key::Escape => self.go_to(Overlay::Reject),
                key => {
                    typed.press(key);
                    self.go_to(Overlay::RejectBecause(typed))
                }
            },
            Overlay::Accept(then) => match key {
                Key::Escape => self.go_to(Overlay::Candidate),
                Key::Char(c) => match chosen(c, ACCEPTED.len() + 1) {
                    Some(number) => match ACCEPTED.get(number) {
                        Some(reason) => self.accept(then, reason),
                        None => self.go_to(Overlay::AcceptBecause(then, LineEditor::default())),
                    },
                    None => Vec::new(),
                },
                _ => Vec::new(),
            },
            Overlay::AcceptBecause(then, mut typed) => match key {
                Key::Enter if typed.text().trim().is_empty() => {
                    self.note = Some("Say in a few words why it is right all the same.".into());
                    Vec::new()
                }
                Key::Enter => {
                    let reason = typed.text().trim().to_owned();
                    self.accept(then, &reason)
                }
                Key::Escape => self.go_to(Overlay::Accept(then)),
                key => {
                    typed.press(key);
                    self.go_to(Overlay::AcceptBecause(then, typed))
                }
            },
            Overlay::Help => self.go_to(Overlay::Candidate),
            Overlay::End => match key {
                Key::Char('q') => vec![Effect::Quit],
                Key::Char('u') => self.take_back(),
                Key::Enter => self.again(),
                _ => Vec::new(),
            },
        }
    }

    /// Handles pasted text.
    pub fn paste(&mut self, text: &str) -> Vec<Effect> {
        match &mut self.layer {
            Overlay::Edit(form, measure) => {
                let before = form.draft().as_tried();
                form.paste(text);
                let draft = form.draft().as_tried();
                if draft == before {
                    return Vec::new();
                }
                *measure = ReplayStatus::Counting;
                vec![Effect::Measure(self.at, draft)]
            }
            Overlay::RejectBecause(typed) | Overlay::AcceptBecause(_, typed) => {
                typed.paste(text);
                Vec::new()
            }
            // Elsewhere every letter is a command: a paste must not decide anything.
            _ => Vec::new(),
        }
    }

    /// Takes in the result of an effect.
    pub fn receive(&mut self, result: EffectResult) {
        match result {
            EffectResult::Done(ticket, told) => {
                // A decision that is being undone meanwhile needs no message.
                let Some(item) = self.current(ticket) else { return };
                if let ItemStatus::Deciding(kind) = item.status {
                    item.status = ItemStatus::Decided(kind);
                }
                self.note = Some(told);
            }
            EffectResult::NotDone(ticket, why) => {
                if self.current(ticket).is_some() {
                    self.undoable.retain(|past| *past != ticket);
                    self.fail(ticket.at, ItemStatus::Waits, format!("not done: {why}"));
                }
            }
            EffectResult::TakenBack(ticket) => {
                self.finish_undo(ticket);
                let item = self.items.get(ticket.at);
                if let Some(item) = item.filter(|item| item.status == ItemStatus::Waits) {
                    self.note = Some(format!("{} waits again", item.whole.candidate.id));
                }
            }
            EffectResult::NotTakenBack(ticket, why) => {
                let kind = self.finish_undo(ticket);
                let status = match self.items.get(ticket.at).map(|item| &item.status) {
                    Some(ItemStatus::Waits | ItemStatus::Skipped) | None => {
                        kind.map_or(ItemStatus::Waits, ItemStatus::Decided)
                    }
                    // A later decision about it exists; its own result will be shown.
                    Some(later) => later.clone(),
                };
                self.fail(ticket.at, status, format!("not taken back: {why}"));
            }
            EffectResult::Measured(at, draft, measured) => {
                if let Overlay::Edit(form, measure) = &mut self.layer
                    && at == self.at
                    && form.draft().as_tried() == draft
                {
                    *measure = measured.clone();
                }
                if let Some(item) = self.items.get_mut(at).filter(|item| item.draft.as_tried() == draft) {
                    item.measure = measured;
                }
            }
        }
    }

    /// The candidate of a decision, if it is the last one about it and is not being undone.
    fn current(&mut self, ticket: Ticket) -> Option<&mut Item> {
        self.items.get_mut(ticket.at).filter(|item| item.ticket == Some(ticket))
    }

    /// Numbers a new decision about the candidate that is shown.
    fn ticket(&mut self) -> Ticket {
        self.decisions += 1;
        let ticket = Ticket { at: self.at, number: self.decisions };
        self.undoable.push(ticket);
        if let Some(item) = self.items.get_mut(self.at) {
            item.ticket = Some(ticket);
        }
        ticket
    }

    fn finish_undo(&mut self, ticket: Ticket) -> Option<DecisionKind> {
        let found = self.undoing.iter().position(|(taken, _)| *taken == ticket)?;
        Some(self.undoing.remove(found).1)
    }

    fn fail(&mut self, at: usize, status: ItemStatus, why: String) {
        if let Some(item) = self.items.get_mut(at) {
            item.status = status;
            self.note = Some(format!("{}: {why}", item.whole.candidate.id));
            item.failure = Some(why);
        }
        // A candidate that waits again is shown again.
        if matches!(self.layer, Overlay::End) {
            self.at = at;
            self.layer = Overlay::Candidate;
        }
    }

    fn go_to(&mut self, layer: Overlay) -> Vec<Effect> {
        self.layer = layer;
        Vec::new()
    }

    fn on_candidate(&mut self, key: Key) -> Vec<Effect> {
        let Some(item) = self.item() else { return self.go_to(Overlay::End) };
        let is_open = matches!(item.status, ItemStatus::Waits | ItemStatus::Skipped);
        match key {
            // Not Escape: pressing it once too often after a question must not leave the screen.
            Key::Char('q') => return vec![Effect::Quit],
            Key::Char('?' | 'h') => return self.go_to(Overlay::Help),
            Key::Char('u') => return self.take_back(),
            Key::Char('n') | Key::Right => return self.show(self.at + 1),
            Key::Char('b') | Key::Left => return self.show(self.at.checked_sub(1).unwrap_or(self.at)),
            Key::Down | Key::Char('j') => self.scroll = self.scroll.saturating_add(1),
            Key::Up | Key::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            Key::PageDown | Key::Char(' ') => self.scroll = self.scroll.saturating_add(10),
            Key::PageUp => self.scroll = self.scroll.saturating_sub(10),
            Key::Home => self.scroll = 0,
            Key::Char('p' | 'e' | 'm' | 'r' | 's') if !is_open => {
                self.note = Some("It is decided; u takes the last decision back.".into());
            }
            Key::Char('p') => return self.promote(AcceptFor::Promote),
            Key::Char('e') => {
                let (form, measure) = (Form::of(&item.draft), item.measure.clone());
                return self.go_to(Overlay::Edit(form, measure));
            }
            Key::Char('m') if item.whole.own.is_empty() => {
                self.note = Some("You have no lesson yet that could take it up.".into());
            }
            Key::Char('m') => return self.go_to(Overlay::Merge),
            Key::Char('r') => return self.go_to(Overlay::Reject),
            Key::Char('s') => {
                self.ticket();
                return self.leave(ItemStatus::Skipped);
            }
            _ => {}
        }
        Vec::new()
    }

    fn on_form(&mut self, key: Key, mut form: Form, mut measure: ReplayStatus) -> Vec<Effect> {
        match key {
            Key::Escape => {
                self.go_to(Overlay::Candidate);
                // Requests for the form replaced the request for the candidate itself.
                let open = self.item().filter(|item| item.measure == ReplayStatus::Counting);
                let draft = open.map(|item| item.draft.as_tried());
                return draft.map(|draft| Effect::Measure(self.at, draft)).into_iter().collect();
            }
            Key::Enter => {
                let draft = form.draft();
                if let Some(item) = self.items.get_mut(self.at) {
                    let is_same = item.draft.as_tried() == draft.as_tried();
                    item.measure = if is_same { item.measure.clone() } else { measure };
                    item.draft = draft;
                }
                return self.go_to(Overlay::Candidate);
            }
            _ => {}
        }
        let before = form.draft().as_tried();
        form.press(key);
        let mut effects = Vec::new();
        if form.draft().as_tried() != before {
            measure = ReplayStatus::Counting;
            effects.push(Effect::Measure(self.at, form.draft().as_tried()));
        }
        self.layer = Overlay::Edit(form, measure);
        effects
    }

    fn on_merge(&mut self, key: Key) -> Vec<Effect> {
        let Key::Char(c) = key else {
            return if key == Key::Escape { self.go_to(Overlay::Candidate) } else { Vec::new() };
        };
        let own = self.item().map(|item| item.whole.own.as_slice()).unwrap_or_default();
        let Some(lesson) = chosen(c, own.len()).and_then(|number| own.get(number)) else {
            return Vec::new();
        };
        let lesson = lesson.id.to_string();
        self.promote(AcceptFor::Merge(lesson))
    }

    fn on_reject(&mut self, key: Key) -> Vec<Effect> {
        match key {
            Key::Escape => self.go_to(Overlay::Candidate),
            Key::Enter => self.reject(None),
            Key::Char(c) => match chosen(c, REASONS.len() + 1) {
                Some(number) => match REASONS.get(number) {
                    Some(reason) => self.reject(Some(reason)),
                    None => self.go_to(Overlay::RejectBecause(LineEditor::default())),
                },
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn promote(&mut self, then: AcceptFor) -> Vec<Effect> {
        let is_flagged = self.item().is_some_and(|item| !item.whole.candidate.finding.flags.is_empty());
        if is_flagged {
            return self.go_to(Overlay::Accept(then));
        }
        self.take_up(then, None)
    }

    fn accept(&mut self, then: AcceptFor, reason: &str) -> Vec<Effect> {
        let flags = self.item().map(|item| item.whole.candidate.finding.flags.as_slice()).unwrap_or_default();
        let mut flags: Vec<String> = flags.iter().map(|flag| flag.name.clone()).collect();
        flags.dedup();
        self.take_up(then, Some(Acceptance { flags, reason: reason.to_owned() }))
    }

    fn take_up(&mut self, then: AcceptFor, accept: Option<Acceptance>) -> Vec<Effect> {
        let Some(item) = self.item() else { return Vec::new() };
        let candidate = item.whole.candidate.id.clone();
        let (kind, decision) = match then {
            AcceptFor::Promote => {
                let fields = Box::new(item.draft.changes(&item.whole));
                (DecisionKind::Promoted, Decision::Promote { candidate, fields, accept })
            }
            AcceptFor::Merge(lesson) => (DecisionKind::Merged, Decision::Merge { candidate, lesson, accept }),
        };
        self.decide(kind, decision)
    }

    fn reject(&mut self, reason: Option<&str>) -> Vec<Effect> {
        let Some(item) = self.item() else { return Vec::new() };
        let candidate = item.whole.candidate.id.clone();
        self.decide(DecisionKind::Rejected, Decision::Reject { candidate, reason: reason.map(str::to_owned) })
    }

    fn decide(&mut self, kind: DecisionKind, decision: Decision) -> Vec<Effect> {
        let mut effects = vec![Effect::Decide(self.ticket(), decision)];
        effects.extend(self.leave(ItemStatus::Deciding(kind)));
        effects
    }

    /// Sets the status of the candidate that is shown and goes on to the next one that waits.
    fn leave(&mut self, status: ItemStatus) -> Vec<Effect> {
        if let Some(item) = self.items.get_mut(self.at) {
            item.status = status;
            item.failure = None;
        }
        let after = self.at + 1..self.items.len();
        let waits = |at: &usize| self.items.get(*at).is_some_and(|item| item.status == ItemStatus::Waits);
        let next = after.chain(0..self.at).find(waits);
        match next {
            Some(next) => self.show(next),
            None => self.go_to(Overlay::End),
        }
    }

    /// Undoes the latest decision made on this screen.
    fn take_back(&mut self) -> Vec<Effect> {
        let Some(ticket) = self.undoable.pop() else {
            self.note =
                Some("There is nothing to take back. `lessons undo` takes back earlier changes.".into());
            return Vec::new();
        };
        let Some(item) = self.items.get_mut(ticket.at) else { return Vec::new() };
        item.ticket = None;
        let was = std::mem::replace(&mut item.status, ItemStatus::Waits);
        let mut effects = match was {
            ItemStatus::Deciding(kind) | ItemStatus::Decided(kind) => {
                self.undoing.push((ticket, kind));
                vec![Effect::TakeBack(ticket)]
            }
            ItemStatus::Waits | ItemStatus::Skipped => Vec::new(),
        };
        effects.extend(self.show(ticket.at));
        effects
    }

    /// Starts over with the skipped candidates.
    fn again(&mut self) -> Vec<Effect> {
        let mut first = None;
        for (at, item) in self.items.iter_mut().enumerate() {
            if item.status == ItemStatus::Skipped {
                item.status = ItemStatus::Waits;
                first = first.or(Some(at));
            }
        }
        match first {
            Some(first) => self.show(first),
            None => vec![Effect::Quit],
        }
    }

    fn show(&mut self, at: usize) -> Vec<Effect> {
        if at < self.items.len() {
            self.at = at;
            self.scroll = 0;
        }
        self.layer = Overlay::Candidate;
        self.look()
    }

    /// Requests the replay of the candidate that is shown and of the next one.
    fn look(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        // The latest request is served first.
        for at in [self.at + 1, self.at] {
            if let Some(item) = self.items.get_mut(at)
                && item.measure == ReplayStatus::Unasked
            {
                item.measure = ReplayStatus::Counting;
                effects.push(Effect::Measure(at, item.draft.as_tried()));
            }
        }
        effects
    }
}

/// The number that a digit chooses among `all`, from 0.
fn chosen(digit: char, all: usize) -> Option<usize> {
    let digit = usize::try_from(digit.to_digit(10)?).ok()?;
    digit.checked_sub(1).filter(|number| *number < all)
}

#[cfg(test)]
mod tests;
