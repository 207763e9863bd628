//! The aim of a statement: the calls at which a lesson made of it is to be told.
//!
//! What a person does not want names the calls: an option, a command in backticks, a program that ran a moment ago, a
//! name in the code, an act such as committing. What they want instead keeps the lesson quiet. A statement that names
//! none of these has no aim, and becomes a lesson for the start of a session.

mod folders;

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_shell::programs::{has_role, known};
use lessons_shell::{ProgramRole, program_name};
use lessons_text::words::is_filler;

use super::acts::{self, Act};
use super::code_names::{code_spans, is_of_code, names_in, of_data, of_name, without_type};
use super::command::Command;
use super::history::Step;
use super::spellings::{old_spelling, spoken_option};
use super::statement::Statement;
use super::statement_kind::StatementKind;
use super::tools;
use super::writings::aim_of_writing;
use crate::tag::trigger::{literal, operands};

/// Words for yes and no that people write with a slash, and code in quotes.
const VALUES: [(&str, &str); 6] = [
    ("on", "off"),
    ("true", "false"),
    ("yes", "no"),
    ("enabled", "disabled"),
    ("enable", "disable"),
    ("null", "undefined"),
];
/// The shortest word that is compared with those of a command, in characters.
const SHORTEST: usize = 4;

/// A statement, its text without secrets, and the steps around it.
pub(super) struct Aim<'a, 'e> {
    pub(super) statement: &'a Statement<'a>,
    pub(super) sentence: &'a str,
    /// The call that the statement refuses.
    pub(super) refused: Option<&'e Step>,
    /// The steps before, the latest first.
    pub(super) steps: Vec<&'e Step>,
}

impl Aim<'_, '_> {
    /// The triggers of the statement.
    pub(super) fn proposal(&self) -> Proposal {
        let strategies: [fn(&Self) -> Option<Proposal>; 17] = [
            Self::at_option,
            Self::at_spoken_option,
            Self::at_spelled_command,
            Self::at_what_comes_too_early,
            Self::at_spoken_command,
            Self::at_act,
            Self::at_folder,
            Self::at_known_program,
            Self::at_named_tool,
            Self::at_program,
            Self::at_name,
            Self::at_old_spelling,
            Self::at_data,
            Self::at_writing,
            Self::at_recent_command,
            Self::at_refused_folder,
            Self::at_refused,
        ];
        let mut proposal = strategies.iter().find_map(|strategy| strategy(self)).unwrap_or_default();
        let is_of_commands =
            proposal.triggers.iter().any(|trigger| trigger.kind == TriggerKind::CommandPattern);
        if is_of_commands {
            let fresh = self.wanted_options().map(|name| command_trigger(option(name)));
            let fresh: Vec<Trigger> = fresh
                .filter(|trigger| !proposal.unless.contains(trigger) && !proposal.triggers.contains(trigger))
                .collect();
            proposal.unless.extend(fresh);
        }
        proposal
    }

