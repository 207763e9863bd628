//! The choice of keys: the grams by which the index finds each trigger.
//!
//! Every text that a trigger matches contains at least one literal of each of its clauses (see
//! [`literals::clauses`]). So the grams of one clause's literals, one gram per literal, are enough to find the trigger. The
//! clause is chosen whose grams the fewest other triggers share; grams of other clauses become conditions. A mistake here
//! would be a lesson that never fires, so property tests compare the index with regular expressions.

use std::borrow::Cow;

use lessons_index::key::{Key, MAX_GRAM};
use lessons_index::postings::FieldMask;
use lessons_index::required;
use lessons_lesson::call::tool_name;
use lessons_pattern::{Compiled, Prepared, TriggerKind};
use memchr::memmem;

/// The part of a call that triggers of a kind look at.
fn fields(kind: TriggerKind) -> FieldMask {
    match kind {
        TriggerKind::CommandPattern => FieldMask::COMMAND,
        TriggerKind::FileGlob | TriggerKind::PathPattern => FieldMask::PATH,
        TriggerKind::ContentPattern => FieldMask::CONTENT,
        TriggerKind::Keyword => FieldMask::COMMAND.and(FieldMask::PATH),
        TriggerKind::ErrorPattern => FieldMask::ERROR,
        TriggerKind::Tool => FieldMask::TOOL,
    }
}

/// The clauses of a trigger: every text that it matches contains at least one literal of each. Literals for commands are cut at
/// line ends: what would run may have more lines than what was typed, and where their grams are the same otherwise, only what
/// was typed is searched.
fn clauses(kind: TriggerKind, prepared: &Prepared) -> Cow<'_, [Vec<String>]> {
    let clauses = prepared.clauses.as_slice();
    let are_cut =
        kind == TriggerKind::CommandPattern && clauses.iter().flatten().any(|literal| literal.contains('\n'));
    if !are_cut {
        return Cow::Borrowed(clauses);
    }
    let longest =
        |literal: &String| literal.split('\n').max_by_key(|line| line.len()).unwrap_or_default().to_owned();
    let cut = clauses.iter().map(|clause| clause.iter().map(longest).collect::<Vec<_>>());
    cut.filter(|clause| clause.iter().all(|literal| !literal.is_empty())).collect()
}

/// The counters of a table of frequencies for each trigger: a trigger has about ten grams, and hardly any two of a few hundred
/// triggers share a counter by accident.
const COUNTERS_PER_TRIGGER: usize = 1 << 12;
/// The most counters of such a table: more would not stay in a cache.
const MAX_COUNTERS: usize = 1 << 20;

/// The document frequency of each gram: how many triggers need it. Grams whose keys begin alike are counted together, so a gram
/// that no other trigger needs may look as if one did, and another is chosen.
#[derive(Debug)]
pub struct Frequency(Vec<u32>);

impl Frequency {
    /// The table for so many triggers, with nothing counted.
    pub fn for_triggers(triggers: usize) -> Self {
        let size = triggers.max(1).saturating_mul(COUNTERS_PER_TRIGGER).min(MAX_COUNTERS).next_power_of_two();
        Self(vec![0; size])
    }

    /// The position at which a gram is counted.
    fn slot(&self, gram: &[u8]) -> usize {
        // The highest bits of the key, as many as say a position in the table.
        let bits = self.0.len().trailing_zeros();
        usize::try_from(Key::of_gram(gram).0 >> (u64::BITS - bits)).unwrap_or(0)
    }

    /// Counts the grams of a trigger, each once.
    pub fn count(&mut self, kind: TriggerKind, prepared: &Prepared) {
        let clauses = clauses(kind, prepared);
        let mut slots: Vec<usize> =
            clauses.iter().flatten().flat_map(|literal| grams(literal)).map(|gram| self.slot(gram)).collect();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            if let Some(count) = self.0.get_mut(slot) {
                *count += 1;
            }
        }
    }

    /// The cost of a gram as a key: short grams are in many calls.
    fn cost(&self, gram: &[u8]) -> u32 {
        let shared = self.0.get(self.slot(gram)).copied().unwrap_or(0);
        let common = match gram.len() {
            MAX_GRAM.. => 0,
            3 => 4,
            2 => 40,
            _ => 400,
        };
        shared.saturating_add(common)
    }

    /// Of these grams the one that costs least, with what it costs; of equals the first.
    fn best<'l>(&self, grams: impl Iterator<Item = &'l [u8]>) -> Option<(u32, &'l [u8])> {
        grams.map(|gram| (self.cost(gram), gram)).min_by_key(|(cost, _)| *cost)
    }

    /// The grams under which a clause is found, with what they cost together: one that all literals hold, or one of
    /// each literal.
    fn best_of<'l>(&self, clause: &'l [String]) -> (u32, Vec<&'l [u8]>) {
        let best = |literal: &'l String| self.best(grams(literal)).unwrap_or_default();
        let mut each: Vec<(u32, &[u8])> = clause.iter().map(best).collect();
        each.sort_unstable_by_key(|(_, gram)| *gram);
        each.dedup();
        let all = each.iter().map(|(cost, _)| *cost).fold(0, u32::saturating_add);
        // Nothing that is shared by a single literal is cheaper than its best gram.
        let one = if clause.len() == 1 { None } else { self.best(shared(clause)) };
        match one.filter(|(cost, _)| *cost <= all) {
            Some((cost, gram)) => (cost, vec![gram]),
            None => (all, each.into_iter().map(|(_, gram)| gram).collect()),
        }
    }
}

