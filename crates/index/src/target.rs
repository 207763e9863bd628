//! The target of a call: the path that a state of the call is about.
//!
//! It is the file of a call that names one, or the folder `X` of a command that begins with `cd X`. A command before `cd`
//! may make the folder or go elsewhere, so a later `cd` is none.

use lessons_lesson::Call;
use lessons_lesson::call::FETCH;
use lessons_shell::{self as shell, FileChange};
use lessons_text::path;

/// The target of `call` as an absolute path. `None` if it has none, or the working folder is not known.
pub(crate) fn of(call: &Call<'_>) -> Option<String> {
    let file = || call.absolute_paths().into_iter().find(|_| call.tool != FETCH);
    let folder = || Some(path::lexical(&path::join(call.cwd.as_deref()?, &entered_folder(call)?)));
    file().or_else(folder).filter(|path| path::is_absolute(path))
}

/// The files that the command plainly writes, as absolute paths where the working folder is known.
pub(crate) fn written(call: &Call<'_>) -> Vec<String> {
    let Some(command) = call.command.as_deref().filter(|command| shell::may_write(command)) else {
        return Vec::new();
    };
    let files = shell::script(command).changed_files(call.cwd.as_deref().unwrap_or_default());
    let written = files.into_iter().filter(|file| file.change == FileChange::Written);
    written.map(|file| path::lexical(&file.path)).collect()
}

/// Whether the command begins with `cd X`, and the working folder already ends in `/X`.
pub(crate) fn ends_cwd(call: &Call<'_>) -> bool {
    let Some(folder) = entered_folder(call).filter(|folder| !path::is_absolute(folder)) else { return false };
    let folder = path::lexical(&folder);
    let cwd = call.cwd.as_deref().map(path::lexical).unwrap_or_default();
    !folder.is_empty() && cwd.strip_suffix(&folder).is_some_and(|above| above.ends_with('/'))
}

/// The folder `X` of a command that begins with `cd X`, if `cd` gets just that.
fn entered_folder(call: &Call<'_>) -> Option<String> {
    let script = shell::script(call.command.as_deref()?);
    let first = script.commands.iter().find(|command| !command.words.is_empty())?;
    let (name, arguments) = first.program().split_first()?;
    if name.fixed() != Some("cd") {
        return None;
    }
    let is_option = |word: &&shell::Word| word.text().starts_with('-') && word.text() != "--";
    let options = arguments.iter().take_while(is_option).count();
    let operands = arguments.get(options..)?;
    let operands = match operands.split_first() {
        Some((word, rest)) if word.text() == "--" => rest,
        _ => operands,
    };
    match operands {
        [folder] => folder.fixed().filter(|folder| !folder.is_empty()).map(str::to_owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bash<'a>(cwd: &'a str, command: &'a str) -> Call<'a> {
        Call { tool: "Bash".into(), command: Some(command.into()), cwd: Some(cwd.into()), ..Call::default() }
    }

    #[test]
    fn a_cd_into_the_folder_where_it_is_made_is_seen() {
        for command in
            ["cd web", "cd ./web/", "cd -- web", "cd -P \"web\" && npm test", "X=1; cd web", "cd app/web"]
        {
            assert!(ends_cwd(&bash("/srv/app/web", command)), "{command}");
        }
    }

    #[test]
    fn any_other_cd_is_not() {
        for command in [
            "cd",
            "cd -",
            "cd .",
            "cd ..",
            "cd ../web",
            "cd /srv/app/web",
            "cd eb",
            "cd $X",
            "cd ~/web",
            "cd web other",
            "cd web/app",
            "mkdir web && cd web",
            "echo cd web",
            "ls web",
        ] {
            assert!(!ends_cwd(&bash("/srv/app/web", command)), "{command}");
        }
        assert!(!ends_cwd(&bash("/", "cd .")));
        assert!(!ends_cwd(&Call { cwd: None, ..bash("", "cd web") }));
    }

    #[test]
    fn the_path_of_a_call_is_its_file_or_the_folder_that_it_enters() {
        let read = |file: &'static str| Call {
            tool: "Read".into(),
            paths: vec![file.into()],
            cwd: Some("/p".into()),
            ..Call::default()
        };
        assert_eq!(of(&read("src/../a.rs")).as_deref(), Some("/p/a.rs"));
        assert_eq!(of(&read("/b.rs")).as_deref(), Some("/b.rs"));
        assert_eq!(of(&bash("/p", "cd ../q; ls")).as_deref(), Some("/q"));
        assert_eq!(of(&bash("/p", "cat a.rs")), None);
        assert_eq!(of(&Call { cwd: None, ..bash("", "cd web") }), None);
    }
}
