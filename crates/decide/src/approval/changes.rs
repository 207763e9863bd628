//! The plain ways in which a command line changes a guarded folder.
//!
//! Only what a command line says openly counts: output redirected there, and programs that change the files they are
//! given. Reading is never asked about, and a disguise is not looked for: what is in force is a copy of what a person
//! accepted.

use lessons_shell::programs::has_role;
use lessons_shell::{ProgramRole, Redirection, Script, SimpleCommand, Word, program_name};

use super::names::{GuardedFolder, GuardedNames};

/// The guarded folder that a command line changes, if it does so openly. It starts in `cwd`.
pub(super) fn changed(script: &Script, names: &GuardedNames, cwd: Option<&str>) -> Option<GuardedFolder> {
    let mut folder = cwd.unwrap_or_default().to_owned();
    for command in &script.commands {
        if let Some(target) = entered(command) {
            folder = from(&folder, target);
        }
        let outputs = command.redirections.iter().filter(|redirection| writes(redirection));
        let outputs = outputs.filter_map(|redirection| redirection.target.as_ref());
        let mut changed = outputs.chain(changed_operands(command)).map(Word::text);
        let removes = matches!(name(command), "rm" | "mv");
        let touched = changed.find_map(|word| {
            let whole = || removes.then(|| names.holds(&from(&folder, word))).flatten();
            names.named(word).or_else(|| names.named(&from(&folder, word))).or_else(whole)
        });
        let touched = touched.or_else(|| inline_code(command).and_then(|code| in_data_folder(names, code)));
        if touched.is_some() {
            return touched;
        }
    }
    None
}

/// The path to which a word leads from a folder. Options lead nowhere.
fn from(folder: &str, word: &str) -> String {
    if word.starts_with(['/', '~', '$', '-']) { word.to_owned() } else { format!("{folder}/{word}") }
}

/// The target of a `cd`; `None` for other commands and for `cd -`.
fn entered(command: &SimpleCommand) -> Option<&str> {
    let (program, rest) = command.program().split_first()?;
    if !matches!(program.text(), "cd" | "chdir" | "pushd") {
        return None;
    }
    rest.iter().map(Word::text).find(|word| !word.starts_with('-'))
}

/// Whether a redirection writes into a file.
fn writes(redirection: &Redirection) -> bool {
    matches!(redirection.operator.as_str(), ">" | ">>" | ">|" | "<>" | "&>" | "&>>")
}

fn name(command: &SimpleCommand) -> &str {
    command.program().first().map_or("", |word| program_name(word.text()))
}

fn operands(command: &SimpleCommand) -> &[Word] {
    command.program().get(1..).unwrap_or_default()
}

/// The operands that may name a file that the command changes.
fn changed_operands(command: &SimpleCommand) -> &[Word] {
    let operands = operands(command);
    let mut words = operands.iter().map(Word::text);
    let changes = match name(command) {
        // Without the option they only print.
        "sed" | "perl" | "ruby" => words.any(|word| {
            word.starts_with("--in-place")
                || word.starts_with('-') && !word.starts_with("--") && word.contains('i')
        }),
        "find" => {
            let runs = |pair: &[Word]| {
                let changes = has_role(program_name(pair[1].text()), ProgramRole::ChangesOperands);
                changes && matches!(pair[0].text(), "-exec" | "-execdir" | "-ok" | "-okdir")
            };
            words.any(|word| word == "-delete") || operands.windows(2).any(runs)
        }
        "sqlite3" => !words.skip(1).all(only_asks),
        "cp" | "ln" | "rsync" => {
            return target(operands, &["-t", "--target-directory"]).unwrap_or(last(operands));
        }
        "curl" => return target(operands, &["-o", "--output", "--output-dir"]).unwrap_or_default(),
        "wget" => return target(operands, &["-O", "-P"]).unwrap_or_default(),
        "tar" => return target(operands, &["-C", "--directory"]).unwrap_or_default(),
        name => has_role(name, ProgramRole::ChangesOperands),
    };
    if changes { operands } else { &[] }
}

/// The last operand, into which the others are copied.
fn last(operands: &[Word]) -> &[Word] {
    let last = operands.iter().rev().find(|word| !word.text().starts_with('-'));
    last.map_or(&[], std::slice::from_ref)
}

/// The word after one of these options, or the word that holds an option and its value.
fn target<'c>(operands: &'c [Word], options: &[&str]) -> Option<&'c [Word]> {
    let has_value = |word: &str| {
        options.iter().any(|option| {
            let rest = word.strip_prefix(option);
            rest.is_some_and(|rest| rest.starts_with('=') || !option.starts_with("--") && !rest.is_empty())
        })
    };
    let after = operands.windows(2).find(|pair| options.contains(&pair[0].text())).map(|pair| &pair[1]);
    let word = after.or_else(|| operands.iter().find(|word| has_value(word.text())));
    word.map(std::slice::from_ref)
}

/// Whether a word of `sqlite3` after the first changes nothing: an option, a dot command or a query.
fn only_asks(word: &str) -> bool {
    let word = word.trim_start().to_ascii_lowercase();
    word.starts_with('-') || word.starts_with('.') || word.starts_with("select")
}

/// The code that a command line gives to an interpreter.
fn inline_code(command: &SimpleCommand) -> Option<&str> {
    if !has_role(name(command), ProgramRole::Interpreter) {
        return None;
    }
    let mut words = operands(command).iter().map(Word::text);
    let body = command.redirections.iter().find_map(|redirection| redirection.body.as_ref());
    words
        .find(|word| matches!(*word, "-c" | "-e" | "--eval"))
        .and_then(|_| words.next())
        .or_else(|| body.map(Word::text))
}

