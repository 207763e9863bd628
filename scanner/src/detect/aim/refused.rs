//! The aim at the call that was refused, or at a file that was just written: what a statement about it does not say, the call
//! itself shows.

use lessons_ledger::Proposal;
use lessons_lesson::hooked::is_mcp;
use lessons_pattern::{Trigger, TriggerKind};
use lessons_shell::ProgramRole;
use lessons_shell::programs::{has_role, known};
use lessons_text::words::is_filler;

use super::{Aim, CHANGES, JUST_NOW, SHORTEST};
use crate::detect::aim::code_names::{is_of_code, is_used, names_in};
use crate::detect::aim::triggers::{on_command, with_trigger};
use crate::detect::command::Command;
use crate::detect::command::options::{holds, lists};
use crate::detect::draft::relative;
use crate::detect::history::Step;
use crate::detect::statement::sentence::is_of_east;
use crate::detect::statement::tools;
use crate::tag::trigger::{literal, operands};

impl Aim<'_, '_> {
    /// The refused call of another server's tool, or of one that does one thing: whatever is to be used instead is none of it.
    pub(super) fn at_refused_tool(&self) -> Option<Proposal> {
        const OF_ONE_THING: &str = "Agent Task WebFetch WebSearch";
        let tool = self.refused.map(|step| &step.call().tool);
        let tool = tool.filter(|tool| is_mcp(tool) || lists(OF_ONE_THING, tool))?;
        Some(with_trigger(Trigger::new(TriggerKind::Tool, tool)))
    }

    /// The refused call: the part of its command line that the words are about, or the last that does something. A call that
    /// failed or was stopped is meant where an option is missing; the
    /// last one where an option is named without a program.
    pub(super) fn at_refused(&self) -> Option<Proposal> {
        if let Some(step) = self.refused.filter(|step| step.call().command.is_none()) {
            return self.at_file(step);
        }
        let is_bare = || !self.rule.split_whitespace().any(tools::is_command);
        let line = match self.stopped_line() {
            line if self.refused.is_some() => line,
            _ if self.wanted_options().next().is_none() => return None,
            "" => self.steps.first().filter(|_| is_bare()).and_then(|step| step.clean_line())?,
            line => line,
        };
        let all: Vec<Command> =
            Command::all(line).into_iter().filter(|command| !command.inspects()).collect();
        let shares = |command: &&Command| {
            let own = command.text.to_lowercase();
            self.telling()
                .iter()
                .any(|word| word.len() >= SHORTEST && own.split_whitespace().any(|part| part == word))
        };
        let chosen = all.iter().find(shares).or(all.last())?;
        // The name of an interpreter says nothing.
        let script = chosen.operands().next().filter(|word| tools::is_path(word));
        let script = script.filter(|_| has_role(&chosen.program, ProgramRole::Interpreter));
        let told = self.telling().join(" ");
        let named = chosen.pattern_named(script.unwrap_or(&told), "");
        // Where no word is told, the first plain one says what a program does that nobody knows, and the second what a script
        // does that nobody named: `php artisan`.
        let is_own = |word: &&str| operands::is_plain(word) && chosen.option_before(word).is_none();
        let is_script = has_role(&chosen.program, ProgramRole::Interpreter);
        let is_unknown = chosen.subcommand.is_empty() && (is_script || known(&chosen.program).is_none());
        let mut own = chosen.operands().filter(is_own);
        let is_meant = is_script && own.next().is_some_and(|script| self.rule.contains(script));
        let act = own.next().filter(|_| is_unknown && !is_meant && named == chosen.start_pattern());
        Some(on_command(act.map_or(named, |act| chosen.pattern_named(act, ""))))
    }

    /// A file that was written a moment ago, where the words speak of it.
    pub(super) fn at_written(&self) -> Option<Proposal> {
        let mut written = self.steps.iter().take(JUST_NOW).filter(|step| step.writes());
        written.find_map(|step| self.at_file(step))
    }

