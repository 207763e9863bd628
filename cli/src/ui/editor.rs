//! Editing a form in the person's own editor.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use anyhow::{Context as _, Result, bail};
use lessons_home::files;
use lessons_store::durable;
use lessons_text::line;

use crate::app::{App, Refused};
use crate::ui::edit_form;

/// The largest form that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// Runs a program that takes the terminal, and waits until it ends.
pub(crate) type Runner<'r> = &'r mut dyn FnMut(Command) -> io::Result<ExitStatus>;

/// Lets the person edit a form until `read` finds no mistake in it. Mistakes are named at its start. Returns the form as it
/// was left, and what was read from it. Fails if a form with mistakes comes back as it was shown.
pub(crate) fn edited<T>(
    app: &App,
    mut form: String,
    run: Runner<'_>,
    read: impl Fn(&str) -> std::result::Result<T, Vec<String>>,
) -> Result<(String, T)> {
    loop {
        let text = in_editor(app, &form, run)?;
        let is_untouched = text.trim() == form.trim() || text.trim().is_empty();
        match read(&text) {
            Ok(value) => return Ok((text, value)),
            Err(mistakes) if is_untouched => {
                bail!(Refused(format!("nothing was changed:\n  {}", mistakes.join("\n  "))));
            }
            Err(mistakes) => form = edit_form::with_mistakes(&text, &mistakes),
        }
    }
}

/// Lets the person edit a text in the program that `VISUAL` or `EDITOR` names.
fn in_editor(app: &App, text: &str, run: Runner<'_>) -> Result<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    files::ensure_folder(&app.home.log())?;
    let path = app.home.log().join(format!("edit-{}.txt", std::process::id()));
    durable::replace(&path, text.as_bytes())?;
    let edited = run_editor(&editor, &path, run).and_then(|()| {
        let bytes = files::read(&path, LIMIT)?.unwrap_or_default();
        String::from_utf8(bytes).context("the form")
    });
    // What the person wrote is theirs, whatever became of the editor.
    let edited = edited.with_context(|| format!("what you wrote is in {}", path.display()))?;
    durable::remove(&path)?;
    Ok(edited)
}

/// Runs an editor on a file. Its name may have arguments, so a shell reads it, as git has it.
fn run_editor(editor: &str, path: &Path, run: Runner<'_>) -> Result<()> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(path);
    let status = run(command).with_context(|| format!("the editor {editor}"))?;
    if !status.success() {
        let editor = line(editor);
        bail!(Refused(format!("the editor `{editor}` ended with an error, so nothing was changed")));
    }
    Ok(())
}
