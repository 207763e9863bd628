//! **Repeated demand**: what a person asks for beside the work, session after session.
//!
//! No mistake is needed: who says "commit and update the changelog" in three sessions would rather not say it in the
//! fourth. Two forms show that a demand is about the way of working and not about the work of the day:
//!
//! - it accompanies an [act](super::acts): "commit, then update the changelog", "push and ask Kim for a review";
//! - it names the instrument: "do it with Sonnet", "use /plain-words for the reply".

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_text::words::is_filler;

use super::acts::{self, Act};
use super::aim::on_command;
use super::draft::{Cleaner, Draft};
use super::line_origin::LineOrigin;
use super::sentence::Sentence;
use super::statement_kind::is_hedged;
use super::{Detector, Weight};
use crate::tag::trigger::literal;

/// The fewest and the most telling words of what accompanies an act. With more it is the work itself.
const FEWEST_WORDS: usize = 2;
const MOST_WORDS: usize = 4;
/// What stands between the clauses of a prompt.
const CLAUSE_ENDS: [&str; 6] = [" and ", ", ", " then ", "; ", " & ", " + "];
/// Words about what was just done, which name no demand.
const WORK: [&str; 8] = ["branch", "change", "changes", "current", "everything", "open", "pr", "prs"];
/// The verbs that begin an act together with its object: "open a PR".
const MAKING: [&str; 4] = ["create", "make", "open", "raise"];
/// The words before an instrument.
const MEANS: [&str; 4] = ["use", "using", "via", "with"];

/// Looks for a demand in a prompt.
pub(super) fn of_prompt<'e>(
    origin: &'e LineOrigin,
    text: &str,
    sentences: &[Sentence<'_>],
) -> Option<Draft<'e>> {
    let found = beside_act(sentences).or_else(|| instrument(sentences))?;
    let mut cleaner = Cleaner::default();
    let demand = cleaner.told(&found.text);
    let quoted = cleaner.quoted(text);
    let (fix, proposal) = match found.act {
        Some((act, name)) => (format!("With each {name}: {demand}"), at_act(act, &found.object)),
        None => (format!("Work with {demand}, as in \"{quoted}\""), Proposal::default()),
    };
    Some(Draft {
        detector: Detector::Demand,
        origin,
        key: found.key,
        is_strong: false,
        mistake: "The user asks for this in session after session".into(),
        fix,
        trigger: None,
        tools: Vec::new(),
        proposal,
        evidence: vec![format!("the user: {quoted}")],
        basis: vec![Weight::new(55, "the user asked for the same in several sessions")],
        cleaner,
    })
}

/// A demand in a prompt.
struct Demand {
    /// What is asked for, as typed.
    text: String,
    /// The words that are equal wherever it is asked for.
    key: String,
    /// The act that it accompanies, with its verb.
    act: Option<(&'static Act, String)>,
    /// The last word of what is asked for.
    object: String,
}

/// A clause beside one that asks for an act.
fn beside_act(sentences: &[Sentence<'_>]) -> Option<Demand> {
    if !sentences.iter().flat_map(|sentence| &sentence.words).any(|word| acts::is_of_act(word)) {
        return None;
    }
    let is_request = |sentence: &&Sentence<'_>| {
        !sentence.is_question || matches!(sentence.word(0), "can" | "could" | "would" | "will")
    };
    let clauses: Vec<Sentence<'_>> = sentences.iter().filter(is_request).flat_map(clauses).collect();
    let (act, verb) = clauses.iter().find_map(|clause| Some((act_of(clause)?, clause.word(0).to_owned())))?;
    clauses.iter().filter(|clause| act_of(clause).is_none() && !is_hedged(clause)).find_map(|clause| {
        let telling = |word: &&String| {
            !is_filler(word)
                && !WORK.contains(&word.as_str())
                && acts::named(std::slice::from_ref(word)).next().is_none()
        };
        let words: Vec<&String> = clause.words.iter().filter(telling).collect();
        let mut key: Vec<&str> = words.iter().map(|word| word.as_str()).collect();
        key.sort_unstable();
        key.dedup();
        let is_short = (FEWEST_WORDS..=MOST_WORDS).contains(&key.len());
        is_short.then(|| Demand {
            text: clause.core.trim_end_matches(['.', '!', '?', ' ']).to_owned(),
            key: key.join(" "),
            act: Some((act, verb.clone())),
            object: words.last().map_or_else(String::new, |word| (*word).clone()),
        })
    })
}

/// The clauses of a sentence.
fn clauses<'t>(sentence: &Sentence<'t>) -> Vec<Sentence<'t>> {
    let mut parts = vec![sentence.core];
    for end in CLAUSE_ENDS {
        parts = parts.into_iter().flat_map(|part| part.split(end)).collect();
    }
    parts.into_iter().filter_map(Sentence::read).map(Sentence::without_request).collect()
}

