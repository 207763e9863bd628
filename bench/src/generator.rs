//! Generated stores: lessons by the thousand, the same for the same recipe.
//!
//! Half of the lessons have a varied pattern of a built-in lesson. The others are short ones as people write them, with
//! triggers of all kinds. They share words such as `git`, `npm` and `test`, and each has a word of its own. One trigger
//! in 200 has no literal that every match holds.

use lessons_lesson::id::{LessonId, TopicId};
use lessons_lesson::lesson::{Lesson, Mode, Priority};
use lessons_manifest_builder::seeds;
use lessons_pattern::prepared;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_store::graph::Graph;

use crate::words::word;
use crate::{sketches, variation};

/// A command that the first three lessons of every store are about, and no other.
pub const TOLD_COMMAND: &str = "flightdeck deploy --now --region north";
/// The ids of those lessons.
pub const TOLD: [&str; 3] = ["told-first", "told-second", "told-third"];
/// A path below a project's root that one lesson of every store is about, and no other.
pub const TOLD_PATH: &str = "src/flightdeck/plan.deck.ts";
/// The id of that lesson.
pub const TOLD_FOR_PATH: &str = "told-for-path";

/// The word with which variations are tried.
const TRIAL_WORD: &str = "zuvowi";
/// One trigger in this many has no literal.
const WITHOUT_LITERAL: usize = 200;
/// One lesson in this many has the mode bump.
const BUMPS: usize = 50;
/// The number of triggers that look at content in [`Mixture::TwentyContents`].
const CONTENTS: usize = 20;

/// The mixture of triggers in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mixture {
    /// Triggers of all kinds.
    Mixed,
    /// No trigger that looks at the content of files.
    WithoutContents,
    /// Twenty triggers that look at the content of files.
    TwentyContents,
    /// Every lesson is about [`TOLD_COMMAND`], each in its own way, and the first three matter most.
    OneCommand,
}

/// The recipe of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// The number of lessons, at least 30 and at most 200,000.
    pub lessons: usize,
    /// The mixture of their triggers.
    pub mixture: Mixture,
    /// The number of the lesson that differs from the unchanged recipe, if any.
    pub changed: Option<usize>,
}

/// The reason why a store cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum GeneratorError {
    /// An id that is not valid.
    #[error("an id of the generator is wrong: {0}")]
    Id(#[from] lessons_lesson::id::InvalidId),
    /// A lesson that the store refuses.
    #[error(transparent)]
    Put(#[from] lessons_store::graph::PutError),
    /// A number that is out of range.
    #[error(transparent)]
    Range(#[from] lessons_lesson::lesson::OutOfRange),
    /// No built-in lesson has a pattern that can be varied.
    #[error("no shipped lesson has a pattern that can be varied")]
    NoSeeds,
}

/// Makes the store of a recipe.
pub fn store(recipe: Recipe) -> Result<Graph, GeneratorError> {
    let mut maker = LessonMaker::new(recipe)?;
    let mut graph = Graph::empty("lessons.json");
    let told = told()?;
    let made = recipe.lessons.saturating_sub(told.len());
    for lesson in told {
        graph.put(&lesson)?;
    }
    for number in 0..made {
        graph.put(&maker.lesson(number)?)?;
    }
    Ok(graph)
}

/// Counts the lessons that have a trigger with one of `words` in it.
pub fn sharing(graph: &Graph, words: &[&str]) -> usize {
    let shares = |trigger: &Trigger| {
        let plain = trigger.pattern.replace(r"\b", " ").replace(r"\s", " ");
        plain.split(|c: char| !c.is_ascii_alphanumeric()).any(|found| words.contains(&found))
    };
    graph.lessons().filter(|lesson| lesson.triggers.iter().any(shares)).count()
}

/// A built-in lesson with the trigger of it that is varied.
struct Template {
    lesson: Lesson,
    trigger: Trigger,
}

/// The state of the generator between two lessons.
struct LessonMaker {
    recipe: Recipe,
    templates: Vec<Template>,
    triggers: usize,
    without_literal: usize,
    contents: usize,
}

impl LessonMaker {
    fn new(recipe: Recipe) -> Result<Self, GeneratorError> {
        let templates: Vec<Template> = seeds::lessons()
            .into_iter()
            .flat_map(|lesson| {
                let triggers = lesson.triggers.clone();
                triggers.into_iter().map(move |trigger| Template { lesson: lesson.clone(), trigger })
            })
            .filter(|template| matches_other_texts(&template.trigger))
            .filter(|template| recipe.mixture == Mixture::Mixed || !looks_at_content(&template.lesson))
            .collect();
        if templates.is_empty() {
            return Err(GeneratorError::NoSeeds);
        }
        Ok(Self { recipe, templates, triggers: 0, without_literal: 0, contents: 0 })
    }

    fn lesson(&mut self, number: usize) -> Result<Lesson, GeneratorError> {
        let salt = usize::from(self.recipe.changed == Some(number)) * 200_000;
        let own = word(2 * (number + salt));
        let template = &self.templates[scatter(number) % self.templates.len()];
        let mut lesson = template.lesson.clone();
        lesson.id = LessonId::new(&format!("made-{number:06}"))?;
        lesson.mode = Mode::Advise;
        lesson.examples = lessons_lesson::lesson::Examples::default();
        lesson.evidence = vec![format!("commit:{:08x}", scatter(number) & 0xffff_ffff)];
        lesson.priority = Priority::new(3 + u8::try_from(number % 6).unwrap_or_default())?;
        lesson.summary = lesson.summary.map(|summary| {
            let short: String = summary.chars().take(100).collect();
            format!("{short} ({own})")
        });

        if self.recipe.mixture == Mixture::OneCommand {
            remove_conditions(&mut lesson);
            lesson.priority = Priority::new(1)?;
            let pattern = format!(r"\bflightdeck\s+(?:deploy|{own})\b");
            lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, pattern)];
            return Ok(lesson);
        }
        self.triggers += 1;
        if self.triggers % WITHOUT_LITERAL == WITHOUT_LITERAL / 2 {
            lesson.triggers = vec![sketches::without_literal(self.without_literal)];
            self.without_literal += 1;
            remove_conditions(&mut lesson);
        } else if self.recipe.mixture == Mixture::TwentyContents && self.contents < CONTENTS {
            lesson.triggers =
                vec![Trigger::new(TriggerKind::ContentPattern, format!(r"\b{own}\w*\(\s*new\b"))];
            self.contents += 1;
            remove_conditions(&mut lesson);
        } else if number % 20 < 11 {
            lesson.triggers = vary(&template.trigger, &own).into_iter().collect();
        } else {
            by_hand(&mut lesson, number, &own);
        }
        // Some lessons have two ways to be met.
        if number % 4 == 1 {
            self.triggers += 1;
            lesson.triggers.push(sketches::command(number / 4, &word(2 * (number + salt) + 1)).0);
        }
        Ok(lesson)
    }
}

