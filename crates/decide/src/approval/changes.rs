//! The plain ways in which a command line changes a guarded folder.
//!
//! Only what a command line says openly counts: output redirected there, and programs that change the files they are
//! given. Reading is never asked about, and a disguise is not looked for: what is in force is a copy of what a person
//! accepted.

use lessons_shell::programs::has_role;
use lessons_shell::{ChangedFile, FileChange, ProgramRole, Script, SimpleCommand, Word, program_name};

use super::names::{GuardedFolder, GuardedNames};
use super::resolved::leads_into;

/// The guarded folder that a command line changes, if it does so openly. It starts in `cwd`.
pub(super) fn changed(script: &Script, names: &GuardedNames<'_>, cwd: Option<&str>) -> Option<GuardedFolder> {
    let folder_name = names.guarded.home.trim_end_matches('/').rsplit('/').next();
    let of_file = |file: ChangedFile| {
        // `docker run alpine rm -rf /` removes nothing here.
        let is_removed = file.change == FileChange::Removed && !file.is_elsewhere;
        let whole = || if is_removed { names.holds(&file.path) } else { None };
        // The disk is asked only about a path that says the folder's own name.
        let may_lead = || !file.is_elsewhere && folder_name.is_some_and(|name| file.path.contains(name));
        let through_link = || if may_lead() { leads_into(&file.path, cwd, names) } else { None };
        names.named(&file.path).or_else(whole).or_else(through_link)
    };
    // Code that names the data folder may change it in ways that are not looked into.
    let of_code = |command: &SimpleCommand| {
        names.named(inline_code(command)?).filter(|folder| *folder == GuardedFolder::Home)
    };
    let files = script.changed_files(cwd.unwrap_or_default());
    files.into_iter().find_map(of_file).or_else(|| script.commands.iter().find_map(of_code))
}

/// The code that a command line gives to an interpreter.
fn inline_code(command: &SimpleCommand) -> Option<&str> {
    let (program, operands) = command.program().split_first()?;
    if !has_role(program_name(program.text()), ProgramRole::Interpreter) {
        return None;
    }
    let mut words = operands.iter().map(Word::text);
    let body = command.redirections.iter().find_map(|redirection| redirection.body.as_ref());
    words
        .find(|word| matches!(*word, "-c" | "-e" | "-r" | "eval") || word.starts_with("--eval"))
        .and_then(|word| word.strip_prefix("--eval=").or_else(|| words.next()))
        .or_else(|| body.map(Word::text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::guarded_paths::GuardedPaths;

    fn changes(cwd: &str, command: &str) -> bool {
        let home = "/home/dev/.local/share/lessons";
        let guarded = GuardedPaths { home, user_home: Some("/home/dev") };
        changed(&lessons_shell::script(command), &GuardedNames::of(&guarded), Some(cwd)).is_some()
    }

    #[test]
    fn what_a_container_removes_is_not_here() {
        assert!(changes("/p", "sh -c 'rm -rf /*'"));
        assert!(changes("/p", "docker run --rm alpine sh -c \"$(rm -rf /*)\""));
        assert!(!changes("/p", "docker run --rm alpine sh -c \"rm -rf /*\""));
        assert!(!changes("/p", "ssh host 'rm -rf ~/.local'"));
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
            "rm -rf ~/* target",
            "find ~ -name lessons.json",
            "mkdir -p ~/.local",
            "git checkout main && git stash && git pull",
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
            "rm -rf ${HOME%/}/.local/share/lessons",
            "cd && rm -rf .local/share",
            "rm -rf /proc/self/root/home/dev/.local/share/lessons",
            "trash ~/.local/share/lessons",
            "xz ~/.local/share/lessons/lessons.db",
            "bsdtar -xf x -C ~/.local/share/lessons",
            "gpg -o ~/.local/share/lessons/x -d y",
            "yq -i .a=1 ~/.local/share/lessons/config.toml",
            "fallocate -l 1G ~/.local/share/lessons/lessons.db",
            "ditto x ~/.local/share/lessons",
            "umount ~/.local/share/lessons",
            "find . -name x -fprint ~/.local/share/lessons/x",
            "sqlite3 ~/.local/share/lessons/lessons.db '.restore x'",
            "php -r \"unlink('/home/dev/.local/share/lessons/x');\"",
            "deno eval \"Deno.removeSync('/home/dev/.local/share/lessons/x')\"",
            "node --eval=\"require('fs').rmSync('/home/dev/.local/share/lessons')\"",
            "lua -e \"os.remove('/home/dev/.local/share/lessons/x')\"",
            "osascript -e 'do shell script \"rm -r ~/.local/share/lessons\"'",
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
            "find ~ -name lessons.json -delete",
            "mv ~/.local x",
            "rm -rf ~/.local",
            "rm -rf /home/dev/.loc*",
            "cp x ~/.local/share/less*/decisions.json",
            "sort -o ~/.local/share/lessons/lessons.json x",
            "scp h:x ~/.local/share/lessons/lessons.json",
            "split -l 1 x ~/.local/share/lessons/x",
            "sort x | sponge ~/.local/share/lessons/lessons.json",
            "cpio -i -D ~/.local/share/lessons < x",
            "awk -i inplace '{print}' ~/.local/share/lessons/lessons.json",
            "mount --bind /tmp/x ~/.local/share/lessons",
            "git clone https://x ~/.local/share/lessons/y",
            "cd ~/.local/share/lessons && git checkout -- lessons.json",
            "git -C ~/.local/share/lessons reset --hard",
            "git checkout -- .lessons/lessons.json",
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
