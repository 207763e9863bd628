//! Every key, in every place where it does something.

use lessons_lesson::Mode;
use lessons_review::candidates::promotion::LOSES_DATA;

use super::super::list::{ACCEPTED, REASONS, Then};
use super::super::sample_candidates::{counted, edited, hostile, losing_data, several, stash, tried};
use super::*;
use crate::review::Decision;

/// A key with nothing held down beside it.
pub(crate) fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// Presses a key. Returns what is asked for because of it.
pub(super) fn hit(state: &mut ReviewState, code: KeyCode) -> Vec<Effect> {
    state.press(&key(code));
    wanted(state)
}

/// Presses the keys of letters.
pub(crate) fn press(state: &mut ReviewState, keys: &str) -> Vec<Effect> {
    keys.chars().flat_map(|c| hit(state, KeyCode::Char(c))).collect()
}

/// Takes what is asked for.
pub(crate) fn wanted(state: &mut ReviewState) -> Vec<Effect> {
    state.effects.drain(..).collect()
}

/// Presses a letter with Ctrl.
fn control(state: &mut ReviewState, letter: char) -> Vec<Effect> {
    state.press(&KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL));
    wanted(state)
}

/// What follows from the first answer to the question.
fn asked(state: &ReviewState) -> Option<&Then> {
    state.question.as_ref().and_then(|question| question.answers.first()).map(|(_, then)| then)
}

fn done(state: &mut ReviewState, at: usize, said: &str) {
    state.receive(EffectResult::Decided(at, Ok(said.into())));
}

/// What was decided among effects.
pub(super) fn decisions(effects: Vec<Effect>) -> Vec<Decision> {
    let decision = |effect| if let Effect::Decide(_, decision) = effect { Some(decision) } else { None };
    effects.into_iter().filter_map(decision).collect()
}

fn unsaved(state: &ReviewState) -> usize {
    state.number(|status| matches!(status, ItemStatus::Saving(_)))
}

#[test]
fn what_is_shown_is_counted_before_anybody_asks() {
    let mut state = several(3);
    state.request_trials();
    let first = wanted(&mut state);
    // What is shown is asked for last, and so is counted first.
    assert!(matches!(first.as_slice(), [Effect::Try(1, ..), Effect::Try(0, ..)]), "{first:?}");
    let next = press(&mut state, "n");
    assert!(matches!(next.as_slice(), [Effect::Try(2, ..)]), "{next:?}");
}

#[test]
fn p_promotes_as_it_stands_and_goes_on() {
    let mut state = several(2);
    let decided = decisions(press(&mut state, "p"));
    let expected =
        Decision::Promote { candidate: "000011c0d4e59b87".into(), fields: Box::default(), accept: None };
    assert_eq!((decided, state.at, unsaved(&state)), (vec![expected], 1, 1));
    done(&mut state, 0, "user/x promoted");
    assert_eq!(unsaved(&state), 0);
    assert_eq!(state.note.as_deref(), Some("user/x promoted"));
    press(&mut state, "p");
    assert_eq!(state.view, View::End);
}

#[test]
fn a_candidate_about_lost_data_asks_whether_to_block() {
    for (keys, mode) in [("p1", Some(Mode::Bump)), ("p2", None)] {
        let mut state = counted(losing_data());
        assert!(decisions(press(&mut state, "p")).is_empty());
        assert_eq!(asked(&state), Some(&Then::TakeUp(TakeUp::Bump)));
        let decided = decisions(press(&mut state, &keys[1..]));
        let [Decision::Promote { fields, .. }] = decided.as_slice() else { panic!("{decided:?}") };
        assert_eq!(fields.mode, mode);
    }
    let mut state = counted(losing_data());
    press(&mut state, "p");
    hit(&mut state, KeyCode::Esc);
    assert!(asked(&state).is_none() && unsaved(&state) == 0, "nothing is decided");
}

#[test]
fn who_has_chosen_to_block_already_is_not_asked() {
    let mut state = counted(losing_data());
    state.items[0].bump();
    let decided = decisions(press(&mut state, "p"));
    let [Decision::Promote { fields, .. }] = decided.as_slice() else { panic!("{decided:?}") };
    assert!(fields.fires.is_none(), "the example of the evidence is added when it is saved");
}

#[test]
fn who_chooses_to_block_without_an_example_is_told_how_to_give_one() {
    let mut details = losing_data();
    details.lesson.examples.fires.clear();
    let mut state = counted(details);
    assert!(decisions(press(&mut state, "p1")).is_empty());
    assert!(state.note.as_deref().is_some_and(|note| note.contains("example")), "{:?}", state.note);
    assert_eq!(press(&mut state, "e"), [Effect::Edit(0)]);
    assert_eq!(state.items[0].lesson().mode, Mode::Bump, "the form begins with what was chosen");
}

