//! The files that a command line plainly changes.
//!
//! Only what the line says openly counts: output redirected into a file, and the programs whose row in the table says which
//! of their words name files that they change. No disguise is looked for, no variable and no pattern is expanded, and the
//! disk is not asked.

use super::beginnings::names_writer;
use super::known::{ChangeMethod, KnownProgram};
use super::programs::known;
use super::script::{ParentCommand, Redirection, Script, SimpleCommand, Word};
use super::wrapper::{program_name, runs_elsewhere};
use lessons_text::{find, path};

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChange {
    /// The file gets another content, or comes into being.
    Written,
    /// The file goes, with all that is in it if it is a folder.
    Removed,
    /// Something else about the file changes: its mode, its owner, a table in it.
    Altered,
}

/// A file that a command line changes.
#[derive(Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path, from the folder in which the line begins unless it is absolute or begins with `~` or `$`.
    pub path: String,
    /// What becomes of it.
    pub change: FileChange,
    /// The index in [`Script::commands`] of the command that changes it.
    pub command: usize,
    /// Whether the command is in the text that a container or another machine runs, so that it is another file.
    pub is_elsewhere: bool,
}

/// Whether a command line may write a file: it redirects output, or has a word that names a program which writes files.
/// Nearly every line for which [`Script::changed_files`] finds nothing is told apart here, without reading it as bash does.
pub fn may_write(line: &str) -> bool {
    let redirects = |at: usize| {
        let target = line.get(at..).unwrap_or_default().trim_start_matches(['>', '|', ' ']);
        let is_descriptor = target.strip_prefix('&').is_some_and(|rest| {
            let word = rest.trim_start().split([' ', '\t', '\n', ';', '&', '|', ')']).next();
            word.is_some_and(|word| word.chars().all(is_descriptor))
        });
        !is_descriptor && !target.starts_with("/dev/")
    };
    find::find_iter(line.as_bytes(), b">").any(redirects)
        || line.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()).any(names_writer)
}

/// Whether a character behind `>&` is one of an open file's name.
fn is_descriptor(c: char) -> bool {
    c == '-' || c.is_ascii_digit()
}

impl Script {
    /// The files that the commands plainly change, in order. The line begins in the folder `cwd` and may leave it by `cd`.
    pub fn changed_files(&self, cwd: &str) -> Vec<ChangedFile> {
        let mut folder = cwd.to_owned();
        let mut found = Vec::new();
        for (at, command) in self.commands.iter().enumerate() {
            if let Some(target) = entered(command) {
                folder = from(&folder, target);
            }
            for (path, change) in changed_by(command) {
                if !path.is_empty() && !path.starts_with("/dev/") {
                    let is_elsewhere = self.is_elsewhere(command);
                    found.push(ChangedFile { path: from(&folder, &path), change, command: at, is_elsewhere });
                }
            }
        }
        found
    }

    /// Whether a command is in the text that a container or another machine runs.
    fn is_elsewhere(&self, command: &SimpleCommand) -> bool {
        let parent_of = |parent: &ParentCommand| self.commands.get(parent.command)?.parent;
        std::iter::successors(command.parent, parent_of).any(|parent| {
            let program = self.commands.get(parent.command).and_then(SimpleCommand::program_word);
            parent.word.is_none() && program.is_some_and(|program| runs_elsewhere(program.text()))
        })
    }
}

/// The path to which a word leads from a folder.
fn from(folder: &str, word: &str) -> String {
    let word = word.strip_prefix("./").unwrap_or(word);
    if word.starts_with(['~', '$']) { word.to_owned() } else { path::join(folder, word) }
}

/// The target of a `cd`, without one the user's home; `None` for other commands and for `cd -`.
fn entered(command: &SimpleCommand) -> Option<&str> {
    let (program, rest) = command.program().split_first()?;
    if !matches!(program.text(), "cd" | "chdir" | "pushd") {
        return None;
    }
    if rest.is_empty() {
        return Some("~");
    }
    rest.iter().map(Word::text).find(|word| !word.starts_with('-'))
}

/// What one command changes, by redirections and by its program.
fn changed_by(command: &SimpleCommand) -> Vec<(String, FileChange)> {
    let outputs = command.redirections.iter().filter_map(output);
    let mut found: Vec<_> = outputs.map(|path| (path.to_owned(), FileChange::Written)).collect();
    if let Some((program, words)) = command.program().split_first()
        && let Some(program) = known(program_name(program.text()))
    {
        let words: Vec<&str> = words.iter().map(Word::text).collect();
        found.extend(changed_by_program(program, &words));
    }
    found
}

