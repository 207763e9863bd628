//! The older layout of lessons graphs: `index.yaml`, `topics/*.md` and `journal.md`.
//!
//! The index has, for each topic, a summary, the file of its rules and the triggers of all of them; the file of a topic
//! lists the rules, under `## Rules` or `## Lessons`. The rules name lines of the journal as evidence; the journal itself is
//! not read. A rule that cannot be a lesson is a fault. With a fault nothing of the layout is imported, and all faults are
//! reported together.

use std::collections::{BTreeMap, BTreeSet};

use lessons_lesson::{Lesson, LessonId, TopicId};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_text::neutral;
use serde::Deserialize;

use crate::capture::union;
use crate::graph::Graph;
use crate::graph::problem::{self, NodeKind, shown};

/// The faults that keep the layout from being read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing was imported, as not all of it can be: {}", problem::listed(.0, 10))]
pub struct Faults(pub Vec<String>);

/// The content of `index.yaml`. Numbers are read as texts.
#[derive(Deserialize)]
struct Index {
    version: String,
    clusters: Vec<Cluster>,
}

/// A topic of the index.
#[derive(Deserialize)]
struct Cluster {
    topic: String,
    file: String,
    summary: String,
    triggers: TriggerLists,
}

/// The triggers of all rules of a topic. A list may be missing or without a value.
#[derive(Deserialize)]
struct TriggerLists {
    file_globs: Option<Vec<String>>,
    command_patterns: Option<Vec<String>>,
    keywords: Option<Vec<String>>,
}

impl TriggerLists {
    /// Returns the triggers without duplicates, in the order of a lesson.
    fn triggers(self) -> Vec<Trigger> {
        let mut triggers = Vec::new();
        for (kind, patterns) in [
            (TriggerKind::FileGlob, self.file_globs),
            (TriggerKind::CommandPattern, self.command_patterns),
            (TriggerKind::Keyword, self.keywords),
        ] {
            let given: Vec<Trigger> = patterns.iter().flatten().map(|it| Trigger::new(kind, it)).collect();
            union(&mut triggers, &given);
        }
        triggers
    }
}

/// Reads the layout: the bytes of its index and those of the files in `topics/`, by their names. `created_at` is
/// the day of the import, RFC 3339, as the layout does not say when a rule was made.
pub fn read_older(
    index: &[u8],
    files: &BTreeMap<String, Vec<u8>>,
    created_at: &str,
) -> Result<Graph, Faults> {
    let Index { version, clusters } = serde_saphyr::from_slice(index).map_err(|error| {
        // The lines behind the first quote the file, and the end of one sentence is for programmers.
        let error = error.to_string();
        let what = error.lines().next().and_then(|line| line.split(", set DuplicateKeyPolicy").next());
        let what = what.unwrap_or_default().trim_start_matches("error: ");
        Faults(vec![format!("index.yaml: {}", neutral::line(what))])
    })?;
    let mut graph = Graph::empty("index.yaml");
    let mut faults = Vec::new();
    if version != "1" {
        let version = shown(&version);
        faults.push(format!("index.yaml: it has version {version}, and this program reads 1"));
    }
    let mut read = BTreeSet::new();
    for (cluster, number) in clusters.into_iter().zip(1..) {
        match cluster.lessons(&mut graph, files, &mut read, created_at) {
            Ok(of_file) => faults.extend(of_file),
            Err(why) => faults.push(format!("index.yaml, cluster {number}: {why}")),
        }
    }
    let unnamed = files.keys().filter(|name| !read.contains(*name));
    faults.extend(unnamed.map(|name| format!("topics/{}: index.yaml does not name it", shown(name))));
    if faults.is_empty() { Ok(graph) } else { Err(Faults(faults)) }
}

