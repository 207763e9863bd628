//! Keys in the form of a candidate.

use lessons_lesson::lesson::{Mode, When};

use super::super::draft::{FormRow, LessonDraft};
use super::super::sample_candidates::{count, counted, several, stash};
use super::tests::{decisions, press, stash_with_id};
use super::*;

#[test]
fn the_form_changes_what_it_says_and_counts_what_it_would_do() {
    let mut state = several(1);
    press(&mut state, "e");
    let Overlay::Edit(form, _) = &state.overlay else { panic!("{:?}", state.overlay) };
    assert_eq!(form.focused, 2, "the cursor is in the trigger");
    let counted = press(&mut state, "x");
    let [Effect::Replay(0, draft)] = &counted[..] else { panic!("{counted:?}") };
    assert_eq!(draft.triggers, [r"cmd=\bgit\s+stash\bx"]);
    state.receive(EffectResult::Replayed(0, draft.clone(), ReplayStatus::Counted(Box::new(count()))));
    let Overlay::Edit(_, replay) = &state.overlay else { panic!("{:?}", state.overlay) };
    assert!(matches!(replay, ReplayStatus::Counted(_)));
    // One more trigger, in the free row below.
    state.press(Key::Tab);
    press(&mut state, "kw=stash");
    // The mode and when it is told are the last two.
    state.press(Key::BackTab);
    for _ in 0..4 {
        state.press(Key::Up);
    }
    state.press(Key::Char(' '));
    // Between them the example of what it would block has come in.
    state.press(Key::Down);
    state.press(Key::Down);
    state.press(Key::Right);
    state.press(Key::Enter);
    assert!(matches!(state.overlay, Overlay::Candidate));
    let decided = decisions(press(&mut state, "p"));
    let Some(Decision::Promote { fields, .. }) = decided.first() else { panic!("{decided:?}") };
    assert_eq!(fields.trigger, [r"cmd=\bgit\s+stash\bx", "kw=stash"]);
    assert!(fields.rule.is_none() && fields.unless.is_empty(), "only what changed is given");
    assert_eq!((fields.mode, fields.when), (Some(Mode::Bump), Some(When::Session)));
}

#[test]
fn the_choices_of_the_form_go_round() {
    let mut state = several(1);
    press(&mut state, "e");
    let rows =
        |state: &ReviewState| if let Overlay::Edit(form, _) = &state.overlay { form.rows.len() } else { 0 };
    let draft = |state: &ReviewState| {
        if let Overlay::Edit(form, _) = &state.overlay { form.draft() } else { panic!() }
    };
    let all = rows(&state);
    for _ in 0..all - 4 {
        state.press(Key::Tab);
    }
    let modes: Vec<Mode> = (0..3)
        .map(|_| {
            state.press(Key::Right);
            draft(&state).mode
        })
        .collect();
    assert_eq!(modes, [Mode::Bump, Mode::Block, Mode::Advise]);
    state.press(Key::Left);
    assert_eq!(
        (draft(&state).mode, rows(&state)),
        (Mode::Block, all + 2),
        "with rows for example and reason"
    );
    state.press(Key::Tab);
    state.press(Key::Tab);
    state.press(Key::Tab);
    state.press(Key::Left);
    assert_eq!(draft(&state).when, When::Session);
    state.press(Key::Escape);
    assert_eq!(state.items[0].draft, LessonDraft::of(&stash_with_id(&state)), "thrown away");
}

#[test]
fn what_blocks_can_be_given_a_reason_which_changes_no_count() {
    let mut state = counted(stash());
    press(&mut state, "e");
    for _ in 0..3 {
        state.press(Key::Up);
    }
    state.press(Key::Up);
    assert!(!state.press(Key::Left).is_empty(), "what refuses looks at other text, so it is counted");
    state.press(Key::Down);
    state.press(Key::Down);
    assert!(press(&mut state, "it lost a day's work").is_empty() && state.paste("!").is_empty());
    state.press(Key::Enter);
    press(&mut state, "e");
    state.press(Key::Escape);
    let decided = decisions(press(&mut state, "p"));
    let Some(Decision::Promote { fields, .. }) = decided.first() else { panic!("{decided:?}") };
    assert_eq!(fields.force_block.as_deref(), Some("it lost a day's work!"));
    assert_eq!(fields.mode, Some(Mode::Block));
    // What does not block has none.
    state.press(Key::Char('u'));
    press(&mut state, "e");
    let Overlay::Edit(form, _) = &state.overlay else { panic!("{:?}", state.overlay) };
    let mode = form.rows.iter().position(|row| matches!(row, FormRow::Mode(_))).expect("a mode");
    for _ in 2..mode {
        state.press(Key::Tab);
    }
    state.press(Key::Right);
    state.press(Key::Enter);
    let decided = decisions(press(&mut state, "p"));
    let Some(Decision::Promote { fields, .. }) = decided.first() else { panic!("{decided:?}") };
    assert_eq!((fields.mode, fields.force_block.as_deref()), (None, None));
}

#[test]
fn the_scope_goes_round_the_projects_in_which_it_was_seen() {
    let mut state = counted(stash());
    let scope_of = |state: &ReviewState| state.item().unwrap().draft.changes(&stash()).scope_project;
    assert!(scope_of(&state).is_empty());
    press(&mut state, "e");
    // Back over the texts and round to the end: when, mode, where.
    for _ in 0..5 {
        state.press(Key::BackTab);
    }
    press(&mut state, " ");
    state.press(Key::Enter);
    assert_eq!(scope_of(&state), ["/srv/app"]);
    assert_eq!(state.item().unwrap().draft.scope.in_words(), "only in app (/srv/app)");
}
