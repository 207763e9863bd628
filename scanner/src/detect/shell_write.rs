//! The text that a command line writes into a file: the body of a heredoc, the words of `echo`, what `sed -i` puts in.

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
        || name(command) == "sed"
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
            let words: Vec<&str> = operands(command).skip_while(|word| is_option_of_echo(word)).collect();
            Some(words.join(" ").replace("\\n", "\n"))
        }
        "sed" => {
            let is_code = |word: &&str| !word.is_empty() && !word.starts_with('-');
            operands(command).filter(is_code).find_map(put_in)
        }
        _ => None,
    }
}

fn is_option_of_echo(word: &str) -> bool {
    matches!(word, "-e" | "-n" | "-E" | "-ne" | "-en" | "--")
}

/// The text that a command of `sed` puts in: with `s`, `a`, `i` or `c`.
fn put_in(code: &str) -> Option<String> {
    let code = past_address(code);
    let text = if let Some(rest) = code.strip_prefix('s') {
        let mark = rest.chars().next().filter(char::is_ascii_punctuation)?;
        let rest = &rest[1..];
        let new = &rest[unescaped(rest, mark)? + 1..];
        &new[..unescaped(new, mark).unwrap_or(new.len())]
    } else {
        let text = code.strip_prefix(['a', 'i', 'c'])?;
        text.starts_with(['\\', ' ', '\n']).then(|| text.trim_start_matches(['\\', ' ', '\n']))?
    };
    Some(text.replace("\\n", "\n").replace("\\/", "/"))
}

/// A command of `sed` without the lines to which it applies.
fn past_address(mut code: &str) -> &str {
    loop {
        code = code.trim_start_matches(|c: char| c.is_ascii_digit() || "$,! \n".contains(c));
        let rest = code.strip_prefix('/').and_then(|rest| rest.get(unescaped(rest, '/')? + 1..));
        let Some(rest) = rest else { return code };
        code = rest;
    }
}

/// The place of the first `mark` that no backslash takes its meaning.
fn unescaped(text: &str, mark: char) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let is_it = c == mark && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_it.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_addresses_need_no_more_stack_than_one() {
        assert_eq!(past_address(&format!("{}s/a/b/", "/a/,".repeat(100_000))), "s/a/b/");
    }

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
            ("sed -i 's/Use npm/Use pnpm/' A.md", "Use pnpm", true),
            ("sed -i '' -e 's|a|b/c|g' A.md", "b/c", true),
            ("sed -i '/^## Rules/a - Never push to main' A.md", "- Never push to main", true),
            ("sed -i '$ a\\\\n- Use a\\/b' A.md", "n- Use a/b", true),
            ("sed -i '3i\\- Use pnpm' A.md", "- Use pnpm", true),
        ] {
            assert_eq!(written(line), Some(("/p/A.md".into(), text.into(), is_added)), "{line}");
        }
    }

    #[test]
    fn what_is_copied_deleted_or_written_elsewhere_has_no_text_here() {
        for line in [
            "cp x.md A.md",
            "sed -i '/old/d' A.md",
            "grep -c x A.md",
            "ssh host 'echo x >> A.md'",
            "make > A.md",
            "cat <<'EOF' > b.txt\nx >> A.md\nEOF",
        ] {
            assert_eq!(written(line), None, "{line}");
        }
    }
}
