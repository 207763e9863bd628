//! Searching the texts of lessons, as `lessons list TEXT` and `lessons query TEXT` do.

use lessons_lesson::{Lesson, QualifiedId};

/// The weights of names (id, topics, tags), of what a lesson says, and of everything else.
const NAME: f64 = 3.0;
const SAYING: f64 = 2.0;
const OTHER: f64 = 1.0;
/// The factor for a whole word. A part of a word counts once.
const WHOLE_WORD: f64 = 2.0;

/// For each word the greatest weight of a text of the lesson that has it; 0 if none has.
fn weights(lesson: &Lesson, words: &[&str]) -> Vec<f64> {
    let mut texts = vec![(NAME, lesson.id.as_str().to_lowercase())];
    texts.extend(lesson.topics.iter().map(|topic| (NAME, topic.as_str().to_lowercase())));
    texts.extend(lesson.tags.iter().map(|tag| (NAME, tag.to_lowercase())));
    texts.extend(lesson.texts().map(|(name, text)| {
        let is_said = matches!(name, "rule" | "mistake" | "summary");
        (if is_said { SAYING } else { OTHER }, text.to_lowercase())
    }));
    texts.extend(lesson.all_triggers().map(|(_, trigger)| (OTHER, trigger.pattern.to_lowercase())));
    let of_word =
        |word: &&str| texts.iter().map(|(weight, text)| weight * factor(text, word)).fold(0.0, f64::max);
    words.iter().map(of_word).collect()
}

/// How much it counts that a text holds a word: nothing where it does not, more where it is a whole word there.
fn factor(text: &str, word: &str) -> f64 {
    let is_whole = |(at, found): (usize, &str)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !before.into_iter().chain(after).any(char::is_alphanumeric)
    };
    if text.match_indices(word).any(is_whole) { WHOLE_WORD } else { f64::from(u8::from(text.contains(word))) }
}

/// Which lessons are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// Those that hold every word.
    EveryWord,
    /// Those that hold the most words: every word, or where none has all of them, as many as one has.
    MostWords,
}

/// Keeps the lessons that hold the words of `text`, best first. A rarer word counts more. Ties keep their order.
pub fn ranked(
    lessons: Vec<(QualifiedId, Lesson)>,
    text: &str,
    holding: Holding,
) -> Vec<(QualifiedId, Lesson)> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        return lessons;
    }
    let weights: Vec<Vec<f64>> = lessons.iter().map(|(_, lesson)| weights(lesson, &words)).collect();
    let rarity = |word: usize| {
        let holding = weights.iter().filter(|weights| weights[word] > 0.0).count();
        #[allow(clippy::cast_precision_loss, reason = "nobody has 2^52 lessons")]
        (1.0 + lessons.len() as f64 / holding.max(1) as f64).ln()
    };
    let rarities: Vec<f64> = (0..words.len()).map(rarity).collect();
    let held = |weights: &Vec<f64>| weights.iter().filter(|weight| **weight > 0.0).count();
    let wanted = match holding {
        Holding::EveryWord => words.len(),
        Holding::MostWords => weights.iter().map(held).max().unwrap_or(0).max(1),
    };
    let sum = |weights: &[f64]| weights.iter().zip(&rarities).map(|(weight, rarity)| weight * rarity).sum();
    let found = lessons.into_iter().zip(&weights).filter(|(_, weights)| held(weights) == wanted);
    let mut found: Vec<(f64, _)> = found.map(|(lesson, weights)| (sum(weights), lesson)).collect();
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.into_iter().map(|(_, lesson)| lesson).collect()
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{Layer, LessonId, TopicId};

    use super::*;

    fn lesson(id: &str, rule: &str) -> (QualifiedId, Lesson) {
        let id = LessonId::new(id).unwrap();
        let lesson = Lesson::new(id.clone(), rule, TopicId::new("t").unwrap(), "2026-01-01");
        (QualifiedId { layer: Layer::User, id }, lesson)
    }

    fn found(lessons: Vec<(QualifiedId, Lesson)>, text: &str) -> Vec<String> {
        ranked(lessons, text, Holding::MostWords).into_iter().map(|(id, _)| id.id.to_string()).collect()
    }

    #[test]
    fn every_text_is_searched() {
        let mut full = lesson("full", "Rule.");
        full.1.mistake = Some("npm breaks the lock file".into());
        full.1.rationale = Some("because of peers".into());
        full.1.tags = vec!["tool:pnpm".into()];
        let lessons = || vec![full.clone(), lesson("other", "Another.")];
        for text in ["full", "RULE", "lock file", "peers", "tool:pnpm", "pnp"] {
            assert_eq!(found(lessons(), text), ["full"], "{text}");
        }
        assert!(found(lessons(), "nowhere").is_empty());
    }

    #[test]
    fn all_words_come_before_some_and_names_before_texts() {
        let lessons = || {
            vec![
                lesson("a", "Use pnpm."),
                lesson("b", "Use pnpm in a workspace."),
                lesson("pnpm", "Mind the workspace."),
                lesson("c", "Use pnpmfile hooks."),
            ]
        };
        assert_eq!(found(lessons(), "pnpm"), ["pnpm", "a", "b", "c"]);
        assert_eq!(found(lessons(), "pnpm workspace"), ["pnpm", "b"]);
        assert_eq!(found(lessons(), "workspace nowhere"), ["b", "pnpm"]);
        assert!(ranked(lessons(), "workspace nowhere", Holding::EveryWord).is_empty());
    }

    #[test]
    fn any_text_can_be_asked_for() {
        for text in ["", " ", "é", "ß☂", "a\u{301}"] {
            let _ = found(vec![lesson("a", "Ünïcode é ☂ ß")], text);
        }
        assert_eq!(found(vec![lesson("a", "Straße ☂ é")], "☂ é"), ["a"]);
    }
}
