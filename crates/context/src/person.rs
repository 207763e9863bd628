//! Whether a person is shown by the surroundings of this process: a terminal of theirs, and no sign of the client.
//!
//! It stops an agent that was misled. A hostile process of the same user can imitate a terminal.

use std::fs::OpenOptions;

use lessons_home::home::{GUARD_VARIABLE, SESSION_VARIABLE};

pub use self::ancestors::client_beside;

/// The variables that the client sets in everything it starts.
const CLIENT_VARIABLES: [&str; 3] = ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", SESSION_VARIABLE];

/// The reason why no person is shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPerson {
    /// A variable of the client is set.
    #[error("it runs under Claude Code ({0} is set)")]
    Variable(&'static str),
    /// A process above this one, with this id and name, is the client, or was started by it.
    #[error("it runs under Claude Code (process {0}, {1})")]
    Ancestor(u32, String),
    /// A process beside this one, with this id and name, is the client, and may have started what started this.
    #[error("it has no terminal, and Claude Code (process {0}, {1}) may have started it and let go of it")]
    Beside(u32, String),
    /// The process has no controlling terminal.
    #[error("it has no terminal")]
    NoTerminal,
}

impl NoPerson {
    /// Whether the process runs under the client.
    pub fn is_under_client(&self) -> bool {
        !matches!(self, Self::NoTerminal)
    }
}

/// Whether the hook before a tool call started this process, and a client at a terminal the hook.
///
/// An agent can start the hook by hand as well. Then a process above has the client's variables in its environment, or the
/// process above the hook has ended or has no terminal. A client that only prints asks nobody, wherever it runs: its own command
/// line says so, and no variable of a project changes that.
pub fn is_started_by_hook() -> bool {
    let has = |name: &str| std::env::var_os(name).is_some();
    // The hook passes on no variable of the client.
    has(GUARD_VARIABLE) && !CLIENT_VARIABLES.into_iter().any(has) && ancestors::is_started_by_hook()
}

/// Why no person is shown; `None` if one is: the sign that this process runs under the client, or that it has no terminal.
pub fn missing() -> Option<NoPerson> {
    let set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let variable = CLIENT_VARIABLES.into_iter().find(set).map(NoPerson::Variable);
    // Only a process with a controlling terminal can open it (tty(4)).
    let has_terminal = || OpenOptions::new().read(true).write(true).open("/dev/tty").is_ok();
    variable.or_else(ancestors::client).or_else(|| (!has_terminal()).then_some(NoPerson::NoTerminal))
}

#[cfg(target_os = "linux")]
mod ancestors {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{CLIENT_VARIABLES, NoPerson};

    /// The name of the client's program.
    const CLIENT: &str = "claude";
    /// The variable that names the client's program in the Bash tool.
    const CLIENT_PROGRAM: &str = "CLAUDE_CODE_EXECPATH";
    /// The most ancestors that are looked at.
    const MOST: usize = 128;

    /// The program that may ask a person.
    const HOOK: &str = "lessons-pre-tool-use";

    /// The process that adopts those whose parent has ended, and the name of another one that does.
    const ADOPTER: (u32, &str) = (1, "systemd");

    /// A process, from `/proc/PID/stat`, `proc_pid_stat(5)`.
    #[derive(Debug, PartialEq, Eq)]
    struct Process {
        id: u32,
        name: String,
        parent: u32,
        session: u32,
        /// The device of its controlling terminal; 0 without one.
        terminal: i32,
        /// When it started, in ticks since the machine did.
        began: u64,
    }

    impl Process {
        fn of(id: u32) -> Option<Self> {
            let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
            Self::parsed(id, &String::from_utf8_lossy(&stat))
        }

        /// The name is in parentheses and may contain some.
        fn parsed(id: u32, stat: &str) -> Option<Self> {
            let (before, after) = stat.rsplit_once(')')?;
            let (_, name) = before.split_once('(')?;
            // The state, the parent, the group, the session, the terminal, and fourteen others before the start.
            let mut fields = after.split_whitespace().skip(1);
            let parent = fields.next()?.parse().ok()?;
            let session = fields.nth(1)?.parse().ok()?;
            let terminal = fields.next()?.parse().ok()?;
            let began = fields.nth(14)?.parse().ok()?;
            Some(Self { id, name: name.to_owned(), parent, session, terminal, began })
        }

        fn is_client(&self) -> bool {
            let named = std::env::var_os(CLIENT_PROGRAM);
            let is_named = |program: &Path| {
                program.file_stem().is_some_and(|stem| stem == CLIENT)
                    || named.as_deref().is_some_and(|named| program == Path::new(named))
            };
            self.name == CLIENT || program(self.id).as_deref().is_some_and(is_named)
        }
    }

    /// The ancestors of this process, the nearest first.
    fn ancestors() -> impl Iterator<Item = Process> {
        let parent = |process: &Process| Process::of(process.parent);
        let own = Process::of(std::process::id());
        std::iter::successors(own.as_ref().and_then(parent), move |process| parent(process)).take(MOST)
    }

    /// The program of a process. Readable for processes of this user only, as is the environment.
    fn program(process: u32) -> Option<PathBuf> {
        fs::read_link(format!("/proc/{process}/exe")).ok()
    }

    fn is_marked(process: u32) -> bool {
        has_client_variable(&fs::read(format!("/proc/{process}/environ")).unwrap_or_default())
    }