#[test]
fn what_was_edited_is_tried_and_promoted_as_it_was_left() {
    let mut state = counted(stash());
    let edit = edited("Commit first.", stash().lesson.triggers);
    state.take_edit(0, Ok(Some(edit.clone())));
    let effects = wanted(&mut state);
    let [Effect::Try(0, lesson, Some(Decision::Promote { fields, .. }))] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!((&**lesson, &**fields), (&edit.lesson, &edit.fields), "its warnings are wanted as well");
    state.receive(EffectResult::Tried(0, Box::new(stash().lesson), tried()));
    assert_eq!(state.items[0].trial, Trial::Running, "a late trial is not taken for the new one");
    state.receive(EffectResult::Tried(0, lesson.clone(), tried()));
    assert_eq!(state.items[0].trial, Trial::Done(tried()));
    let decided = decisions(press(&mut state, "p"));
    assert!(matches!(&decided[..], [Decision::Promote { fields, .. }] if **fields == edit.fields));
}

#[test]
fn an_edit_is_dropped_before_a_decision_is_undone() {
    let mut state = several(2);
    press(&mut state, "p");
    state.take_edit(1, Ok(Some(edited("Commit first.", Vec::new()))));
    wanted(&mut state);
    assert!(
        matches!(&press(&mut state, "u")[..], [Effect::Try(1, lesson, None)] if **lesson == stash().lesson)
    );
    assert_eq!((state.at, state.items[1].edit.as_ref()), (1, None));
    assert!(press(&mut state, "u").contains(&Effect::TakeBack(0)));
}

#[test]
fn an_editor_that_changes_nothing_or_fails_leaves_the_candidate() {
    for (edit, said) in
        [(Ok(None), "Nothing was changed"), (Err("it ended with an error".into()), "an error")]
    {
        let mut state = counted(stash());
        state.take_edit(0, edit);
        assert!(wanted(&mut state).is_empty());
        assert!(state.note.as_deref().is_some_and(|note| note.contains(said)), "{:?}", state.note);
        assert_eq!((state.items[0].edit.as_ref(), &state.items[0].trial), (None, &Trial::Done(tried())));
    }
}

#[test]
fn a_flagged_candidate_about_lost_data_asks_both() {
    let mut state = counted(CandidateDetails { reason_to_bump: Some(LOSES_DATA), ..hostile() });
    assert!(decisions(press(&mut state, "p1")).is_empty());
    assert_eq!(asked(&state), Some(&Then::Accept(TakeUp::Bump)));
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
    assert_eq!(asked(&state), Some(&Then::Accept(TakeUp::Promote)));
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
    assert!(hit(&mut state, KeyCode::Enter).is_empty() && state.note.is_some(), "not without a word");
    press(&mut state, "mine");
    let decided = decisions(hit(&mut state, KeyCode::Enter));
    let Some(Decision::Promote { accept: Some(accept), .. }) = decided.first() else { panic!("{decided:?}") };
    assert_eq!(accept.reason, "mine");
    let mut state = counted(hostile());
    press(&mut state, "p4x");
    hit(&mut state, KeyCode::Esc);
    assert_eq!(asked(&state), Some(&Then::Accept(TakeUp::Promote)));
    hit(&mut state, KeyCode::Esc);
    assert_eq!((state.view, asked(&state)), (View::Candidate, None));
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
    hit(&mut state, KeyCode::Backspace);
    press(&mut state, "ow");
    let decided = decisions(hit(&mut state, KeyCode::Enter));
    assert!(
        matches!(&decided[..], [Decision::Reject { reason: Some(reason), .. }] if reason == "too narrow")
    );
    let mut state = several(1);
    press(&mut state, "r");
    let decided = decisions(hit(&mut state, KeyCode::Enter));
    assert!(matches!(&decided[..], [Decision::Reject { reason: None, .. }]));
    let mut state = several(1);
    press(&mut state, "r6x");
    hit(&mut state, KeyCode::Esc);
    assert_eq!(asked(&state), Some(&Then::Reject(vec![0])));
    press(&mut state, "79x");
    assert_eq!(asked(&state), Some(&Then::Reject(vec![0])), "no such reason");
    hit(&mut state, KeyCode::Esc);
    assert_eq!((state.view, asked(&state)), (View::Candidate, None));
    assert_eq!(unsaved(&state), 0);
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
    hit(&mut state, KeyCode::Esc);
    assert_eq!((state.view, asked(&state)), (View::Candidate, None));
    let mut alone = counted(hostile());
    press(&mut alone, "m");
    assert!(asked(&alone).is_none() && alone.note.is_some(), "nothing to merge into");
}