impl Cluster {
    /// Adds the topic and its lessons to a graph. Returns the faults of the topic's file; fails with one of its own.
    fn lessons(
        self,
        graph: &mut Graph,
        files: &BTreeMap<String, Vec<u8>>,
        read: &mut BTreeSet<String>,
        created_at: &str,
    ) -> Result<Vec<String>, String> {
        let topic = TopicId::new(self.topic.trim()).map_err(|error| error.to_string())?;
        let name = file_name(self.file.trim())?;
        let summary = self.summary.trim();
        if summary.is_empty() {
            return Err("its `summary` is empty".to_owned());
        }
        if graph.node(NodeKind::Topic, topic.as_str()).is_some() {
            return Err(format!("the topic {topic} is there twice"));
        }
        let place = format!("topics/{}", shown(name));
        let bytes = files.get(name).ok_or_else(|| format!("{place} is missing"))?;
        if !read.insert(name.to_owned()) {
            return Err(format!("{place} belongs to another topic already"));
        }
        graph.set_topic(&topic, summary);
        let Ok(markdown) = std::str::from_utf8(bytes) else {
            return Ok(vec![format!("{place}: it is not UTF-8; save it as UTF-8")]);
        };
        let (items, strays) = items(markdown);
        let stray = |line: usize| {
            format!("{place}: line {line}: a list outside of `## Rules`; move it there or take it out")
        };
        let mut faults: Vec<String> = strays.into_iter().map(stray).collect();
        let triggers = self.triggers.triggers();
        for (item, number) in items.iter().zip(1..) {
            let Rule { text, evidence, remark } = rule(item);
            let id = LessonId::new(&format!("{topic}-rule-{number}")).map_err(|error| error.to_string())?;
            let mut lesson = Lesson::new(id, text, topic.clone(), created_at);
            lesson.triggers.clone_from(&triggers);
            lesson.detail = remark;
            lesson.evidence.push(format!("legacy:.agentsmesh/lessons/topics/{topic}.md#rule-{number}"));
            lesson.evidence.extend(evidence.into_iter().map(|line| format!("legacy:{line}")));
            if let Err(error) = graph.put(&lesson) {
                faults.push(format!("{place}, rule {number}: {error}"));
            }
        }
        Ok(faults)
    }
}

/// The name of a topic's file. The index gives its path from the root of the project; whatever the path is, the file is
/// read from the folder `topics` beside the index.
fn file_name(path: &str) -> Result<&str, String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_there = folder == "topics" || folder.ends_with("/topics");
    if !is_there || name.strip_suffix(".md").is_none() || name.starts_with('.') {
        return Err(format!("its file `{}` is not topics/NAME.md", shown(path)));
    }
    Ok(name)
}

/// The items of the list of rules, and the line numbers, from 1, of lists elsewhere, which may be rules or not. Text that
/// is neither a list nor part of an item is ignored.
fn items(markdown: &str) -> (Vec<String>, Vec<usize>) {
    let (mut items, mut strays) = (Vec::<String>::new(), Vec::new());
    let mut under_rules = false;
    // Whether the line before belongs to a rule, so that this one goes on with it.
    let mut goes_on = false;
    for (line, number) in markdown.lines().zip(1..) {
        if let Some((level, title)) = heading(line) {
            if level <= 2 {
                under_rules = level == 2 && is_about_rules(title);
            }
            goes_on = false;
        } else if let Some(text) = item(line) {
            if under_rules {
                items.push(text.to_owned());
            } else {
                strays.push(number);
            }
            goes_on = under_rules;
        } else if line.trim().is_empty() {
            goes_on = false;
        } else if let Some(last) = items.last_mut().filter(|_| goes_on) {
            last.push(' ');
            last.push_str(line.trim());
        }
    }
    (items, strays)
}

/// The level and the title of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(char::is_whitespace)).then(|| (level, title.trim()))
}

fn is_about_rules(title: &str) -> bool {
    let first = title.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    first.eq_ignore_ascii_case("rules") || first.eq_ignore_ascii_case("lessons")
}

/// The text of a list item: the part behind a number with `.` or `)`, or behind `-`, `*` or `+`.
fn item(line: &str) -> Option<&str> {
    let start = line.trim_start_matches(' ');
    let digits = start.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = if digits.len() < start.len() {
        digits.strip_prefix(['.', ')'])
    } else {
        start.strip_prefix(['-', '*', '+'])
    };
    let text = after.filter(|text| text.starts_with(char::is_whitespace))?.trim();
    (line.len() - start.len() <= 3 && !text.is_empty()).then_some(text)
}