/// The grams of a literal: all of [`MAX_GRAM`] bytes, or the literal itself where it is shorter.
fn grams(literal: &str) -> impl Iterator<Item = &[u8]> {
    literal.as_bytes().windows(literal.len().clamp(1, MAX_GRAM))
}

/// The keys of a trigger, and the other grams that it requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenKeys {
    /// The parts of a call that the trigger looks at.
    pub fields: FieldMask,
    /// The keys under which the trigger is found. None: it must always be looked at.
    pub keys: Vec<Key>,
    /// The grams behind those keys that are grams.
    pub grams: Vec<Vec<u8>>,
    /// The further conditions; see [`required`].
    pub required: Vec<[u8; 2]>,
}

/// Chooses the keys of a trigger.
pub fn choose(kind: TriggerKind, prepared: &Prepared, frequency: &Frequency) -> ChosenKeys {
    let (fields, clauses) = (fields(kind), clauses(kind, prepared));
    let usable = |clause: &&Vec<String>| clause.iter().all(|literal| literal.len() >= 2);
    let best = clauses.iter().filter(usable).map(|clause| frequency.best_of(clause));
    let (_, grams) = best.min_by_key(|(cost, _)| *cost).unwrap_or_default();
    let keys = grams.iter().map(|gram| Key::of_gram(gram));
    ChosenKeys {
        fields,
        keys: match &prepared.compiled {
            Compiled::Tool(name) => vec![Key::of_tool(tool_name(name))],
            _ if fields.meet(FieldMask::ERROR) => error_keys(keys),
            _ => keys.collect(),
        },
        required: required::encode(&clauses, &prepared.endings),
        grams: grams.into_iter().map(<[u8]>::to_vec).collect(),
    }
}

/// The keys of these grams in error texts. A trigger without one is found at every error, and at nothing else.
fn error_keys(grams: impl Iterator<Item = Key>) -> Vec<Key> {
    let keys: Vec<Key> = grams.map(Key::in_error).collect();
    if keys.is_empty() { vec![Key::of_any_error()] } else { keys }
}

/// The grams that all literals of a clause hold, of one length: the longest that the shortest has.
fn shared(clause: &[String]) -> impl Iterator<Item = &[u8]> {
    let shortest = clause.iter().map(String::len).min().unwrap_or_default();
    let first = clause.first().map(String::as_bytes).unwrap_or_default();
    let in_all = |gram: &&[u8]| clause.iter().all(|literal| memmem::find(literal.as_bytes(), gram).is_some());
    let grams = first.windows(shortest.clamp(1, MAX_GRAM));
    grams.filter(in_all)
}

#[cfg(test)]
mod tests {
    use lessons_pattern::prepared;
    use lessons_pattern::trigger::Trigger;

    use super::*;

    fn entry(kind: TriggerKind, text: &str) -> (TriggerKind, Prepared) {
        (kind, prepared::prepare(&Trigger::new(kind, text)).unwrap())
    }

    fn chosen(entries: &[(TriggerKind, Prepared)]) -> Vec<Vec<String>> {
        let mut frequency = Frequency::for_triggers(entries.len());
        for (kind, prepared) in entries {
            frequency.count(*kind, prepared);
        }
        let text = |gram: Vec<u8>| String::from_utf8(gram).unwrap();
        let grams = |(kind, prepared): &(TriggerKind, Prepared)| {
            choose(*kind, prepared, &frequency).grams.into_iter().map(text).collect()
        };
        entries.iter().map(grams).collect()
    }

    #[test]
    fn what_few_triggers_share_is_the_key() {
        let entries = [r"\bgit\s+stash\b", r"\bgit\s+push\b", r"\bnpm\s+push\b"]
            .map(|text| entry(TriggerKind::CommandPattern, text));
        let keys = chosen(&entries);
        assert!(keys[0] == ["stas"] || keys[0] == ["tash"], "{keys:?}");
        assert_eq!(keys[1], ["push"]);
    }

    #[test]
    fn an_alternation_has_a_key_for_each_branch() {
        let keys = chosen(&[entry(TriggerKind::CommandPattern, r"git (?:stash|clean)")]);
        assert_eq!(keys[0].len(), 1, "what both share is one key: {keys:?}");
        let keys = chosen(&[entry(TriggerKind::CommandPattern, r"stash|clean")]);
        assert_eq!(keys[0].len(), 2, "{keys:?}");
    }

    #[test]
    fn what_nothing_is_known_of_has_no_key() {
        assert_eq!(chosen(&[entry(TriggerKind::CommandPattern, r"^\S+$")]), [Vec::<String>::new()]);
        assert_eq!(chosen(&[entry(TriggerKind::CommandPattern, r"a\nb")]), [Vec::<String>::new()]);
        assert_eq!(chosen(&[entry(TriggerKind::CommandPattern, r"(?: |\\\n)stash")])[0].len(), 1);
    }

    #[test]
    fn an_error_is_found_under_keys_that_no_command_has() {
        let keys_of = |pattern: &str| {
            let (kind, prepared) = entry(TriggerKind::ErrorPattern, pattern);
            choose(kind, &prepared, &Frequency::for_triggers(1))
        };
        let chosen = keys_of("ENOENT");
        assert_eq!(chosen.fields, FieldMask::ERROR);
        let grams = chosen.grams.iter().map(|gram| Key::of_gram(gram));
        assert_eq!(chosen.keys, grams.clone().map(Key::in_error).collect::<Vec<_>>());
        assert!(grams.count() > 0);
        assert_eq!(
            keys_of(r"^\S+$").keys,
            [Key::of_any_error()],
            "not among those that are always looked at"
        );
    }
}
