//! The rules in the file of a topic: the list under `## Rules`, or `## Lessons`.

/// The rules of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Topic {
    /// The rules, in their order.
    pub(super) rules: Vec<Rule>,
    /// The line numbers, from 1, of lists outside of the list of rules, which may be rules or not.
    pub(super) strays: Vec<usize>,
}

/// A rule with the evidence that it names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Rule {
    /// The text of the rule, in one line.
    pub(super) text: String,
    /// The lines of the journal that it names, such as `L12`.
    pub(super) evidence: Vec<String>,
    /// Evidence that is no line of the journal.
    pub(super) remark: Option<String>,
}

/// Reads a topic file. Text that is neither a list nor part of a rule is ignored.
pub(super) fn read(markdown: &str) -> Topic {
    let mut topic = Topic::default();
    let mut items: Vec<String> = Vec::new();
    let mut under_rules = false;
    // Whether the line before belongs to a rule, so that this one goes on with it.
    let mut goes_on = false;
    for (at, line) in markdown.lines().enumerate() {
        if let Some((level, title)) = heading(line) {
            if level <= 2 {
                under_rules = level == 2 && is_about_rules(title);
            }
            goes_on = false;
        } else if let Some(text) = item(line) {
            if under_rules {
                items.push(text.to_owned());
            } else {
                topic.strays.push(at + 1);
            }
            goes_on = under_rules;
        } else if line.trim().is_empty() {
            goes_on = false;
        } else if let Some(last) = items.last_mut().filter(|_| goes_on) {
            last.push(' ');
            last.push_str(line.trim());
        }
    }
    topic.rules = items.iter().map(|item| rule(item)).collect();
    topic
}

/// The level and the title of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(char::is_whitespace)).then(|| (level, title.trim()))
}

fn is_about_rules(title: &str) -> bool {
    let end = title.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(title.len());
    let first = title.get(..end).unwrap_or_default();
    first.eq_ignore_ascii_case("rules") || first.eq_ignore_ascii_case("lessons")
}

/// The text of a list item: the part behind a number with `.` or `)`, or behind `-`, `*` or `+`.
fn item(line: &str) -> Option<&str> {
    let start = line.trim_start_matches(' ');
    if line.len() - start.len() > 3 {
        return None;
    }
    let digits = start.bytes().take_while(u8::is_ascii_digit).count();
    let after = match digits {
        0 => start.strip_prefix(['-', '*', '+']),
        _ => start.get(digits..).and_then(|rest| rest.strip_prefix(['.', ')'])),
    };
    let text = after.filter(|text| text.starts_with(char::is_whitespace))?.trim();
    (!text.is_empty()).then_some(text)
}

/// Splits the named evidence off the end of a rule.
fn rule(item: &str) -> Rule {
    let mut rule = Rule { text: item.trim().to_owned(), ..Rule::default() };
    let mut remarks = Vec::new();
    let mut named: Vec<Vec<String>> = Vec::new();
    while let Some((before, inside)) = evidence(&rule.text) {
        let lines = lines_of(inside);
        if lines.is_empty() {
            remarks.push(format!("Evidence: {inside}"));
        }
        let length = before.len();
        named.push(lines);
        rule.text.truncate(length);
    }
    rule.evidence = named.into_iter().rev().flatten().collect();
    remarks.reverse();
    rule.remark = (!remarks.is_empty()).then(|| remarks.join("\n"));
    rule
}

/// Returns the text before a final `(Evidence …)`, and the text within it.
fn evidence(text: &str) -> Option<(&str, &str)> {
    let (before, inside) = text.trim_end().strip_suffix(')')?.rsplit_once("(Evidence")?;
    let inside = inside.strip_prefix(':').unwrap_or(inside);
    let is_one =
        inside.starts_with(char::is_whitespace) && !inside.contains(')') && !inside.trim().is_empty();
    is_one.then(|| (before.trim_end(), inside.trim()))
}

/// Returns the journal lines that are named: `L` and digits.
fn lines_of(text: &str) -> Vec<String> {
    let parts = text.match_indices('L').filter_map(|(at, _)| {
        let rest = text.get(at + 1..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| text.get(at..=at + digits)).flatten()
    });
    parts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(markdown: &str) -> (Vec<String>, Vec<usize>) {
        let topic = read(markdown);
        (topic.rules.into_iter().map(|rule| rule.text).collect(), topic.strays)
    }

    #[test]
    fn a_rule_is_an_item_under_its_heading_with_the_lines_that_go_on() {
        let markdown = "# A\n\nIntro.\n\n## Rules for all\n\n1. One\n   and more.\n2) Two.\n- Three.\n\nNo rule.\n### Deeper\n* Four.\n    - no item\n\
                        ## Rulesets\n\n1. Stray.\n- too\n";
        let (rules, strays) = texts(markdown);
        assert_eq!(rules, ["One and more.", "Two.", "Three.", "Four. - no item"]);
        assert_eq!(strays, [18, 19]);
    }

    #[test]
    fn what_is_no_list_is_no_rule() {
        let (rules, strays) = texts("## Lessons\r\n1.One\r\n-dash\r\n1. \r\n#hash\r\n1. Yes\r\n");
        assert_eq!((rules, strays), (vec!["Yes".to_owned()], vec![]));
    }

    #[test]
    fn evidence_is_taken_off_the_end_in_its_order() {
        let rule = rule("Do (not) this (Evidence L1, L22) (Evidence: talk) (Evidence L3)");
        assert_eq!((rule.text.as_str(), rule.evidence.join(" ").as_str()), ("Do (not) this", "L1 L22 L3"));
        assert_eq!(rule.remark.as_deref(), Some("Evidence: talk"));
        for kept in
            ["Do it (Evidence)", "Do it (EvidenceL1)", "Look (Evidence L1) here", "Nest (Evidence (L1))"]
        {
            assert_eq!(super::rule(kept).text, kept);
        }
    }
}
