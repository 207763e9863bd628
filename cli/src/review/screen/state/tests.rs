//! Every key, in every place where it does something.

use lessons_lesson::lesson::Mode;

use super::super::draft::{FormRow, LessonDraft, TextField};
use super::super::sample_candidates::{count, counted, hostile, losing_data, several, stash};
use super::*;

pub(super) fn press(state: &mut ReviewState, keys: &str) -> Vec<Effect> {
    keys.chars().flat_map(|c| state.press(Key::Char(c))).collect()
}

/// The ticket of a decision: the how manieth of the sitting it is, and about which candidate.
fn ticket(number: u64, at: usize) -> Ticket {
    Ticket { at, number }
}

/// What was decided among effects.
pub(super) fn decisions(effects: Vec<Effect>) -> Vec<Decision> {
    let decision = |effect| if let Effect::Decide(_, decision) = effect { Some(decision) } else { None };
    effects.into_iter().filter_map(decision).collect()
}

#[test]
fn what_is_shown_is_counted_before_anybody_asks() {
    let mut state = several(3);
    let first = state.begin();
    // What is shown is asked for last, and so is counted first.
    assert!(matches!(first.as_slice(), [Effect::Replay(1, _), Effect::Replay(0, _)]), "{first:?}");
    let next = press(&mut state, "n");
    assert!(matches!(next.as_slice(), [Effect::Replay(2, _)]), "{next:?}");
}

#[test]
fn p_promotes_as_it_stands_and_goes_on() {
    let mut state = several(2);
    let decided = decisions(press(&mut state, "p"));
    let expected =
        Decision::Promote { candidate: "000011c0d4e59b87".into(), fields: Box::default(), accept: None };
    assert_eq!((decided, state.at, state.unsaved()), (vec![expected], 1, 1));
    state.receive(EffectResult::Done(ticket(1, 0), "user/x promoted".into()));
    assert_eq!(state.unsaved(), 0);
    assert_eq!(state.note.as_deref(), Some("user/x promoted"));
    press(&mut state, "p");
    assert!(matches!(state.overlay, Overlay::End));
}

#[test]
fn a_candidate_about_lost_data_asks_whether_to_block() {
    for (keys, mode) in [("p1", Some(Mode::Bump)), ("p2", None)] {
        let mut state = counted(losing_data());
        assert!(decisions(press(&mut state, "p")).is_empty());
        assert!(matches!(state.overlay, Overlay::Mode));
        let decided = decisions(press(&mut state, &keys[1..]));
        let [Decision::Promote { fields, .. }] = decided.as_slice() else { panic!("{decided:?}") };
        assert_eq!(fields.mode, mode);
    }
    let mut state = counted(losing_data());
    press(&mut state, "p");
    state.press(Key::Escape);
    assert!(matches!(state.overlay, Overlay::Candidate), "nothing is decided");
}

#[test]
fn who_has_chosen_to_block_already_is_not_asked() {
    let mut state = counted(losing_data());
    state.items[0].draft.mode = Mode::Bump;
    assert_eq!(decisions(press(&mut state, "p")).len(), 1);
}

#[test]
fn who_chooses_to_block_without_an_example_is_led_to_the_row_for_one() {
    let mut state = counted(FullDetails { example: None, ..losing_data() });
    assert!(decisions(press(&mut state, "p1")).is_empty());
    let Overlay::Edit(form, _) = &state.overlay else { panic!("{:?}", state.overlay) };
    let focused = form.rows.get(form.focused);
    assert!(matches!(focused, Some(FormRow::Text(TextField::Example, _))), "{focused:?}");
    assert!(state.note.as_deref().is_some_and(|note| note.contains("example")), "{:?}", state.note);
    assert!(press(&mut state, "git stash").is_empty(), "an example changes no count");
    state.press(Key::Enter);
    let decided = decisions(press(&mut state, "p"));
    let [Decision::Promote { fields, .. }] = decided.as_slice() else { panic!("{decided:?}") };
    assert_eq!((fields.mode, &fields.fires[..]), (Some(Mode::Bump), &["git stash".to_owned()][..]));
}

#[test]
fn the_example_of_the_evidence_stands_in_the_form_and_is_not_given_again() {
    let mut state = counted(losing_data());
    state.items[0].draft.mode = Mode::Bump;
    press(&mut state, "e");
    let Overlay::Edit(form, _) = &state.overlay else { panic!("{:?}", state.overlay) };
    assert_eq!(form.draft().example, "git stash");
    assert!(form.rows.iter().any(|row| matches!(row, FormRow::Text(TextField::Example, _))));
    state.press(Key::Enter);
    let decided = decisions(press(&mut state, "p"));
    let [Decision::Promote { fields, .. }] = decided.as_slice() else { panic!("{decided:?}") };
    assert!(fields.fires.is_empty());
}

