//! The aim of a statement: the calls at which a lesson made of it is to be told.
//!
//! What a person does not want names the calls: an option, a command in backticks, a program that ran a moment ago, a
//! name in the code, an act such as committing. What they want instead keeps the lesson quiet. A statement that names
//! none of these has no aim, and becomes a lesson for the start of a session.

pub(super) mod acts;
pub(super) mod code_names;
mod quiet;
mod refused;
pub(super) mod rule_aim;
pub(super) mod triggers;

use lessons_ledger::Proposal;
use lessons_pattern::{Trigger, TriggerKind};
use lessons_shell::ProgramRole;
use lessons_shell::programs::{has_role, known};
use lessons_text::words::is_filler;

use super::command::options::{holds, lists};
use super::command::{Command, option_name};
use super::history::Step;
use super::statement::sentence::split_by_script;
use super::statement::{Statement, StatementKind, tools};
use crate::tag::trial::fires;
use crate::tag::trigger::{literal, of_command, of_program, operands};
use acts::Act;
use code_names::{is_of_code, names_in, of_name};
use triggers::{command_trigger, on_command, option, with_trigger};

/// The shortest word that is compared with those of a command, in characters.
pub(super) const SHORTEST: usize = 4;
/// Words after which the name of a program that is a verb too is one.
const BEFORE_VERBS: &str = "avoid don't dont ever never not please stop";
/// Words for changing a file.
pub(super) const CHANGES: &str = "change delete edit modify overwrite rewrite touch ändern bearbeiten anfassen editar modificar tocar \
     modifier éditer toucher изменять менять трогать";
/// The calls before something was said that it may be about.
pub(super) const JUST_NOW: usize = 3;
/// The same where it names them by their words.
pub(super) const NAMED_WITHIN: usize = 12;

/// A statement, its text without secrets, and the steps around it.
pub(super) struct Aim<'a, 'e> {
    pub(super) statement: &'a Statement<'a>,
    pub(super) sentence: &'a str,
    /// The rule that is made of it, which may have more sentences.
    pub(super) rule: &'a str,
    /// The call that the statement refuses.
    pub(super) refused: Option<&'e Step>,
    /// The steps before, the latest first.
    pub(super) steps: Vec<&'e Step>,
}