#[test]
fn s_skips_and_those_that_were_skipped_come_again() {
    let mut state = several(3);
    press(&mut state, "sps");
    assert_eq!(state.view, View::End);
    assert_eq!(state.number(|standing| standing == ItemStatus::Skipped), 2);
    assert!(decisions(hit(&mut state, KeyCode::Enter)).is_empty());
    assert_eq!((state.at, state.number(|standing| standing == ItemStatus::Waits)), (0, 2));
    press(&mut state, "ss");
    press(&mut state, "x");
    assert_eq!(state.view, View::End);
    let mut done = several(1);
    press(&mut done, "p");
    assert_eq!(hit(&mut done, KeyCode::Enter), [Effect::Quit], "nothing was skipped");
}

#[test]
fn u_takes_back_the_latest_first() {
    let mut state = several(3);
    press(&mut state, "prs");
    // `r` opened its list, in which `s` chooses nothing.
    press(&mut state, "1s");
    assert_eq!(state.view, View::End);
    assert!(press(&mut state, "u").is_empty(), "a skip was never saved");
    assert_eq!(state.at, 2);
    assert!(press(&mut state, "u").contains(&Effect::TakeBack(1)));
    assert_eq!(state.at, 1);
    assert!(press(&mut state, "u").contains(&Effect::TakeBack(0)));
    assert!(press(&mut state, "u").is_empty());
    assert!(state.note.as_deref().is_some_and(|note| note.contains("Nothing to undo here")));
    for at in [1, 0] {
        state.receive(EffectResult::TakenBack(at, Ok(())));
    }
    assert!(state.items.iter().all(|item| item.status == ItemStatus::Waits));
}

#[test]
fn what_could_not_be_taken_back_stays_decided() {
    let mut state = several(2);
    press(&mut state, "r1u");
    done(&mut state, 0, "rejected");
    state.receive(EffectResult::TakenBack(0, Err("it was changed since".into())));
    assert_eq!(state.items[0].status, ItemStatus::Decided("rejected"));
    assert!(state.items[0].failure.as_deref().is_some_and(|why| why.contains("changed since")));
}

#[test]
fn what_could_not_be_done_waits_again_and_says_why() {
    let mut state = several(2);
    press(&mut state, "pp");
    assert_eq!(state.view, View::End);
    state.receive(EffectResult::Decided(0, Err("this is a duplicate".into())));
    assert_eq!((state.at, state.items[0].status), (0, ItemStatus::Waits));
    assert_eq!(state.view, View::Candidate, "it is shown again");
    assert!(state.note.as_deref().is_some_and(|note| note.contains("duplicate")));
    done(&mut state, 1, "promoted");
    assert!(press(&mut state, "u").contains(&Effect::TakeBack(1)), "what failed cannot be taken back");
}

#[test]
fn what_comes_of_a_decision_that_is_being_undone_says_nothing() {
    let mut state = several(1);
    // It takes long: the past is read for it. It is taken back before it is saved.
    press(&mut state, "pu");
    state.receive(EffectResult::Decided(0, Err("it would refuse calls".into())));
    assert_eq!(state.items[0].status, ItemStatus::Undoing("promoted"));
    assert_eq!((state.items[0].failure.as_ref(), state.note.as_ref()), (None, None));
    assert!(press(&mut state, "r").is_empty() && asked(&state).is_none(), "first the undo has to end");
    state.receive(EffectResult::TakenBack(0, Ok(())));
    assert_eq!(state.items[0].status, ItemStatus::Waits);
    press(&mut state, "r1");
    done(&mut state, 0, "rejected");
    assert_eq!(state.items[0].status, ItemStatus::Decided("rejected"));
}

#[test]
fn what_is_decided_is_not_decided_again_by_accident() {
    let mut state = several(2);
    press(&mut state, "pb");
    assert_eq!(state.at, 0);
    for key in ["p", "e", "m", "r", "s"] {
        assert!(press(&mut state, key).is_empty(), "{key}");
        assert!(asked(&state).is_none() && state.note.is_some(), "{key}");
    }
}

