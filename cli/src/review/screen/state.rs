//! What the screen knows, and what a key does to it.
//!
//! Nothing here touches a terminal, a file or a clock: a key changes the state and leaves [`Effect`]s, and what
//! comes of those is heard as [`News`].

use super::draft::Form;
pub use super::item::{Count, Deed, Detail, Item, Measure, Standing, Ticket};
use super::keys::Key;
pub use super::news::{Effect, News};
use super::typed::Typed;
use crate::review::decision::{Acceptance, Decision};
use crate::review::dossier::Whole;

/// Why a candidate is put away, by the digits that choose them.
pub const REASONS: [&str; 5] = [
    "one-off: it will not happen again",
    "a competent engineer knows it anyway",
    "too vague to act on",
    "wrong, or no longer true",
    "said elsewhere already",
];

/// Why a flagged candidate is right all the same, by the digits that choose them.
pub const ACCEPTED: [&str; 3] =
    ["read in full; it is right and harmless", "it quotes what it warns of", "I know where it comes from"];

/// What lies over the candidate.
#[derive(Debug, Clone)]
pub enum Layer {
    /// Nothing.
    Candidate,
    /// The form, and the count for what stands in it.
    Edit(Form, Measure),
    /// Which lesson takes it up.
    Merge,
    /// Why it is put away.
    Reject,
    /// The same in one's own words.
    RejectBecause(Typed),
    /// Why it is right although it is flagged.
    Accept(Then),
    /// The same in one's own words.
    AcceptBecause(Then, Typed),
    /// The keys.
    Help,
    /// There is nothing left to look at.
    End,
}

/// What an accepted candidate is accepted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// To become a lesson.
    Promote,
    /// To be taken up by this one.
    Merge(String),
}

/// Everything that the screen knows.
#[derive(Debug, Clone)]
pub struct State {
    /// The candidates, in the order in which they are shown.
    pub items: Vec<Item>,
    /// The one that is shown.
    pub at: usize,
    /// What lies over it.
    pub layer: Layer,
    /// How many lines of it are scrolled away.
    pub scroll: u16,
    /// What is to be said.
    pub note: Option<String>,
    /// What can be taken back, the latest last.
    past: Vec<Ticket>,
    /// What is being taken back.
    taken: Vec<(Ticket, Deed)>,
    /// How many decisions there were.
    decisions: u64,
}

impl State {
    /// A screen that begins with the candidate at `at`.
    pub fn new(candidates: Vec<Whole>, at: usize) -> Self {
        let items: Vec<Item> = candidates.into_iter().map(Item::new).collect();
        let at = if at < items.len() { at } else { 0 };
        let layer = if items.is_empty() { Layer::End } else { Layer::Candidate };
        Self { items, at, layer, scroll: 0, note: None, past: Vec::new(), taken: Vec::new(), decisions: 0 }
    }

    /// The candidate that is shown.
    pub fn item(&self) -> Option<&Item> {
        self.items.get(self.at)
    }

    /// How many candidates stand so.
    pub fn number(&self, is_meant: impl Fn(&Standing) -> bool) -> usize {
        self.items.iter().filter(|item| is_meant(&item.standing)).count()
    }

    /// How many decisions are being carried out.
    pub fn unsaved(&self) -> usize {
        self.number(|standing| matches!(standing, Standing::Deciding(_)))
    }

    /// What has to be done before the first key.
    pub fn begin(&mut self) -> Vec<Effect> {
        self.look()
    }