impl<'e> Aim<'_, 'e> {
    /// The triggers of the statement. What keeps quiet at the very call that was refused is aimed at that call.
    pub(super) fn proposal(&self) -> Proposal {
        let strategies: [fn(&Self) -> Option<Proposal>; 13] = [
            Self::at_refused_tool,
            Self::at_refused_name,
            Self::at_option,
            Self::at_ran,
            Self::at_command,
            Self::at_act,
            Self::at_program,
            Self::at_operand,
            Self::at_name,
            Self::at_place,
            Self::at_refused,
            Self::at_written,
            Self::at_written_name,
        ];
        let mut proposal = strategies.iter().find_map(|strategy| strategy(self)).unwrap_or_default();
        let refused = self.refused.and_then(|step| step.clean_line());
        if let Some(line) = refused
            && fires(&proposal, line) == Some(false)
        {
            proposal = self.at_refused().unwrap_or_default();
        }
        let is_of_commands = |trigger: &Trigger| trigger.kind == TriggerKind::CommandPattern;
        if proposal.triggers.iter().any(is_of_commands) {
            self.keep_quiet_on_advice(&mut proposal);
        }
        self.keep_quiet_on_other_files(&mut proposal);
        if let Some(line) = refused {
            name_in_commands(line, &mut proposal);
        }
        proposal
    }

    /// The refused call, and those before, the latest first.
    fn recent(&self) -> impl Iterator<Item = &'e Step> {
        self.refused.into_iter().chain(self.steps.iter().copied())
    }

    /// The call that the statement is about: the refused one, or the last where it failed or was stopped.
    fn stopped(&self) -> Option<&'e Step> {
        let last = self.steps.first().filter(|step| step.failure().is_some() || step.is_refused());
        self.refused.or(last.copied())
    }

    /// The command line of that call.
    fn stopped_line(&self) -> &'e str {
        self.stopped().and_then(|step| step.clean_line()).unwrap_or_default()
    }

    /// The options that the statement asks for: with them, a call is as it should be. Those of the stopped call are not
    /// asked for.
    fn wanted_options(&self) -> impl Iterator<Item = &str> {
        let is_of_option = |c: char| c.is_ascii_alphanumeric() || "-_=.:/,".contains(c);
        let stopped: Vec<&str> = self.stopped_line().split_whitespace().collect();
        let words = self.rule.split_whitespace().flat_map(split_by_script);
        let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-'));
        // "Not apt, use `nix-shell -p`": `-p` is no option of what ran.
        let mut others = tools::commands(self.rule).collect::<Vec<_>>();
        others.retain(|form| {
            !self.recent().take(NAMED_WITHIN).any(|step| form.split(' ').any(|word| step.ran(word)))
        });
        words.filter(move |word| {
            operands::is_option(word)
                && !others.iter().any(|form| form.split(' ').any(|own| own == *word))
                && word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic())
                && word.chars().all(is_of_option)
                && !stopped.contains(word)
                && !self.is_left_out(word)
                && !self.statement.unwanted.contains(&word.to_lowercase())
        })
    }

    /// The words that name the calls: of what is not wanted, or of everything where only the wanted is named.
    fn telling(&self) -> &[String] {
        let Statement { unwanted, wanted, .. } = self.statement;
        if unwanted.is_empty() { wanted } else { unwanted }
    }

    /// An unwanted option, with the program of a call that had it a moment ago. One of a call that was stopped is unwanted
    /// however it is spoken of.
    fn at_option(&self) -> Option<Proposal> {
        let Statement { unwanted, wanted, .. } = self.statement;
        // People leave out the dashes of a long name: "no full-refresh here".
        let is_spoken_of = |name: &str| {
            let bare = name.trim_start_matches('-');
            holds(self.sentence, name, |c| c.is_ascii_alphanumeric() || c == '-')
                || bare.contains('-') && holds(self.sentence, bare, char::is_alphanumeric)
        };
        // "`--force-with-lease` please", of `--force`.
        let wanted_options: Vec<&str> = self.wanted_options().collect();
        let is_shorter = |name: &str| {
            let is_longer =
                |wanted: &&str| wanted.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
            wanted_options.iter().any(is_longer)
        };
        let of_step = |step: &'e Step| {
            let is_stopped = self.stopped().is_some_and(|stopped| std::ptr::eq(stopped, step));
            let is_named = |name: &&str| {
                let is_wanted = !unwanted.is_empty() && wanted.iter().any(|word| word == name);
                let is_unwanted =
                    unwanted.iter().any(|word| word.eq_ignore_ascii_case(name)) || self.is_left_out(name);
                operands::is_option(name)
                    && !is_wanted
                    && (is_unwanted || is_stopped && is_spoken_of(name) || is_shorter(name))
            };
            step.commands().iter().find_map(|command| {
                // Of `rm -rf build` more than the option counts.
                let mut options =
                    command.options().filter(|_| !has_role(&command.program, ProgramRole::Basic));
                Some(command.pattern_with(options.find(is_named)?))
            })
        };
        let named = names_in(self.sentence, unwanted).into_iter();
        let left_out = self.statement.sentence.words.iter().filter(|word| self.is_left_out(word)).cloned();
        let bare = || named.chain(left_out).find(|name| name.starts_with("--"));
        let names_option = self.sentence.contains('-') || self.rule.contains('-');
        let ran = self.recent().take(NAMED_WITHIN).filter(|_| names_option).find_map(of_step);
        ran.or_else(|| bare().map(|name| option(option_name(&name)))).map(on_command)
    }

    /// Whether the statement says that something is to be done without this.
    fn is_left_out(&self, name: &str) -> bool {
        const WITHOUT: &str = "without no sans ohne sin sem senza bez без";
        let mut pairs = self.statement.sentence.words.windows(2);
        pairs.any(|pair| pair[1].eq_ignore_ascii_case(name) && lists(WITHOUT, &pair[0]))
    }

    /// A command that ran a moment ago, as far as what is said names its words: of what is not wanted more than the program,
    /// where an option is asked for the program alone too.
    fn at_ran(&self) -> Option<Proposal> {
        let unwanted = &self.statement.unwanted;
        let (fewest, said) = match unwanted.as_slice() {
            [] if self.wanted_options().next().is_none() => return None,
            [] => (1, &self.statement.sentence.words),
            _ => (2, unwanted),
        };
        let start = |command: &Command| {
            let own: Vec<&str> =
                command.text.split_whitespace().skip_while(|word| **word != command.name).collect();
            let is_said = |word: &&&str| {
                !(unwanted.is_empty() && operands::is_option(word)) && said.contains(&word.to_lowercase())
            };
            let said = own.iter().take_while(is_said).count();
            // "Never `git add .`": a sentence has lost the dot.
            let is_spelled = own.get(said).is_some_and(|next| {
                let spelled = format!("{} {next}", own[..said].join(" "));
                said >= fewest && holds(self.sentence, &spelled, char::is_alphanumeric)
            });
            let same = said + usize::from(is_spelled);
            // "Never sleep 60": nor 30.
            let telling = own[..same].iter().rposition(|word| word.parse::<f64>().is_err());
            let start = || own[..telling.map_or(0, |at| at + 1)].join(" ");
            (same >= fewest).then(start)
        };
        self.ran_commands(said).find_map(start).map(|command| on_command(of_command(&command)))
    }

    /// A command of a program that everybody knows, spelled out with or without backticks: one that is not wanted, or that is to
    /// have an option.
    fn at_command(&self) -> Option<Proposal> {
        let Statement { unwanted, sentence, kind, .. } = self.statement;
        let is_verb = |word: &String| {
            let mut pairs = sentence.words.windows(2);
            *kind != StatementKind::Replacement
                && tools::is_verb(word)
                && pairs.any(|pair| pair[1] == *word && lists(BEFORE_VERBS, &pair[0]))
        };
        let begins = |&at: &usize| match at.checked_sub(1) {
            None => !is_verb(&unwanted[at]),
            Some(before) => tools::is_use(&unwanted[before]),
        };
        let starts: Vec<&[String]> = (0..unwanted.len()).filter(begins).map(|at| &unwanted[at..]).collect();
        let is_unwanted = |command: &String| {
            let own: Vec<String> = command.split(' ').map(str::to_lowercase).collect();
            starts.iter().any(|said| said.starts_with(&own))
        };
        let is_lacking = unwanted.is_empty() && self.wanted_options().next().is_some();
        let text = if is_lacking { self.rule } else { self.sentence };
        let command = tools::commands(text).find(|command| is_lacking || is_unwanted(command))?;
        let words = command.split(' ').take_while(|word| !(is_lacking && operands::is_option(word)));
        let command = operands::without_operands(&words.collect::<Vec<_>>().join(" ")).0;
        Some(on_command(of_command(&command)))
    }

    /// The simple commands that ran lately, those of the latest call first, of calls in which any of these words stands.
    fn ran_commands<'w>(&'w self, words: &'w [String]) -> impl Iterator<Item = &'e Command> + 'w {
        let lately = self.recent().take(NAMED_WITHIN);
        let has_any = |step: &&Step| step.lazy_call.may_run(words.iter().map(String::as_str));
        lately.filter(has_any).flat_map(Step::commands)
    }

    /// An act that is not wanted, or that is the occasion for something else: "before every commit". An act that is wanted
    /// is no mistake: "fold it into the last commit".
    fn at_act(&self) -> Option<Proposal> {
        let Statement { unwanted, wanted, .. } = self.statement;
        // "Never run git (add, commit, push)" is about more than one act.
        if tools::named(unwanted).is_some() {
            return None;
        }
        let act: &Act = if unwanted.is_empty() && self.refused.is_none() {
            // What was just done is what a question about it means. Of two, nobody knows which is not wanted: "you commit, I
            // push".
            let mut all = acts::named(wanted);
            let first = all.next();
            let is_alone =
                first.is_some_and(|first| all.all(|other| first.pattern.starts_with(other.pattern)));
            acts::occasion(wanted).or_else(|| first.filter(|act| is_alone && self.did(act)))?
        } else {
            acts::named(self.telling()).next()?
        };
        // An act that the unwanted one is a kind of would keep every call quiet.
        let instead = acts::named(wanted).filter(|other| !act.pattern.starts_with(other.pattern));
        let instead = instead.map(Act::trigger);
        let mut aimed = with_trigger(act.trigger());
        // "Never put Co-Authored-By in commits": what the call had, too.
        let had = |name: &String| {
            let mut lines = self.recent().take(JUST_NOW).filter_map(|step| step.clean_line());
            name.contains(['-', '.', '_']) && lines.any(|line| line.contains(name.as_str()))
        };
        let named = names_in(self.sentence, unwanted)
            .into_iter()
            .find(|name| !operands::is_option(name) && had(name));
        aimed.also.extend(named.map(|name| command_trigger(literal(&name))));
        Some(Proposal { unless: instead.collect(), ..aimed })
    }

    /// A program that is spoken of as a tool, or that ran a moment ago: "use uv, not pip". So are the tools of the client and of
    /// other servers.
    fn at_program(&self) -> Option<Proposal> {
        let Statement { unwanted, wanted, .. } = self.statement;
        let told = self.telling();
        let ran = |word: &str| just_ran(self.recent(), word);
        let program = tools::named(unwanted).or_else(|| tools::that_ran(unwanted, &ran));
        // Of two programs of which one ran, that one is not wanted, in whatever words.
        let of_two = || {
            let tool =
                tools::that_ran(wanted, &ran).filter(|_| unwanted.is_empty() && self.refused.is_none())?;
            let mut names = wanted.iter().map(|word| word.rsplit('/').next().unwrap_or_default());
            names.any(|name| name != tool && tools::is_command(name)).then_some(tool)
        };
        if let Some(program) = program.or_else(of_two) {
            // "Don't use pip, use uv" wants what comes after.
            let words = &self.statement.sentence.words;
            let after = words.iter().position(|word| word == program).map(|at| &words[at + 1..]);
            let instead = tools::named(wanted).or_else(|| tools::named(after?));
            let instead = instead.filter(|other| *other != program);
            let unless = instead.map(|other| command_trigger(literal(other))).into_iter().collect();
            let pattern = if operands::is_option(program) { option(program) } else { of_program(program) };
            return Some(Proposal { unless, ..on_command(pattern) });
        }
        if let Some(tool) = tools::of_client(told) {
            return Some(with_trigger(Trigger::new(TriggerKind::Tool, tool)));
        }
        told.iter().find(|word| self.ran(word)).map(|program| on_command(of_program(program)))
    }

    /// A word that is not wanted, of a command that worked on it: "never query db-primary". One that is no name of its own is
    /// looked for in the last call alone.
    fn at_operand(&self) -> Option<Proposal> {
        let of_word = |word: &String| {
            let within = if word.contains(|c: char| !c.is_alphabetic()) { NAMED_WITHIN } else { 1 };
            // A sentence has lost the mark before `.env`, and people the domain of `db-1.example.org`.
            let is_name = word.contains(|c: char| c.is_ascii_digit());
            let is_host = |own: &str| {
                is_name && own.split('.').next().is_some_and(|host| host.eq_ignore_ascii_case(word))
            };
            let is_own = |own: &&str| own.trim_start_matches('.').eq_ignore_ascii_case(word) || is_host(own);
            let steps = self.recent().take(within).filter(|step| step.lazy_call.may_run([word.as_str()]));
            let acts = |command: &&Command| !has_role(&command.program, ProgramRole::Inspects);
            steps.flat_map(Step::commands).filter(acts).find_map(|command| {
                if command.subcommand.split(' ').any(|own| own == word) {
                    return Some(on_command(command.start_pattern()));
                }
                let own = command.operands().find(is_own)?;
                // A file is another strategy's, wherever it is changed.
                let is_file = has_role(&command.program, ProgramRole::Basic) && own.contains('.');
                if is_file {
                    return None;
                }
                let mut proposal = on_command(command.pattern_named(own, ""));
                // "Never `--target prod`", of any subcommand.
                let with = |option: &str| {
                    format!(r"{}[^\n;&|]*\s{}[\s=]+{}", literal(&command.name), literal(option), literal(own))
                };
                proposal.triggers.extend(command.option_before(own).map(with).map(command_trigger));
                Some(proposal)
            })
        };
        let is_telling = |word: &&String| word.len() >= SHORTEST && !is_filler(word);
        self.statement.unwanted.iter().filter(is_telling).find_map(of_word)
    }

    /// A name of code.
    fn at_name(&self) -> Option<Proposal> {
        // A file in which something is to be written down is not what it is about.
        let is_memory =
            |name: &String| matches!(name.to_lowercase().as_str(), "claude.md" | "agents.md" | "readme.md");
        // "Start it with `-f compose.dev.yml`" is about what is started.
        let is_value = |name: &String| {
            let words: Vec<&str> = self.sentence.split_whitespace().collect();
            words.windows(2).any(|pair| operands::is_option(pair[0]) && pair[1].contains(name.as_str()))
        };
        let names = names_in(self.sentence, self.telling()).into_iter();
        let names = names.filter(|name| is_of_code(name) && !is_memory(name) && !is_value(name));
        let name = names.max_by_key(String::len)?;
        let trigger = of_name(&name);
        // Code that has the wanted name is as it should be.
        let is_wanted = self.statement.unwanted.is_empty()
            && self.statement.kind != StatementKind::Prohibition
            && !self.is_left_out(name.trim_matches(['.', '(', ')']));
        // A path in the reason for refusing a command is a word of a command,
        // and in that for refusing an edit of another file, what to edit instead.
        let wrote =
            |step: &Step| step.call().path.as_ref().is_some_and(|path| path.contains(name.trim_matches('/')));
        let is_elsewhere = name.contains('/') && self.refused.is_some_and(|step| !wrote(step));
        (!is_elsewhere && (!is_wanted || trigger.kind != TriggerKind::ContentPattern))
            .then(|| with_trigger(trigger))
    }

    /// The place that is named, in edits and in what was refused there. Where nothing is called unwanted, what was refused
    /// elsewhere is.
    fn at_place(&self) -> Option<Proposal> {
        let mut proposal = rule_aim::at_place(self.rule)?;
        let place = rule_aim::place(self.rule)?.trim_end_matches('/');
        let is_below =
            |own: &str| own.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let works = |command: &&Command| command.operands().any(is_below);
        let refused = self.refused.and_then(|step| step.commands().iter().find(works));
        let wrote = |step: &Step| step.call().path.as_ref().is_some_and(|path| path.contains(place));
        let is_there = refused.is_some() || self.refused.is_none_or(wrote);
        let of_command = |it: &Command| format!(r"{}\s[^\n]*{}", it.start_literal(), literal(place));
        proposal.triggers.extend(refused.map(|it| command_trigger(of_command(it))));
        (is_there || !self.statement.unwanted.is_empty()).then_some(proposal)
    }

    /// Whether a command that does this ran a moment ago.
    fn did(&self, act: &Act) -> bool {
        let aimed = with_trigger(act.trigger());
        let lines = self.steps.iter().take(JUST_NOW).filter_map(|step| step.clean_line());
        let kind = self.statement.kind;
        (kind <= StatementKind::Lasting || kind == StatementKind::Question)
            && lines.into_iter().any(|line| fires(&aimed, line) == Some(true))
    }

    /// Whether a program of this name ran a moment ago. The names of everyday programs are words too.
    fn ran(&self, word: &str) -> bool {
        // Who refuses a call and names only what is wanted means the refused one.
        let may_be_other = self.refused.is_none() || !self.statement.unwanted.is_empty();
        let others = self.steps.iter().filter(|_| may_be_other);
        let may_be_program = word.len() > 2 && known(word).is_none() && !is_filler(word);
        may_be_program && self.refused.iter().chain(others).any(|step| step.ran(word))
    }
}

