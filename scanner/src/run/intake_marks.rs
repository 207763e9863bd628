//! The marks of a tag: what speaks against its worth. They order candidates; they refuse nothing.

use std::collections::BTreeMap;

use lessons_ledger::{Doubt, Finding};
use lessons_lesson::lesson::MAIN;

/// The mark of a tag that does not say why it is worth keeping.
pub const UNREASONED: &str = "unreasoned";
/// The mark of a tag that names nothing: it holds anywhere, so an engineer knows it.
pub const GENERIC: &str = "generic";
/// The mark of a tag about a state that passes.
pub const PASSING: &str = "passing";
/// The mark of a tag about what is another agent's business.
pub const OUT_OF_DOMAIN: &str = "out-of-domain";

/// The mark of a tag whose trigger no call of its tool can show.
pub const UNAIMED: &str = "unaimed";

/// Words that speak of a state that passes, in lower case.
const PASSING_WORDS: [&str; 4] = ["for now", "temporary", "temporarily", "workaround"];

/// The topics and tags that are the business of each agent, by its type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentDomains(pub BTreeMap<String, Vec<String>>);

impl AgentDomains {
    /// The agent whose business tags are. `None` where they are nobody's.
    pub fn owner(&self, tags: &[String]) -> Option<&str> {
        self.0.iter().find(|(_, domains)| concern(tags, domains)).map(|(agent, _)| agent.as_str())
    }

    /// Whether tags are outside of the business of an agent that has one.
    pub fn excludes(&self, agent: &str, tags: &[String]) -> bool {
        !tags.is_empty() && self.0.get(agent).is_some_and(|domains| !concern(tags, domains))
    }
}

/// Whether one of the tags, as a whole or without its category, is one of the domains.
fn concern(tags: &[String], domains: &[String]) -> bool {
    let bare = |tag: &str| tag.split_once(':').map_or(tag, |(_, value)| value).to_owned();
    tags.iter().any(|tag| domains.iter().any(|domain| domain == tag || *domain == bare(tag)))
}

/// The marks of what an agent of this type wrote as a tag; `None` is the main thread.
pub fn marks(finding: &Finding, agent: Option<&str>, domains: &AgentDomains) -> Vec<Doubt> {
    let agent = agent.unwrap_or(MAIN);
    let texts = [finding.mistake.as_str(), finding.fix.as_str()];
    // What could be looked up: a code span, path, option, identifier or number.
    let names_something = |text: &str| text.contains('`') || text.split_whitespace().any(is_name);
    let is_aimed = finding.trigger.is_some() || finding.path.is_some();
    let owner = domains.owner(&finding.tags).map(|owner| format!(", which is for {owner}"));
    let outside = format!("is about something that {agent} is not for{}", owner.unwrap_or_default());
    let unnamed = !is_aimed && !texts.into_iter().any(names_something);
    let unaimed = is_aimed && finding.proposal.triggers.is_empty();
    let unaimed_means =
        "has a `trigger:` that no call of its `tool:` can show, so it would be told when a session starts";
    let unreasoned = finding.insight.worth.is_none();
    let marks = [
        unreasoned.then_some((UNREASONED, "does not say why it is worth keeping (`worth:`)")),
        unnamed.then_some((GENERIC, "names no command, path, option, name or number")),
        unaimed.then_some((UNAIMED, unaimed_means)),
        texts.into_iter().any(speaks_of_passing).then_some((PASSING, "speaks of a state that passes")),
        domains.excludes(agent, &finding.tags).then_some((OUT_OF_DOMAIN, outside.as_str())),
    ];
    let doubt = |(name, meaning): (&str, &str)| Doubt { name: name.into(), meaning: meaning.into() };
    marks.into_iter().flatten().map(doubt).collect()
}

fn is_name(word: &str) -> bool {
    let word =
        word.trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '(' | ')' | '"' | '\''));
    let is_option = word.starts_with('-') && word.bytes().any(|byte| byte.is_ascii_alphanumeric());
    let pairs = || word.as_bytes().windows(2);
    let is_camel_case = pairs().any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_joined = word.contains(['/', '_', '.', '@', '=']) || word.contains("::");
    is_option || is_camel_case || is_joined || word.bytes().any(|byte| byte.is_ascii_digit())
}

