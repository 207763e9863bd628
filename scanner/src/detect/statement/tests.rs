use super::super::sentence::sentences;
use super::*;

fn kind_of(text: &str, occasion: Occasion) -> Option<StatementKind> {
    statement(sentences(text), occasion).map(|statement| statement.kind)
}

#[test]
fn what_a_person_says_outright_is_a_statement() {
    use StatementKind::{Contradiction, Custom, Lasting, Prohibition, Question, Replacement};
    for (text, kind) in [
        ("from now on squash before you merge", Lasting),
        ("ok. Next time ask before you drop a table", Lasting),
        ("always sort the imports", Lasting),
        ("and remember to close the socket", Lasting),
        ("I told you to leave the lock file alone", Lasting),
        ("you keep forgetting the licence header", Lasting),
        ("we never rebase a shared branch", Custom),
        ("you forgot to run the formatter again", Contradiction),
        ("squash them into one, don't push to main", Prohibition),
        ("ab jetzt bitte mit pnpm", Lasting),
        ("merk dir: nie direkt auf main", Lasting),
        ("запомни: тесты только в контейнере", Lasting),
        ("don't add a changelog entry for refactorings", Prohibition),
        ("no need to bump the version", Prohibition),
        ("I did not ask you to deploy anything", Prohibition),
        ("use pnpm, not npm", Replacement),
        ("prefer composition to inheritance", Replacement),
        ("you should run `make gen` for that", Replacement),
        ("links should always go to the docs site, not to the wiki", Replacement),
        ("why are you still using yarn?", Question),
        ("shouldn't this be a table test?", Question),
        ("docker is not allowed on these machines", Custom),
        ("only ever seed the scratch database", Lasting),
        ("after changing a proto always run buf", Lasting),
        ("we should never log a token", Prohibition),
        ("you're not supposed to touch the lock file", Prohibition),
        ("we use 4 spaces not tabs", Custom),
        ("write commit messages in the imperative", Custom),
        ("use bun for everything", Replacement),
        ("for future reference, the mock server listens on port 7001", Lasting),
        ("the fixtures live in testdata, keep that in mind", Lasting),
        ("can you please not put emojis into the logs", Prohibition),
        ("could you please not reformat other files?", Prohibition),
        ("let's not use inheritance in this project", Prohibition),
        ("I prefer named exports over default ones", Replacement),
        ("that's wrong, we use jotai for state, not redux", Custom),
        ("the convention here is kebab-case for files", Custom),
        ("why are we using moment instead of dayjs?", Question),
        ("that is not correct, the queue is emptied by the worker", Contradiction),
    ] {
        assert_eq!(kind_of(text, Occasion::Prompt), Some(kind), "{text}");
    }
}

#[test]
fn what_holds_for_a_moment_or_asks_for_nothing_is_none() {
    for text in [
        "don't change the code yet",
        "don't worry about the linter for now",
        "don't touch it, let's see",
        "don't you think so",
        "never mind, I found it",
        "stop for a second",
        "why did that fail?",
        "why not?",
        "can we use another colour?",
        "I always thought so",
        "if the lock is held, don't wait for it",
        "will that break in the future?",
        "use the other branch",
        "I prefer the second design, go with that",
        "we prefer that too",
        "I prefer to see the diff first",
        "after the update it always crashes",
        "before the change it always worked",
        "we use it in the header where it is not shown",
        "call it a Basket instead of a Cart",
        "write a commit message for this",
        "the convention is unclear to me",
        "after the build run the tests",
        "could you not just reuse it?",
        "can you not see the error?",
        "let's not use a map",
        "we use it in two places",
        "why are we using a map?",
        "the map should be wider",
        "keep in mind that the box has 4 GB",
        "immer noch kaputt",
        "siempre falla aquí",
        "yes",
        "",
    ] {
        assert_eq!(kind_of(text, Occasion::Prompt), None, "{text}");
    }
}

#[test]
fn the_reason_for_a_refusal_has_to_say_less() {
    for (text, kind) in [
        ("rebase onto main first", StatementKind::First),
        ("use the logger", StatementKind::Replacement),
        ("don't check that in", StatementKind::Prohibition),
        ("commits here need a sign-off: -s", StatementKind::Custom),
        ("can we use the client of the project?", StatementKind::Question),
    ] {
        assert_eq!(kind_of(text, Occasion::Refusal), Some(kind), "{text}");
        assert_eq!(kind_of(text, Occasion::Prompt), None, "{text}");
    }
    for text in [
        "wait, let's look at the log first",
        "maybe test it first",
        "I'll do that myself",
        "what does it print?",
    ] {
        assert_eq!(kind_of(text, Occasion::Refusal), None, "{text}");
    }
}

#[test]
fn the_clearest_of_several_statements_counts() {
    let found =
        statement(sentences("Why are you still using tabs? From now on use spaces."), Occasion::Prompt)
            .unwrap();
    assert_eq!((found.kind, found.sentence.core), (StatementKind::Lasting, "From now on use spaces."));
}

#[test]
fn the_unwanted_and_the_wanted_are_told_apart() {
    let parts = |text: &str| {
        let found = statement(sentences(text), Occasion::Prompt).unwrap();
        (found.unwanted.join(" "), found.wanted.join(" "))
    };
    assert_eq!(parts("use pnpm instead of npm"), ("npm".into(), "use pnpm".into()));
    assert_eq!(
        parts("don't open a pr, just push the branch"),
        ("don't open a pr".into(), "just push the branch".into())
    );
    assert_eq!(
        parts("why do we use moment instead of dayjs?"),
        ("why do we use moment".into(), "dayjs".into())
    );
    assert_eq!(
        parts("you shouldn't use helm here, use argo"),
        ("you shouldn't use helm here".into(), "use argo".into())
    );
    assert_eq!(parts("never use yarn, use pnpm"), ("never use yarn".into(), "use pnpm".into()));
    assert_eq!(parts("I prefer tabs over spaces"), ("spaces".into(), "i prefer tabs".into()));
    assert_eq!(parts("why do you keep using npm?"), ("why do you keep using npm".into(), String::new()));
    assert_eq!(
        parts("we don't use jest here, it's vitest"),
        ("don't use jest here it's vitest".into(), "we".into())
    );
    assert_eq!(parts("always sort the imports"), (String::new(), "always sort the imports".into()));
}
