//! The state of the screen and its transitions.
//!
//! Nothing here touches a terminal, a file or a clock: a key changes the state and returns [`Effect`]s, whose
//! results come back as [`EffectResult`]s.

mod bulk;

use super::draft::DraftForm;
pub use super::effects::{Effect, EffectResult};
pub use super::item::{DecisionKind, FireCount, FireDetail, ItemStatus, ReplayStatus, ReviewItem, Ticket};
use super::keys::Key;
use super::line_editor::LineEditor;
use super::list::ListFocus;
use super::overlay::chosen;
pub use super::overlay::{ACCEPTED, AcceptFor, MODES, Overlay, REASONS};
use crate::review::candidate_details::FullDetails;
use crate::review::decision::{Acceptance, Decision};

/// The whole state of the screen.
#[derive(Debug, Clone)]
pub struct ReviewState {
    /// The candidates, in the order in which they are shown.
    pub items: Vec<ReviewItem>,
    /// The position of the candidate that is shown.
    pub at: usize,
    /// The view that covers it.
    pub overlay: Overlay,
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

impl ReviewState {
    /// The state of a screen that begins with the candidate at `at`.
    pub fn new(candidates: Vec<FullDetails>, at: usize) -> Self {
        let items: Vec<ReviewItem> = candidates.into_iter().map(ReviewItem::new).collect();
        let at = if at < items.len() { at } else { 0 };
        let overlay = if items.is_empty() { Overlay::End } else { Overlay::Candidate };
        Self {
            items,
            at,
            overlay,
            scroll: 0,
            note: None,
            undoable: Vec::new(),
            undoing: Vec::new(),
            decisions: 0,
        }
    }