/// Code that names the data folder may change it in ways that are not looked into.
fn in_data_folder(names: &GuardedNames, code: &str) -> Option<GuardedFolder> {
    names.named(code).filter(|folder| *folder == GuardedFolder::Home)
}

#[cfg(test)]
mod tests {
    use super::super::names::GuardedPaths;
    use super::*;

    fn changes(cwd: &str, command: &str) -> bool {
        let home = "/home/dev/.local/share/lessons";
        let names = GuardedNames::of(&GuardedPaths { home, user_home: Some("/home/dev") });
        changed(&lessons_shell::script(command), &names, Some(cwd)).is_some()
    }

    #[test]
    fn reading_is_never_asked_about() {
        for command in [
            "cat ~/.local/share/lessons/lessons.json",
            "wc -l .lessons/lessons.json",
            "stat $LESSONS_HOME/lessons.db",
            "du -sh ~/.local/share/lessons",
            "find ~/.local/share/lessons -name '*.json'",
            "test -f .lessons/lessons.json && echo there",
            "[ -d .lessons ]",
            "diff .lessons/lessons.json /tmp/other.json",
            "tree .lessons",
            "less ~/.local/share/lessons/config.toml",
            "sed -n 1,20p .lessons/lessons.json",
            "awk '{print $1}' .lessons/lessons.json",
            "git status .lessons",
            "git blame .lessons/lessons.json",
            "git add .lessons",
            "git diff .lessons && git log .lessons",
            "git commit -m 'lessons: move .lessons/lessons.json'",
            "cat ~/.local/share/lessons/lessons.json | python3 -m json.tool",
            "ls ~/.local/share/lessons && cat ~/.local/share/lessons/config.toml",
            "echo $LESSONS_HOME",
            "cat trust.json",
            "rm trust.json",
            "jq . .lessons/lessons.json > /tmp/x.json",
            "grep -rn x .lessons 2>/dev/null",
            "cd ~/.local/share/lessons && ls",
            "find .lessons -name rm",
            "rm -rf /tmp/x ~/.cache",
            "cd ~/.local/share/lessons && cd /srv && rm x",
            "sqlite3 ~/.local/share/lessons/lessons.db 'SELECT count(*) FROM journal'",
            "cp ~/.local/share/lessons/lessons.json /tmp/copy.json",
            "echo 'see ~/.local/share/lessons' >> notes.md",
            "python3 -c \"import json; print(json.load(open('.lessons/lessons.json')))\"",
        ] {
            assert!(!changes("/srv/app", command), "{command}");
        }
    }

    #[test]
    fn an_open_change_is_put_to_the_person() {
        for command in [
            "echo '{}' > ~/.local/share/lessons/decisions.json",
            "echo x >> $LESSONS_HOME/config.toml",
            "rm -rf ~/.local/share/lessons",
            "rm -rf -- \"$HOME/.local/share/lessons\"",
            "sudo rm /home/dev/.local/share/lessons/trust.json",
            "mv /tmp/x ~/.local/share/lessons/lessons.json",
            "cp /tmp/x .lessons/lessons.json",
            "tee .lessons/lessons.json < x",
            "sed -i s/a/b/ .lessons/lessons.json",
            "sed -Ei.bak s/a/b/ ~/.local/share/lessons/config.toml",
            "perl -pi -e s/a/b/ ~/.local/share/lessons/config.toml",
            "find ~/.local/share/lessons -name x -delete",
            "find ~/.local/share/lessons -exec rm {} +",
            "sqlite3 ~/.local/share/lessons/lessons.db 'delete from journal'",
            "cd ~/.local/share/lessons && rm decisions.json",
            "cd ~/.local/share/lessons; echo x > config.toml",
            "cd ~/.local/share; cp /tmp/x lessons/decisions.json",
            "cd ~/.local && cd share && rm lessons/decisions.json",
            "cp /tmp/x ~/.local/share/lessons/decisions.json -f",
            "cp -t ~/.local/share/lessons /tmp/decisions.json",
            "cp --target-directory=~/.local/share/lessons /tmp/decisions.json",
            "wget -O ~/.local/share/lessons/decisions.json https://x",
            "curl -o ~/.local/share/lessons/decisions.json https://x",
            "tar -xf x.tar -C ~/.local/share/lessons",
            "rm -rf ~/.local/share",
            "python3 -c \"open('/home/dev/.local/share/lessons/decisions.json','w')\"",
            "python3 - <<'E'\nopen('/home/dev/.local/share/lessons/decisions.json','w')\nE",
            "bash -c 'rm ~/.local/share/lessons/x'",
            "dd if=/dev/zero of=/home/dev/.local/share/lessons/lessons.db",
        ] {
            assert!(changes("/srv/app", command), "{command}");
        }
    }

    #[test]
    fn a_command_inside_the_folder_changes_it_by_a_relative_path() {
        let inside = "/home/dev/.local/share/lessons";
        assert!(changes(inside, "rm decisions.json"));
        assert!(changes("/srv/app/.lessons", "echo > lessons.json"));
        assert!(!changes(inside, "cat decisions.json > /tmp/x"));
        assert!(!changes(inside, "cd /srv && rm x"));
    }
}
