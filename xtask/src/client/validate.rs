//! `cargo xtask validate`: the client's own validation of our plugin.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::{Pin, fetch};
use crate::bounded;
use crate::user_home::UserHome;
use crate::workspace::Workspace;

/// The time limit of one validation.
const LIMIT: Duration = Duration::from_mins(1);

/// Lets the pinned client validate the clone and the assembled plugin, warnings being errors.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let dist = workspace.dist();
    ensure!(dist.is_dir(), "{} is not there: run cargo xtask dist first", dist.display());
    let program = fetch(&workspace.target, Pin::Current)?;
    let scratch = tempfile::tempdir()?;
    let home = UserHome::scratch(scratch.path())?;
    // A folder with a marketplace in it is validated as one, so the plugin's manifest is named too.
    let plugin = Path::new(".claude-plugin/plugin.json");
    for path in [workspace.root.clone(), workspace.root.join(plugin), dist.clone(), dist.join(plugin)] {
        let mut command = home.command(&program);
        command.args(["plugin", "validate", "--strict"]).arg(&path).env("DISABLE_AUTOUPDATER", "1");
        let output = bounded::output(&mut command, LIMIT)?;
        ensure!(
            output.status.success(),
            "the client does not accept {}:\n{}{}",
            path.display(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        println!("Claude Code {} accepts {}", Pin::Current.version(), path.display());
    }
    Ok(())
}