/// The file into which a redirection writes.
fn output(redirection: &Redirection) -> Option<&str> {
    let target = redirection.target.as_ref()?.text();
    let writes = match redirection.operator.as_str() {
        ">" | ">>" | ">|" | "<>" | "&>" | "&>>" => true,
        ">&" => !target.chars().all(is_descriptor),
        _ => false,
    };
    writes.then_some(target)
}

fn changed_by_program(program: &KnownProgram, words: &[&str]) -> Vec<(String, FileChange)> {
    use FileChange::{Altered, Removed, Written};
    let read = Arguments::of(words, program.value_options);
    let all = |operands: &[&str], change| operands.iter().map(|path| ((*path).to_owned(), change)).collect();
    match program.change {
        ChangeMethod::WritesOperands => all(&read.operands, Written),
        ChangeMethod::WritesInPlace if read.are_in_place => all(read.behind_code(), Written),
        ChangeMethod::Nothing | ChangeMethod::WritesInPlace => Vec::new(),
        ChangeMethod::WritesValues => {
            read.values.iter().map(|(_, path)| ((*path).to_owned(), Written)).collect()
        }
        ChangeMethod::WritesTarget => read.target().into_iter().map(|path| (path, Written)).collect(),
        ChangeMethod::Moves => {
            let gone = all(read.sources(), Removed);
            read.target().into_iter().map(|path| (path, Written)).chain(gone).collect()
        }
        ChangeMethod::WritesOutputFile => {
            let outputs = words.iter().filter_map(|word| word.strip_prefix("of="));
            outputs.map(|path| (path.to_owned(), Written)).collect()
        }
        ChangeMethod::Removes => all(&read.operands, Removed),
        ChangeMethod::AltersBySql if read.operands.iter().skip(1).all(|word| only_asks(word)) => Vec::new(),
        ChangeMethod::Alters | ChangeMethod::AltersBySql => all(&read.operands, Altered),
        ChangeMethod::AltersFound => {
            let does = |test: fn(&KnownProgram) -> bool| {
                let runs = |[option, word]: &[&str; 2]| {
                    (option.starts_with("-exec") || option.starts_with("-ok"))
                        && known(program_name(word)).is_some_and(test)
                };
                words.contains(&"-delete") || words.array_windows().any(runs)
            };
            let is_changing = does(|program| program.change != ChangeMethod::Nothing);
            let is_removed =
                does(|program| matches!(program.change, ChangeMethod::Removes | ChangeMethod::Moves));
            let change = if is_removed { Removed } else { Altered };
            let starts = words.iter().take_while(|word| is_changing && !word.starts_with(['-', '(', '!']));
            let starts = starts.map(|path| ((*path).to_owned(), change));
            let prints = words.windows(2).filter(|pair| pair[0].starts_with("-fprint") || pair[0] == "-fls");
            starts.chain(prints.map(|pair| (pair[1].to_owned(), Written))).collect()
        }
        ChangeMethod::AltersTree => in_tree(words).into_iter().map(|path| (path, Altered)).collect(),
    }
}

