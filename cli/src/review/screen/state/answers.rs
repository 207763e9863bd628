//! What the person's answers do to the candidates: decisions, one or many, and taking them back.

use lessons_lesson::When;

use super::{Effect, ReviewState, View};
use crate::review::Decision;
use crate::review::screen::item::{ItemStatus, ReviewItem};
use crate::review::screen::list::{Question, TakeUp, Then};

/// Whether a candidate asks something when it is promoted by itself.
type Asks = fn(&ReviewItem) -> bool;

impl ReviewState {
    /// A question was answered: with these words, if there are any.
    pub(super) fn answered(&mut self, then: Then, words: Option<&str>) {
        match then {
            Then::TakeUp(then) => self.take_up(then),
            Then::Accept(then) => self.decide_to(&then, words),
            Then::Reject(about) => self.decide(&about, |item| Decision::Reject {
                candidate: item.id().to_owned(),
                reason: words.map(str::to_owned),
            }),
            Then::Write(id) => self.want(Effect::Write(id)),
        }
    }

    /// Promotes or merges the candidate that is shown, unless something is missing or must be asked first.
    pub(super) fn take_up(&mut self, then: TakeUp) {
        let Some(item) = self.item() else { return };
        let lesson = item.lesson();
        let blocks = match then {
            TakeUp::Bump => true,
            TakeUp::Promote => lesson.mode.refuses() && lesson.when == When::Tool,
            TakeUp::Merge(_) => false,
        };
        if blocks && lesson.examples.fires.is_empty() {
            // The form that gives the example begins with what was chosen.
            self.bump_for(&then);
            self.note = Some("To block, it needs an example: a call that it must block. e adds one.".into());
        } else if item.details.candidate.finding.flags.is_empty() {
            self.decide_to(&then, None);
        } else {
            self.question = Some(Question::accept(item, then));
        }
    }

    /// Lets the lesson of the candidate that is shown block the call once, where that was chosen.
    fn bump_for(&mut self, then: &TakeUp) {
        if let Some(item) = self.items.get_mut(self.at).filter(|_| *then == TakeUp::Bump) {
            item.bump();
        }
    }

    fn decide_to(&mut self, then: &TakeUp, reason: Option<&str>) {
        let accept = |item: &ReviewItem| reason.and_then(|reason| item.acceptance(reason));
        self.bump_for(then);
        self.decide(&[self.at], |item| match then {
            TakeUp::Promote | TakeUp::Bump => item.promotion(accept(item)),
            TakeUp::Merge(lesson) => Decision::Merge {
                candidate: item.id().to_owned(),
                lesson: lesson.clone(),
                accept: accept(item),
            },
        });
    }

    /// Promotes what is selected in the list, as it is proposed. One that asks something when it is promoted by itself is
    /// left: why it is right although it is flagged, or whether it should block calls that lose data.
    pub(super) fn promote_all(&mut self, mut meant: Vec<usize>) {
        let is_flagged = |item: &ReviewItem| !item.details.candidate.finding.flags.is_empty();
        let asking: [(Asks, &str, &str); 2] = [
            (is_flagged, "flagged", " for a reason"),
            (ReviewItem::asks_for_mode, "about calls that may have to be blocked", ""),
        ];
        let mut notes = Vec::new();
        for (asks, what, why) in asking {
            let alone = "promote such a candidate by itself; it asks";
            let (left, rest): (Vec<usize>, _) =
                meant.into_iter().partition(|at| self.items.get(*at).is_some_and(asks));
            notes.extend((!left.is_empty()).then(|| format!("{} {what}: {alone}{why}.", left.len())));
            meant = rest;
        }
        self.decide(&meant, |item| item.promotion(None));
        self.note = (!notes.is_empty()).then(|| notes.join(" "));
    }

    /// Decides alike about the candidates at `about`, each a decision of its own that can be undone.
    fn decide(&mut self, about: &[usize], decision: impl Fn(&ReviewItem) -> Decision) {
        for &at in about {
            let Some(item) = self.items.get_mut(at) else { continue };
            let decision = decision(item);
            (item.status, item.failure) = (ItemStatus::Saving(decision.done()), None);
            self.want(Effect::Decide(at, decision));
            self.undoable.push(at);
        }
        self.go_on();
    }

    /// Goes on after a decision: in the list, or to the next candidate that waits.
    pub(super) fn go_on(&mut self) {
        let waits = |at: &usize| self.items.get(*at).is_some_and(|item| item.status == ItemStatus::Waits);
        match (self.at..self.items.len()).chain(0..self.at).find(waits) {
            None => self.view = View::End,
            Some(_) if self.view == View::List => self.list.selected.clear(),
            Some(next) => self.show(next),
        }
    }

    /// Undoes the latest decision made on this screen.
    pub(super) fn take_back(&mut self) {
        let Some(at) = self.undoable.pop() else {
            self.note = Some("Nothing to undo here. `lessons undo` undoes earlier changes.".into());
            return;
        };
        let Some(item) = self.items.get_mut(at) else { return };
        match item.status {
            ItemStatus::Saving(done) | ItemStatus::Decided(done) => {
                item.status = ItemStatus::Undoing(done);
                self.want(Effect::TakeBack(at));
            }
            ItemStatus::Skipped => item.status = ItemStatus::Waits,
            ItemStatus::Waits | ItemStatus::Undoing(_) => {}
        }
        if self.view != View::List {
            self.show(at);
        }
    }

    /// Starts over with the skipped candidates.
    pub(super) fn start_over(&mut self) {
        let is_skipped = |item: &ReviewItem| item.status == ItemStatus::Skipped;
        let Some(first) = self.items.iter().position(is_skipped) else { return self.want(Effect::Quit) };
        for item in self.items.iter_mut().filter(|item| is_skipped(item)) {
            item.status = ItemStatus::Waits;
        }
        self.show(first);
    }
}