    pub(super) fn is_started_by_hook() -> bool {
        let mut above = ancestors();
        let own = std::env::current_exe().ok();
        let hook = own.map(|own| own.with_file_name(HOOK));
        let is_hook = hook.is_some() && above.next().and_then(|parent| program(parent.id)) == hook;
        let asks = |client: &Process| {
            let words = fs::read(format!("/proc/{}/cmdline", client.id)).unwrap_or_default();
            client.terminal != 0 && !is_marked(client.id) && !only_prints(&words)
        };
        let client = above.next().filter(asks);
        is_hook && client.is_some() && !above.any(|process| is_marked(process.id))
    }

    /// The nearest ancestor that is the client, or whose own environment has a variable of the client. Clearing the
    /// environment of a command hides neither.
    pub(super) fn client() -> Option<NoPerson> {
        let client = ancestors().find(|process| process.is_client() || is_marked(process.id));
        client.map(|client| NoPerson::Ancestor(client.id, client.name))
    }

    /// The client that may have started this process, which has no terminal, and let go of it: a client, or something that one
    /// started, in the session of this process; or a client that started before an ancestor of
    /// this process which nobody waits for any more, in the same control group: a process that lets go of its parents stays in
    /// it, and services, cron and logins have their own where a machine has any.
    pub fn client_beside() -> Option<NoPerson> {
        let own = Process::of(std::process::id())?;
        let line: Vec<Process> = std::iter::once(Process::of(own.id)?).chain(ancestors()).collect();
        let is_adopter = |parent: &Process| parent.id == ADOPTER.0 || parent.name == ADOPTER.1;
        let orphan = line.windows(2).find(|pair| is_adopter(&pair[1])).map(|pair| &pair[0]);
        let group = |process: &Process| fs::read(format!("/proc/{}/cgroup", process.id)).unwrap_or_default();
        let let_go = |client: &Process| {
            orphan.is_some_and(|orphan| client.began <= orphan.began && group(client) == group(orphan))
        };
        let is_beside = |other: &Process| {
            let shares_session = other.session == own.session;
            other.id != own.id
                && (shares_session && is_marked(other.id)
                    || other.is_client() && (shares_session || let_go(other)))
        };
        let ids = fs::read_dir("/proc").ok()?.flatten();
        let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let client = ids.filter_map(Process::of).find(is_beside)?;
        Some(NoPerson::Beside(client.id, client.name))
    }

    /// Whether a command line of the client, its words ended by zeros, has `-p` or `--print`, alone or among short options.
    fn only_prints(words: &[u8]) -> bool {
        let is_short = |word: &[u8]| {
            word.strip_prefix(b"-")
                .is_some_and(|letters| letters.iter().all(u8::is_ascii_alphabetic) && letters.contains(&b'p'))
        };
        let mut words = words.split(|byte| *byte == 0).skip(1).take_while(|word| *word != b"--");
        words.any(|word| word == b"--print" || is_short(word))
    }

    fn has_client_variable(environment: &[u8]) -> bool {
        environment.split(|byte| *byte == 0).any(|variable| {
            CLIENT_VARIABLES.iter().any(|name| {
                variable
                    .strip_prefix(name.as_bytes())
                    .and_then(|rest| rest.strip_prefix(b"="))
                    .is_some_and(|value| !value.is_empty())
            })
        })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_name_with_parentheses_and_spaces_does_not_hide_the_parent() {
            let process = |stat: &str| {
                let stat = format!("{stat} -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 77 0");
                let it = Process::parsed(12, &stat)?;
                Some((it.name, it.parent, it.session, it.terminal, it.began))
            };
            assert_eq!(process("12 (claude) S 7 12 11 34816"), Some(("claude".into(), 7, 11, 34816, 77)));
            assert_eq!(process("12 (a) S 1 (x) R 9 3 4 0"), Some(("a) S 1 (x".into(), 9, 4, 0, 77)));
            assert_eq!(process("12 (a"), None);
        }

        #[test]
        fn a_variable_of_the_client_counts_unless_it_is_empty() {
            assert!(has_client_variable(b"HOME=/h\0CLAUDECODE=1\0"));
            assert!(!has_client_variable(b"CLAUDECODE=\0XCLAUDECODE=1\0CLAUDECODE_X=1\0"));
        }

        #[test]
        fn a_client_that_only_prints_is_known_by_its_command_line() {
            for words in [&b"claude\0-p\0hello\0"[..], b"claude\0--print\0", b"node\0cli.js\0-cp\0go\0"] {
                assert!(only_prints(words));
            }
            for words in [
                &b"claude\0"[..],
                b"-p\0",
                b"claude\0--permission-mode\0plan\0--\0-p\0",
                b"claude\0-c\0",
                b"",
            ] {
                assert!(!only_prints(words));
            }
        }

        #[test]
        fn this_process_has_a_parent() {
            assert_ne!(ancestors().next().unwrap().id, 0);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod ancestors {
    /// Other systems do not tell a process of its ancestors without unsafe code.
    pub(super) fn is_started_by_hook() -> bool {
        true
    }

    pub(super) fn client() -> Option<super::NoPerson> {
        None
    }

    /// The client that may have started this process and let go of it.
    pub fn client_beside() -> Option<super::NoPerson> {
        None
    }
}