    /// Takes a key.
    pub fn press(&mut self, key: Key) -> Vec<Effect> {
        match key {
            Key::Ctrl('c') => return vec![Effect::Quit],
            Key::Ctrl('z') => return vec![Effect::Suspend],
            Key::Ctrl('l') => return vec![Effect::Redraw],
            _ => {}
        }
        self.note = None;
        match self.layer.clone() {
            Layer::Candidate => self.on_candidate(key),
            Layer::Edit(form, measure) => self.on_form(key, form, measure),
            Layer::Merge => self.on_merge(key),
            Layer::Reject => self.on_reject(key),
            Layer::RejectBecause(mut typed) => match key {
                Key::Enter => self.reject(Some(typed.text().trim()).filter(|text| !text.is_empty())),
                Key::Escape => self.go_to(Layer::Reject),
                key => {
                    typed.press(key);
                    self.go_to(Layer::RejectBecause(typed))
                }
            },
            Layer::Accept(then) => match key {
                Key::Escape => self.go_to(Layer::Candidate),
                Key::Char(c) => match chosen(c, ACCEPTED.len() + 1) {
                    Some(number) => match ACCEPTED.get(number) {
                        Some(reason) => self.accept(then, reason),
                        None => self.go_to(Layer::AcceptBecause(then, Typed::default())),
                    },
                    None => Vec::new(),
                },
                _ => Vec::new(),
            },
            Layer::AcceptBecause(then, mut typed) => match key {
                Key::Enter if typed.text().trim().is_empty() => {
                    self.note = Some("Say in a few words why it is right all the same.".into());
                    Vec::new()
                }
                Key::Enter => {
                    let reason = typed.text().trim().to_owned();
                    self.accept(then, &reason)
                }
                Key::Escape => self.go_to(Layer::Accept(then)),
                key => {
                    typed.press(key);
                    self.go_to(Layer::AcceptBecause(then, typed))
                }
            },
            Layer::Help => self.go_to(Layer::Candidate),
            Layer::End => match key {
                Key::Char('q') => vec![Effect::Quit],
                Key::Char('u') => self.take_back(),
                Key::Enter => self.again(),
                _ => Vec::new(),
            },
        }
    }

    /// Takes what was pasted.
    pub fn paste(&mut self, text: &str) -> Vec<Effect> {
        match &mut self.layer {
            Layer::Edit(form, measure) => {
                let before = form.draft().as_tried();
                form.paste(text);
                let draft = form.draft().as_tried();
                if draft == before {
                    return Vec::new();
                }
                *measure = Measure::Counting;
                vec![Effect::Measure(self.at, draft)]
            }
            Layer::RejectBecause(typed) | Layer::AcceptBecause(_, typed) => {
                typed.paste(text);
                Vec::new()
            }
            // Elsewhere every letter is a decision, and nobody pastes those.
            _ => Vec::new(),
        }
    }