    /// The candidate that is shown.
    pub fn item(&self) -> Option<&ReviewItem> {
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
        self.request_replays()
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
        match self.overlay.clone() {
            Overlay::Candidate => self.on_candidate(key),
            Overlay::Edit(form, replay) => self.on_form(key, form, replay),
            Overlay::Merge => self.on_merge(key),
            Overlay::Mode => self.on_mode(key),
            Overlay::Reject => self.on_reject(key),
            Overlay::RejectBecause(mut editor) => match key {
                Key::Enter => self.reject(Some(editor.text().trim()).filter(|text| !text.is_empty())),
                Key::Escape => self.go_to(Overlay::Reject),
                key => {
                    editor.press(key);
                    self.go_to(Overlay::RejectBecause(editor))
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
            Overlay::AcceptBecause(then, mut editor) => match key {
                Key::Enter if editor.text().trim().is_empty() => {
                    self.note = Some("Say in a few words why it is right anyway.".into());
                    Vec::new()
                }
                Key::Enter => {
                    let reason = editor.text().trim().to_owned();
                    self.accept(then, &reason)
                }
                Key::Escape => self.go_to(Overlay::Accept(then)),
                key => {
                    editor.press(key);
                    self.go_to(Overlay::AcceptBecause(then, editor))
                }
            },
            Overlay::List(list) => self.on_list(key, list),
            Overlay::RejectSelected(list) => self.on_reject_selected(key, list),
            Overlay::Help => self.go_to(Overlay::Candidate),
            Overlay::End => match key {
                Key::Char('q') => vec![Effect::Quit],
                Key::Char('u') => self.take_back(),
                Key::Enter => self.start_over(),
                _ => Vec::new(),
            },
        }
    }

    /// Handles pasted text.
    pub fn paste(&mut self, text: &str) -> Vec<Effect> {
        match &mut self.overlay {
            Overlay::Edit(form, replay) => {
                let before = form.draft().replayed_part();
                form.paste(text);
                let draft = form.draft().replayed_part();
                if draft == before {
                    return Vec::new();
                }
                *replay = ReplayStatus::Counting;
                vec![Effect::Replay(self.at, draft)]
            }
            Overlay::List(list) if list.focus == ListFocus::Filter => {
                list.filter.paste(text);
                Vec::new()
            }
            Overlay::RejectBecause(editor) | Overlay::AcceptBecause(_, editor) => {
                editor.paste(text);
                Vec::new()
            }
            // Elsewhere every letter is a command: a paste must not decide anything.
            _ => Vec::new(),
        }
    }

    /// Takes in the result of an effect.
    pub fn receive(&mut self, result: EffectResult) {
        match result {
            EffectResult::Done(ticket, message) => {
                // A decision that is being undone meanwhile needs no message.
                let Some(item) = self.current(ticket) else { return };
                if let ItemStatus::Deciding(kind) = item.status {
                    item.status = ItemStatus::Decided(kind);
                }
                self.note = Some(message);
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
                    self.note = Some(format!("{} waits again", item.details.candidate.id));
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
                self.fail(ticket.at, status, format!("not undone: {why}"));
            }
            EffectResult::Replayed(at, draft, replayed) => {
                if let Overlay::Edit(form, replay) = &mut self.overlay
                    && at == self.at
                    && form.draft().replayed_part() == draft
                {
                    *replay = replayed.clone();
                }
                if let Some(item) = self.items.get_mut(at).filter(|item| item.draft.replayed_part() == draft)
                {
                    item.replay = replayed;
                }
            }
        }
    }

    /// The candidate of a decision, if it is the last one about it and is not being undone.
    fn current(&mut self, ticket: Ticket) -> Option<&mut ReviewItem> {
        self.items.get_mut(ticket.at).filter(|item| item.ticket == Some(ticket))
    }

    /// Numbers a new decision about the candidate that is shown.
    fn ticket(&mut self) -> Ticket {
        self.ticket_for(self.at)
    }

    fn finish_undo(&mut self, ticket: Ticket) -> Option<DecisionKind> {
        let found = self.undoing.iter().position(|(taken, _)| *taken == ticket)?;
        Some(self.undoing.remove(found).1)
    }

    fn fail(&mut self, at: usize, status: ItemStatus, why: String) {
        if let Some(item) = self.items.get_mut(at) {
            item.status = status;
            self.note = Some(format!("{}: {why}", item.details.candidate.id));
            item.failure = Some(why);
        }
        // A candidate that waits again is shown again.
        if matches!(self.overlay, Overlay::End) {
            self.at = at;
            self.overlay = Overlay::Candidate;
        }
    }

    fn go_to(&mut self, overlay: Overlay) -> Vec<Effect> {
        self.overlay = overlay;
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
            Key::Char('l') => return self.open_list(),
            Key::Char('n') | Key::Right => return self.show(self.at + 1),
            Key::Char('b') | Key::Left => return self.show(self.at.checked_sub(1).unwrap_or(self.at)),
            Key::Down | Key::Char('j') => self.scroll = self.scroll.saturating_add(1),
            Key::Up | Key::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            Key::PageDown | Key::Char(' ') => self.scroll = self.scroll.saturating_add(10),
            Key::PageUp => self.scroll = self.scroll.saturating_sub(10),
            Key::Home => self.scroll = 0,
            Key::Char('p' | 'e' | 'm' | 'r' | 's') if !is_open => {
                self.note = Some("It is decided; u undoes the last decision.".into());
            }
            Key::Char('p') if item.is_asked_for_mode() => return self.go_to(Overlay::Mode),
            Key::Char('p') => return self.promote(AcceptFor::Promote),
            Key::Char('e') => {
                let (form, replay) = (DraftForm::of(&item.draft, &item.details.folders), item.replay.clone());
                return self.go_to(Overlay::Edit(form, replay));
            }
            Key::Char('m') if item.details.own.is_empty() => {
                self.note = Some("You have no lesson yet to merge it into.".into());
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

    fn on_form(&mut self, key: Key, mut form: DraftForm, mut replay: ReplayStatus) -> Vec<Effect> {
        match key {
            Key::Escape => {
                self.go_to(Overlay::Candidate);
                // Requests for the form replaced the request for the candidate itself.
                let open = self.item().filter(|item| item.replay == ReplayStatus::Counting);
                let draft = open.map(|item| item.draft.replayed_part());
                return draft.map(|draft| Effect::Replay(self.at, draft)).into_iter().collect();
            }
            Key::Enter => {
                let draft = form.draft();
                if let Some(item) = self.items.get_mut(self.at) {
                    let is_same = item.draft.replayed_part() == draft.replayed_part();
                    item.replay = if is_same { item.replay.clone() } else { replay };
                    item.draft = draft;
                }
                return self.go_to(Overlay::Candidate);
            }
            _ => {}
        }
        let before = form.draft().replayed_part();
        form.press(key);
        let mut effects = Vec::new();
        if form.draft().replayed_part() != before {
            replay = ReplayStatus::Counting;
            effects.push(Effect::Replay(self.at, form.draft().replayed_part()));
        }
        self.overlay = Overlay::Edit(form, replay);
        effects
    }

    fn on_merge(&mut self, key: Key) -> Vec<Effect> {
        let Key::Char(c) = key else {
            return if key == Key::Escape { self.go_to(Overlay::Candidate) } else { Vec::new() };
        };
        let own = self.item().map(|item| item.details.own.as_slice()).unwrap_or_default();
        let Some(lesson) = chosen(c, own.len()).and_then(|number| own.get(number)) else {
            return Vec::new();
        };
        let lesson = lesson.id.to_string();
        self.promote(AcceptFor::Merge(lesson))
    }

    fn on_mode(&mut self, key: Key) -> Vec<Effect> {
        let Key::Char(c) = key else {
            return if key == Key::Escape { self.go_to(Overlay::Candidate) } else { Vec::new() };
        };
        let Some((mode, _)) = chosen(c, MODES.len()).and_then(|number| MODES.get(number)) else {
            return Vec::new();
        };
        if let Some(item) = self.items.get_mut(self.at) {
            item.draft.mode = *mode;
        }
        self.promote(AcceptFor::Promote)
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
        if let Some(item) = self.item()
            && then == AcceptFor::Promote
            && item.draft.blocks()
            && item.draft.example.trim().is_empty()
        {
            let form = DraftForm::of(&item.draft, &item.details.folders).at_example();
            let replay = item.replay.clone();
            self.note = Some("To block, it needs an example: a call that it must block.".into());
            return self.go_to(Overlay::Edit(form, replay));
        }
        let is_flagged = self.item().is_some_and(|item| !item.details.candidate.finding.flags.is_empty());
        if is_flagged {
            return self.go_to(Overlay::Accept(then));
        }
        self.take_up(then, None)
    }

    fn accept(&mut self, then: AcceptFor, reason: &str) -> Vec<Effect> {
        let flags =
            self.item().map(|item| item.details.candidate.finding.flags.as_slice()).unwrap_or_default();
        let mut flags: Vec<String> = flags.iter().map(|flag| flag.name.clone()).collect();
        flags.dedup();
        self.take_up(then, Some(Acceptance { flags, reason: reason.to_owned() }))
    }

    fn take_up(&mut self, then: AcceptFor, accept: Option<Acceptance>) -> Vec<Effect> {
        let Some(item) = self.item() else { return Vec::new() };
        let candidate = item.details.candidate.id.clone();
        let (kind, decision) = match then {
            AcceptFor::Promote => {
                let fields = Box::new(item.draft.changes(&item.details));
                (DecisionKind::Promoted, Decision::Promote { candidate, fields, accept })
            }
            AcceptFor::Merge(lesson) => (DecisionKind::Merged, Decision::Merge { candidate, lesson, accept }),
        };
        self.decide(kind, decision)
    }

    fn reject(&mut self, reason: Option<&str>) -> Vec<Effect> {
        let Some(item) = self.item() else { return Vec::new() };
        let candidate = item.details.candidate.id.clone();
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
            self.note = Some("Nothing to undo here. `lessons undo` undoes earlier changes.".into());
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
    fn start_over(&mut self) -> Vec<Effect> {
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
        self.overlay = Overlay::Candidate;
        self.request_replays()
    }

    /// Requests the replay of the candidate that is shown and of the next one.
    fn request_replays(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        // The latest request is served first.
        for at in [self.at + 1, self.at] {
            if let Some(item) = self.items.get_mut(at)
                && item.replay == ReplayStatus::Unasked
            {
                item.replay = ReplayStatus::Counting;
                effects.push(Effect::Replay(at, item.draft.replayed_part()));
            }
        }
        effects
    }
}

#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod tests;
