//! Tests of `lessons review`, which shows candidates or decides about them.

use super::*;

#[test]
fn a_review_shows_what_was_agreed_on() {
    let command = "lessons review --apply /tmp/answers.json --agreed \
                   'promote 1 (3f2a11c0 that stops calls: block), reject 1 (77ab02de); file 5e0c4f9a1b2c3d4e'";
    let Verdict::Ask { reason, grant: Some(_) } = bash(command) else { panic!("{:?}", bash(command)) };
    assert_eq!(
        reason,
        "This would carry out your review: promote 1 (3f2a11c0 that stops calls: block), reject 1 (77ab02de); \
         file 5e0c4f9a1b2c3d4e. Allow it only if these are your answers."
    );
    let many = vec!["77ab02de"; 300].join(", ");
    let Verdict::Ask { reason, .. } =
        bash(&format!("lessons review --apply f --agreed 'reject 300 ({many})'"))
    else {
        panic!("not asked")
    };
    assert!(reason.contains(&many), "all of it is shown");
}

#[test]
fn a_review_that_only_looks_passes_and_anything_else_is_asked() {
    assert_pass(&[
        "lessons review --json",
        "lessons review --next --json | jq .id",
        "lessons review --check /tmp/answers.json",
        "lessons review --check - < answers.json",
    ]);
    for command in ["lessons review", "lessons review --apply f", "lessons review --apply f --agreed"] {
        assert!(matches!(bash(command), Verdict::Ask { grant: Some(_), .. }), "{command}");
    }
    assert_deny(&[
        "lessons review --apply f --agreed \"$(lessons review --check f)\"",
        "lessons review --apply $F --agreed x",
        "lessons review --check f && lessons review --apply f --agreed x",
    ]);
}
