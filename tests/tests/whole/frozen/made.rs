//! Stores of any size, made from the copy of the lessons that once shipped.
//!
//! The first lessons are the copied ones. Of the others, half are copied ones with patterns that are about something
//! else, half are short ones as people write them.

use lessons_bench::{variation, words};
use serde_json::{Map, Value, json};

use super::calls::{self, Call};
use super::{graph, material, sampling};
use crate::agreeing::Dice;

/// Has no factor in common with the number of copied lessons, so that a small store has some of every area.
const STRIDE: usize = 31;

/// A store of so many lessons.
pub(super) fn store(size: usize) -> Value {
    let copied = graph("lessons.json");
    let models: Vec<(&String, &Value)> = copied["lessons"].as_object().unwrap().iter().collect();
    let mut made = Made::default();
    for number in 0..size {
        let (id, model) = models[number * STRIDE % models.len()];
        if number < models.len() {
            made.take(id, model, &|id| copied["triggers"][id].clone());
        } else if number % 2 == 0 {
            made.vary(number, model, &copied["triggers"]);
        } else {
            made.write_by_hand(number, model);
        }
    }
    json!({"version": 1, "lessons": made.lessons, "triggers": made.triggers, "topics": copied["topics"]})
}

#[derive(Default)]
struct Made {
    lessons: Map<String, Value>,
    triggers: Map<String, Value>,
}

impl Made {
    /// Puts a lesson in, with a trigger of its own for each that it names.
    fn take(&mut self, id: &str, lesson: &Value, trigger: &dyn Fn(&str) -> Value) {
        let mut lesson = lesson.clone();
        for field in ["triggers", "also", "unless"] {
            for named in lesson.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten() {
                let trigger = trigger(named.as_str().unwrap());
                let own = format!("{}-{}", trigger["kind"], trigger["pattern"]);
                let own = format!("t-{}", lessons_text::digest::hex(own.as_bytes(), 16));
                self.triggers.insert(own.clone(), trigger);
                *named = own.into();
            }
        }
        self.lessons.insert(id.to_owned(), lesson);
    }

    /// A copied lesson with a word of its own in its patterns, as far as they have words.
    fn vary(&mut self, number: usize, model: &Value, triggers: &Value) {
        let word = words::word(number);
        let lesson = plain(number, model, &word);
        self.take(&id(number), &lesson, &|id| {
            let mut trigger = triggers[id].clone();
            let pattern = trigger["pattern"].as_str().unwrap();
            let varied = match trigger["kind"].as_str().unwrap() {
                "file_glob" => variation::of_glob(pattern, &word),
                _ => variation::of_regex(pattern, &word),
            };
            if let Some(varied) = varied {
                trigger["pattern"] = varied.into();
            }
            trigger
        });
    }

    fn write_by_hand(&mut self, number: usize, model: &Value) {
        let word = words::word(number);
        let (kind, pattern) = match number / 2 % 6 {
            0 => ("keyword", format!("git {word}")),
            1 => ("command_pattern", format!(r"\bgit\s+{word}\b")),
            2 => ("command_pattern", format!(r"\b(?:npm|yarn)\s+run\s+{word}(?::\w+)?\b")),
            3 => ("file_glob", format!("**/{word}/**/*.{{ts,rs}}")),
            4 => ("path_pattern", format!(r"(?:^|/){word}/[^/]+\.rs$")),
            _ => ("content_pattern", format!(r"\b{word}\w*\(\s*new\b")),
        };
        let mut lesson = plain(number, model, &word);
        for field in ["also", "unless", "tools", "subject"] {
            lesson.as_object_mut().unwrap().remove(field);
        }
        lesson["triggers"] = json!(["its own"]);
        if kind == "command_pattern" && number.is_multiple_of(5) {
            let program = if number / 2 % 6 == 1 { "git" } else { "npm run" };
            lesson["mode"] = "bump".into();
            lesson["examples"] = json!({"fires": [{"tool": "Bash", "command": format!("{program} {word}")}]});
        }
        self.take(&id(number), &lesson, &|_| json!({"kind": kind, "pattern": pattern}));
    }
}

fn id(number: usize) -> String {
    format!("made-{number:05}")
}

/// The lesson's texts with a word of its own, and nothing that belongs to its patterns.
fn plain(number: usize, model: &Value, word: &str) -> Value {
    let mut lesson = model.clone();
    for field in ["mode", "examples"] {
        lesson.as_object_mut().unwrap().remove(field);
    }
    lesson["rule"] = format!("{word}: {}", model["rule"].as_str().unwrap()).into();
    lesson["priority"] = (3 + number % 6).into();
    lesson
}

/// Two calls for one lesson in so many, made from the patterns that have to match, and ordinary ones.
pub(super) fn calls(graph: &Value, one_in: usize) -> Vec<Call> {
    let mut dice = Dice(7);
    let lessons = graph["lessons"].as_object().unwrap().values().step_by(one_in);
    let mut made: Vec<Call> =
        lessons.flat_map(|lesson| [call(graph, lesson, &mut dice), call(graph, lesson, &mut dice)]).collect();
    let ordinary = material("ordinary.jsonl");
    made.extend(calls::samples(&ordinary).into_iter().step_by(6));
    made
}

/// A call that is likely to match one of the lesson's triggers and all that must match too.
fn call(graph: &Value, lesson: &Value, dice: &mut Dice) -> Call {
    let triggers = lesson["triggers"].as_array().unwrap();
    let chosen = triggers.get(dice.roll(triggers.len().max(1)));
    let (mut command, mut file, mut content) = (Vec::new(), None, Vec::new());
    for id in chosen.into_iter().chain(lesson["also"].as_array().into_iter().flatten()) {
        let trigger = &graph["triggers"][id.as_str().unwrap()];
        let pattern = trigger["pattern"].as_str().unwrap();
        let text = sampling::of_regex(pattern, dice);
        match trigger["kind"].as_str().unwrap() {
            "command_pattern" => command.extend(text),
            "keyword" => command.push(pattern.to_owned()),
            "file_glob" => file = Some(sampling::of_glob(pattern)),
            "path_pattern" => file = text,
            "content_pattern" => content.extend(text),
            other => panic!("no sample for {other}"),
        }
    }
    let file = file.unwrap_or_else(|| "src/name".to_owned());
    let tool = lesson["tools"][0].as_str();
    let sample = if !command.is_empty() {
        json!({"tool": "Bash", "command": command.join(" && ")})
    } else if content.is_empty() {
        json!({"tool": tool.unwrap_or("Edit"), "file": file, "content": "nothing"})
    } else {
        json!({"tool": tool.unwrap_or("Write"), "file": file, "content": content.join("\n")})
    };
    Call::of_sample(&sample)
}
