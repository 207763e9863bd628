//! Deciding about several candidates at once, in the list.

use std::collections::BTreeSet;

use super::{
    Decision, DecisionKind, Effect, ItemStatus, Key, Overlay, REASONS, ReviewItem, ReviewState, Ticket,
    chosen,
};
use crate::review::screen::list::{CandidateList, ListFocus};

impl ReviewState {
    /// Opens the list at the candidate that is shown.
    pub(super) fn open_list(&mut self) -> Vec<Effect> {
        self.overlay = Overlay::List(CandidateList::at(self.at));
        Vec::new()
    }

    pub(super) fn on_list(&mut self, key: Key, mut list: CandidateList) -> Vec<Effect> {
        if list.focus == ListFocus::Rows {
            match key {
                Key::Escape | Key::Char('l') => return self.show(self.at),
                Key::Char('q') => return vec![Effect::Quit],
                Key::Char('u') => {
                    let effects = self.take_back();
                    self.overlay = Overlay::List(list);
                    return effects;
                }
                Key::Enter => return list.current(&self.items).map_or_else(Vec::new, |at| self.show(at)),
                Key::Char('p') => return self.promote_selected(list),
                Key::Char('r') if list.meant(&self.items).is_empty() => {
                    self.note = Some("There is nothing to decide here.".into());
                }
                Key::Char('r') => {
                    self.overlay = Overlay::RejectSelected(list);
                    return Vec::new();
                }
                _ => {}
            }
        }
        list.press(key, &self.items);
        self.overlay = Overlay::List(list);
        Vec::new()
    }

    pub(super) fn on_reject_selected(&mut self, key: Key, list: CandidateList) -> Vec<Effect> {
        let reason = match key {
            Key::Escape => {
                self.overlay = Overlay::List(list);
                return Vec::new();
            }
            Key::Enter => None,
            Key::Char(c) => match chosen(c, REASONS.len()).and_then(|number| REASONS.get(number)) {
                Some(reason) => Some((*reason).to_owned()),
                None => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let meant = list.meant(&self.items);
        self.decide_all(&meant, list, DecisionKind::Rejected, |candidate, _| Decision::Reject {
            candidate,
            reason: reason.clone(),
        })
    }

    /// Promotes what is selected, as it is proposed. One that asks something when it is promoted by itself is left: why it is
    /// right although it is flagged, or whether it should block calls that lose data.
    fn promote_selected(&mut self, list: CandidateList) -> Vec<Effect> {
        let of = |at: &usize| self.items.get(*at);
        let is_flagged =
            |at: &usize| of(at).is_some_and(|item| !item.details.candidate.finding.flags.is_empty());
        let is_asked = |at: &usize| of(at).is_some_and(ReviewItem::is_asked_for_mode);
        let (flagged, others): (Vec<usize>, Vec<usize>) =
            list.meant(&self.items).into_iter().partition(is_flagged);
        let (asked, plain): (Vec<usize>, Vec<usize>) = others.into_iter().partition(is_asked);
        let effects = self.decide_all(&plain, list, DecisionKind::Promoted, |candidate, fields| {
            Decision::Promote { candidate, fields, accept: None }
        });
        let left = [
            (flagged.len(), "flagged: promote such a candidate by itself; it asks for a reason."),
            (asked.len(), "about lost data: promote such a candidate by itself; it asks whether to block."),
        ];
        let notes: Vec<String> = left
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, why)| format!("{count} {why}"))
            .collect();
        if !notes.is_empty() {
            self.note = Some(notes.join(" "));
        }
        effects
    }

    /// Decides alike about the candidates at `positions`, each a decision of its own that can be undone.
    fn decide_all(
        &mut self,
        positions: &[usize],
        list: CandidateList,
        kind: DecisionKind,
        decision: impl Fn(String, Box<crate::args::Fields>) -> Decision,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        for &at in positions {
            let ticket = self.ticket_for(at);
            let Some(item) = self.items.get_mut(at) else { continue };
            item.status = ItemStatus::Deciding(kind);
            item.failure = None;
            let fields = Box::new(item.draft.changes(&item.details));
            effects.push(Effect::Decide(ticket, decision(item.details.candidate.id.clone(), fields)));
        }
        if positions.is_empty() {
            self.note = Some("There is nothing to decide here.".into());
        }
        let is_left = self.items.iter().any(|item| item.status == ItemStatus::Waits);
        self.overlay = if is_left {
            Overlay::List(CandidateList { selected: BTreeSet::new(), ..list })
        } else {
            Overlay::End
        };
        effects
    }

    /// Numbers a new decision about the candidate at a position.
    pub(super) fn ticket_for(&mut self, at: usize) -> Ticket {
        self.decisions += 1;
        let ticket = Ticket { at, number: self.decisions };
        self.undoable.push(ticket);
        if let Some(item) = self.items.get_mut(at) {
            item.ticket = Some(ticket);
        }
        ticket
    }
}

#[cfg(test)]
mod tests;