#[test]
fn a_flagged_candidate_about_lost_data_asks_both() {
    let mut state = counted(FullDetails { proposes_bump: true, ..hostile() });
    assert!(decisions(press(&mut state, "p1")).is_empty());
    assert!(matches!(state.overlay, Overlay::Accept(AcceptFor::Promote)));
    let decided = decisions(press(&mut state, "1"));
    let [Decision::Promote { fields, accept: Some(_), .. }] = decided.as_slice() else {
        panic!("{decided:?}")
    };
    assert_eq!(fields.mode, Some(Mode::Bump));
}

#[test]
fn a_flagged_candidate_asks_why_in_two_keys() {
    let mut state = counted(hostile());
    assert!(decisions(press(&mut state, "p")).is_empty());
    assert!(matches!(state.overlay, Overlay::Accept(AcceptFor::Promote)));
    let decided = decisions(press(&mut state, "1"));
    let Some(Decision::Promote { accept: Some(accept), .. }) = decided.first() else { panic!("{decided:?}") };
    assert_eq!(
        (accept.flags.as_slice(), accept.reason.as_str()),
        (&["overrides-instructions".to_owned()][..], ACCEPTED[0])
    );
}

#[test]
fn why_it_is_right_can_be_said_in_own_words_and_must_be() {
    let mut state = counted(hostile());
    press(&mut state, "p4");
    assert!(state.press(Key::Enter).is_empty() && state.note.is_some(), "not without a word");
    press(&mut state, "mine");
    let decided = decisions(state.press(Key::Enter));
    let Some(Decision::Promote { accept: Some(accept), .. }) = decided.first() else { panic!("{decided:?}") };
    assert_eq!(accept.reason, "mine");
    let mut state = counted(hostile());
    press(&mut state, "p4x");
    state.press(Key::Escape);
    assert!(matches!(state.overlay, Overlay::Accept(AcceptFor::Promote)));
    state.press(Key::Escape);
    assert!(matches!(state.overlay, Overlay::Candidate));
}

#[test]
fn r_and_a_digit_reject_with_that_reason() {
    for (at, reason) in REASONS.iter().enumerate() {
        let mut state = several(1);
        press(&mut state, "r");
        let decided = decisions(press(&mut state, &(at + 1).to_string()));
        let expected =
            Decision::Reject { candidate: "000011c0d4e59b87".into(), reason: Some((*reason).to_owned()) };
        assert_eq!(decided, [expected]);
    }
}

#[test]
fn a_reason_can_be_typed_or_left_out() {
    let mut state = several(1);
    press(&mut state, "r6too narrx");
    state.press(Key::Backspace);
    press(&mut state, "ow");
    let decided = decisions(state.press(Key::Enter));
    assert!(
        matches!(&decided[..], [Decision::Reject { reason: Some(reason), .. }] if reason == "too narrow")
    );
    let mut state = several(1);
    press(&mut state, "r");
    let decided = decisions(state.press(Key::Enter));
    assert!(matches!(&decided[..], [Decision::Reject { reason: None, .. }]));
    let mut state = several(1);
    press(&mut state, "r6x");
    state.press(Key::Escape);
    assert!(matches!(state.overlay, Overlay::Reject));
    press(&mut state, "79x");
    assert!(matches!(state.overlay, Overlay::Reject), "no such reason");
    state.press(Key::Escape);
    assert!(matches!(state.overlay, Overlay::Candidate));
    assert_eq!(state.unsaved(), 0);
}

#[test]
fn m_and_a_digit_merge_into_a_lesson_of_ones_own() {
    let mut state = several(1);
    assert!(press(&mut state, "m39").is_empty(), "there are two of one's own");
    let decided = decisions(press(&mut state, "1"));
    let expected = Decision::Merge {
        candidate: "000011c0d4e59b87".into(),
        lesson: "user/git-stash-keeps-nothing".into(),
        accept: None,
    };
    assert_eq!(decided, [expected]);
    let mut state = several(1);
    press(&mut state, "m");
    state.press(Key::Escape);
    assert!(matches!(state.overlay, Overlay::Candidate));
    let mut alone = counted(hostile());
    press(&mut alone, "m");
    assert!(matches!(alone.overlay, Overlay::Candidate) && alone.note.is_some(), "nothing to merge into");
}