/// What `git` with these words changes in a work tree: the folder in which it works, and the files that it is given.
fn in_tree(words: &[&str]) -> Vec<String> {
    let (mut folder, mut words) = (".", words.iter().copied());
    let subcommand = loop {
        match words.next() {
            Some("-C") => folder = words.next().unwrap_or(folder),
            Some("-c") => drop(words.next()),
            Some(option) if option.starts_with('-') => {}
            word => break word.unwrap_or_default(),
        }
    };
    let operands = words.filter(|word| !word.starts_with('-')).map(|word| path::join(folder, word));
    match subcommand {
        "clone" => operands.skip(1).last().into_iter().collect(),
        "am" | "apply" | "checkout" | "cherry-pick" | "clean" | "init" | "merge" | "mv" | "pull"
        | "rebase" | "reset" | "restore" | "revert" | "rm" | "stash" | "switch" => {
            std::iter::once(folder.to_owned()).chain(operands).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a word of `sqlite3` behind the file changes nothing: a dot command or a query.
fn only_asks(word: &str) -> bool {
    let word = word.trim_start().to_ascii_lowercase();
    let changes = [".import", ".read", ".restore"].iter().any(|command| word.starts_with(command));
    word.starts_with('.') && !changes || word.starts_with("select")
}

/// The words behind a program, told apart.
#[derive(Default)]
struct Arguments<'c> {
    operands: Vec<&'c str>,
    /// The options with a value that are known of the program.
    values: Vec<(&'static str, &'c str)>,
    /// Whether an option says that files are changed in place: `-i`, `-Ei.bak`, `-pi`, and `-i inplace` of awk.
    are_in_place: bool,
}

impl<'c> Arguments<'c> {
    /// Reads words as `getopt` does. `value_options` are the options that have a value, separated by spaces.
    fn of(words: &[&'c str], value_options: &'static str) -> Self {
        let listed = |option: &str| value_options.split(' ').find(|known| *known == option);
        let mut read = Self::default();
        let mut words = words.iter().copied().filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            if word == "--" {
                read.operands.extend(words.by_ref());
            } else if word.starts_with("--") {
                let (option, value) =
                    word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
                read.are_in_place |= option == "--in-place";
                if let Some(option) = listed(option) {
                    read.values.extend(value.or_else(|| words.next()).map(|value| (option, value)));
                }
            } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                for (at, letter) in letters.char_indices() {
                    let rest = letters.get(at + letter.len_utf8()..).filter(|rest| !rest.is_empty());
                    if let Some(option) = listed(&format!("-{letter}")) {
                        read.values.extend(rest.or_else(|| words.next()).map(|value| (option, value)));
                        break;
                    }
                    if letter == 'i' {
                        read.are_in_place = true;
                        break;
                    }
                }
            } else {
                read.operands.push(word);
            }
        }
        read.are_in_place |= read.values.contains(&("-i", "inplace"));
        read
    }

    /// The operands without the code, which is the first unless an option gives it.
    fn behind_code(&self) -> &[&'c str] {
        let gives_code = |option: &str| matches!(option, "-e" | "-E" | "-f" | "--expression" | "--file");
        let is_given = self.values.iter().any(|(option, _)| gives_code(option));
        self.operands.get(usize::from(!is_given)..).unwrap_or_default()
    }

    /// The folder into which an option says that files go.
    fn target_folder(&self) -> Option<&'c str> {
        let target = self.values.iter().find(|(option, _)| matches!(*option, "-t" | "--target-directory"));
        target.map(|(_, folder)| *folder)
    }

    /// What is copied.
    fn sources(&self) -> &[&'c str] {
        match self.operands.split_last() {
            Some((_, sources)) if self.target_folder().is_none() => sources,
            _ => &self.operands,
        }
    }

    /// The files that copying to the last operand writes. That this is a folder is told by its spelling, or by how many
    /// files go there.
    fn target(&self) -> Vec<String> {
        let sources = self.sources();
        let last = self.operands.last().copied().filter(|_| !sources.is_empty());
        let Some(target) = self.target_folder().or(last) else { return Vec::new() };
        // `host:path` is on another machine.
        if target.split('/').next().is_some_and(|first| first.contains(':')) {
            return Vec::new();
        }
        let is_folder = self.target_folder().is_some()
            || sources.len() > 1
            || target.ends_with('/')
            || matches!(path::name(target), "." | "..");
        let inside =
            sources.iter().map(|source| path::join(target, path::name(source.trim_end_matches('/'))));
        if is_folder {
            return inside.collect();
        }
        // A name without an end may be that of a folder: `cp a.ts src/gen`.
        let may_be_folder = !path::name(target).contains('.');
        std::iter::once(target.to_owned()).chain(inside.filter(|_| may_be_folder)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::script;

    fn with(change: FileChange, line: &str) -> Vec<String> {
        let found = script(line).changed_files("/p").into_iter();
        found.filter(|file| file.change == change).map(|file| file.path).collect()
    }

    #[test]
    fn what_a_command_plainly_writes_is_known() {
        for (line, expected) in [
            ("echo X=1 >> .env", &["/p/.env"][..]),
            ("cat a > b 2> c", &["/p/b", "/p/c"]),
            ("make &> log", &["/p/log"]),
            ("make >& log", &["/p/log"]),
            (": >| f", &["/p/f"]),
            ("make > /dev/null 2>&1", &[]),
            ("sh -c 'echo x > .env'", &["/p/.env"]),
            ("cd apps/web && echo x > .env", &["/p/apps/web/.env"]),
            ("echo x | sudo tee -a /etc/hosts", &["/etc/hosts"]),
            ("echo x > ~/.bashrc", &["~/.bashrc"]),
            ("sed -i 's/a/b/' apps/web/.env", &["/p/apps/web/.env"]),
            ("sed -i.bak -e s/a/b/ -e s/c/d/ f g", &["/p/f", "/p/g"]),
            ("sed --in-place=.bak s/a/b/ f", &["/p/f"]),
            ("sed -Ei s/a/b/ f", &["/p/f"]),
            ("sed -n 's/i/b/p' f", &[]),
            ("sed s/a/b/ f", &[]),
            ("perl -pi -e 's/a/b/' f", &["/p/f"]),
            ("perl -i -pe 's/a/b/' f", &["/p/f"]),
            ("perl -Ilib -MList::Util x.pl", &[]),
            ("sed -i '' s/a/b/ f", &["/p/f"]),
            ("sed -i.before s/a/b/ f", &["/p/f"]),
            ("awk -i inplace '{print}' f", &["/p/f"]),
            ("awk -v x=1 '{print}' f", &[]),
            ("cp .env.example .env", &["/p/.env"]),
            ("cp a/.env b/.env other/", &["/p/other/.env", "/p/other/.env"]),
            ("cp x/.env .", &["/p/.env"]),
            ("cp -rt out a b", &["/p/out/a", "/p/out/b"]),
            ("cp --target-directory=out a", &["/p/out/a"]),
            ("install -Dm 644 a /usr/b", &["/usr/b", "/usr/b/a"]),
            ("cp x/a.ts src/gen", &["/p/src/gen", "/p/src/gen/a.ts"]),
            ("mv a b", &["/p/b", "/p/b/a"]),
            ("ln -s a b", &["/p/b", "/p/b/a"]),
            ("rsync -a a/ b", &["/p/b", "/p/b/a"]),
            ("scp .env host:/srv/.env", &[]),
            ("scp host:/srv/.env .env", &["/p/.env"]),
            ("truncate -s 0 f", &["/p/f"]),
            ("touch -r a f", &["/p/f"]),
            ("dd if=/dev/zero of=f bs=1", &["/p/f"]),
            ("sort -u -o f f", &["/p/f"]),
            ("split -b 10 big /q/part", &["/q/part", "/q/part/big"]),
            ("cpio -D /q -idm < a", &["/q"]),
            ("mount --bind a /q", &["/q", "/q/a"]),
            ("sort f | sponge f", &["/p/f"]),
            ("curl -sSo f https://x", &["/p/f"]),
            ("curl --output=f https://x", &["/p/f"]),
            ("wget -O f https://x", &["/p/f"]),
            ("find . -name x -exec sed -i s/a/b/ y +", &["/p/y"]),
            ("cat f; ls; grep -rn x . ; git status", &[]),
            ("rm f", &[]),
            ("cp", &[]),
            ("cp a", &[]),
        ] {
            assert_eq!(with(FileChange::Written, line), expected, "{line}");
        }
    }

    #[test]
    fn what_goes_and_what_only_changes_otherwise_is_told_apart() {
        assert_eq!(with(FileChange::Removed, "mv a b; rm -rf c; unlink d"), ["/p/a", "/p/c", "/p/d"]);
        assert_eq!(
            with(FileChange::Altered, "mkdir a; find b -exec chattr +i {} +"),
            ["/p/a", "/p/b", "/p/+i", "/p/{}"]
        );
        assert_eq!(
            with(FileChange::Removed, "find b c -delete; find d -exec rm {} +"),
            ["/p/b", "/p/c", "/p/d", "/p/{}"]
        );
        assert_eq!(with(FileChange::Altered, "git clone -q u d; git clone u"), ["/p/d"]);
        assert_eq!(with(FileChange::Altered, "git -C x checkout -q -- f; git status f"), ["/p/x", "/p/x/f"]);
        assert_eq!(with(FileChange::Altered, "find b -exec grep x {} +"), [""; 0]);
        assert_eq!(
            with(FileChange::Altered, "sqlite3 f 'select 1'; sqlite3 g vacuum"),
            ["/p/g", "/p/vacuum"]
        );
    }

    #[test]
    fn a_line_without_a_writing_word_is_not_read() {
        for line in [
            "ls -la",
            "make 2>&1 | less",
            "git log >/dev/null",
            "cargo test 2> /dev/null",
            "teepee; esed",
            "x >&- 2>&1",
        ] {
            assert!(!may_write(line), "{line}");
        }
        for line in ["echo >f", "x | tee f", "sudo /usr/bin/tee f", "(sed -i x f)", "a 2>&1 >f", "x >& f"] {
            assert!(may_write(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn whatever_writes_is_let_through(line in "(>|>>|&>|>&|2>| |f|g|/|tee|sed|cp|mv|-i|-t|-o|sort|dd|of=|;|'|\\(|\\)|\\||1|-){1,12}") {
            if !may_write(&line) {
                prop_assert_eq!(with(FileChange::Written, &line), Vec::<String>::new());
            }
        }
    }
}
