//! Random expressions in the language of compiled patterns, whatever a translation may write, and texts
//! that they match.

use proptest::prelude::*;
use regex_syntax::hir::{Class, Hir, HirKind};

/// What an expression is made of: letters with odd relatives in other cases (`K`, `ſ`, `İ`, the Kelvin
/// sign), classes, assertions.
const LEAVES: &[&str] = &[
    "a",
    "b",
    "k",
    "K",
    "s",
    "ſ",
    "i",
    "I",
    "İ",
    "ı",
    r"\x{212A}",
    "é",
    "É",
    "σ",
    "ς",
    "😀",
    "git",
    "push ",
    "-",
    " ",
    "[a-c]",
    "[^a]",
    "[kx]",
    "[0-9]",
    "[Ss]",
    r"[\t-\r \x{A0}]",
    BLANK,
    NO_BLANK,
    ".",
    r"[^\n\r\x{2028}\x{2029}]",
    "(?s:.)",
    r"(?-u:\b)",
    r"(?-u:\B)",
    r"\A",
    r"\z",
    "(?:)",
];
/// JavaScript's `\s` and `\S`.
const BLANK: &str =
    r"[\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]";
const NO_BLANK: &str =
    r"[^\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]";
const TIMES: &[&str] = &["?", "*", "+", "??", "*?", "{2}", "{0}", "{1,3}", "{2,}", "{0,2}", "{20}", "{3,9}"];

/// An expression. Some are refused.
pub(crate) fn expression() -> impl Strategy<Value = String> {
    prop::sample::select(LEAVES).prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            2 => (inner.clone(), prop::sample::select(TIMES)).prop_map(|(part, times)| format!("(?:{part}){times}")),
            1 => inner.clone().prop_map(|part| format!("(?i:{part})")),
            1 => inner.prop_map(|part| format!("(?i:{part})")),
        ]
    })
}

/// A text of characters that tell the expressions apart.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let chars = "abkKsſiIİı\u{212A}éÉσς😀gitpush -0\n\r\t\u{A0}\u{2028}\u{3000}_".chars().collect::<Vec<_>>();
    prop::collection::vec(prop::sample::select(chars), 0..12).prop_map(|chars| chars.into_iter().collect())
}

/// A text that `hir` matches if its assertions hold there, chosen by `choices`.
pub(crate) fn matched(hir: &Hir, choices: &[usize]) -> String {
    let mut out = Vec::new();
    write(hir, &mut choices.iter().copied(), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn write(hir: &Hir, choices: &mut dyn Iterator<Item = usize>, out: &mut Vec<u8>) {
    let mut choose = |below: usize| choices.next().unwrap_or(0) % below.max(1);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.extend_from_slice(&literal.0),
        HirKind::Class(Class::Unicode(class)) => {
            let Some(range) = class.ranges().get(choose(class.ranges().len())) else { return };
            let member = if choose(2) == 0 { range.start() } else { range.end() };
            out.extend_from_slice(member.encode_utf8(&mut [0; 4]).as_bytes());
        }
        HirKind::Class(Class::Bytes(class)) => {
            let Some(range) = class.ranges().get(choose(class.ranges().len())) else { return };
            out.push(if choose(2) == 0 { range.start() } else { range.end() });
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(repetition.min + 2) - repetition.min;
            let times = repetition.min as usize + choose(most as usize + 1);
            (0..times).for_each(|_| write(&repetition.sub, choices, out));
        }
        HirKind::Capture(capture) => write(&capture.sub, choices, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, choices, out)),
        HirKind::Alternation(branches) => {
            if let Some(branch) = branches.get(choose(branches.len())) {
                write(branch, choices, out);
            }
        }
    }
}