#[test]
fn one_goes_to_and_fro_and_scrolls() {
    let mut state = several(3);
    for (code, at) in [
        (KeyCode::Char('n'), 1),
        (KeyCode::Right, 2),
        (KeyCode::Right, 2),
        (KeyCode::Char('b'), 1),
        (KeyCode::Left, 0),
        (KeyCode::Left, 0),
    ] {
        hit(&mut state, code);
        assert_eq!(state.at, at, "{code:?}");
    }
    for (code, scroll) in [
        (KeyCode::Char('j'), 1),
        (KeyCode::Down, 2),
        (KeyCode::Char(' '), 12),
        (KeyCode::PageDown, 22),
        (KeyCode::PageUp, 12),
        (KeyCode::Char('k'), 11),
        (KeyCode::Up, 10),
        (KeyCode::Home, 0),
        (KeyCode::Up, 0),
    ] {
        hit(&mut state, code);
        assert_eq!(state.scroll, scroll, "{code:?}");
    }
}

#[test]
fn what_is_pasted_goes_where_text_is_wanted_and_decides_nothing() {
    let mut state = several(2);
    state.paste("prsq");
    assert_eq!((state.at, unsaved(&state)), (0, 0));
    press(&mut state, "r6");
    state.paste("one\ntwo\u{1b}[2J\u{202e}");
    press(&mut state, "\u{200b}");
    let decided = decisions(hit(&mut state, KeyCode::Enter));
    assert!(
        matches!(&decided[..], [Decision::Reject { reason: Some(reason), .. }] if reason == "one two[2J"),
        "it controls nothing: {decided:?}"
    );
}

#[test]
fn help_and_the_ways_out() {
    let mut state = several(1);
    press(&mut state, "?");
    assert_eq!(state.view, View::Help);
    press(&mut state, "p");
    assert_eq!(state.view, View::Candidate, "a key leaves help and does nothing else");
    press(&mut state, "h");
    assert_eq!(state.view, View::Help);
    hit(&mut state, KeyCode::Esc);
    assert!(hit(&mut several(1), KeyCode::Esc).is_empty());
    assert_eq!(press(&mut several(1), "q"), [Effect::Quit]);
    for (letter, effect) in [('c', Effect::Quit), ('z', Effect::Suspend), ('l', Effect::Redraw)] {
        assert_eq!(control(&mut state, letter), [effect]);
    }
    let mut end = several(0);
    assert_eq!(end.view, View::End);
    assert_eq!(press(&mut end, "q"), [Effect::Quit]);
}

#[test]
fn a_key_with_something_held_down_or_let_go_decides_nothing() {
    let mut state = several(1);
    assert!(control(&mut state, 'p').is_empty());
    state.press(&KeyEvent::new(KeyCode::Char('p'), KeyModifiers::ALT));
    let released = KeyEvent { kind: KeyEventKind::Release, ..key(KeyCode::Char('p')) };
    state.press(&released);
    assert!(wanted(&mut state).is_empty());
    assert_eq!(unsaved(&state), 0);
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
            decided += decisions(hit(&mut state, KeyCode::Enter)).len();
            keys += 1;
        }
    }
    assert_eq!(decided, 50);
    assert!(keys <= 150 && state.view == View::End);
}

#[test]
fn a_lesson_is_written_from_what_nobody_has_read() {
    let items =
        |texts: &[&str]| texts.iter().map(|text| (format!("id of {text}"), (*text).to_owned())).collect();
    for mut state in [several(1), ReviewState::new(Vec::new(), 0)] {
        let before = state.items.len();
        assert_eq!(press(&mut state, "w"), [Effect::FindUnread]);
        state.receive(EffectResult::Unread(Ok(items(&["you: use make", "failed: frob push"]))));
        assert_eq!(press(&mut state, "3"), [], "no such item");
        assert_eq!(press(&mut state, "2"), [Effect::Write("id of failed: frob push".into())]);
        let mut chosen = stash();
        chosen.lesson.rule.clear();
        state.add(chosen);
        assert_eq!(wanted(&mut state), [Effect::Edit(before)]);
        assert_eq!((state.view, state.at), (View::Candidate, before));
        assert_eq!(press(&mut state, "p"), [], "without a rule it is no lesson");
        assert!(state.note.as_deref().is_some_and(|note| note.contains("e writes one")));
        state.take_edit(before, Ok(Some(edited("Use make.", Vec::new()))));
        assert_eq!(decisions(press(&mut state, "p")).len(), 1);
    }
}

#[test]
fn what_was_found_unread_takes_no_question_away() {
    let mut state = several(1);
    press(&mut state, "wr");
    state.receive(EffectResult::Unread(Ok(vec![("id".into(), "you: use make".into())])));
    assert_eq!(asked(&state), Some(&Then::Reject(vec![0])));
    state.receive(EffectResult::Unread(Ok(Vec::new())));
    assert!(state.note.as_deref().is_some_and(|note| note.contains("nothing unread")));
}
