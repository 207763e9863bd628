use super::*;
use crate::known::ProgramRole::{Basic, Inspects};

#[test]
fn names_are_in_order_and_each_is_found() {
    assert!(PROGRAMS.is_sorted_by(|(one, _), (next, _)| one < next));
    assert!(PROGRAMS.iter().all(|(name, program)| {
        !name.is_empty()
            && known(name).is_some_and(|found| std::ptr::eq(found, *program))
            && program.names.split(", ").any(|own| own == *name)
    }));
    assert_eq!(PROGRAMS.len(), ROWS.iter().map(|row| row.names.split(", ").count()).sum::<usize>());
    assert!(known("").is_none() && known("no-such-program").is_none());
}

#[test]
fn roles_and_subcommands_are_those_of_the_row() {
    assert!(has_role("cat", Inspects) && !has_role("cat", Basic) && !has_role("unknown", Inspects));
    let git = known("git").unwrap();
    assert!(git.inspects_with("status") && git.checks_with("commit") && git.nests_in("stash"));
    assert!(!git.inspects_with("") && !git.inspects_with("stat") && !git.nests_in("push"));
    assert!(known("aws").unwrap().nests_in("anything"));
    assert!(known("uv").unwrap().launches_with("run"));
    assert!(known("gh").unwrap().inspects_with("pr view"));
}