/// Aims a proposal about a file at commands too, where it was refused to one: "don't read .env", of `cat .env`.
fn name_in_commands(line: &str, proposal: &mut Proposal) {
    let [Trigger { kind: TriggerKind::FileGlob, pattern }] = proposal.triggers.as_slice() else { return };
    let name = pattern.trim_start_matches("**/").trim_end_matches('*').to_owned();
    if name.contains('*') || !line.split_whitespace().any(|word| word.ends_with(&name)) {
        return;
    }
    proposal.triggers.push(command_trigger(literal(&name)));
    let others = proposal.unless.iter().filter_map(|other| other.pattern.strip_prefix("**/"));
    let others: Vec<Trigger> = others.map(|other| command_trigger(literal(other))).collect();
    proposal.unless.extend(others);
}

/// Whether a program of this name, or one with this option, ran in the last of these calls, the latest of which is first.
pub(super) fn just_ran<'e>(steps: impl Iterator<Item = &'e Step>, word: &str) -> bool {
    let may_have = steps.take(NAMED_WITHIN).filter(|step| step.lazy_call.may_run([word]));
    let has = |command: &Command| command.name == word || command.options().any(|own| own == word);
    may_have.flat_map(Step::commands).any(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::statement::sentence::sentences;
    use crate::detect::statement::statement;

    fn aim(text: &str) -> Vec<String> {
        let statement = statement(sentences(text), &|_| false).unwrap();
        let aim = Aim { statement: &statement, sentence: text, rule: text, refused: None, steps: Vec::new() };
        aim.proposal().triggers.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_file_that_is_to_be_changed_instead_is_none_of_those_like_the_other() {
        let text = "never touch my .env, put it in `.env.example` and tell me";
        let statement = statement(sentences(text), &|_| false).unwrap();
        let aim = Aim { statement: &statement, sentence: text, rule: text, refused: None, steps: Vec::new() };
        let Proposal { triggers, unless, .. } = aim.proposal();
        assert_eq!(
            (triggers[0].to_string(), unless[0].to_string()),
            ("glob=**/.env*".into(), "glob=**/.env.example".into())
        );
    }

    #[test]
    fn sub_agents_are_calls_of_a_tool() {
        assert_eq!(aim("from now on give every subagent the whole plan"), ["tool=Agent"]);
    }
}
