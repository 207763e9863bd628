//! The text that a command line writes into a file: the body of a heredoc, or the words of `echo`.

use lessons_shell::{FileChange, PipelinePosition, SimpleCommand, Word, may_write, program_name, script};

/// What a command line writes into a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ShellWrite {
    /// The path of the file.
    pub(super) path: String,
    /// The text.
    pub(super) text: String,
    /// Whether the file keeps what it had.
    pub(super) is_added: bool,
}

/// What a command line that begins in `folder` plainly writes into the first of its files that is wanted.
pub(super) fn shell_write(line: &str, folder: &str, is_wanted: impl Fn(&str) -> bool) -> Option<ShellWrite> {
    if !may_write(line) {
        return None;
    }
    let script = script(line);
    let file = script
        .changed_files(folder)
        .into_iter()
        .find(|file| file.change == FileChange::Written && !file.is_elsewhere && is_wanted(&file.path))?;
    let (before, writer) = (script.commands.get(..file.command)?, script.commands.get(file.command)?);
    // What stands in front of it in its pipeline; what these start themselves is none of it.
    let mut pipeline = vec![writer];
    for command in before.iter().rev().filter(|command| command.parent == writer.parent) {
        if pipeline.last().is_some_and(|last| last.pipeline_position != PipelinePosition::Later) {
            break;
        }
        pipeline.push(command);
    }
    let text = pipeline.into_iter().rev().find_map(text_of)?;
    Some(ShellWrite { path: file.path, text, is_added: adds(writer) })
}

fn name(command: &SimpleCommand) -> &str {
    command.program_word().map_or("", |word| program_name(word.text()))
}

fn operands(command: &SimpleCommand) -> impl Iterator<Item = &str> {
    command.program().iter().skip(1).map(Word::text)
}

/// Whether a command leaves what is in the file that it writes.
fn adds(command: &SimpleCommand) -> bool {
    command.redirections.iter().any(|to| matches!(to.operator.as_str(), ">>" | "&>>"))
        || name(command) == "tee" && operands(command).any(|word| matches!(word, "-a" | "--append"))
}

/// The text that a command brings along.
fn text_of(command: &SimpleCommand) -> Option<String> {
    let given = command.redirections.iter().find_map(|from| match from.operator.as_str() {
        "<<<" => from.target.as_ref(),
        _ => from.body.as_ref(),
    });
    if let Some(given) = given {
        let text = given.text();
        let is_as_typed = given.fixed().is_some();
        return Some(if is_as_typed { text.into() } else { text.replace("\\`", "`").replace("\\$", "$") });
    }
    match name(command) {
        "echo" | "printf" => {
            let is_option = |word: &&str| matches!(*word, "-e" | "-n" | "-E" | "-ne" | "-en" | "--");
            let words: Vec<&str> = operands(command).skip_while(is_option).collect();
            Some(words.join(" ").replace("\\n", "\n"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(line: &str) -> Option<(String, String, bool)> {
        let found = shell_write(line, "/p", |path| path.ends_with("A.md"))?;
        Some((found.path, found.text, found.is_added))
    }

    #[test]
    fn the_text_is_that_of_the_heredoc_of_echo_and_of_sed() {
        for (line, text, is_added) in [
            ("cat >> A.md <<'EOF'\n- Use `pnpm`.\nEOF", "- Use `pnpm`.\n", true),
            ("cat >> A.md <<EOF\n- Use \\`pnpm\\`.\nEOF", "- Use `pnpm`.\n", true),
            ("cat <<'EOF' >A.md\nx\nEOF", "x\n", false),
            ("cat <<'EOF' | tee -a A.md >/dev/null\nx\nEOF", "x\n", true),
            ("cat <<'EOF' | tee A.md\nx\nEOF", "x\n", false),
            ("tee -a A.md <<< 'x y'", "x y", true),
            ("mkdir -p a && echo '- Use pnpm.' >> A.md", "- Use pnpm.", true),
            ("echo -e \"\\n- Use pnpm.\" | tee -a A.md", "\n- Use pnpm.", true),
            ("printf '%s\\n' '- Use pnpm.' >> A.md", "%s\n - Use pnpm.", true),
        ] {
            assert_eq!(written(line), Some(("/p/A.md".into(), text.into(), is_added)), "{line}");
        }
    }

    #[test]
    fn what_is_copied_deleted_or_written_elsewhere_has_no_text_here() {
        for line in [
            "cp x.md A.md",
            "grep -c x A.md",
            "ssh host 'echo x >> A.md'",
            "make > A.md",
            "cat <<'EOF' > b.txt\nx >> A.md\nEOF",
        ] {
            assert_eq!(written(line), None, "{line}");
        }
    }
}
