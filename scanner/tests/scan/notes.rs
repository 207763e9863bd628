//! What the agent writes into its own memory, and into the instructions of a project.

use crate::detected::Calls;
use crate::scratch::{Scratch, jsonl};
use crate::wishes::{aims, rules};

/// The rules and triggers of a note of the client's own memory with this text below its front matter.
fn of_note(below: &str) -> (Vec<String>, Vec<String>) {
    of_kind("feedback", below)
}

/// The same of a note of this type.
fn of_kind(kind: &str, below: &str) -> (Vec<String>, Vec<String>) {
    let path = "/home/dev/.claude/projects/-home-dev-app/memory/feedback_deploys.md";
    let front = format!("---\nname: deploys\ndescription: the user deploys himself\ntype: {kind}\n---\n");
    let command = format!("cat > {path} <<'EOF'\n{front}{below}\nEOF");
    let calls = Calls::new("one", 0).bash(&command, None);
    let mut scratch = Scratch::new();
    scratch.write("-p/one.jsonl", jsonl(&calls.lines));
    scratch.scan();
    (rules(&scratch), aims(&calls))
}

#[test]
fn a_note_says_its_rule_before_how_it_is_applied() {
    let (rule, triggers) = of_note(
        "Do not run `terraform apply`; he applies plans himself.\n\n**How to apply:** after `terraform plan`, stop and show it.",
    );
    assert_eq!(
        rule,
        ["Do not run `terraform apply`; he applies plans himself. after `terraform plan`, stop and show it."]
    );
    assert_eq!(triggers, [r"cmd=\bterraform\s+apply\b"]);
    let (rule, _) = of_note("Ausrollen nur mit `make rollout`.\n\n**Why:** sonst fehlt das Protokoll.");
    assert_eq!(rule, ["Ausrollen nur mit `make rollout`."]);
}

#[test]
fn a_note_for_reference_says_where_things_are_and_another_its_rule() {
    let below = "The scripts are in `ops/run`.\n\nNever run `ops/run/all` on a Friday without asking Ann.";
    assert_eq!(of_kind("reference", below).0, ["the user deploys himself. The scripts are in `ops/run`."]);
    assert_eq!(of_kind("project", below).0, ["Never run `ops/run/all` on a Friday without asking Ann."]);
    assert_eq!(of_kind("project", "We moved the parser to `src/parse` in March.").0, [""; 0]);
}

#[test]
fn a_note_is_told_with_the_points_that_its_words_announce() {
    let (rule, _) = of_note(
        "Releases come from CI.\n\n**How to apply:** tell him only:\n- the tag\n- the notes\n\nDone.",
    );
    assert_eq!(rule, ["Releases come from CI. tell him only: the tag; the notes"]);
    let (rule, _) =
        of_note("## Places\n\n**How to apply:**\n\n## Hosts\n- staging is `box7`\n- live is `box9`");
    assert_eq!(rule, ["the user deploys himself. staging is `box7`; live is `box9`"]);
    let (rule, _) =
        of_note("Never run:\n```\nmake drop\n```\n- Use `make seed`\n\n**How to apply:**\n1. ask\n2. wait");
    assert_eq!(rule, ["the user deploys himself. ask; wait"]);
    let (rule, _) = of_note("## Hosts\n\nSome of it is old.");
    assert_eq!(rule, ["the user deploys himself"]);
}

/// The rules of what a command line adds to instructions.
fn of_added(command: &str) -> Vec<String> {
    let calls = Calls::new("one", 0).bash(command, None);
    let mut scratch = Scratch::new();
    scratch.write("-p/one.jsonl", jsonl(&calls.lines));
    scratch.scan();
    rules(&scratch)
}

#[test]
fn a_few_points_that_are_added_are_rules_in_whatever_words_where_they_name_calls() {
    let all = "git: by name, `git add` takes too much with `--all`";
    assert_eq!(of_added(&format!("printf '%s\\n' '- {all}' >> CLAUDE.md")), [all]);
    // The first point that names calls.
    assert_eq!(of_added(&format!("echo '- The office is in Rome\n- {all}' >> AGENTS.md")), [all]);
    assert_eq!(of_added("echo '- The parser lives beside the lexer' >> CLAUDE.md"), [""; 0]);
    let described = ["`make a` builds a", "`make b` builds b", "`make c` builds c", all].join("\n- ");
    assert_eq!(of_added(&format!("echo '- {described}' >> CLAUDE.md")), [""; 0], "it is a description");
    assert_eq!(of_added(&format!("echo '- {all}' > CLAUDE.md")), [""; 0], "it is a new file");
}

#[test]
fn what_was_asked_for_and_what_was_written_are_one_lesson() {
    let asked = "good. put that in CLAUDE.md, never again `dbt run` without `--select`, that was 40 dollars";
    let written = "Never call `dbt run` without `--select` (a whole run costs 40 dollars)";
    let mut scratch = Scratch::new();
    scratch.write("-p/one.jsonl", jsonl(&Calls::new("one", 0).bash("dbt run", None).typed(asked).lines));
    scratch.scan();
    assert_eq!(rules(&scratch).len(), 1, "what is asked for is a lesson where nothing is written");
    let calls = Calls::new("two", 60).bash("dbt run", None).typed(asked).memory(&format!("#\n- {written}"));
    let mut scratch = Scratch::new();
    scratch.write("-p/two.jsonl", jsonl(&calls.lines));
    scratch.scan();
    assert_eq!(rules(&scratch), [written]);
    assert_eq!(scratch.waiting()[0].seen, 2, "at the prompt, and at what was written");
}
