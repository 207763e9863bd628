//! The lines that ask the user about withheld texts, once for each.

use lessons_home::{Home, files};
use lessons_lesson::waiting::WithheldNotice;
use lessons_text::neutral;

use super::told;

/// The largest list and the largest record that are read, in bytes.
const LIST_LIMIT: u64 = 64 << 10;
const RECORD_LIMIT: u64 = 64;
/// The most incidents that are asked about at once.
const MOST: usize = 3;
/// The longest line, in characters.
const LINE: usize = 300;

/// The incidents to ask about.
pub(crate) struct Undecided {
    /// The lines.
    pub(crate) text: String,
    /// The time of the newest of them, in milliseconds since 1970.
    newest: u64,
}

impl Undecided {
    /// The withheld incidents that are newer than those that the user was asked about. `None` if there are none.
    pub(crate) fn of(home: &Home) -> Option<Self> {
        let bytes = files::read(&home.withheld_notices(), LIST_LIMIT).ok()??;
        let mut notices: Vec<WithheldNotice> = serde_json::from_slice(&bytes).ok()?;
        let asked = files::read(&home.withheld_told(), RECORD_LIMIT).ok().flatten();
        let asked =
            asked.and_then(|bytes| String::from_utf8(bytes).ok()?.trim().parse::<u64>().ok()).unwrap_or(0);
        notices.retain(|notice| notice.at > asked);
        let newest = notices.iter().map(|notice| notice.at).max()?;
        let mut lines: Vec<String> = notices.iter().take(MOST).map(line).collect();
        if notices.len() > MOST {
            lines.push(format!("Lessons: {} more: `lessons incidents`", notices.len() - MOST));
        }
        Some(Self { text: lines.join("\n"), newest })
    }

    /// Records that the user was asked. An error is ignored: it makes the lines come again.
    pub(crate) fn record(&self, home: &Home) {
        told::record(home, &home.withheld_told(), self.newest.to_string().as_bytes());
    }
}

fn line(notice: &WithheldNotice) -> String {
    let WithheldNotice { id, source, rules, .. } = notice;
    let rules = if rules.is_empty() { String::new() } else { format!(" ({})", rules.join(", ")) };
    let text = format!(
        "Lessons: a text from {source} that gives orders{rules} was withheld from the agent. To withhold it from \
         anywhere: lessons incidents confirm {id}; to let it pass: lessons incidents retire {id} --reason TEXT"
    );
    neutral::shortened(&neutral::line(&text), LINE)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]
mod tests {
    use super::*;

    fn home(list: &str) -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("data"));
        drop(files::ensure_folder(&home.log()).unwrap());
        std::fs::write(home.withheld_notices(), list).unwrap();
        (folder, home)
    }

    #[test]
    fn each_is_asked_about_once_and_a_newer_one_again() {
        let one = r#"{"id":"i-0123456789abcdef","source":"docs.example/x","rules":["exfiltration"],"at":5}"#;
        let (_folder, home) = home(&format!("[{one}]"));
        let asked = Undecided::of(&home).unwrap();
        assert!(asked.text.contains("docs.example/x") && asked.text.contains("confirm i-0123456789abcdef"));
        asked.record(&home);
        assert!(Undecided::of(&home).is_none());
        std::fs::write(home.withheld_notices(), format!("[{},{one}]", one.replace("\"at\":5", "\"at\":6")))
            .unwrap();
        assert_eq!(Undecided::of(&home).unwrap().text.lines().count(), 1);
    }

    #[test]
    fn damage_asks_nothing() {
        for list in ["", "[", "[{\"id\":7}]", "{}", "[]"] {
            let (_folder, home) = home(list);
            assert!(Undecided::of(&home).is_none(), "{list}");
        }
    }
}
