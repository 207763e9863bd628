//! The list, and every view in a small and in a large terminal.

use crossterm::event::KeyCode;
use insta::assert_snapshot;

use super::super::sample_candidates::{counted, hostile, several, stash};
use super::super::state::tests::{key, press};
use super::tests::{rows_of, seen};
use super::*;

#[test]
fn in_60_by_20_every_view_fits_and_shows_its_keys() {
    let mut state = counted(stash());
    assert_snapshot!(rows_of(&state, 60, 20), @r"
     candidate 1 of 1
    3f2a11c0d4e59b87  found by tag, confidence 0.70, 3 times in
    2 sessions, in app
    mistake   git stash leaves untracked files behind, and they
              stay in the way of what comes next
    fix       use `git stash -u` when untracked files matter
    why       stash looks at the index only
    fires on  cmd=\bgit\s+stash\b
    unless    cmd=\s-u\b
    tools     Bash
    does      reminds the model afterwards
    where     everywhere
    replay    would have fired at 46 of 11903 calls, in 12
              sessions; 10 (22 %) failed; they were in 3
              projects
              31x Bash `git stash`
              15x Bash `git stash && git pull` 8 lines below: j
    p promote  e edit  m merge  r reject  s skip  u undo
    l list  n next  b back  j down  k up  w write  ? help
    q quit
    ");
    press(&mut state, "r");
    assert_snapshot!(rows_of(&state, 60, 20), @r#"
     candidate 1 of 1
    3f2a11c0d4e59b87  found by tag, confidence 0.70, 3 times in
    2 sessions, in app
    mistake   git stash leaves untracked files behind, and they
              stay in the way of what comes next
    fix       use `git stash -u` when untracked files matter
    why       stash looks at the index only
    fires on  cmd=\bgit\s+stash\b
    unless    cmd=\s-u\b
    tools     Bash
    does      reminds the model afterwards
    ────────────────────────────────────────────────────────────
    Reject it, because
      1 one-off: it will not happen again
      2 a competent engineer knows it anyway
      3 too vague to act on
      4 wrong, or no longer true
      5 said elsewhere already
      6 in your own words
    1-6 choose  Enter without a reason  Esc back
    "#);
    state.press(&key(KeyCode::Esc));
    press(&mut state, "l");
    assert_snapshot!(rows_of(&state, 60, 20), @r#"
     1 candidate
    filter /
    > [ ] app: git stash leaves untracked files behind, and the…
    Space select  a all  / filter  p promote  r reject  u undo
    Enter show  Esc back
    "#);
}

#[test]
fn in_120_by_40_nothing_is_cut() {
    let mut state = counted(stash());
    assert_snapshot!(rows_of(&state, 120, 40), @r"
     candidate 1 of 1
    3f2a11c0d4e59b87  found by tag, confidence 0.70, 3 times in 2 sessions, in app
    mistake   git stash leaves untracked files behind, and they stay in the way of what comes next
    fix       use `git stash -u` when untracked files matter
    why       stash looks at the index only
    fires on  cmd=\bgit\s+stash\b
    unless    cmd=\s-u\b
    tools     Bash
    does      reminds the model afterwards
    where     everywhere
    replay    would have fired at 46 of 11903 calls, in 12 sessions; 10 (22 %) failed; they were in 3 projects
              31x Bash `git stash`
              15x Bash `git stash && git pull`
    score     0.60 the agent wrote it down; 0.10 it was seen in 2 sessions
    like      nearly the same as seed/git-stash-untracked: Use `git stash -u`.
    like      fires on the same calls as user/git-stash-keeps-nothing: Commit before you stash.
    seen in   /home/dev/.claude/projects/-srv-app/1d95533e.jsonl:412
    p promote  e edit  m merge  r reject  s skip  u undo  l list  n next  b back  j down  k up  w write  ? help  q quit
    ");
    press(&mut state, "l");
    assert_snapshot!(rows_of(&state, 120, 40), @r#"
     1 candidate
    filter /
    > [ ] app: git stash leaves untracked files behind, and they stay in the way of what comes next
    Space select  a all  / filter  p promote  r reject  u undo  Enter show  Esc back
    "#);
}

/// Five candidates, the last one flagged.
fn state() -> ReviewState {
    let mut state = several(4);
    state.items.push(ReviewItem::new(hostile()));
    state.items[1].details.lesson.mistake = Some("frob push overwrites what others pushed".into());
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
    state.press(&key(KeyCode::Enter));
    press(&mut state, "ar");
    assert_snapshot!(seen(&state, 60, 12), @r#"
    " 5 candidates                                               "
    "filter / frob                                               "
    "> [x] app: frob push overwrites what others pushed          "
    "────────────────────────────────────────────────────────────"
    "Reject it, because                                          "
    "  1 one-off: it will not happen again                       "
    "  2 a competent engineer knows it anyway                    "
    "  3 too vague to act on                                     "
    "  4 wrong, or no longer true                                "
    "  5 said elsewhere already                                  "
    "  6 in your own words                                       "
    "1-6 choose  Enter without a reason  Esc back                "
    "#);
    press(&mut state, "1");
    state.press(&key(KeyCode::Char('/')));
    state.press(&key(KeyCode::Esc));
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