/// A rule with the evidence that it names.
struct Rule {
    /// The text of the rule, in one line.
    text: String,
    /// The lines of the journal that it names, such as `L12`.
    evidence: Vec<String>,
    /// Evidence that is no line of the journal.
    remark: Option<String>,
}

/// Splits the named evidence off the end of a rule.
fn rule(item: &str) -> Rule {
    let mut text = item.trim();
    let (mut remarks, mut named) = (Vec::new(), Vec::new());
    while let Some((before, inside)) = evidence(text) {
        let lines = lines_of(inside);
        if lines.is_empty() {
            remarks.insert(0, format!("Evidence: {inside}"));
        }
        named.splice(0..0, lines);
        text = before;
    }
    let remark = (!remarks.is_empty()).then(|| remarks.join("\n"));
    Rule { text: text.to_owned(), evidence: named, remark }
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
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    let numbers = text.split('L').skip(1).map(digits).filter(|digits| !digits.is_empty());
    numbers.map(|digits| format!("L{digits}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interchange::import;

    const INDEX: &str = r#"
version: 1
clusters:
  - topic: present
    file: .agentsmesh/lessons/topics/present.md
    summary: Present topic.
    triggers:
      file_globs: ["src/**", "src/**"]
      command_patterns:
        - '\bpnpm test\b'
      keywords: []
  - topic: other
    file: .agentsmesh/lessons/topics/other.md
    summary: >-
      The other
      topic.
    triggers: { file_globs: [], command_patterns: [], keywords: [frob push] }
"#;
    const PRESENT: &str = "# Present\n\n## Rules\n\n1. Do the thing. (Evidence: see the design doc)\n2. Say why,\n   always. (Evidence L12) \
                           (Evidence L3, L4)\n\n## Notes\n\nIgnore me.\n";

    fn files(present: &str, other: &str) -> BTreeMap<String, Vec<u8>> {
        [("present.md", present), ("other.md", other)]
            .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
            .into()
    }

    fn faults(index: &str, files: &BTreeMap<String, Vec<u8>>) -> String {
        read_older(index.as_bytes(), files, "2026-06-05").unwrap_err().to_string()
    }

    #[test]
    fn every_rule_becomes_a_lesson_that_knows_where_it_comes_from() {
        let files = files(PRESENT, "## Lessons\n- Frob with care.\n");
        let graph = read_older(INDEX.as_bytes(), &files, "2026-06-05").unwrap();
        let topics: Vec<_> = graph.topics().collect();
        assert_eq!(topics, [("other", "The other topic."), ("present", "Present topic.")]);
        let lesson = |id: &str| graph.get(&LessonId::new(id).unwrap()).unwrap();
        let first = lesson("present-rule-1");
        assert_eq!(first.rule, "Do the thing.");
        assert_eq!(first.evidence, ["legacy:.agentsmesh/lessons/topics/present.md#rule-1"]);
        assert_eq!(first.detail.as_deref(), Some("Evidence: see the design doc"));
        let triggers: Vec<_> = first.triggers.iter().map(|it| (it.kind, it.pattern.as_str())).collect();
        assert_eq!(
            triggers,
            [(TriggerKind::FileGlob, "src/**"), (TriggerKind::CommandPattern, r"\bpnpm test\b")]
        );
        let second = lesson("present-rule-2");
        assert_eq!(second.rule, "Say why, always.");
        assert_eq!(second.evidence[1..], ["legacy:L12", "legacy:L3", "legacy:L4"]);
        assert_eq!(lesson("other-rule-1").rule, "Frob with care.");
        assert_eq!(graph.lessons().len(), 3);
    }

    #[test]
    fn all_of_it_goes_in_as_a_graph_does() {
        let files = files(PRESENT, "## Rules\n1. Frob with care.\n");
        let graph = read_older(INDEX.as_bytes(), &files, "2026-06-05").unwrap();
        let mut own = Graph::empty("lessons.json");
        let imported = import(&mut own, "index.yaml", &graph.to_bytes(), &mut |_| Ok(Vec::new())).unwrap();
        assert_eq!(imported.added.len(), 3);
        let again = import(&mut own, "index.yaml", &graph.to_bytes(), &mut |_| Ok(Vec::new())).unwrap();
        assert_eq!((again.added.len(), again.joined.len()), (0, 0));
    }

    #[test]
    fn whatever_is_wrong_is_said_at_once_and_nothing_comes_in() {
        let mut files = files(PRESENT, "## Rules\n1. Frob.\n## Notes\n- stray\n");
        files.insert("third.md".into(), b"## Rules\n1. Lost?\n".to_vec());
        let index = INDEX.replace("topic: present", "topic: ../x").replace("version: 1", "version: 2");
        let told = faults(&index, &files);
        for part in [
            "it has version 2",
            "cluster 1: `../x` is not an id",
            "topics/other.md: line 4: a list outside",
            "topics/third.md: index.yaml does not name it",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        files.remove("other.md");
        assert!(faults(INDEX, &files).contains("topics/other.md is missing"));
    }

    #[test]
    fn no_other_file_is_read_than_one_in_topics() {
        for path in ["/etc/passwd", "topics/../../secret.md", "../secret.md", "topics/.md", "topics/a.txt"] {
            let index = INDEX.replace(".agentsmesh/lessons/topics/present.md", path);
            let told = faults(&index, &files(PRESENT, "## Rules\n1. Frob.\n"));
            assert!(told.contains("is not topics/NAME.md") || told.contains("is missing"), "{path}: {told}");
        }
    }

    #[test]
    fn a_faulty_index_is_refused_and_fast() {
        let many = |line: &str| format!("version: 1\n{}clusters: []\n", line.repeat(100_000));
        let endless = format!(
            "version: 1\nclusters: []\na: &a [{0}]\nb: &b [{1}]\nc: &c [{2}]\nd: [{3}]\n",
            "x,".repeat(200),
            "*a,".repeat(200),
            "*b,".repeat(200),
            "*c,".repeat(200)
        );
        for index in [
            "",
            "version: 1\n",
            "[",
            "version: 1\nclusters: {}\n",
            &"[".repeat(1_000_000),
            &many("a: 1\n"),
            &endless,
        ] {
            assert!(faults(index, &BTreeMap::new()).contains("index.yaml: "));
        }
        let hidden = faults("version: 1\nversion: 2\u{1b}[2J\n", &BTreeMap::new());
        assert!(hidden.ends_with("index.yaml: line 2 column 1: duplicate mapping key: version"), "{hidden}");
        assert!(faults("version: 1\nclusters: []\n", &files("", "")).contains("does not name it"));
    }

    #[test]
    fn two_topics_cannot_share_a_file() {
        let index = INDEX.replace("topics/other.md", "topics/present.md");
        assert!(faults(&index, &files(PRESENT, "")).contains("belongs to another topic already"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn whatever_stands_there_it_is_a_graph_or_faults(
            index in "(version: 1\n|clusters:\n|  - topic: a\n|    file: topics/a.md\n|    summary: >\n|      x\n|    triggers:\n\
                      |      keywords: [a b]\n|[-\\[\\]{}:&*!|>'\"%@ \n\ta-c0]){0,24}",
            text in "(## Rules\n|# T\n|1. |- |\\(Evidence L1\\)|\\(Evidence: x\\)|[ \n()a-cL1.]){0,24}",
        ) {
            let files = [("a.md".to_owned(), text.into_bytes())].into();
            match read_older(index.as_bytes(), &files, "2026-06-05") {
                Ok(graph) => {
                    let bytes = graph.to_bytes();
                    let back = Graph::parse("x", &bytes, crate::graph::Origin::Own).unwrap();
                    prop_assert!(back.lessons().eq(graph.lessons()));
                }
                Err(Faults(faults)) => prop_assert!(!faults.is_empty()),
            }
        }
    }
}

#[cfg(test)]
mod topic_tests {
    use super::*;

    fn texts(markdown: &str) -> (Vec<String>, Vec<usize>) {
        let (items, strays) = items(markdown);
        (items.iter().map(|item| rule(item).text).collect(), strays)
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
