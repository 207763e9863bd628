//! Tests of `lessons` under a name that the shell computes.

use super::{assert_deny, assert_pass};

#[test]
fn a_change_under_a_name_that_the_shell_works_out_is_denied() {
    assert_deny(&[
        "\"$(command -v lessons)\" add --rule x",
        "$(which lessons) add --rule x",
        "`type -p lessons` off all",
        "sudo \"$(which lessons)\" promote 3f2a",
        "$(ls ~/.local/bin/lessons | head -1) build",
        "$(find / -name lessons -type f 2>/dev/null | head -n1) import x.json",
        "${L:-lessons} add --rule x",
        "L=lessons; $L add --rule x",
        "L=lessons\n\"$L\" --json add --rule x",
        "L=~/.local/bin/lessons && \"${L}\" on all",
        "L=$(command -v lessons); M=$L; $M edit a",
        "N=lessons; $(command -v $N) scan",
        "B=~/.local/bin; \"$B/lessons\" add --rule x",
        "export L=lessons; $L off all",
        "CMD='lessons off'; $CMD all",
        "CMD=\"sudo lessons off all\"; $CMD",
        "cmd=(lessons add --rule x); \"${cmd[@]}\"",
        "cmd=($(which lessons) add); \"${cmd[@]}\" --rule x",
        "for l in lessons; do $l off all; done",
        "L=lessons; V=add; $L $V --rule x",
        "f() { $L off all; }; L=lessons; f",
        "cd lessons && ./lesso*s build",
        "{lessons,off,all}",
        "\"$SUDO\" lessons off all",
        "$EMPTY lessons --json on all",
        "read -r L < <(which lessons); $L promote 3f2a",
        "printf -v L %s lessons; \"$L\" untrust",
        "S=lessons-scan; $S --once",
        "echo off all | xargs lessons",
        "echo off all | xargs -n 2 lessons",
        "cd lessons && ./les*ons build",
        "cd lessons && ./le*s build",
        "L='lessons --json --json --json --json off'; $L all",
        "L='lessons doctor --json --json --json --fix'; $L",
    ]);
}

#[test]
fn reading_under_such_a_name_passes() {
    assert_pass(&[
        "\"$(command -v lessons)\" list",
        "$(which lessons) --version",
        "L=lessons; $L show git-stash | head",
        "L=lessons; for id in a b; do $L show $id; done",
        "for tool in git lessons; do $tool --version; done",
        "echo git-stash | xargs lessons show",
        // As many words of a value as are kept.
        "L='lessons review --next --after 3f2a'; $L",
        "L='lessons doctor --json --json --json'; $L",
    ]);
}

#[test]
fn ordinary_programs_in_variables_are_left_alone() {
    assert_pass(&[
        "\"$PYTHON\" -m pip install lessons",
        "$EDITOR README-lessons.md",
        "$EDITOR lessons.md",
        "\"$GIT\" add lessons.md",
        "\"$GIT\" add lessons",
        "$GIT restore lessons/a.rs && $GIT merge lessons",
        "GIT=git; $GIT add lessons",
        "D=lessons; \"$GIT\" add \"$D\"",
        "D=lessons; \"$D/run.sh\" build",
        "D=lessons; \"${D}/gradlew\" test",
        "\"$(git rev-parse --show-toplevel)/lessons/build.sh\" build",
        "\"$(dirname \"$(which lessons)\")/other\" add x",
        "PY=$(cd lessons && which python); \"$PY\" -m build",
        "$(git -C lessons rev-parse --show-toplevel)/run import x",
        "CMD='cargo test -p lessons'; $CMD build",
        "NPM=npm; \"$NPM\" deprecate lessons@1.0 'use lessons 2'",
        "\"$NPM\" run build --workspace lessons",
        "cd lessons && \"$CTL\" promote v2",
        "git commit -m 'lessons are on' && $CTL promote v2",
        "which lessons; \"$PY\" -m build",
        "for crate in core lessons; do \"$CARGO\" test -p $crate; done",
        "for d in lessons notes; do (cd $d && ./build.sh on); done",
        "${PKG_MANAGER:-npm} add lessons",
        "$RUN lessons notes.md",
        "\"$BIN\"/tool scan lessons/",
        "./scripts/*.sh build lessons",
        // Two letters of the name say too little.
        "cd lessons && ./l*s build",
    ]);
}
