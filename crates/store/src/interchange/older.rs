//! The older layout of lessons graphs: `index.yaml`, `topics/*.md` and `journal.md`.
//!
//! The index has, for each topic, a summary, the file of its rules and the triggers of all of them; the file of a topic
//! lists the rules. The rules name lines of the journal as evidence; the journal itself is not read. A rule that cannot
//! be a lesson is a fault. With a fault nothing of the layout is imported, and all faults are reported together.

mod topic;

use std::collections::{BTreeMap, BTreeSet};

use lessons_lesson::id::{LessonId, TopicId};
use lessons_lesson::lesson::Lesson;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_text::neutral;
use serde::Deserialize;

use crate::graph::Graph;
use crate::problem::{self, shown};

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
        let lists = [
            (TriggerKind::FileGlob, self.file_globs),
            (TriggerKind::CommandPattern, self.command_patterns),
            (TriggerKind::Keyword, self.keywords),
        ];
        let mut triggers = Vec::new();
        for (kind, patterns) in lists {
            for pattern in patterns.into_iter().flatten() {
                let trigger = Trigger::new(kind, pattern);
                if !triggers.contains(&trigger) {
                    triggers.push(trigger);
                }
            }
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
    let mut reading = Reading { files, created_at, graph: Graph::empty("index.yaml"), faults: Vec::new() };
    match serde_saphyr::from_slice(index) {
        Ok(index) => reading.index(index),
        Err(error) => {
            // The lines behind the first quote the file, and the end of one sentence is for programmers.
            let error = error.to_string();
            let what = error.lines().next().and_then(|line| line.split(", set DuplicateKeyPolicy").next());
            let what = what.unwrap_or_default().trim_start_matches("error: ");
            reading.fault("index.yaml", &neutral::line(what));
        }
    }
    if reading.faults.is_empty() { Ok(reading.graph) } else { Err(Faults(reading.faults)) }
}

struct Reading<'r> {
    files: &'r BTreeMap<String, Vec<u8>>,
    created_at: &'r str,
    graph: Graph,
    faults: Vec<String>,
}

impl Reading<'_> {
    fn fault(&mut self, place: &str, what: &str) {
        self.faults.push(format!("{place}: {what}"));
    }

    fn index(&mut self, index: Index) {
        if index.version != "1" {
            let version = shown(&index.version);
            self.fault("index.yaml", &format!("it has version {version}, and this program reads 1"));
        }
        let mut read = BTreeSet::new();
        for (at, cluster) in index.clusters.into_iter().enumerate() {
            let place = format!("index.yaml, cluster {}", at + 1);
            if let Err(why) = self.cluster(cluster, &mut read) {
                self.fault(&place, &why);
            }
        }
        let files = self.files;
        for name in files.keys().filter(|name| !read.contains(*name)) {
            self.fault(&format!("topics/{}", shown(name)), "index.yaml does not name it");
        }
    }

    fn cluster(&mut self, cluster: Cluster, read: &mut BTreeSet<String>) -> Result<(), String> {
        let topic = TopicId::new(cluster.topic.trim()).map_err(|error| error.to_string())?;
        let name = file_name(cluster.file.trim())?;
        let summary = cluster.summary.trim();
        if summary.is_empty() {
            return Err("its `summary` is empty".to_owned());
        }
        if self.graph.topics().any(|(known, _)| known == topic.as_str()) {
            return Err(format!("the topic {topic} is there twice"));
        }
        let bytes = self.files.get(name).ok_or_else(|| format!("topics/{} is missing", shown(name)))?;
        if !read.insert(name.to_owned()) {
            return Err(format!("topics/{} belongs to another topic already", shown(name)));
        }
        let triggers = cluster.triggers.triggers();
        self.graph.set_topic(&topic, summary);
        let place = format!("topics/{}", shown(name));
        let Ok(markdown) = std::str::from_utf8(bytes) else {
            self.fault(&place, "it is not UTF-8; save it as UTF-8");
            return Ok(());
        };
        let file = topic::read(markdown);
        for line in file.strays {
            let what = format!("line {line}: a list outside of `## Rules`; move it there or take it out");
            self.fault(&place, &what);
        }
        for (at, rule) in file.rules.into_iter().enumerate() {
            if let Err(why) = self.rule(&topic, at + 1, rule, &triggers) {
                self.fault(&format!("{place}, rule {}", at + 1), &why);
            }
        }
        Ok(())
    }

    fn rule(
        &mut self,
        topic: &TopicId,
        number: usize,
        rule: topic::Rule,
        triggers: &[Trigger],
    ) -> Result<(), String> {
        let id = LessonId::new(&format!("{topic}-rule-{number}")).map_err(|error| error.to_string())?;
        let mut lesson = Lesson::new(id, rule.text, topic.clone(), self.created_at);
        lesson.triggers = triggers.to_vec();
        lesson.detail = rule.remark;
        lesson.evidence.push(format!("legacy:.agentsmesh/lessons/topics/{topic}.md#rule-{number}"));
        lesson.evidence.extend(rule.evidence.into_iter().map(|line| format!("legacy:{line}")));
        self.graph.put(&lesson).map_err(|error| error.to_string())
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
        let imported = import(&mut own, "index.yaml", &graph.to_bytes(), &mut |_| Ok(())).unwrap();
        assert_eq!(imported.added.len(), 3);
        let again = import(&mut own, "index.yaml", &graph.to_bytes(), &mut |_| Ok(())).unwrap();
        assert_eq!((again.known, again.added.len()), (3, 0));
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
