//! The folders that statements are about.

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_text::words::is_filler;

use super::super::code_names::names_in;
use super::super::command::Command;
use super::super::draft::relative;
use super::{Aim, SHORTEST, command_trigger, is_same_stem, on_file};
use crate::tag::trigger::{literal, operands};

impl Aim<'_, '_> {
    /// A folder in which nothing is to be changed: "don't edit files under generated/", "not in src/test".
    pub(super) fn at_folder(&self) -> Option<Proposal> {
        const CHANGES: [&str; 12] = [
            "edit",
            "editing",
            "touch",
            "touching",
            "change",
            "changing",
            "modify",
            "modifying",
            "write",
            "create",
            "add",
            "put",
        ];
        let unwanted = &self.statement.unwanted;
        let is_place = matches!(unwanted.first().map(String::as_str), Some("in" | "under" | "into" | "to"));
        if !is_place && !unwanted.iter().any(|word| CHANGES.contains(&word.as_str())) {
            return None;
        }
        let is_folder = |name: &&str| {
            let bare = name.trim_end_matches('/');
            let is_plain =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
            (name.len() > bare.len() || is_place && bare.contains('/'))
                && bare.len() >= SHORTEST
                && bare.starts_with(|c: char| c.is_ascii_alphabetic())
                && bare.bytes().all(is_plain)
        };
        let names = names_in(self.sentence, unwanted);
        let spelled = names.iter().map(String::as_str).find(is_folder).map(|name| name.trim_end_matches('/'));
        let called = || {
            let at = unwanted.iter().position(|word| matches!(word.as_str(), "folder" | "directory"))?;
            let [.., the, name] = &unwanted[..at] else { return None };
            // "Don't create another folder" names none.
            let is_there = matches!(the.as_str(), "the" | "our");
            (is_there && name.len() >= SHORTEST && operands::is_plain(name) && !is_filler(name))
                .then_some(name.as_str())
        };
        let folder = spelled.or_else(called)?;
        Some(on_file(Trigger::new(TriggerKind::FileGlob, format!("**/{folder}/**"))))
    }

    /// The folder of the refused call that the words name: "put plans into the wiki" after `mkdir docs/plans`.
    pub(super) fn at_refused_folder(&self) -> Option<Proposal> {
        let step = self.refused?;
        // A folder that the sentence spells out may be the wanted one.
        if self.sentence.contains('/') {
            return None;
        }
        let cwd = step.origin().info.cwd.as_deref();
        let is_named = |folder: &str| {
            folder.len() >= SHORTEST && self.telling().iter().any(|word| is_same_stem(word, folder))
        };
        let named = |folder: &str| -> Option<String> {
            let folder = relative(folder, cwd).replace('\\', "/");
            let folders: Vec<&str> = folder.split('/').collect();
            let at = folders.iter().rposition(|folder| is_named(folder))?;
            // Above the project, a folder says where the project is.
            let is_within = !folder.starts_with(['/', '.']) && !folder.contains([':', '*', '?', '[', '{']);
            is_within.then(|| folders[at.saturating_sub(1)..=at].join("/"))
        };
        let within = |folder: &str| Trigger::new(TriggerKind::FileGlob, format!("**/{folder}/**"));
        let call = step.call();
        if let Some(path) = &call.path {
            let (folder, _) = path.rsplit_once(['/', '\\'])?;
            return Some(on_file(within(&named(folder)?)));
        }
        let all = Command::all(call.command.as_deref()?);
        let mkdir = all.iter().find(|command| command.name == "mkdir")?;
        let folder = mkdir.operands().find_map(named)?;
        let made = command_trigger(format!(r"\bmkdir\b[^\n;&|]*{}", literal(&folder)));
        Some(Proposal { triggers: vec![made, within(&folder)], ..Proposal::default() })
    }
}
