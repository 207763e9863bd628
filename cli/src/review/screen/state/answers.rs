//! What the person's answers do to the candidates: decisions, one or many, and taking them back.

use lessons_lesson::lesson::When;

use super::{Effect, ReviewState, View};
use crate::review::Decision;
use crate::review::screen::item::{ItemStatus, ReviewItem};
use crate::review::screen::list::{Asked, TakeUp};

impl ReviewState {
    /// A question about a reason was answered.
    pub(super) fn answered(&mut self, asked: Asked, reason: Option<&str>) -> Vec<Effect> {
        match asked {
            Asked::Reject(about) => self.decide(&about, |item| Decision::Reject {
                candidate: item.id().to_owned(),
                reason: reason.map(str::to_owned),
            }),
            Asked::Accept(then) => self.decide_to(then, reason),
            Asked::Mode | Asked::Merge | Asked::Unread(_) => Vec::new(),
        }
    }

    /// Promotes or merges the candidate that is shown, unless something is missing or must be asked first.
    pub(super) fn take_up(&mut self, then: TakeUp) -> Vec<Effect> {
        let Some(item) = self.item() else { return Vec::new() };
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
            return Vec::new();
        }
        if item.details.candidate.finding.flags.is_empty() {
            self.decide_to(then, None)
        } else {
            self.ask(Asked::Accept(then))
        }
    }

    /// Lets the lesson of the candidate that is shown block the call once, where that was chosen.
    pub(super) fn bump_for(&mut self, then: &TakeUp) {
        if let Some(item) = self.items.get_mut(self.at).filter(|_| *then == TakeUp::Bump) {
            item.bump();
        }
    }

    pub(super) fn decide_to(&mut self, then: TakeUp, reason: Option<&str>) -> Vec<Effect> {
        let accept = |item: &ReviewItem| reason.and_then(|reason| item.acceptance(reason));
        match then {
            TakeUp::Promote | TakeUp::Bump => {
                self.bump_for(&then);
                self.decide(&[self.at], |item| item.promotion(accept(item)))
            }
            TakeUp::Merge(lesson) => self.decide(&[self.at], |item| Decision::Merge {
                candidate: item.id().to_owned(),
                lesson: lesson.clone(),
                accept: accept(item),
            }),
        }
    }

    /// Promotes what is selected in the list, as it is proposed. One that asks something when it is promoted by itself is
    /// left: why it is right although it is flagged, or whether it should block calls that lose data.
    pub(super) fn promote_all(&mut self, meant: Vec<usize>) -> Vec<Effect> {
        let is = |at: &usize, holds: fn(&ReviewItem) -> bool| self.items.get(*at).is_some_and(holds);
        let (flagged, others): (Vec<usize>, Vec<usize>) =
            meant.into_iter().partition(|at| is(at, |item| !item.details.candidate.finding.flags.is_empty()));
        let (asked, plain): (Vec<usize>, Vec<usize>) =
            others.into_iter().partition(|at| is(at, ReviewItem::asks_for_mode));
        let effects = self.decide(&plain, |item| item.promotion(None));
        let left = [
            (flagged.len(), "flagged: promote such a candidate by itself; it asks for a reason."),
            (
                asked.len(),
                "about calls that may have to be blocked: promote such a candidate by itself; it asks.",
            ),
        ];
        let notes = left.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}"));
        self.note = Some(notes.collect::<Vec<_>>().join(" ")).filter(|note| !note.is_empty());
        effects
    }

    /// Decides alike about the candidates at `about`, each a decision of its own that can be undone.
    pub(super) fn decide(
        &mut self,
        about: &[usize],
        decision: impl Fn(&ReviewItem) -> Decision,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        for &at in about {
            let Some(item) = self.items.get_mut(at) else { continue };
            let decision = decision(item);
            (item.status, item.failure) = (ItemStatus::Saving(decision.done()), None);
            effects.push(Effect::Decide(at, decision));
            self.undoable.push(at);
        }
        effects.extend(self.go_on());
        effects
    }

    /// Goes on after a decision: in the list, or to the next candidate that waits.
    pub(super) fn go_on(&mut self) -> Vec<Effect> {
        let waits = |at: &usize| self.items.get(*at).is_some_and(|item| item.status == ItemStatus::Waits);
        let next = (self.at..self.items.len()).chain(0..self.at).find(waits);
        match next {
            None => self.go_to(View::End),
            Some(_) if self.view == View::List => {
                self.list.selected.clear();
                Vec::new()
            }
            Some(next) => self.show(next),
        }
    }

    /// Undoes the latest decision made on this screen.
    pub(super) fn take_back(&mut self) -> Vec<Effect> {
        let Some(at) = self.undoable.pop() else {
            self.note = Some("Nothing to undo here. `lessons undo` undoes earlier changes.".into());
            return Vec::new();
        };
        let Some(item) = self.items.get_mut(at) else { return Vec::new() };
        let mut effects = Vec::new();
        item.status = match item.status {
            ItemStatus::Saving(done) | ItemStatus::Decided(done) => {
                effects.push(Effect::TakeBack(at));
                ItemStatus::Undoing(done)
            }
            ItemStatus::Skipped => ItemStatus::Waits,
            other @ (ItemStatus::Waits | ItemStatus::Undoing(_)) => other,
        };
        if self.view != View::List {
            effects.extend(self.show(at));
        }
        effects
    }

    /// Starts over with the skipped candidates.
    pub(super) fn start_over(&mut self) -> Vec<Effect> {
        let skipped =
            self.items.iter_mut().enumerate().filter(|(_, item)| item.status == ItemStatus::Skipped);
        let mut first = None;
        for (at, item) in skipped {
            item.status = ItemStatus::Waits;
            first = first.or(Some(at));
        }
        first.map_or_else(|| vec![Effect::Quit], |first| self.show(first))
    }
}
