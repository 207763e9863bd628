//! Where a trigger matched: the text that it looked at, and the part of it that matched.
//!
//! The index says whether a trigger matches. A person wants to see where, for which the pattern is compiled as a regular
//! expression.

use std::ops::Range;

use crate::views::Views;
use lessons_lesson::{Subject, tool_name};
use lessons_pattern::prepared::{automaton_of, regex_of};
use lessons_pattern::{Trigger, TriggerKind, keyword};

/// Finds the part of a text that matches, in bytes.
type Find = dyn Fn(&str) -> Option<Range<usize>>;

/// Where a trigger matches a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The text that the trigger looked at.
    pub text: String,
    /// The part of it that matched, in bytes; all of it for keywords and tools.
    pub matched: Range<usize>,
}

impl Spot {
    /// Where `trigger` matches a call. `None` where it does not.
    pub fn of(trigger: &Trigger, views: &Views<'_>, subject: Subject) -> Option<Self> {
        let whole = |text: &str| Self { text: text.to_owned(), matched: 0..text.len() };
        let (kind, pattern) = (trigger.kind, trigger.pattern.as_str());
        match kind {
            TriggerKind::Tool => (tool_name(pattern) == views.call.tool).then(|| whole(&views.call.tool)),
            TriggerKind::Keyword => {
                views.with_words(&keyword::needle(pattern), subject).map(|view| whole(view.text()))
            }
            _ => {
                // A pattern that is too large for the general engine still has an automaton, which does not know where.
                let find: Box<Find> = if let Ok(regex) = regex_of(kind, pattern) {
                    Box::new(move |text| regex.find(text))
                } else {
                    let automaton = automaton_of(kind, pattern).ok()?;
                    Box::new(move |text| automaton.is_match(text).then_some(0..text.len()))
                };
                let spot = |text: &str| Some(Self { text: text.to_owned(), matched: find(text)? });
                views.find(kind, subject, |view| spot(view.text()))
            }
        }
    }
}