/// The act with which a clause begins.
fn act_of(clause: &Sentence<'_>) -> Option<&'static Act> {
    let is_made = MAKING.contains(&clause.word(0));
    let words = if is_made { clause.words.as_slice() } else { clause.words.get(..1)? };
    acts::named(words).next()
}

/// A name after `use` or `with`: one with a capital, or of a slash command.
fn instrument(sentences: &[Sentence<'_>]) -> Option<Demand> {
    sentences.iter().filter(|sentence| !sentence.is_question && !is_hedged(sentence)).find_map(|sentence| {
        let typed: Vec<&str> = sentence
            .core
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/'))
            .collect();
        let at = typed
            .windows(2)
            .position(|pair| MEANS.contains(&pair[0].to_lowercase().as_str()) && names_instrument(pair[1]))?;
        let version = typed.get(at + 2).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let name = typed[at + 1];
        Some(Demand {
            text: version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}")),
            key: name.to_lowercase(),
            act: None,
            object: String::new(),
        })
    })
}

/// Whether a word names a tool or a skill, and is no word of prose, no abbreviation and no path.
fn names_instrument(word: &str) -> bool {
    let mut chars = word.chars();
    let is_name = match chars.next() {
        Some('/') => !word[1..].contains('/'),
        Some(first) => first.is_uppercase() && word.chars().any(char::is_lowercase),
        None => false,
    };
    is_name && word.chars().count() > 2
}

/// The triggers on an act that lacks what accompanies it.
fn at_act(act: &Act, object: &str) -> Proposal {
    let named = Trigger::new(TriggerKind::CommandPattern, format!("(?i){}", literal(object)));
    Proposal { unless: vec![named], ..on_command(act.pattern.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::super::sentence::sentences;
    use super::*;

    fn key(prompt: &str) -> Option<String> {
        let sentences = sentences(prompt);
        beside_act(&sentences).or_else(|| instrument(&sentences)).map(|found| found.key)
    }

    #[test]
    fn what_accompanies_an_act_is_a_demand() {
        for prompt in ["commit and update the changelog", "ok, update the changelog, then push it please"] {
            assert_eq!(key(prompt).as_deref(), Some("changelog update"), "{prompt}");
        }
        let asked = key("can you open a pr and ask Kim for a review?");
        assert_eq!(asked.as_deref(), Some("ask kim review"));
    }

    #[test]
    fn a_named_instrument_is_a_demand() {
        assert_eq!(key("Do it with Sonnet 5.").as_deref(), Some("sonnet"));
        assert_eq!(key("use /plain-words for the reply").as_deref(), Some("/plain-words"));
    }

    #[test]
    fn the_work_itself_is_none() {
        for prompt in [
            "commit and push",
            "commit everything",
            "fix the merge conflicts",
            "rename the button",
            "review the comments on the pr",
            "why did you commit and update the changelog?",
            "hmm, commit and maybe update the changelog",
            "look at it with fresh eyes",
            "with A we are done",
            "do it with src/a.rs",
            "commit and go through all of the seven open points of the long list",
        ] {
            assert_eq!(key(prompt), None, "{prompt}");
        }
    }

    #[test]
    fn the_act_is_as_it_should_be_where_the_command_names_the_object() {
        let act = acts::named(&["commit".to_owned()]).next().unwrap();
        let proposal = at_act(act, "changelog");
        let fires = |command| crate::tag::trial::fires(&proposal, command);
        assert_eq!(fires("git commit -m x"), Some(true));
        assert_eq!(fires("git add CHANGELOG.md && git commit -m x"), Some(false));
    }
}
