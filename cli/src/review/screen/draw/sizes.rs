//! The screen in a small and in a large terminal.

use insta::assert_snapshot;

use super::super::keys::Key;
use super::super::sample_candidates::{counted, stash};
use super::tests::{press, seen};
use crate::review::screen::state::ReviewState;

/// The rows that are not empty.
fn rows(state: &ReviewState, width: u16, height: u16) -> String {
    let screen = seen(state, width, height);
    let rows = screen.lines().map(|row| row.trim_matches('"').trim_end());
    rows.filter(|row| !row.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn in_60_by_20_every_view_fits_and_shows_its_keys() {
    let mut state = counted(stash());
    assert_snapshot!(rows(&state, 60, 20), @r#"
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
    where     in every project
    replay    would have fired at 46 of 11903 calls, in 12
              sessions; 10 (22 %) failed; they were in 3
              projects
              31x Bash `git stash`
              15x Bash `git stash && git pull`
    score     0.60 the agent wrote it down; 0. 7 lines below: j
    p promote  e edit  m merge  r reject  s skip  u undo
    l list  n next  b back  j down  k up  ? help  q quit
    "#);
    press(&mut state, "e");
    assert_snapshot!(rows(&state, 60, 20), @r#"
     candidate 1 of 1
      fix       use `git stash -u` when untracked files matter
      mistake   git stash leaves untracked files behind, and the
    > fires on  cmd=\bgit\s+stash\b
      fires on  (one more: cmd=REGEX, glob=GLOB, kw=WORDS …)
      unless    cmd=\s-u\b
      unless
      where     < in every project >
      does      < advise: reminds the model after the call >
      when      < at a call that matches >
    replay    would have fired at 46 of 11903 calls, in 12
              sessions; 10 (22 %) failed; they were in 3
              projects
              31x Bash `git stash`
              15x Bash `git stash && git pull`
    score     0.60 the agent wrote it down; 0.10 it was seen in
              2 sessions
    Tab next field  Shift-Tab field before
    Space another choice  Enter keep  Esc discard
    "#);
    state.press(Key::Escape);
    press(&mut state, "r");
    assert_snapshot!(rows(&state, 60, 20), @r#"
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
    state.press(Key::Escape);
    press(&mut state, "l");
    assert_snapshot!(rows(&state, 60, 20), @r#"
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
    assert_snapshot!(rows(&state, 120, 40), @r"
     candidate 1 of 1
    3f2a11c0d4e59b87  found by tag, confidence 0.70, 3 times in 2 sessions, in app
    mistake   git stash leaves untracked files behind, and they stay in the way of what comes next
    fix       use `git stash -u` when untracked files matter
    why       stash looks at the index only
    fires on  cmd=\bgit\s+stash\b
    unless    cmd=\s-u\b
    tools     Bash
    does      reminds the model afterwards
    where     in every project
    replay    would have fired at 46 of 11903 calls, in 12 sessions; 10 (22 %) failed; they were in 3 projects
              31x Bash `git stash`
              15x Bash `git stash && git pull`
    score     0.60 the agent wrote it down; 0.10 it was seen in 2 sessions
    like      nearly the same as seed/git-stash-untracked: Use `git stash -u`.
    like      fires on the same calls as user/git-stash-keeps-nothing: Commit before you stash.
    seen in   /home/dev/.claude/projects/-srv-app/1d95533e.jsonl:412
    p promote  e edit  m merge  r reject  s skip  u undo  l list  n next  b back  j down  k up  ? help  q quit
    ");
    press(&mut state, "e");
    assert_snapshot!(rows(&state, 120, 40), @r#"
     candidate 1 of 1
      fix       use `git stash -u` when untracked files matter
      mistake   git stash leaves untracked files behind, and they stay in the way of what comes next
    > fires on  cmd=\bgit\s+stash\b
      fires on  (one more: cmd=REGEX, glob=GLOB, kw=WORDS …)
      unless    cmd=\s-u\b
      unless
      where     < in every project >
      does      < advise: reminds the model after the call >
      when      < at a call that matches >
    replay    would have fired at 46 of 11903 calls, in 12 sessions; 10 (22 %) failed; they were in 3 projects
              31x Bash `git stash`
              15x Bash `git stash && git pull`
    score     0.60 the agent wrote it down; 0.10 it was seen in 2 sessions
    Tab next field  Shift-Tab field before  Space another choice  Enter keep  Esc discard
    "#);
    state.press(Key::Escape);
    press(&mut state, "l");
    assert_snapshot!(rows(&state, 120, 40), @r#"
     1 candidate
    filter /
    > [ ] app: git stash leaves untracked files behind, and they stay in the way of what comes next
    Space select  a all  / filter  p promote  r reject  u undo  Enter show  Esc back
    "#);
}
