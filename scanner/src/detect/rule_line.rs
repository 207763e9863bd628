//! The rules in Markdown: the lines that tell what always or never to do.

/// A rule in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RuleLine {
    /// The sentences of the rule, without bullets.
    pub(super) text: String,
    /// Whether it is set off in bold.
    pub(super) is_bold: bool,
    /// Whether it names code.
    pub(super) has_code: bool,
    /// The heading above it.
    pub(super) heading: Option<String>,
}

/// The length from which a line may be wrapped, in bytes.
const WRAPPED: usize = 60;
/// The words with which a rule begins, in lower case.
const BEGINNINGS: &str = "always|never|do not|don't|avoid|must not|must|only use|prefer|use|before|run|default to|\
     make sure|ensure|stop|no|you must|you should|keep";
/// Of these, those that are a rule only with something that they forbid or put in the place of something.
const WEAK: &str = "use|before|run|make sure|ensure|no|keep|must|you should|prefer";
/// What is put in front of a rule.
const LABELS: &str = "important|critical|note|warning|rule|caution|attention|must|constraint|exception|gotcha|\
     remember|lesson|caveat";

/// The rules among these lines, which are not fenced.
pub(super) fn rule_lines(lines: &[&str]) -> Vec<RuleLine> {
    let mut fence = crate::tag::Fence::default();
    let mut rules = Vec::new();
    let mut heading = None;
    for (at, line) in lines.iter().enumerate() {
        let was_open = fence.is_open();
        fence.process(line);
        if was_open || fence.is_open() {
            continue;
        }
        let line = line.trim();
        if line.starts_with('#') {
            heading = Some(line.trim_matches(['#', ' ']).to_owned()).filter(|title| !title.is_empty());
        }
        let body = line.trim_start_matches(['-', '*', '+', '>', ' ']);
        let is_bold = line.trim_start_matches(['-', '+', '>', ' ']).starts_with("**");
        let body = without_label(&body.replace("**", ""));
        if !is_rule(&body) {
            continue;
        }
        // A wrapped line goes on in the next.
        let mut text = body;
        for next in lines.iter().skip(at + 1) {
            let next = next.trim();
            let begins = next.is_empty()
                || next.starts_with(['-', '*', '#', '`', '|', '>'])
                || next.starts_with(|c: char| c.is_ascii_digit());
            let goes_on = next.starts_with(char::is_lowercase) || text.len() >= WRAPPED;
            if begins || !goes_on || text.ends_with(['.', ':']) {
                break;
            }
            text.push(' ');
            text.push_str(next);
        }
        let has_code = text.contains('`');
        rules.push(RuleLine { text, is_bold, has_code, heading: heading.clone() });
    }
    rules
}

fn without_label(text: &str) -> String {
    if let Some((label, rest)) = text.split_once(':') {
        let words = label.split_whitespace().count();
        let lower = label.to_lowercase();
        if words <= 4 && LABELS.split('|').any(|name| lower.contains(name)) && !rest.trim().is_empty() {
            return rest.trim().to_owned();
        }
    }
    text.trim().to_owned()
}

fn is_rule(text: &str) -> bool {
    let lower = text.to_lowercase();
    let begins = |word: &&str| lower.strip_prefix(word).is_some_and(|rest| rest.starts_with(' '));
    let Some(beginning) = BEGINNINGS.split('|').find(begins) else { return false };
    let forbids = ["never", "do not", "don't", " not ", "instead", "rather than", "avoid", "only", "must"]
        .iter()
        .any(|word| lower[beginning.len()..].contains(word));
    let is_long_enough = text.split_whitespace().count() >= 4;
    is_long_enough && (!WEAK.split('|').any(|weak| weak == beginning) || forbids)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[&str]) -> Vec<String> {
        rule_lines(lines).into_iter().map(|rule| rule.text).collect()
    }

    #[test]
    fn a_rule_says_what_always_or_never_to_do() {
        let lines = [
            "- **Never use `x()`** in hooks",
            "IMPORTANT: Do not run the load test",
            "Use a pool instead of a thread",
        ];
        let expected =
            ["Never use `x()` in hooks", "Do not run the load test", "Use a pool instead of a thread"];
        assert_eq!(texts(&lines), expected);
        assert_eq!(
            texts(&["Never push to main", "without a review", "", "More"]),
            ["Never push to main without a review"]
        );
        let rule = rule_lines(&["## Style", "**Always use `y`** for that"]).remove(0);
        assert!(rule.is_bold && rule.has_code && rule.heading.as_deref() == Some("Style"));
    }

    #[test]
    fn a_description_is_no_rule() {
        for line in [
            "The worker never calls the queue",
            "- Run `make`",
            "Use the client",
            "## Always",
            "Keep it short",
        ] {
            assert!(texts(&[line]).is_empty(), "{line}");
        }
        assert!(texts(&["```", "Never do that at all", "```"]).is_empty());
    }
}
