//! The form of the scripts.
//!
//! A script is a list of sessions. Each begins with `=== project`, or `=== project {a,b}` to be played
//! once for each word, with the word in the place of `{}`. Then follow, a line each:
//!
//! | line | what it is |
//! |---|---|
//! | `[+name]` | what follows is the mistake `name`, which may recur in other sessions |
//! | `[-name]` | what follows looks like a mistake and is none |
//! | `[]` | what follows has no label |
//! | `> text`, `>+ text` | a prompt that the user typed: as a string, as blocks |
//! | `>q text` | one typed while the agent works |
//! | `>p text` | a prompt that is nothing but pasted text |
//! | `>s name`, `>! command`, `>= text` | a slash command, a command of the user's own, the output of either |
//! | `. text` | the assistant says this |
//! | `$ command` | a call of Bash |
//! | `r file [key=number …]`, `w file :: text`, `e file :: old :: new` | Read, Write, Edit |
//! | `t Tool {json}` | any other call |
//! | `= text` | the result of the call before; without one it has no output |
//! | `! text`, `!2 text` | it failed: exit code 1, exit code 2; of a tool other than Bash, an error |
//! | `!e text` | the client refused the input of the tool |
//! | `!h text` | a hook or a rule refused it |
//! | `!r reason`, `!r` | the user refused it, and said why or not |
//! | `!i` | the user interrupted it |
//! | `!t time` | it was stopped after this time |
//! | `% compact`, `% reminder text` | a compaction; a line that the client wrote in the user's name |
//!
//! `\n` is a line feed. A line that starts with `#` is a comment.

use serde_json::{Value, json};

/// What a part of a session is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Label {
    /// A mistake, by its name.
    Mistake(String),
    /// Something that looks like one. The name is its own.
    Noise(String),
}

/// A session to play.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) name: String,
    pub(crate) project: String,
    pub(crate) steps: Vec<(Option<Label>, Step)>,
}

/// One thing that happens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Typed(String),
    TypedAsBlocks(String),
    TypedMidTurn(String),
    Pasted(String),
    SlashCommand(String),
    OwnCommand(String),
    OwnOutput(String),
    LineInfo(String),
    Call { tool: String, input: Value, outcome: Outcome },
    Compaction,
    Reminder(String),
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done(String),
    Failed { code: u8, text: String },
    BadInput(String),
    RefusedByRule(String),
    RefusedByUser(Option<String>),
    Interrupted,
    TimedOut(String),
}

/// Reads a script. `name` is the start of the names of its sessions.
pub(crate) fn parse(name: &str, text: &str) -> Vec<Session> {
    let mut sessions = Vec::new();
    for (index, part) in text.split("\n=== ").skip(1).enumerate() {
        let (head, body) = part.split_once('\n').unwrap();
        let (project, words) = head.split_once(' ').unwrap_or((head, "{}"));
        let words = words.trim_matches(['{', '}']);
        for word in words.split(',') {
            let project = project.to_owned();
            let name = format!("{name}-{index:02}{word}");
            sessions.push(Session { name, project, steps: steps(body, word) });
        }
    }
    sessions
}

fn steps(body: &str, word: &str) -> Vec<(Option<Label>, Step)> {
    let mut steps: Vec<(Option<Label>, Step)> = Vec::new();
    let mut label = None;
    for line in body.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let line = line.replace("{}", word).replace("\\n", "\n");
        if let Some(name) = line.strip_prefix('[') {
            let name = name.trim_end_matches(']');
            label = match name.split_at_checked(1) {
                Some(("+", name)) => Some(Label::Mistake(name.to_owned())),
                Some(("-", name)) => Some(Label::Noise(format!("{name}@{word}"))),
                _ => None,
            };
        } else if let Some(outcome) = outcome(&line) {
            let Some((_, Step::Call { outcome: last, .. })) = steps.last_mut() else {
                panic!("no call before {line}")
            };
            *last = outcome;
        } else {
            steps.push((label.clone(), step(&line)));
        }
    }
    steps
}

fn step(line: &str) -> Step {
    let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
    let text = rest.to_owned();
    match mark {
        ">" => Step::Typed(text),
        ">+" => Step::TypedAsBlocks(text),
        ">q" => Step::TypedMidTurn(text),
        ">p" => Step::Pasted(text),
        ">s" => Step::SlashCommand(text),
        ">!" => Step::OwnCommand(text),
        ">=" => Step::OwnOutput(text),
        "." => Step::LineInfo(text),
        "%" if rest == "compact" => Step::Compaction,
        "%" => Step::Reminder(text),
        "$" => call("Bash", json!({"command": rest, "description": "Run it"})),
        "r" => {
            let mut words = rest.split(' ');
            let mut input = json!({"file_path": words.next().unwrap()});
            for word in words {
                let (key, number) = word.split_once('=').unwrap();
                input[key] = json!(number.parse::<u64>().unwrap());
            }
            call("Read", input)
        }
        "w" => {
            let (file, content) = rest.split_once(" :: ").unwrap();
            call("Write", json!({"file_path": file, "content": content}))
        }
        "e" => {
            let parts: Vec<&str> =
                rest.split(" ::").map(|part| part.strip_prefix(' ').unwrap_or(part)).collect();
            let [file, old, new] = parts[..] else { panic!("an edit needs file, old and new: {rest}") };
            call(
                "Edit",
                json!({"file_path": file, "old_string": old, "new_string": new, "replace_all": false}),
            )
        }
        "t" => {
            let (tool, input) = rest.split_once(' ').unwrap();
            call(tool, serde_json::from_str(input).unwrap())
        }
        _ => panic!("not a line of a script: {line}"),
    }
}

fn call(tool: &str, input: Value) -> Step {
    Step::Call { tool: tool.to_owned(), input, outcome: Outcome::Done(String::new()) }
}

fn outcome(line: &str) -> Option<Outcome> {
    let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
    let text = rest.to_owned();
    if mark == "=" {
        return Some(Outcome::Done(text));
    }
    Some(match mark.strip_prefix('!')? {
        "" => Outcome::Failed { code: 1, text },
        "e" => Outcome::BadInput(text),
        "h" => Outcome::RefusedByRule(text),
        "r" => Outcome::RefusedByUser((!text.is_empty()).then_some(text)),
        "i" => Outcome::Interrupted,
        "t" => Outcome::TimedOut(text),
        code => Outcome::Failed { code: code.parse().unwrap(), text },
    })
}