    /// The options that the statement asks for: with them, a call is as it should be.
    fn wanted_options(&self) -> impl Iterator<Item = &str> {
        let bare = |word: &'_ str| -> bool {
            operands::is_option(word)
                && word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic())
        };
        let words = self
            .sentence
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-'));
        words.filter(move |word| {
            bare(word) && !self.statement.unwanted.iter().any(|own| *own == word.to_lowercase())
        })
    }

    /// The words that name the calls: of what is not wanted, or of everything where only the wanted is named.
    fn telling(&self) -> &[String] {
        let Statement { unwanted, wanted, .. } = self.statement;
        if unwanted.is_empty() { wanted } else { unwanted }
    }

    /// An unwanted option.
    fn at_option(&self) -> Option<Proposal> {
        let names = names_in(self.sentence, &self.statement.unwanted);
        names.iter().find(|name| name.starts_with("--")).map(|name| on_command(option(name)))
    }

    /// An unwanted option that is spoken as words, and that a call a moment ago ran or wrote.
    fn at_spoken_option(&self) -> Option<Proposal> {
        let calls = self.refused.iter().chain(&self.steps).map(|step| step.call());
        let texts: Vec<&str> =
            calls.flat_map(|call| [&call.command, &call.new]).flatten().map(String::as_str).collect();
        let name = spoken_option(&self.statement.unwanted, &texts)?;
        let written = Trigger::new(TriggerKind::ContentPattern, literal(&name));
        Some(Proposal { triggers: vec![command_trigger(option(&name)), written], ..Proposal::default() })
    }

    /// A command in backticks: the unwanted one, or the start of the wanted one where its options are missing.
    fn at_spelled_command(&self) -> Option<Proposal> {
        code_spans(self.sentence).into_iter().find_map(|span| {
            let words: Vec<&str> = span.split_whitespace().collect();
            let first = words.first()?;
            if known(program_name(first)).is_none() && !self.ran(&first.to_lowercase()) && words.len() < 2 {
                return None;
            }
            let (start, _) = operands::without_operands(span);
            let is_unwanted = words
                .iter()
                .all(|word| self.statement.unwanted.iter().any(|own| *own == word.to_lowercase()));
            if is_unwanted {
                return Some(on_command(literal(&start)));
            }
            let is_wanted = self.statement.unwanted.is_empty();
            let plain: Vec<&str> = start.split(' ').take_while(|word| !operands::is_option(word)).collect();
            let added = words
                .iter()
                .find(|word| operands::is_option(word))
                .filter(|_| is_wanted && plain.len() > 1)?;
            let unless = vec![command_trigger(option(added))];
            Some(Proposal { unless, ..on_command(literal(&plain.join(" "))) })
        })
    }

    /// A command that is not wanted, spelled out without backticks.
    fn at_spoken_command(&self) -> Option<Proposal> {
        let command = tools::spelled(self.sentence, &self.statement.unwanted)?;
        Some(on_command(literal(&command)))
    }

    /// The refused call before which something else has to be done.
    fn at_what_comes_too_early(&self) -> Option<Proposal> {
        if self.statement.kind != StatementKind::First {
            return None;
        }
        let mut proposal = self.at_refused()?;
        proposal
            .unless
            .extend(acts::named(&self.statement.wanted).map(|act| command_trigger(act.pattern.to_owned())));
        Some(proposal)
    }

    /// An act that is not wanted, or that is the occasion for something else: "before every commit". An act that is wanted
    /// is no mistake: "fold it into the last commit".
    fn at_act(&self) -> Option<Proposal> {
        let Statement { unwanted, wanted, .. } = self.statement;
        let act: &Act = if unwanted.is_empty() && self.refused.is_none() {
            acts::occasion(wanted).or_else(|| acts::written(wanted))?
        } else {
            acts::named(self.telling()).next().or_else(|| acts::written(self.telling()))?
        };
        let mut proposal = on_command(act.pattern.to_owned());
        if let Some(folder) = self.refused.filter(|_| act.is_commit() && self.points()).and_then(added_folder)
        {
            // What is not to be committed stands in front of the commit.
            return Some(on_command(format!(r"\bgit\s(?:[^\n;&|]*\s)?add\b[^\n;&|]*{}", literal(&folder))));
        }
        let instead = acts::named(wanted).filter(|other| other.pattern != act.pattern);
        proposal.unless.extend(instead.map(|other| command_trigger(other.pattern.to_owned())));
        Some(proposal)
    }

    /// Whether the statement points at what the refused call is about.
    fn points(&self) -> bool {
        self.telling()
            .iter()
            .any(|word| matches!(word.as_str(), "this" | "that" | "these" | "those" | "it" | "them"))
    }

    /// A program that everybody knows, spoken of as a tool: "use uv, not pip".
    fn at_known_program(&self) -> Option<Proposal> {
        let Statement { unwanted, wanted, .. } = self.statement;
        if unwanted.is_empty()
            && let Some(program) = tools::occasion(wanted)
        {
            return Some(on_command(literal(program)));
        }
        let instead = tools::named(wanted);
        let unwanted = tools::named(unwanted).or_else(|| tools::occasion(unwanted));
        let tool = unwanted.map(str::to_owned).or_else(|| self.ran_instead_of(instead?))?;
        let instead = instead.filter(|other| *other != tool);
        let unless = instead.map(|other| command_trigger(literal(other))).into_iter().collect();
        Some(Proposal { unless, ..on_command(literal(&tool)) })
    }

    /// The program that ran a moment ago in the place of another one that does the same: `npm` for `pnpm`.
    fn ran_instead_of(&self, wanted: &str) -> Option<String> {
        let is_like = |program: &str| has_role(program, ProgramRole::TaskRunner) && program != wanted;
        let lines = self.refused.iter().chain(&self.steps).filter_map(|step| step.call().command.as_deref());
        let mut ran = lines.flat_map(Command::all).map(|command| command.name);
        ran.find(|name| has_role(wanted, ProgramRole::TaskRunner) && is_like(name))
    }

    /// The tool after `using` or `running`.
    fn at_named_tool(&self) -> Option<Proposal> {
        let words = self.telling();
        let at = words.iter().position(|word| matches!(word.as_str(), "using" | "running" | "calling"))?;
        let is_end = |word: &String| {
            matches!(word.as_str(), "for" | "in" | "on" | "to" | "here" | "at" | "again" | "directly")
        };
        let (tool, after) = (words.get(at + 1)?, words.get(at + 2));
        let counts = self.statement.unwanted.contains(tool)
            && after.is_none_or(is_end)
            && !is_filler(tool)
            && operands::is_plain(tool);
        counts.then(|| on_command(literal(tool)))
    }

    /// A program that ran a moment ago.
    fn at_program(&self) -> Option<Proposal> {
        self.telling().iter().find(|word| self.ran(word)).map(|program| on_command(literal(program)))
    }

    /// A name in the code, or values such as `on/off`, which code quotes.
    fn at_name(&self) -> Option<Proposal> {
        let values = names_in(self.sentence, &self.statement.unwanted).into_iter().find_map(|word| {
            let (one, other) = VALUES.into_iter().find(|(one, other)| word == format!("{one}/{other}"))?;
            Some(format!(r#"["'](?:{one}|{other})["']"#))
        });
        if let Some(pattern) = values {
            return Some(on_file(Trigger::new(TriggerKind::ContentPattern, pattern)));
        }
        let names = names_in(self.sentence, self.telling());
        let name = names.into_iter().filter(|name| is_of_code(name)).max_by_key(String::len)?;
        let trigger = of_name(&name);
        // Code that has the wanted name is as it should be.
        let is_wanted = self.statement.unwanted.is_empty()
            && matches!(
                self.statement.kind,
                StatementKind::Lasting | StatementKind::Replacement | StatementKind::Question
            );
        if is_wanted && trigger.kind == TriggerKind::ContentPattern {
            return without_type(&name).filter(|_| self.replaces_type()).map(on_file);
        }
        Some(on_file(trigger))
    }

    /// Whether the statement wants a type in the place of another: "take an `OrderId` instead".
    fn replaces_type(&self) -> bool {
        const VERBS: [&str; 8] = ["take", "takes", "accept", "accepts", "return", "returns", "pass", "use"];
        let has = |word: &str| self.telling().iter().any(|own| own == word);
        has("instead") && VERBS.into_iter().any(has)
    }

    /// A word that is to be spelled otherwise.
    fn at_old_spelling(&self) -> Option<Proposal> {
        old_spelling(&self.statement.sentence.words).map(on_file)
    }

    /// Data that is not to be stored.
    fn at_data(&self) -> Option<Proposal> {
        of_data(&self.statement.unwanted).map(on_file)
    }

    /// Something that is written into code, such as tests.
    fn at_writing(&self) -> Option<Proposal> {
        let Statement { sentence, unwanted, .. } = self.statement;
        aim_of_writing(self.sentence, &sentence.words, unwanted)
    }

    /// A command that ran a moment ago, and that a prohibition names by a word: "don't rebuild" after `npm run build`.
    fn at_recent_command(&self) -> Option<Proposal> {
        if self.statement.kind != StatementKind::Prohibition || self.refused.is_some() {
            return None;
        }
        let lines = self.steps.iter().filter_map(|step| step.call().command.as_deref());
        let acting = lines.flat_map(Command::all).filter(|command| !command.is_local && !command.inspects());
        let shares = |command: &Command| {
            let own = command.subcommand.split([' ', ':', '-']).chain(command.operands().take(2));
            own.into_iter()
                .any(|own| own.len() >= SHORTEST && self.forbidden_act().any(|word| is_same_stem(word, own)))
        };
        let chosen = acting.into_iter().find(shares)?;
        let task = chosen.operands().next().filter(|task| operands::is_plain(task));
        let is_runner = chosen.subcommand == "run" || chosen.subcommand.is_empty();
        let start = match task.filter(|_| is_runner) {
            Some(task) => format!("{} {task}", chosen.start()),
            None => chosen.start(),
        };
        Some(on_command(literal(&start)))
    }

    /// The words that name the forbidden act: the verb, or the object of a verb that says nothing by itself.
    fn forbidden_act(&self) -> impl Iterator<Item = &String> {
        const NEGATIONS: [&str; 7] = ["not", "don't", "dont", "never", "avoid", "stop", "to"];
        const GENERAL: [&str; 7] = ["run", "running", "use", "using", "do", "start", "call"];
        let words = self.telling();
        let at = words.iter().rposition(|word| NEGATIONS.contains(&word.as_str())).map_or(0, |at| at + 1);
        let is_general = words.get(at).is_some_and(|verb| GENERAL.contains(&verb.as_str()));
        words.iter().skip(at).take(if is_general { 4 } else { 1 })
    }

    /// The refused call: the part of its command line that the words are about, or the last that does something.
    fn at_refused(&self) -> Option<Proposal> {
        let line = self.refused?.call().command.as_deref()?;
        let all: Vec<Command> =
            Command::all(line).into_iter().filter(|command| !command.inspects()).collect();
        let shares = |command: &&Command| {
            let own = command.text.to_lowercase();
            self.telling()
                .iter()
                .any(|word| word.len() >= SHORTEST && own.split_whitespace().any(|part| part == word))
        };
        let chosen = all.iter().find(shares).or(all.last())?;
        (!chosen.is_local).then(|| on_command(chosen.start_pattern()))
    }

    /// Whether a program of this name ran a moment ago. The names of everyday programs are words too.
    fn ran(&self, word: &str) -> bool {
        let lines = self.refused.iter().chain(&self.steps).filter_map(|step| step.call().command.as_deref());
        word.len() > 2
            && known(word).is_none()
            && !is_filler(word)
            && lines.flat_map(Command::all).any(|command| command.name == word)
    }
}

/// The folder of the files that a refused command line adds to a commit.
fn added_folder(step: &Step) -> Option<String> {
    let line = step.call().command.as_deref()?;
    let add = Command::all(line).into_iter().find(|command| command.about() == "git add")?;
    let file = add.operands().next()?;
    let (folder, _) = file.rsplit_once('/')?;
    let is_common = add.operands().all(|other| other.starts_with(folder));
    (is_common && !folder.starts_with('/')).then(|| format!("{folder}/"))
}

/// Whether two words are forms of one: `rebuild` and `build`, `commits` and `commit`.
fn is_same_stem(one: &str, other: &str) -> bool {
    let stem = |word: &str| {
        let word =
            word.strip_prefix("re").filter(|rest| rest.len() >= SHORTEST).unwrap_or(word).to_lowercase();
        let ends = ["ing", "ed", "es", "s"];
        let cut = ends.iter().find_map(|end| word.strip_suffix(end).filter(|rest| rest.len() >= SHORTEST));
        cut.map_or(word.clone(), str::to_owned)
    };
    !is_filler(one) && stem(one) == stem(other)
}

/// A pattern for an option of any command.
pub(super) fn option(name: &str) -> String {
    format!(r"(?:^|\s){}", literal(name))
}

fn command_trigger(pattern: String) -> Trigger {
    Trigger::new(TriggerKind::CommandPattern, pattern)
}

/// The proposal with one trigger on what a call does to a file.
pub(super) fn on_file(trigger: Trigger) -> Proposal {
    Proposal { triggers: vec![trigger], ..Proposal::default() }
}

/// The proposal with one trigger on commands.
pub(super) fn on_command(pattern: String) -> Proposal {
    Proposal { triggers: vec![command_trigger(pattern)], ..Proposal::default() }
}