#[test]
fn s_skips_and_those_that_were_skipped_come_again() {
    let mut state = several(3);
    press(&mut state, "sps");
    assert!(matches!(state.overlay, Overlay::End));
    assert_eq!(state.number(|standing| *standing == ItemStatus::Skipped), 2);
    assert!(decisions(state.press(Key::Enter)).is_empty());
    assert_eq!((state.at, state.number(|standing| *standing == ItemStatus::Waits)), (0, 2));
    press(&mut state, "ss");
    press(&mut state, "x");
    assert!(matches!(state.overlay, Overlay::End));
    let mut done = several(1);
    press(&mut done, "p");
    assert_eq!(done.press(Key::Enter), [Effect::Quit], "nothing was skipped");
}

#[test]
fn u_takes_back_the_latest_first() {
    let mut state = several(3);
    press(&mut state, "prs");
    // `r` opened its list, in which `s` chooses nothing.
    press(&mut state, "1s");
    assert!(matches!(state.overlay, Overlay::End));
    assert!(press(&mut state, "u").is_empty(), "a skip was never saved");
    assert_eq!(state.at, 2);
    assert!(press(&mut state, "u").contains(&Effect::TakeBack(ticket(2, 1))));
    assert_eq!(state.at, 1);
    assert!(press(&mut state, "u").contains(&Effect::TakeBack(ticket(1, 0))));
    assert!(press(&mut state, "u").is_empty());
    assert!(state.note.as_deref().is_some_and(|note| note.contains("Nothing to undo here")));
    state.receive(EffectResult::TakenBack(ticket(1, 0)));
    assert!(state.items.iter().all(|item| item.status == ItemStatus::Waits));
}

#[test]
fn what_could_not_be_taken_back_stays_decided() {
    let mut state = several(2);
    press(&mut state, "r1u");
    state.receive(EffectResult::Done(ticket(1, 0), "rejected".into()));
    state.receive(EffectResult::NotTakenBack(ticket(1, 0), "it was changed since".into()));
    assert_eq!(state.items[0].status, ItemStatus::Decided(DecisionKind::Rejected));
    assert!(state.items[0].failure.as_deref().is_some_and(|why| why.contains("changed since")));
}

#[test]
fn what_could_not_be_done_waits_again_and_says_why() {
    let mut state = several(2);
    press(&mut state, "pp");
    assert!(matches!(state.overlay, Overlay::End));
    state.receive(EffectResult::NotDone(ticket(1, 0), "this is a duplicate".into()));
    assert_eq!((state.at, state.items[0].status.clone()), (0, ItemStatus::Waits));
    assert!(matches!(state.overlay, Overlay::Candidate), "it is shown again");
    assert!(state.note.as_deref().is_some_and(|note| note.contains("duplicate")));
    state.receive(EffectResult::Done(ticket(2, 1), "promoted".into()));
    assert!(
        press(&mut state, "u").contains(&Effect::TakeBack(ticket(2, 1))),
        "what failed cannot be taken back"
    );
}

#[test]
fn what_comes_of_a_decision_that_was_taken_back_says_nothing_of_a_later_one() {
    let mut state = several(1);
    // The first one takes long: the past is read for it. It is taken back, and another one is made.
    press(&mut state, "pup");
    state.receive(EffectResult::NotDone(ticket(1, 0), "it would refuse calls".into()));
    assert_eq!(state.items[0].status, ItemStatus::Deciding(DecisionKind::Promoted));
    assert_eq!(state.items[0].failure, None);
    state.receive(EffectResult::TakenBack(ticket(1, 0)));
    assert_eq!(state.note, None, "it does not wait again");
    state.receive(EffectResult::Done(ticket(2, 0), "user/x promoted".into()));
    assert_eq!(state.items[0].status, ItemStatus::Decided(DecisionKind::Promoted));
    assert!(matches!(state.overlay, Overlay::End));
    // And what was done after all, and could not be taken back, does not hide the later one either.
    let mut state = several(1);
    press(&mut state, "r1ur2");
    state.receive(EffectResult::Done(ticket(1, 0), "rejected".into()));
    assert_eq!(state.items[0].status, ItemStatus::Deciding(DecisionKind::Rejected));
    state.receive(EffectResult::NotTakenBack(ticket(1, 0), "it was changed since".into()));
    assert_eq!(state.items[0].status, ItemStatus::Deciding(DecisionKind::Rejected));
    state.receive(EffectResult::Done(ticket(2, 0), "rejected".into()));
    assert_eq!(state.items[0].status, ItemStatus::Decided(DecisionKind::Rejected));
}

#[test]
fn what_is_decided_is_not_decided_again_by_accident() {
    let mut state = several(2);
    press(&mut state, "pb");
    assert_eq!(state.at, 0);
    for key in ["p", "e", "m", "r", "s"] {
        assert!(press(&mut state, key).is_empty(), "{key}");
        assert!(matches!(state.overlay, Overlay::Candidate) && state.note.is_some(), "{key}");
    }
}

