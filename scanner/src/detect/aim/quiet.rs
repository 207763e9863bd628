//! The calls at which a statement's lesson keeps quiet: those that do what it asks for.

use lessons_ledger::Proposal;
use lessons_pattern::{Trigger, TriggerKind};

use super::{Aim, NAMED_WITHIN};
use crate::detect::aim::triggers::{command_trigger, option};
use crate::detect::history::Step;
use crate::detect::statement::tools;
use crate::tag::trial::{fires, matches};
use crate::tag::trigger::{keep_quiet_on, of_program, operands};

impl Aim<'_, '_> {
    /// Keeps a proposal about a file and those like it quiet on another one that the rule names: "never touch `.env`, put it in
    /// `.env.example`".
    pub(super) fn keep_quiet_on_other_files(&self, proposal: &mut Proposal) {
        let globs = proposal.triggers.iter().filter(|trigger| trigger.kind == TriggerKind::FileGlob);
        let starts: Vec<&str> =
            globs.filter_map(|it| it.pattern.strip_prefix("**/")?.strip_suffix('*')).collect();
        let words = self.rule.split_whitespace();
        let names =
            words.map(|word| word.trim_start_matches('`').trim_end_matches(|c: char| !c.is_alphanumeric()));
        let is_other =
            |name: &&str| starts.iter().any(|start| name.len() > start.len() && name.starts_with(start));
        let others = names.filter(is_other);
        let others = others.map(|name| Trigger::new(TriggerKind::FileGlob, format!("**/{name}")));
        proposal.unless.extend(others);
    }

    /// Keeps a proposal quiet on what the rule advises: commands that it spells out, and options.
    pub(super) fn keep_quiet_on_advice(&self, proposal: &mut Proposal) {
        let refused = self.refused.and_then(|step| step.clean_line());
        let unwanted = self.statement.unwanted.join(" ");
        let said = refused.map(str::to_owned).into_iter().chain([unwanted.clone()]);
        let ran = self.recent().take(NAMED_WITHIN).flat_map(Step::commands);
        let lines = said.chain(ran.map(|command| command.text.clone()));
        // Of other operands the lesson holds as well.
        let mut bad = lines.flat_map(|line| [operands::without_operands(&line).0, line]);
        let bad = bad.find(|line| fires(proposal, line) == Some(true)).unwrap_or_default();
        // What is said of the unwanted command itself is no other form of it.
        let is_said = refused.is_some() || !unwanted.is_empty();
        let triggers = proposal.triggers.clone();
        let is_bad = |form: &str| {
            let program = form.split(' ').next().unwrap_or_default();
            let is_same = Some(program) == bad.split(' ').next();
            // "Never execute git (git add, git push)" is about the program as a whole.
            let is_example =
                triggers == [command_trigger(of_program(program))] && form.split(' ').all(operands::is_plain);
            let is_start = bad.strip_prefix(form).is_some_and(|rest| !rest.trim_start().starts_with('-'));
            // "Ruff without --unsafe-fixes" spells what it does not want.
            let mut options = self.statement.unwanted.iter().filter(|word| operands::is_option(word));
            let has_unwanted =
                options.any(|option| form.split(' ').any(|word| word.trim_end_matches(',') == option));
            is_start
                || is_example
                || has_unwanted
                || unwanted.contains(&form.to_lowercase())
                || is_same && !is_said
        };
        for form in tools::commands(self.rule).filter(|form| !is_bad(form)) {
            if fires(proposal, &form) == Some(true) {
                keep_quiet_on(&form, &bad, proposal);
            }
        }
        for trigger in self.wanted_options().map(option).map(command_trigger) {
            // "`--force-with-lease`, plain `--force` is out" wants one of the two.
            let is_of_bad = matches(&trigger.pattern, &bad);
            if !is_of_bad && !proposal.unless.contains(&trigger) && !proposal.triggers.contains(&trigger) {
                proposal.unless.push(trigger);
            }
        }
    }
}