/// Replaces the triggers by those of a short lesson as people write them.
fn by_hand(lesson: &mut Lesson, number: usize, own: &str) {
    remove_conditions(lesson);
    lesson.triggers = match number % 20 {
        11..=15 => {
            let (trigger, call) = sketches::command(number, own);
            lesson.examples.fires.push(call);
            if number % BUMPS == 11 {
                lesson.mode = Mode::Bump;
            }
            vec![trigger]
        }
        16 | 17 => vec![sketches::keyword(number / 20, own)],
        18 => vec![sketches::glob(number / 20, own)],
        _ => vec![sketches::path(number / 20, own)],
    };
}

/// Removes the conditions that belong to the triggers of the built-in lesson.
fn remove_conditions(lesson: &mut Lesson) {
    lesson.also.clear();
    lesson.unless.clear();
    lesson.tools.clear();
    lesson.subject = None;
}

fn vary(trigger: &Trigger, suffix: &str) -> Option<Trigger> {
    let pattern = match trigger.kind {
        TriggerKind::CommandPattern | TriggerKind::PathPattern | TriggerKind::ContentPattern => {
            variation::of_regex(&trigger.pattern, suffix)
        }
        TriggerKind::FileGlob => variation::of_glob(&trigger.pattern, suffix),
        TriggerKind::Keyword | TriggerKind::Tool | TriggerKind::ErrorPattern => None,
    }?;
    Some(Trigger::new(trigger.kind, pattern))
}

/// Whether every text that the varied trigger matches holds the new word. If the word were in an optional part of the
/// pattern, the variation would match what the built-in lesson matches.
fn matches_other_texts(trigger: &Trigger) -> bool {
    let varied = vary(trigger, TRIAL_WORD).and_then(|varied| prepared::prepare(&varied).ok());
    varied.is_some_and(|varied| {
        varied.clauses.iter().any(|clause| clause.iter().all(|literal| literal.contains(TRIAL_WORD)))
    })
}

fn looks_at_content(lesson: &Lesson) -> bool {
    lesson.all_triggers().any(|(_, trigger)| trigger.kind == TriggerKind::ContentPattern)
}

