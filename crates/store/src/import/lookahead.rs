//! The rewriting of negative look-ahead into `unless`.
//!
//! `A(?!X)` fires on an `A` that is not followed by `X`. Look-ahead cannot be matched in linear time, but a lesson may have
//! an `unless`: fire on `A`, keep quiet on `A(?:X)`. The two differ only on a text that contains `A` both with `X` behind
//! it and without: there the lesson now keeps quiet. At the very start, `^(?!X)A`, they do not differ at all.

/// A pattern without look-ahead, and the patterns that keep it quiet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rewritten {
    /// The pattern on which the lesson fires.
    pub(crate) pattern: String,
    /// The patterns that keep it quiet. They are empty if the source has no look-ahead that can be rewritten.
    pub(crate) unless: Vec<String>,
}

/// Takes negative look-aheads off the end of `source`, or from behind a leading `^`.
///
/// The rest of the pattern is unchanged. If it cannot be matched, the check of patterns refuses it.
pub(crate) fn rewrite(source: &str) -> Rewritten {
    let as_it_was = || Rewritten { pattern: source.to_owned(), unless: Vec::new() };
    let Some(parts) = parts(source) else { return as_it_was() };
    let looks = |part: &Part<'_>| matches!(part, Part::NotAhead(_));
    let ends_with = parts.iter().rev().take_while(|part| looks(part)).count();
    let (before, rest) = match parts.as_slice() {
        [Part::Text("^"), rest @ ..] if rest.first().is_some_and(looks) => ("^", rest),
        [Part::Text(before), rest @ ..] if rest.len() == ends_with => (*before, rest),
        _ => return as_it_was(),
    };
    let unless: Vec<String> = rest
        .iter()
        .filter_map(|part| match part {
            Part::NotAhead(inside) => Some(format!("{before}(?:{inside})")),
            Part::Text(_) => None,
        })
        .collect();
    let after: Vec<&str> =
        rest.iter().filter_map(|part| if let Part::Text(text) = part { Some(*text) } else { None }).collect();
    match after.as_slice() {
        [] if before != "^" => Rewritten { pattern: before.to_owned(), unless },
        [after] if before == "^" && rest.iter().rev().take_while(|part| looks(part)).count() == 0 => {
            Rewritten { pattern: format!("^{after}"), unless }
        }
        _ => as_it_was(),
    }
}

/// A piece of a pattern at its top level.
enum Part<'a> {
    Text(&'a str),
    /// The inside of `(?!…)`.
    NotAhead(&'a str),
}

/// Takes a pattern apart at its negative look-aheads. `None` where that would not be sound: the
/// pattern is a choice (`a|b(?!c)`), or its groups do not close.
fn parts(source: &str) -> Option<Vec<Part<'_>>> {
    let bytes = source.as_bytes();
    let mut parts = Vec::new();
    let mut text_from = 0;
    let mut look_from = None;
    let mut depth = 0_usize;
    let mut in_class = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b']' => in_class = false,
            _ if in_class => {}
            b'[' => in_class = true,
            b'|' if depth == 0 => return None,
            b'(' => {
                if depth == 0 && bytes.get(at..)?.starts_with(b"(?!") {
                    if at > text_from {
                        parts.push(Part::Text(source.get(text_from..at)?));
                    }
                    look_from = Some(at + 3);
                }
                depth += 1;
            }
            b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0
                    && let Some(from) = look_from.take()
                {
                    parts.push(Part::NotAhead(source.get(from..at)?));
                    text_from = at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if depth > 0 || in_class {
        return None;
    }
    if text_from < source.len() {
        parts.push(Part::Text(source.get(text_from..)?));
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(source: &str) -> (String, Vec<String>) {
        let Rewritten { pattern, unless } = rewrite(source);
        (pattern, unless)
    }

    #[test]
    fn a_look_ahead_at_the_end_becomes_unless() {
        assert_eq!(
            rewritten(r"\bpytest\b(?!.*--safe)"),
            (r"\bpytest\b".into(), vec![r"\bpytest\b(?:.*--safe)".into()])
        );
        assert_eq!(rewritten("a(?!b)(?!c|d)"), ("a".into(), vec!["a(?:b)".into(), "a(?:c|d)".into()]));
        assert_eq!(rewritten(r"(x|y[)|(?!])\((?!\))").0, r"(x|y[)|(?!])\(");
    }

    #[test]
    fn a_look_ahead_at_the_start_becomes_unless() {
        assert_eq!(rewritten("^(?!.*--safe).*pytest"), ("^.*pytest".into(), vec!["^(?:.*--safe)".into()]));
    }

    #[test]
    fn what_cannot_be_rewritten_stays_as_it_was() {
        for source in [
            "",
            "a",
            "a(?!b)c",
            "a|b(?!c)",
            "(?!a)b",
            "(?!a)",
            "a(?=b)",
            "(?<!a)b",
            "^(?!a)",
            "^(?!a)b(?!c)",
            "(a(?!b))",
            "a(?!b",
            "a)(?!b)",
            "[a(?!b)",
        ] {
            assert_eq!(rewritten(source), (source.to_owned(), vec![]), "{source}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(source in r"[\^a|()\[\]\\?!é]{0,20}") {
            let Rewritten { pattern, unless } = rewrite(&source);
            proptest::prop_assert!(!unless.is_empty() || pattern == source);
        }
    }
}