    /// A name that is not wanted, in code that was not to be written.
    pub(super) fn at_refused_name(&self) -> Option<Proposal> {
        let code = self.refused.filter(|step| step.writes())?.call().new.as_deref()?.to_lowercase();
        let is_named = self.statement.unwanted.iter().any(|word| is_used(&code, word));
        is_named.then(|| self.at_written_name()).flatten()
    }

    /// A name that is not wanted, in a text that was written a moment ago.
    pub(super) fn at_written_name(&self) -> Option<Proposal> {
        let calls = || self.recent().take(JUST_NOW).map(Step::call);
        // A Latin word in a sentence of another script is a name.
        let is_foreign = self.sentence.chars().any(is_of_east);
        let written = |name: String| {
            let bare = name.trim_end_matches("()");
            let may_be_name = is_foreign && bare.is_ascii()
                || bare.len() < name.len()
                || bare.len() >= SHORTEST && !is_filler(bare);
            let holds = |text: &str| holds(text, bare, |c| c.is_alphanumeric() || c == '_');
            let call = calls().find(|call| may_be_name && call.new.as_deref().is_some_and(holds))?;
            // What is a word too counts in files of that kind.
            let end = call.path.as_deref().and_then(|path| path.rsplit_once('.')).map(|(_, end)| end);
            let end = end.filter(|end| !is_of_code(bare) && operands::is_plain(end));
            let kind = end.map(|end| Trigger::new(TriggerKind::FileGlob, format!("**/*.{end}*")));
            let name = Trigger::new(TriggerKind::ContentPattern, literal(&name.replace("()", "(")));
            Some(Proposal { also: kind.into_iter().collect(), ..with_trigger(name) })
        };
        names_in(self.sentence, &self.statement.unwanted).into_iter().find_map(written)
    }

    /// The files like that of a call that the words speak of: those of a folder, with an end, or of its name.
    fn at_file(&self, step: &Step) -> Option<Proposal> {
        const OF_FILES: &str = "archivo archivos arquivo arquivos datei dateien dir directory fichier fichiers file files folder \
             файл файлы ファイル 文件 檔案 파일";
        let path = relative(step.call().path.as_deref()?, step.origin().info.cwd.as_deref());
        // "`pb.go` is generated", of `user.pb.go`.
        let end = |word: &&str| word.contains('.') && path.ends_with(&format!(".{word}"));
        if let Some(end) = self.sentence.split(|c: char| c.is_whitespace() || is_of_east(c)).find(end) {
            return Some(with_trigger(Trigger::new(TriggerKind::FileGlob, format!("**/*.{end}"))));
        }
        // A whole name of a file is another strategy's.
        let words = self.sentence.split(|c: char| c.is_whitespace() || c == '/');
        let told: Vec<String> =
            words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()).collect();
        let speaks_of = |part: &str| {
            let part = part.to_lowercase();
            let singular = part.trim_matches('_').trim_end_matches('s');
            !part.is_empty() && told.iter().any(|word| word.trim_end_matches('s') == singular)
        };
        // Chinese and Japanese do not part words.
        let mut unspaced = OF_FILES.split(' ').filter(|word| !word.is_ascii());
        let is_of_file = |word: &String| lists(OF_FILES, word) || lists(CHANGES, word);
        if !told.iter().any(is_of_file) && !unspaced.any(|word| self.sentence.contains(word)) {
            return None;
        }
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let folder = folders.rsplit('/').find(|part| part.len() >= SHORTEST && speaks_of(part));
        let end = || name.rsplit_once('.').map(|(_, end)| end).filter(|end| speaks_of(end));
        let is_named = || {
            name.split(['.', '-', '_']).chain([name]).any(|part| part.len() >= SHORTEST && speaks_of(part))
        };
        let glob = match folder {
            Some(folder) => format!("**/{folder}/**"),
            None if let Some(end) = end() => format!("**/*.{end}"),
            // "Never edit the lockfile by hand" is about this very one.
            None if is_named() || self.refused.is_some() && !self.statement.unwanted.is_empty() => {
                format!("**/{name}")
            }
            None => return None,
        };
        Some(with_trigger(Trigger::new(TriggerKind::FileGlob, glob)))
    }
}