    /// Hears what came of an effect.
    pub fn hear(&mut self, news: News) {
        match news {
            News::Done(ticket, told) => {
                // What is being taken back by now is no news.
                let Some(item) = self.current(ticket) else { return };
                if let Standing::Deciding(deed) = item.standing {
                    item.standing = Standing::Decided(deed);
                }
                self.note = Some(told);
            }
            News::NotDone(ticket, why) => {
                if self.current(ticket).is_some() {
                    self.past.retain(|past| *past != ticket);
                    self.trouble(ticket.at, Standing::Waits, format!("not done: {why}"));
                }
            }
            News::TakenBack(ticket) => {
                self.forget_taken(ticket);
                let item = self.items.get(ticket.at);
                if let Some(item) = item.filter(|item| item.standing == Standing::Waits) {
                    self.note = Some(format!("{} waits again", item.whole.candidate.id));
                }
            }
            News::NotTakenBack(ticket, why) => {
                let deed = self.forget_taken(ticket);
                let standing = match self.items.get(ticket.at).map(|item| &item.standing) {
                    Some(Standing::Waits | Standing::Skipped) | None => {
                        deed.map_or(Standing::Waits, Standing::Decided)
                    }
                    // Another decision about it was made since, and what comes of that is told.
                    Some(later) => later.clone(),
                };
                self.trouble(ticket.at, standing, format!("not taken back: {why}"));
            }
            News::Measured(at, draft, measured) => {
                if let Layer::Edit(form, measure) = &mut self.layer
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

    /// The candidate of a decision, if that is the last one about it and is not being taken back.
    fn current(&mut self, ticket: Ticket) -> Option<&mut Item> {
        self.items.get_mut(ticket.at).filter(|item| item.ticket == Some(ticket))
    }

    /// Numbers a decision about the candidate that is shown.
    fn ticket(&mut self) -> Ticket {
        self.decisions += 1;
        let ticket = Ticket { at: self.at, number: self.decisions };
        self.past.push(ticket);
        if let Some(item) = self.items.get_mut(self.at) {
            item.ticket = Some(ticket);
        }
        ticket
    }

    fn forget_taken(&mut self, ticket: Ticket) -> Option<Deed> {
        let found = self.taken.iter().position(|(taken, _)| *taken == ticket)?;
        Some(self.taken.remove(found).1)
    }

    fn trouble(&mut self, at: usize, standing: Standing, why: String) {
        if let Some(item) = self.items.get_mut(at) {
            item.standing = standing;
            self.note = Some(format!("{}: {why}", item.whole.candidate.id));
            item.trouble = Some(why);
        }
        // What waits again is not forgotten.
        if matches!(self.layer, Layer::End) {
            self.at = at;
            self.layer = Layer::Candidate;
        }
    }

    fn go_to(&mut self, layer: Layer) -> Vec<Effect> {
        self.layer = layer;
        Vec::new()
    }

    fn on_candidate(&mut self, key: Key) -> Vec<Effect> {
        let Some(item) = self.item() else { return self.go_to(Layer::End) };
        let is_open = matches!(item.standing, Standing::Waits | Standing::Skipped);
        match key {
            // Not Escape: one too many of those after a question must not end it.
            Key::Char('q') => return vec![Effect::Quit],
            Key::Char('?' | 'h') => return self.go_to(Layer::Help),
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
            Key::Char('p') => return self.promote(Then::Promote),
            Key::Char('e') => {
                let (form, measure) = (Form::of(&item.draft), item.measure.clone());
                return self.go_to(Layer::Edit(form, measure));
            }
            Key::Char('m') if item.whole.own.is_empty() => {
                self.note = Some("You have no lesson yet that could take it up.".into());
            }
            Key::Char('m') => return self.go_to(Layer::Merge),
            Key::Char('r') => return self.go_to(Layer::Reject),
            Key::Char('s') => {
                self.ticket();
                return self.leave(Standing::Skipped);
            }
            _ => {}
        }
        Vec::new()
    }

    fn on_form(&mut self, key: Key, mut form: Form, mut measure: Measure) -> Vec<Effect> {
        match key {
            Key::Escape => {
                self.go_to(Layer::Candidate);
                // What was asked for since took the place of its own count.
                let open = self.item().filter(|item| item.measure == Measure::Counting);
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
                return self.go_to(Layer::Candidate);
            }
            _ => {}
        }
        let before = form.draft().as_tried();
        form.press(key);
        let mut effects = Vec::new();
        if form.draft().as_tried() != before {
            measure = Measure::Counting;
            effects.push(Effect::Measure(self.at, form.draft().as_tried()));
        }
        self.layer = Layer::Edit(form, measure);
        effects
    }

    fn on_merge(&mut self, key: Key) -> Vec<Effect> {
        let Key::Char(c) = key else {
            return if key == Key::Escape { self.go_to(Layer::Candidate) } else { Vec::new() };
        };
        let own = self.item().map(|item| item.whole.own.as_slice()).unwrap_or_default();
        let Some(lesson) = chosen(c, own.len()).and_then(|number| own.get(number)) else {
            return Vec::new();
        };
        let lesson = lesson.id.to_string();
        self.promote(Then::Merge(lesson))
    }

    fn on_reject(&mut self, key: Key) -> Vec<Effect> {
        match key {
            Key::Escape => self.go_to(Layer::Candidate),
            Key::Enter => self.reject(None),
            Key::Char(c) => match chosen(c, REASONS.len() + 1) {
                Some(number) => match REASONS.get(number) {
                    Some(reason) => self.reject(Some(reason)),
                    None => self.go_to(Layer::RejectBecause(Typed::default())),
                },
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn promote(&mut self, then: Then) -> Vec<Effect> {
        let is_flagged = self.item().is_some_and(|item| !item.whole.candidate.finding.flags.is_empty());
        if is_flagged {
            return self.go_to(Layer::Accept(then));
        }
        self.take_up(then, None)
    }

    fn accept(&mut self, then: Then, reason: &str) -> Vec<Effect> {
        let flags = self.item().map(|item| item.whole.candidate.finding.flags.as_slice()).unwrap_or_default();
        let mut flags: Vec<String> = flags.iter().map(|flag| flag.name.clone()).collect();
        flags.dedup();
        self.take_up(then, Some(Acceptance { flags, reason: reason.to_owned() }))
    }

    fn take_up(&mut self, then: Then, accept: Option<Acceptance>) -> Vec<Effect> {
        let Some(item) = self.item() else { return Vec::new() };
        let candidate = item.whole.candidate.id.clone();
        let (deed, decision) = match then {
            Then::Promote => {
                let fields = Box::new(item.draft.changes(&item.whole));
                (Deed::Promoted, Decision::Promote { candidate, fields, accept })
            }
            Then::Merge(lesson) => (Deed::Merged, Decision::Merge { candidate, lesson, accept }),
        };
        self.decide(deed, decision)
    }

    fn reject(&mut self, reason: Option<&str>) -> Vec<Effect> {
        let Some(item) = self.item() else { return Vec::new() };
        let candidate = item.whole.candidate.id.clone();
        self.decide(Deed::Rejected, Decision::Reject { candidate, reason: reason.map(str::to_owned) })
    }

    fn decide(&mut self, deed: Deed, decision: Decision) -> Vec<Effect> {
        let mut effects = vec![Effect::Decide(self.ticket(), decision)];
        effects.extend(self.leave(Standing::Deciding(deed)));
        effects
    }

    /// Goes on to the next candidate that waits.
    fn leave(&mut self, standing: Standing) -> Vec<Effect> {
        if let Some(item) = self.items.get_mut(self.at) {
            item.standing = standing;
            item.trouble = None;
        }
        let after = self.at + 1..self.items.len();
        let waits = |at: &usize| self.items.get(*at).is_some_and(|item| item.standing == Standing::Waits);
        let next = after.chain(0..self.at).find(waits);
        match next {
            Some(next) => self.show(next),
            None => self.go_to(Layer::End),
        }
    }

    /// Takes the latest decision of this sitting back.
    fn take_back(&mut self) -> Vec<Effect> {
        let Some(ticket) = self.past.pop() else {
            self.note =
                Some("There is nothing to take back. `lessons undo` takes back earlier changes.".into());
            return Vec::new();
        };
        let Some(item) = self.items.get_mut(ticket.at) else { return Vec::new() };
        item.ticket = None;
        let was = std::mem::replace(&mut item.standing, Standing::Waits);
        let mut effects = match was {
            Standing::Deciding(deed) | Standing::Decided(deed) => {
                self.taken.push((ticket, deed));
                vec![Effect::TakeBack(ticket)]
            }
            Standing::Waits | Standing::Skipped => Vec::new(),
        };
        effects.extend(self.show(ticket.at));
        effects
    }

    /// Begins again with those that were skipped.
    fn again(&mut self) -> Vec<Effect> {
        let mut first = None;
        for (at, item) in self.items.iter_mut().enumerate() {
            if item.standing == Standing::Skipped {
                item.standing = Standing::Waits;
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
        self.layer = Layer::Candidate;
        self.look()
    }

    /// Has counted what is shown, and what comes after it.
    fn look(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        // What is asked for last is counted first.
        for at in [self.at + 1, self.at] {
            if let Some(item) = self.items.get_mut(at)
                && item.measure == Measure::Unasked
            {
                item.measure = Measure::Counting;
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