/// Returns the pseudo-random number of `number`: one step of `SplitMix64`.
fn scatter(number: usize) -> usize {
    let mut mixed = (number as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap_or_default()
}

/// Makes the lessons that the measured calls match.
fn told() -> Result<Vec<Lesson>, GeneratorError> {
    use TriggerKind::{CommandPattern, FileGlob, Keyword};
    let lessons = [
        (TOLD[0], Trigger::new(CommandPattern, r"\bflightdeck\s+deploy\b")),
        (TOLD[1], Trigger::new(Keyword, "flightdeck deploy")),
        (TOLD[2], Trigger::new(CommandPattern, r"\bflightdeck\b.*\s--now\b")),
        (TOLD_FOR_PATH, Trigger::new(FileGlob, "**/flightdeck/*.deck.ts")),
    ];
    let mut made = Vec::new();
    for (id, trigger) in lessons {
        let rule = "Commit first and wait until the pipeline is green, then deploy with `--plan` and read what \
                    it would change before you run it with `--now`.";
        let mut lesson = Lesson::new(LessonId::new(id)?, rule, TopicId::new("deploy")?, "2026-01-05");
        lesson.mistake = Some(
            "`flightdeck deploy --now` takes the last commit, not the work tree, and does not ask before it \
             replaces what runs."
                .into(),
        );
        lesson.summary = Some("flightdeck deploys the last commit at once: plan first.".into());
        lesson.rationale = Some("A deployment of the wrong commit took the service down for an hour.".into());
        lesson.evidence = vec!["commit:3f786850".into()];
        lesson.triggers = vec![trigger];
        made.push(lesson);
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lessons_lesson::validate::{self, Level};

    use super::*;

    fn recipe(lessons: usize, mixture: Mixture) -> Recipe {
        Recipe { lessons, mixture, changed: None }
    }

    fn kinds(graph: &Graph) -> BTreeSet<TriggerKind> {
        graph.lessons().flat_map(|lesson| lesson.all_triggers().map(|(_, trigger)| trigger.kind)).collect()
    }

    #[test]
    fn a_store_has_as_many_lessons_as_asked_for_and_every_one_is_sound() {
        let others = [Mixture::WithoutContents, Mixture::TwentyContents, Mixture::OneCommand];
        for mixture in [Mixture::Mixed].into_iter().chain(others) {
            let graph = store(recipe(200, mixture)).unwrap();
            assert_eq!(graph.lessons().len(), 200);
            for lesson in graph.lessons() {
                let errors = validate::flaws(lesson).into_iter().filter(|flaw| flaw.level == Level::Error);
                assert_eq!(errors.map(|flaw| flaw.to_string()).collect::<Vec<_>>(), [""; 0], "{}", lesson.id);
            }
        }
    }

    #[test]
    fn the_same_recipe_gives_the_same_bytes_and_a_change_is_one_lesson() {
        let same = recipe(100, Mixture::Mixed);
        let first = store(same).unwrap();
        assert_eq!(first.to_bytes(), store(same).unwrap().to_bytes());
        let changed = store(Recipe { changed: Some(50), ..same }).unwrap();
        let other = changed.lessons().filter(|lesson| first.get(&lesson.id) != Some(lesson)).count();
        assert_eq!((changed.lessons().len(), other), (100, 1));
    }

    #[test]
    fn a_store_is_mixed_as_its_name_says() {
        use TriggerKind::{CommandPattern, ContentPattern, FileGlob, Keyword, PathPattern};
        let all = BTreeSet::from([CommandPattern, FileGlob, PathPattern, ContentPattern, Keyword]);
        assert_eq!(kinds(&store(recipe(400, Mixture::Mixed)).unwrap()), all);
        let without = store(recipe(400, Mixture::WithoutContents)).unwrap();
        assert!(!kinds(&without).contains(&ContentPattern));
        let twenty = store(recipe(400, Mixture::TwentyContents)).unwrap();
        let contents = twenty.lessons().flat_map(|lesson| &lesson.triggers);
        assert_eq!(contents.filter(|trigger| trigger.kind == ContentPattern).count(), CONTENTS);
        let one = store(recipe(400, Mixture::OneCommand)).unwrap();
        let patterns: BTreeSet<_> =
            one.lessons().flat_map(|lesson| &lesson.triggers).map(|trigger| &trigger.pattern).collect();
        assert_eq!(patterns.len(), 400);
        assert_eq!(patterns.iter().filter(|pattern| pattern.contains("deploy|")).count(), 396);
    }

    #[test]
    fn a_variation_that_matches_the_old_texts_is_not_used() {
        let trigger = |text: &str| Trigger::new(TriggerKind::CommandPattern, text);
        assert!(matches_other_texts(&trigger(r"\bgit\s+(?:stash|rebase)\b")));
        assert!(!matches_other_texts(&trigger(r"\bgit\s+push(?:\s+--force)?")));
    }

    #[test]
    fn hundreds_of_lessons_share_the_words_of_daily_work() {
        let graph = store(recipe(1000, Mixture::Mixed)).unwrap();
        assert!(sharing(&graph, &["git", "npm", "test"]) > 100);
        assert_eq!(sharing(&graph, &["flightdeck"]), 4);
    }
}
