//! Ranges in braces.

use super::{Branches, Item, MAX_ALTERNATIVES, Times};
use crate::pattern::PatternError;

/// `1..3`, `01..10`, `a..e`, each with a step if there is a third part.
pub(super) fn range(inside: &str) -> Result<Option<Item>, PatternError> {
    let parts: Vec<&str> = inside.split("..").collect();
    let (from, to, step) = match parts.as_slice() {
        [from, to] => (*from, *to, 1),
        [from, to, step] => match step.parse::<i64>() {
            Ok(step) if step != 0 => (*from, *to, step.saturating_abs()),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let single = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
    };
    let (first, last, write): (i64, i64, Box<dyn Fn(i64) -> String>) = match (from.parse(), to.parse()) {
        (Ok(first), Ok(last)) => {
            let padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
            let width = if padded(from) || padded(to) { from.len().max(to.len()) } else { 0 };
            (first, last, Box::new(move |n| format!("{n:0width$}")))
        }
        _ => match (single(from), single(to)) {
            (Some(first), Some(last)) => (
                i64::from(u32::from(first)),
                i64::from(u32::from(last)),
                Box::new(|n| {
                    u32::try_from(n).ok().and_then(char::from_u32).map(String::from).unwrap_or_default()
                }),
            ),
            _ => return Ok(None),
        },
    };
    let (low, high) = (first.min(last), first.max(last));
    let steps = low.abs_diff(high) / step.unsigned_abs();
    if steps >= MAX_ALTERNATIVES {
        return Err(PatternError::not_safe(format!(
            "`{{{inside}}}` stands for more than {MAX_ALTERNATIVES} alternatives; use `*` or `[0-9]`"
        )));
    }
    let mut branches = Branches::new();
    let mut value = low;
    while value <= high {
        branches.push(write(value).chars().map(Item::Char).collect());
        match value.checked_add(step) {
            Some(next) => value = next,
            None => break,
        }
    }
    Ok(Some(Item::Group(Times::Once, branches)))
}
