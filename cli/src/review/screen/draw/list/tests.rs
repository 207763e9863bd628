//! The list, as it is seen.

use insta::assert_snapshot;

use super::super::tests::{press, seen};
use crate::review::screen::keys::Key;
use crate::review::screen::sample_candidates::{hostile, several};
use crate::review::screen::state::{ReviewItem, ReviewState};

/// Five candidates, the last one flagged.
fn state() -> ReviewState {
    let mut state = several(4);
    state.items.push(ReviewItem::new(hostile()));
    state.items[1].draft.mistake = "frob push overwrites what others pushed".into();
    state
}

#[test]
fn candidates_are_selected_in_a_list() {
    let mut state = state();
    press(&mut state, "l  ");
    assert_snapshot!(seen(&state, 60, 20), @r#"
    " 5 candidates                                               "
    "filter /                                                    "
    "  [x] app: git stash leaves untracked files behind, and the…"
    "  [x] app: frob push overwrites what others pushed          "
    "> [ ] app: git stash leaves untracked files behind, and the…"
    "  [ ] app: git stash leaves untracked files behind, and the…"
    "  [ ] flagged: app: a [2J]0;owned b dezorwer c              "
    "                                                            "
    "                                                            "
    "                                                            "
    "                                                            "
    "                                                            "
    "                                                            "
    "                                                            "
    "                                                            "
    "                                                            "
    "                                                            "
    "                                                            "
    "Space select  a all  / filter  p promote  r reject  u undo  "
    "Enter show  Esc back                                        "
    "#);
    assert_snapshot!(seen(&state, 120, 40).lines().take(8).collect::<Vec<_>>().join("\n"), @r#"
    " 5 candidates                                                                                                           "
    "filter /                                                                                                                "
    "  [x] app: git stash leaves untracked files behind, and they stay in the way of what comes next                         "
    "  [x] app: frob push overwrites what others pushed                                                                      "
    "> [ ] app: git stash leaves untracked files behind, and they stay in the way of what comes next                         "
    "  [ ] app: git stash leaves untracked files behind, and they stay in the way of what comes next                         "
    "  [ ] flagged: app: a [2J]0;owned b dezorwer c                                                                          "
    "                                                                                                                        "
    "#);
}

#[test]
fn a_filter_narrows_the_list_and_one_reason_rejects_what_is_selected() {
    let mut state = state();
    press(&mut state, "l/frob");
    assert_snapshot!(seen(&state, 60, 8), @r#"
    " 5 candidates                                               "
    "filter / frob                                               "
    "> [ ] app: frob push overwrites what others pushed          "
    "                                                            "
    "                                                            "
    "                                                            "
    "                                                            "
    "Enter keep the filter  Esc no filter                        "
    "#);
    state.press(Key::Enter);
    press(&mut state, "ar");
    assert_snapshot!(seen(&state, 60, 12), @r#"
    " 5 candidates                                               "
    "filter / frob                                               "
    "> [x] app: frob push overwrites what others pushed          "
    "                                                            "
    "────────────────────────────────────────────────────────────"
    "Reject 1 candidate, because                                 "
    "  1 one-off: it will not happen again                       "
    "  2 a competent engineer knows it anyway                    "
    "  3 too vague to act on                                     "
    "  4 wrong, or no longer true                                "
    "  5 said elsewhere already                                  "
    "1-5 choose  Enter without a reason  Esc back                "
    "#);
    press(&mut state, "1");
    state.press(Key::Char('/'));
    state.press(Key::Escape);
    assert_snapshot!(seen(&state, 60, 9), @r#"
    " 5 candidates                     1 rejected, 1 being saved "
    "filter /                                                    "
    "> [ ] app: git stash leaves untracked files behind, and the…"
    "  [ ] rejected: app: frob push overwrites what others pushed"
    "  [ ] app: git stash leaves untracked files behind, and the…"
    "  [ ] app: git stash leaves untracked files behind, and the…"
    "  [ ] flagged: app: a [2J]0;owned b dezorwer c              "
    "Space select  a all  / filter  p promote  r reject  u undo  "
    "Enter show  Esc back                                        "
    "#);
}
