//! Another tool's commands in our words.

/// What a command is in ours.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ours {
    /// `lessons` with these arguments.
    Lessons(Vec<String>),
    /// The hook before a tool call.
    Hook,
}

/// Translates a command line, its own name left out. `has_files`: there is a working tree to look at.
pub(super) fn ours(theirs: &[String], has_files: bool) -> Ours {
    let Some((verb, rest)) = theirs.split_first() else { return Ours::Lessons(Vec::new()) };
    let rest = rest.to_vec();
    let with = |verb: &str, rest: Vec<String>| Ours::Lessons([vec![verb.to_owned()], rest].concat());
    match verb.as_str() {
        "hook" => Ours::Hook,
        "query" => with("query", query(&rest)),
        "add" => with("add", add(&rest)),
        "validate" => Ours::Lessons(vec!["validate".into(), ".lessons/lessons.json".into(), "--json".into()]),
        "deprecate" => match rest.iter().position(|word| word == "--superseded-by") {
            Some(at) => {
                let mut rest = rest;
                rest.remove(at);
                with("supersede", rest)
            }
            None => with("deprecate", rest),
        },
        "prune" if has_files => with("prune", [rest, vec!["--tree".into(), ".".into()]].concat()),
        "topics" => Ours::Lessons(["export", "--format", "lessons-graph"].map(String::from).to_vec()),
        "journal" => with("list", [vec!["--all".into()], rest].concat()),
        other => with(other, rest),
    }
}

fn query(theirs: &[String]) -> Vec<String> {
    let mut ours = Vec::new();
    let mut words = theirs.iter();
    while let Some(word) = words.next() {
        if word != "--format" {
            ours.push(word.clone());
            continue;
        }
        match words.next().map(String::as_str) {
            Some("json") => ours.push("--json".into()),
            Some("plain") => {}
            other => ours.extend([word.clone(), other.unwrap_or_default().to_owned()]),
        }
    }
    ours
}

fn add(theirs: &[String]) -> Vec<String> {
    let mut ours = Vec::new();
    // That tool takes triggers kind by kind, in whatever order they are given.
    let mut triggers = [Vec::new(), Vec::new(), Vec::new()];
    let mut words = theirs.iter().peekable();
    if let Some(rule) = words.next_if(|word| !word.starts_with('-')) {
        ours.push(format!("--rule={rule}"));
    }
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().unwrap_or_default();
        match word.as_str() {
            "--new-topic" => {}
            "--trigger-file" => triggers[0].push(format!("--trigger=glob={}", value())),
            "--trigger-cmd" => triggers[1].push(format!("--trigger=cmd={}", value())),
            "--trigger-kw" => triggers[2].push(format!("--trigger=kw={}", value())),
            "--evidence" => ours.extend(value().split(',').map(|one| format!("--evidence={one}"))),
            _ => ours.push(word.clone()),
        }
    }
    [triggers.concat(), ours].concat()
}

#[test]
fn a_command_is_said_in_our_words() {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let lessons = |text: &str| Ours::Lessons(words(text));
    assert_eq!(ours(&words("query --file a --format json"), false), lessons("query --file a --json"));
    assert_eq!(ours(&words("query --format xml"), false), lessons("query --format xml"));
    assert_eq!(
        ours(&words("add Rule --topic t --new-topic --trigger-kw x --evidence a,b"), false),
        lessons("add --trigger=kw=x --rule=Rule --topic t --evidence=a --evidence=b")
    );
    assert_eq!(ours(&words("deprecate a --superseded-by b"), false), lessons("supersede a b"));
    assert_eq!(ours(&words("prune --cap 2"), true), lessons("prune --cap 2 --tree ."));
    assert_eq!(ours(&words("hook"), false), Ours::Hook);
}
