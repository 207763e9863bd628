//! Conditions on the machine and on the state of a call, which hold besides the triggers.
//!
//! A lesson may be right on some machines only ([`Os`], [`Shell`]) or in some states only ([`StateCheck`]). Of the systems
//! and of the shells one must be that of the call; of the states all must hold. An empty list asks for nothing.

use lessons_text::Named;
use serde::{Deserialize, Serialize};

/// The name of each word.
pub fn names_of<T: Named>(words: &[T]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

lessons_text::named! {
    /// An operating system. A command in WSL runs on Linux; one in Git Bash runs on Windows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[allow(missing_docs, reason = "the names say it")]
    pub enum Os {
        Linux = "linux",
        Macos = "macos",
        Windows = "windows",
    }
}

lessons_text::named! {
    /// The shell that runs the commands of the client.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[allow(missing_docs, reason = "the names say it")]
    pub enum Shell {
        Bash = "bash",
        Zsh = "zsh",
        Sh = "sh",
    }
}

lessons_text::named! {
    /// A check of the state in which a call is made: of the call alone, or with one look at the disk.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum StateCheck {
        /// The command begins with `cd X`, and the working folder already ends in `/X`.
        CwdEndsWithTarget = "cwd-ends-with-target",
        /// The file of the call, or the folder `X` of a command that begins with `cd X`, is not there.
        PathMissing = "path-missing",
        /// The file of the call, a file that its command plainly writes, or the folder `X` of a command that begins with `cd X`,
        /// is there.
        PathExists = "path-exists",
    }
}

/// The conditions of a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// The systems on one of which the call must be made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub os: Vec<Os>,
    /// The shells of which one must run the commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shell: Vec<Shell>,
    /// The states that must all hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<StateCheck>,
}

impl Conditions {
    /// The conditions with these words, each once and in the order of its list.
    pub fn of(os: &[Os], shell: &[Shell], state: &[StateCheck]) -> Self {
        Self { os: in_order(os), shell: in_order(shell), state: in_order(state) }
    }

    /// The same conditions, without those on the machine: for examples, which are tried anywhere.
    #[must_use]
    pub fn on_any_machine(self) -> Self {
        Self { os: Vec::new(), shell: Vec::new(), ..self }
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a call may meet these conditions that does not meet `others`.
    pub fn are_wider_than(&self, others: &Self) -> bool {
        is_wider(&self.os, &others.os)
            || is_wider(&self.shell, &others.shell)
            || others.state.iter().any(|check| !self.state.contains(check))
    }
}

fn in_order<T: Named>(words: &[T]) -> Vec<T> {
    T::VALUES.iter().copied().filter(|word| words.contains(word)).collect()
}

/// Whether one list of alternatives allows what another does not. An empty list allows everything.
fn is_wider<T: PartialEq>(list: &[T], other: &[T]) -> bool {
    !other.is_empty() && (list.is_empty() || list.iter().any(|word| !other.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_have_one_order_whatever_was_written() {
        let conditions = Conditions::of(&[Os::Macos, Os::Linux, Os::Macos], &[], &[StateCheck::PathMissing]);
        assert_eq!(conditions.os, [Os::Linux, Os::Macos]);
        assert!(!conditions.is_empty() && Conditions::of(&[], &[], &[]).is_empty());
        assert_eq!(conditions.on_any_machine(), Conditions::of(&[], &[], &[StateCheck::PathMissing]));
    }

    #[test]
    fn fewer_alternatives_are_narrower_and_so_are_more_states() {
        let os = |os: &[Os]| Conditions::of(os, &[], &[]);
        assert!(os(&[]).are_wider_than(&os(&[Os::Linux])) && !os(&[Os::Linux]).are_wider_than(&os(&[])));
        assert!(os(&[Os::Linux, Os::Macos]).are_wider_than(&os(&[Os::Linux])));
        let state = |state: &[StateCheck]| Conditions::of(&[], &[], state);
        assert!(state(&[]).are_wider_than(&state(&[StateCheck::PathMissing])));
        assert!(!state(&StateCheck::ALL).are_wider_than(&state(&[StateCheck::PathMissing])));
    }
}
