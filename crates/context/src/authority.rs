//! The authority of a command: on what ground it may decide what is in force.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lessons_home::Home;
use lessons_ledger::journal::{Consent, ConsentRefused};

use crate::known_projects::KnownProjects;
use crate::person::NoPerson;
use crate::proposal::{Extent, Proposal};
use crate::token::Question;

/// The ground on which a command may decide.
#[derive(Debug, Clone)]
pub enum Authority {
    /// A person at a terminal.
    Person,
    /// A script, for which a person accepted the setting `gate.scripts`.
    Script,
    /// Work that decides nothing: scans, builds of what was accepted, the nightly run.
    Background,
    /// A call that a person approved. It is good for one change, the one that was shown.
    Approved(Arc<Approved>),
    /// A plan: the command runs up to its change, which is noted and not made.
    Planning(Arc<Plan>),
    /// None. The command may read, record and repeat.
    Missing(NoPerson),
}

/// An approved call.
#[derive(Debug)]
pub struct Approved {
    question: Question,
    /// What was done so far on the ground of it.
    done: Mutex<Option<Extent>>,
}

impl Approved {
    /// The approval that answers a question.
    pub fn new(question: Question) -> Self {
        Self { question, done: Mutex::new(None) }
    }

    fn agree(&self, proposal: &Proposal) -> Result<(), ConsentRefused> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let is_agreed = match *done {
            None => proposal.digest == self.question.digest,
            Some(extent) => extent == Extent::Command,
        };
        if !is_agreed {
            return Err(ConsentRefused(
                "this is no longer what was approved: what it would change has changed since. Nothing was changed. \
                 Make the call again, and the user will be asked again"
                    .to_owned(),
            ));
        }
        done.get_or_insert(proposal.extent);
        Ok(())
    }
}

/// The first change that a command would make which is only planned.
#[derive(Debug, Default)]
pub struct Plan(OnceLock<Proposal>);

impl Plan {
    /// The proposal, if the command came to a change.
    pub fn proposal(&self) -> Option<&Proposal> {
        self.0.get()
    }

    fn note(&self, proposal: Proposal) -> ConsentRefused {
        // The first change ends the command.
        let _ = self.0.set(proposal);
        ConsentRefused("this is only planned".to_owned())
    }
}

impl Authority {
    /// Permits a change, or refuses it. A plan notes it and refuses.
    pub fn agree(&self, proposal: Proposal) -> Result<(), ConsentRefused> {
        match self {
            Self::Person | Self::Script | Self::Background => Ok(()),
            Self::Approved(approved) => approved.agree(&proposal),
            Self::Planning(plan) => Err(plan.note(proposal)),
            Self::Missing(why) => Err(ConsentRefused(format!(
                "only a person decides that, and none is shown: {why}. Nothing was changed"
            ))),
        }
    }

    /// The consent that the journal asks for each change.
    pub fn consent(&self, home: &Home) -> Consent {
        match self {
            Self::Person | Self::Script | Self::Background => Consent::Given,
            Self::Approved(_) | Self::Planning(_) | Self::Missing(_) => {
                let own = self.clone();
                let home = home.clone();
                let known = KnownProjects::of(&home);
                Consent::asked(move |changes| own.agree(Proposal::of(changes, &home, &known)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approved(shown: &Proposal) -> Authority {
        let question = Question {
            asked: 0,
            argv: Vec::new(),
            folder: "/".into(),
            session: "s".into(),
            digest: shown.digest.clone(),
            call: String::new(),
            transcript: None,
        };
        Authority::Approved(Arc::new(Approved::new(question)))
    }

    #[test]
    fn an_approval_is_good_for_what_was_shown_and_once() {
        let shown = Proposal { extent: Extent::Change, ..Proposal::said("switch off user/a") };
        let authority = approved(&shown);
        assert!(authority.agree(Proposal::said("switch off user/b")).is_err());
        assert!(authority.agree(shown.clone()).is_ok());
        assert!(authority.agree(shown).is_err());
    }

    #[test]
    fn an_approval_of_a_whole_command_is_good_for_each_part_of_it() {
        let shown = Proposal::said("set up this project");
        let authority = approved(&shown);
        assert!(authority.agree(shown).is_ok());
        assert!(authority.agree(Proposal::said("a part of it")).is_ok());
    }

    #[test]
    fn a_plan_notes_its_first_change_and_makes_none() {
        let plan = Arc::new(Plan::default());
        let authority = Authority::Planning(Arc::clone(&plan));
        assert!(authority.agree(Proposal::said("first")).is_err());
        assert!(authority.agree(Proposal::said("second")).is_err());
        assert_eq!(plan.proposal(), Some(&Proposal::said("first")));
    }

    #[test]
    fn without_a_person_nothing_is_decided() {
        let missing = Authority::Missing(NoPerson::NoTerminal);
        let refused = missing.agree(Proposal::said("x")).unwrap_err();
        assert!(refused.to_string().contains("no terminal"), "{refused}");
    }
}
