//! A text that a pattern matches.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use crate::agreeing::Dice;

/// A text that the regular expression matches, as a rule: what it demands of what stands around is not looked at.
/// `None` where Rust reads the pattern differently than JavaScript.
pub(super) fn of_regex(pattern: &str, dice: &mut Dice) -> Option<String> {
    let hir = ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern).ok()?;
    let mut text = Vec::new();
    write(&hir, dice, &mut text);
    String::from_utf8(text).ok()
}

/// A path that the glob matches.
pub(super) fn of_glob(pattern: &str) -> String {
    let mut text = pattern.replace("**/", "some/where/").replace("**", "any/thing").replace('*', "name");
    while let Some((before, (inner, behind))) =
        text.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        text = format!("{before}{}{behind}", inner.split(',').next().unwrap_or_default());
    }
    text.replace('?', "x")
}

fn write(hir: &Hir, dice: &mut Dice, text: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.extend(&literal.0),
        HirKind::Class(class) => text.extend(member(class)),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(1));
            let times = if dice.roll(2) == 0 { repetition.min } else { most };
            (0..times).for_each(|_| write(&repetition.sub, dice, text));
        }
        HirKind::Capture(capture) => write(&capture.sub, dice, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, dice, text)),
        HirKind::Alternation(parts) => write(&parts[dice.roll(parts.len())], dice, text),
    }
}

/// A character of the class: a letter, a digit or a blank where there is one.
fn member(class: &regex_syntax::hir::Class) -> Option<u8> {
    let regex_syntax::hir::Class::Bytes(class) = class else { return None };
    let holds = |byte: u8| class.ranges().iter().any(|range| range.start() <= byte && byte <= range.end());
    let liked = (b'a'..=b'z').rev().chain(b'A'..=b'Z').chain(b'0'..=b'9').chain(*b" \n");
    liked.chain(0..=0x7f).find(|byte| holds(*byte))
}

#[test]
fn a_sample_is_one_of_what_its_pattern_matches() {
    let mut dice = Dice(1);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..100 {
        seen.insert(of_regex(r"^git\s(?:add|rm)\b(?: -[f-h])?$", &mut dice).unwrap());
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["git add", "git add -h", "git rm", "git rm -h"]);
    assert_eq!(of_regex("(?=a)b", &mut dice), None);
    assert_eq!(of_glob("src/**/*.{ts,tsx}"), "src/some/where/name.ts");
}