fn speaks_of_passing(text: &str) -> bool {
    let text = text.to_lowercase();
    let until_fixed = text.split(['.', ';']).any(|sentence| {
        sentence.split_once("until ").is_some_and(|(_, rest)| rest.split_whitespace().any(|it| it == "fixed"))
    });
    until_fixed || PASSING_WORDS.iter().any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use lessons_ledger::candidates::Insight;
    use lessons_pattern::trigger::{Trigger, TriggerKind};

    use super::*;

    fn finding(mistake: &str, fix: &str) -> Finding {
        let insight = Insight { worth: Some("it comes back".into()), ..Insight::default() };
        Finding { mistake: mistake.into(), fix: fix.into(), insight, ..Finding::default() }
    }

    fn names(finding: &Finding, agent: Option<&str>, domains: &AgentDomains) -> Vec<String> {
        marks(finding, agent, domains).into_iter().map(|mark| mark.name).collect()
    }

    fn of(mistake: &str, fix: &str) -> Vec<String> {
        names(&finding(mistake, fix), None, &AgentDomains::default())
    }

    #[test]
    fn a_tag_without_a_reason_is_marked() {
        let mut finding = finding("the build of acme-core fails", "set ACME_ROOT=1");
        assert_eq!(names(&finding, None, &AgentDomains::default()), [] as [&str; 0]);
        finding.insight.worth = None;
        assert_eq!(names(&finding, None, &AgentDomains::default()), [UNREASONED]);
    }

    #[test]
    fn advice_that_names_nothing_is_generic_unless_it_has_a_trigger() {
        assert_eq!(of("The code was not clean.", "Always write clean code."), [GENERIC]);
        for fix in [
            "use `jq`",
            "look into src/main.rs",
            "pass --locked",
            "call readAll",
            "set max_size",
            "use std::fs",
            "wait 30 seconds",
        ] {
            assert_eq!(of("it went wrong", fix), [] as [&str; 0], "{fix}");
        }
        let mut aimed = finding("it went wrong", "Always write clean code");
        aimed.trigger = Some("git push".into());
        assert_eq!(names(&aimed, None, &AgentDomains::default()), [UNAIMED], "nothing shows it");
        aimed.proposal.triggers = vec![Trigger::new(TriggerKind::CommandPattern, "git push")];
        assert_eq!(names(&aimed, None, &AgentDomains::default()), [] as [&str; 0]);
    }

    #[test]
    fn what_holds_only_for_a_while_is_marked() {
        for fix in
            ["Pin acme 1.2 for now", "Use the workaround in a.sh", "Skip b.rs until the parser is fixed"]
        {
            assert_eq!(of("acme 1.3 fails", fix), [PASSING], "{fix}");
        }
        assert_eq!(
            of("acme 1.3 fails", "Wait until port 80 answers. A fixed delay is no help"),
            [] as [&str; 0]
        );
    }

    #[test]
    fn what_is_another_agents_business_is_marked_and_names_the_agent() {
        let domains = AgentDomains(BTreeMap::from([
            ("Explore".to_owned(), vec!["search".to_owned()]),
            ("dba".to_owned(), vec!["sql".to_owned()]),
        ]));
        let mut finding = finding("the index on a_b is not used", "cast it");
        assert_eq!(names(&finding, Some("Explore"), &domains), [] as [&str; 0], "without tags");
        finding.tags = vec!["topic:sql".into()];
        let marked = marks(&finding, Some("Explore"), &domains);
        assert_eq!((marked[0].name.as_str(), marked.len()), (OUT_OF_DOMAIN, 1));
        assert!(marked[0].meaning.ends_with("which is for dba"), "{}", marked[0].meaning);
        assert_eq!(names(&finding, Some("dba"), &domains), [] as [&str; 0]);
        assert_eq!(names(&finding, None, &domains), [] as [&str; 0], "the main thread has no domain");
        assert_eq!((domains.owner(&finding.tags), domains.owner(&[])), (Some("dba"), None));
    }
}
