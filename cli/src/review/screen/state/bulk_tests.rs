//! Filtering, selecting and deciding in the list.

use super::super::list::REASONS;
use super::super::sample_candidates::{hostile, losing_data, several};
use super::tests::{decisions, hit, press};
use super::*;
use crate::review::Decision;

#[test]
fn several_are_rejected_at_once_with_one_reason_and_undone_one_by_one() {
    let mut state = several(4);
    press(&mut state, "l  r");
    assert!(state.question.is_some());
    let decided = decisions(press(&mut state, "2"));
    assert_eq!(decided.len(), 2);
    assert!(
        decided
            .iter()
            .all(|one| matches!(one, Decision::Reject { reason: Some(reason), .. } if reason == REASONS[1]))
    );
    let unsaved = |state: &ReviewState| state.number(|status| matches!(status, ItemStatus::Saving(_)));
    assert_eq!((unsaved(&state), state.list.selected.len()), (2, 0));
    let undone = press(&mut state, "u");
    assert_eq!(undone, [Effect::TakeBack(1)]);
    assert_eq!((unsaved(&state), state.view), (1, View::List));
}

#[test]
fn all_that_pass_the_filter_are_selected_and_promoted() {
    let mut state = several(12);
    state.items[3].details.lesson.mistake = Some("A zebra got out".into());
    state.items[7].details.lesson.mistake = Some("The ZEBRA came back".into());
    press(&mut state, "l/zebra");
    hit(&mut state, KeyCode::Enter);
    assert_eq!(state.list.shown(&state.items), [3, 7]);
    press(&mut state, "a");
    let decided = decisions(press(&mut state, "p"));
    assert_eq!(decided.len(), 2);
    assert!(decided.iter().all(|one| matches!(one, Decision::Promote { accept: None, .. })));
    assert_eq!(state.items[3].status, ItemStatus::Saving("promoted"));
    assert!(decisions(press(&mut state, "ap")).is_empty(), "what is decided is left alone");
}

#[test]
fn a_flagged_one_is_never_promoted_along_with_others() {
    let mut state = several(2);
    state.items.push(ReviewItem::new(hostile()));
    press(&mut state, "la");
    assert_eq!(decisions(press(&mut state, "p")).len(), 2);
    assert!(state.note.as_ref().is_some_and(|note| note.starts_with("1 flagged")), "{:?}", state.note);
    assert_eq!(state.items[2].status, ItemStatus::Waits);
}

#[test]
fn one_about_lost_data_is_asked_about_by_itself() {
    let mut state = several(2);
    state.items.push(ReviewItem::new(losing_data()));
    press(&mut state, "la");
    assert_eq!(decisions(press(&mut state, "p")).len(), 2);
    assert!(
        state.note.as_ref().is_some_and(|note| note.starts_with("1 about calls that may have to be blocked")),
        "{:?}",
        state.note
    );
    assert_eq!(state.items[2].status, ItemStatus::Waits);
    state.items[2].bump();
    assert_eq!(decisions(press(&mut state, "ap")).len(), 1, "the mode was chosen");
}

#[test]
fn the_list_is_left_to_the_candidate_with_the_cursor_or_the_one_before() {
    let mut state = several(3);
    press(&mut state, "ljj");
    hit(&mut state, KeyCode::Enter);
    assert_eq!((state.view, state.at), (View::Candidate, 2));
    press(&mut state, "lk");
    hit(&mut state, KeyCode::Esc);
    assert_eq!(state.at, 2);
    press(&mut state, "l/none of them");
    hit(&mut state, KeyCode::Enter);
    assert!(state.list.current(&state.items).is_none());
    assert!(decisions(press(&mut state, "pr")).is_empty());
}