#[test]
fn one_goes_to_and_fro_and_scrolls() {
    let mut state = several(3);
    for (key, at) in [
        (Key::Char('n'), 1),
        (Key::Right, 2),
        (Key::Right, 2),
        (Key::Char('b'), 1),
        (Key::Left, 0),
        (Key::Left, 0),
    ] {
        state.press(key);
        assert_eq!(state.at, at, "{key:?}");
    }
    for (key, scroll) in [
        (Key::Char('j'), 1),
        (Key::Down, 2),
        (Key::Char(' '), 12),
        (Key::PageDown, 22),
        (Key::PageUp, 12),
        (Key::Char('k'), 11),
        (Key::Up, 10),
        (Key::Home, 0),
        (Key::Up, 0),
    ] {
        state.press(key);
        assert_eq!(state.scroll, scroll, "{key:?}");
    }
}

#[test]
fn a_count_that_gave_way_to_an_edit_is_asked_for_again() {
    let mut state = several(1);
    state.begin();
    press(&mut state, "ex");
    let again = state.press(Key::Escape);
    assert!(
        matches!(&again[..], [Effect::Replay(0, draft)] if *draft == state.items[0].draft.replayed_part()),
        "{again:?}"
    );
    let mut state = counted(stash());
    press(&mut state, "ex");
    assert!(state.press(Key::Escape).is_empty(), "it was counted");
}

pub(super) fn stash_with_id(state: &ReviewState) -> FullDetails {
    let mut details = stash();
    details.candidate.id.clone_from(&state.items[0].details.candidate.id);
    details
}

#[test]
fn an_emptied_list_is_empty_and_a_late_count_is_not_taken_for_a_new_one() {
    let mut state = several(1);
    press(&mut state, "e");
    let old = LessonDraft::of(&state.items[0].details);
    state.press(Key::Ctrl('u'));
    state.receive(EffectResult::Replayed(0, old, ReplayStatus::Counted(Box::new(count()))));
    let Overlay::Edit(form, replay) = &state.overlay else { panic!("{:?}", state.overlay) };
    assert_eq!((replay, form.draft().triggers.len()), (&ReplayStatus::Counting, 0));
    state.press(Key::Enter);
    let decided = decisions(press(&mut state, "p"));
    let Some(Decision::Promote { fields, .. }) = decided.first() else { panic!("{decided:?}") };
    assert_eq!(fields.trigger, [String::new()]);
}

#[test]
fn what_is_pasted_goes_where_text_is_wanted_and_decides_nothing() {
    let mut state = several(2);
    assert!(state.paste("prsq").is_empty());
    assert_eq!(state.at, 0);
    press(&mut state, "r6");
    state.paste("one\ntwo");
    let decided = decisions(state.press(Key::Enter));
    assert!(matches!(&decided[..], [Decision::Reject { reason: Some(reason), .. }] if reason == "one two"));
    press(&mut state, "e");
    let effects = state.paste("x");
    assert!(matches!(&effects[..], [Effect::Replay(1, draft)] if draft.triggers[0].ends_with('x')));
}

#[test]
fn help_and_the_ways_out() {
    let mut state = several(1);
    press(&mut state, "?");
    assert!(matches!(state.overlay, Overlay::Help));
    press(&mut state, "p");
    assert!(matches!(state.overlay, Overlay::Candidate), "a key leaves help and does nothing else");
    press(&mut state, "h");
    assert!(matches!(state.overlay, Overlay::Help));
    state.press(Key::Escape);
    assert!(several(1).press(Key::Escape).is_empty());
    for key in [Key::Char('q'), Key::Ctrl('c')] {
        assert_eq!(several(1).press(key), [Effect::Quit], "{key:?}");
    }
    assert_eq!(state.press(Key::Ctrl('z')), [Effect::Suspend]);
    assert_eq!(state.press(Key::Ctrl('l')), [Effect::Redraw]);
    let mut end = several(0);
    assert!(matches!(end.overlay, Overlay::End));
    assert_eq!(end.press(Key::Char('q')), [Effect::Quit]);
}

#[test]
fn fifty_candidates_take_at_most_three_keys_each() {
    let mut state = several(50);
    let mut keys = 0;
    let mut decided = 0;
    for keys_of_one in ["p", "r1", "m1", "r6", "p"].iter().cycle().take(50) {
        decided += decisions(press(&mut state, keys_of_one)).len();
        keys += keys_of_one.len();
        if *keys_of_one == "r6" {
            decided += decisions(state.press(Key::Enter)).len();
            keys += 1;
        }
    }
    assert_eq!(decided, 50);
    assert!(keys <= 150 && matches!(state.overlay, Overlay::End));
}
