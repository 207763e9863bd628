//! What a call adds to a file that is there to be remembered.

use super::signs::{MEMORY_FILE, NO_RULE};
use super::text::weight;
use crate::transcript::spoken::SpokenCall;

/// The fewest letters of a line that may state a rule.
const SHORTEST: usize = 20;

/// The file, and the lines that a call added to it that may state a rule.
pub(super) fn added(call: &SpokenCall) -> Option<(String, Vec<String>)> {
    let (file, lines) = match call.command() {
        Some(command) => of_here_document(command)?,
        None => (call.file().filter(|file| MEMORY_FILE.is_in(file))?, of_edit(call)),
    };
    let lines: Vec<String> = lines.into_iter().filter(|line| may_be_rule(line)).collect();
    (!lines.is_empty()).then_some((file, lines))
}

fn of_edit(call: &SpokenCall) -> Vec<String> {
    let list = call.input.get("edits").and_then(|edits| edits.as_array());
    let edits = list.map_or(std::slice::from_ref(&call.input), Vec::as_slice);
    let text = |names: &'static [&str]| {
        let texts = edits.iter().filter_map(|edit| names.iter().find_map(|name| edit.get(*name)?.as_str()));
        texts.flat_map(str::lines).map(str::trim)
    };
    let old: Vec<&str> = text(&["old_string"]).collect();
    text(&["new_string", "content"]).filter(|line| !old.contains(line)).map(str::to_owned).collect()
}

/// The file and the lines of `cat >> FILE <<'EOF'`.
fn of_here_document(command: &str) -> Option<(String, Vec<String>)> {
    let (before, after) = command.split_once("<<")?;
    let file =
        before.rsplit(['>', ' ']).find(|word| !word.trim().is_empty())?.trim().trim_matches(['"', '\'']);
    let mut lines = after.lines();
    let end = lines.next()?.trim_start_matches('-').trim().trim_start_matches(['"', '\'']);
    let end = end.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let is_end = |line: &&str| line.trim() != end;
    MEMORY_FILE.is_in(file).then(|| (file.to_owned(), lines.take_while(is_end).map(str::to_owned).collect()))
}

/// Whether a line may state a rule: a point of a list or a sentence, no heading, table, code or link.
fn may_be_rule(line: &str) -> bool {
    let line = line.trim();
    weight(line) >= SHORTEST && line.contains(' ') && !NO_RULE.is_in(line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(tool: &str, input: serde_json::Value) -> Option<(String, Vec<String>)> {
        added(&SpokenCall { id: "t".into(), tool: tool.into(), input })
    }

    #[test]
    fn what_an_edit_adds_and_what_a_shell_appends_is_found() {
        let edit = json!({"file_path": "/p/CLAUDE.md", "old_string": "- run the whole suite always",
            "new_string": "- run the whole suite always\n# Heading that is long enough\n- never push to the main branch"});
        let rule = "- never push to the main branch".to_owned();
        assert_eq!(of("Edit", edit), Some(("/p/CLAUDE.md".to_owned(), vec![rule.clone()])));
        let shell =
            json!({"command": "cat >> .claude/lessons.md <<'EOF'\n- never push to the main branch\nEOF\nls"});
        assert_eq!(of("Bash", shell), Some((".claude/lessons.md".to_owned(), vec![rule])));
        assert_eq!(
            of("Write", json!({"file_path": "/p/a.md", "content": "- never push to the main branch"})),
            None
        );
    }
}
