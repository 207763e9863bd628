//! A program that reads: it gets the text on standard input and prints its answer. It may be slow, silent, wrong, endless or
//! rude; none of that costs more than its time.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use lessons_context::{Refused, Result, WhileDoing as _, refused};
use lessons_home::home::SESSION_VARIABLE;
use lessons_text::{line, shortened};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use tempfile::Builder;

/// The most bytes of an answer.
const MOST: u64 = 4 << 20;
/// The most bytes that are kept of what a program complains about.
const COMPLAINT: u64 = 4 << 10;
/// The longest complaint that is shown, in characters.
const SHOWN: usize = 200;
/// How often it is looked whether a program has ended.
const POLL: Duration = Duration::from_millis(20);
/// How long its output is waited for once it has.
const LINGER: Duration = Duration::from_secs(2);
/// The name of the ready choice.
pub const CLAUDE: &str = "claude";
/// Claude Code without a terminal, tools, commands, hooks, plugins, servers, settings of projects and a kept session. Both
/// generations take these.
const HEADLESS: [&str; 13] = [
    "-p",
    "--safe-mode",
    "--strict-mcp-config",
    "--disable-slash-commands",
    "--no-session-persistence",
    "--setting-sources",
    "",
    "--tools",
    "",
    "--output-format",
    "text",
    // What it is told in the place of the client's own instructions.
    "--system-prompt",
    "You read a recorded text and answer with JSON.",
];

/// A program that reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reader {
    /// Claude Code, with the flags that keep it from doing anything else.
    Claude,
    /// A command line of the person's.
    Command(String),
}

impl Reader {
    /// The reader that a person names.
    pub fn named(text: &str) -> Self {
        match text.trim() {
            CLAUDE => Self::Claude,
            text => Self::Command(text.to_owned()),
        }
    }

    /// The reader as people know it.
    pub fn name(&self) -> String {
        match self {
            Self::Claude => "Claude Code".to_owned(),
            Self::Command(text) => shortened(&line(text), 60),
        }
    }

    /// Where the text goes, in half a sentence.
    pub fn destination(&self) -> String {
        match self {
            Self::Claude => {
                "to the model of your Claude Code, over its own login, with the date, the platform, the shell and the name of an empty folder"
                    .to_owned()
            }
            Self::Command(_) => format!("to the standard input of `{}`", self.name()),
        }
    }

    /// Has the program read a text, in an empty folder, for at most `limit`. Returns what it prints.
    pub fn read(&self, text: String, limit: Duration) -> Result<Vec<u8>> {
        // It goes away with what the reader left in it.
        let folder = Builder::new().prefix("lessons-read-").tempdir();
        let folder = folder.while_doing(|| "cannot make an empty folder for the reader".to_owned())?;
        let (program, arguments) = match self {
            Self::Claude => (CLAUDE, HEADLESS.to_vec()),
            Self::Command(text) => ("/bin/sh", vec!["-c", text]),
        };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&folder).process_group(0).env_remove(SESSION_VARIABLE);
        // A session of the client inside one of its own says so by these.
        for name in ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| Refused(format!("`{}` cannot be started: {error}", self.name())))?;
        if let Some(mut stdin) = child.stdin.take() {
            // One that does not listen is no error. The thread ends when the program does.
            thread::spawn(move || stdin.write_all(text.as_bytes()));
        }
        let complaint = collected(child.stderr.take(), COMPLAINT);
        let printed = collected(child.stdout.take(), MOST + 1);
        // It is not waited for before its group is ended, so its number is still its own.
        let pid = Pid::from_raw(child.id().cast_signed());
        let heard = hear(pid, &printed, Instant::now() + limit);
        // Whatever it started goes with it.
        end(pid);
        let status = child.wait()?;
        let name = self.name();
        let Some(answer) = heard else { return refused(format!("`{name}` took too long")) };
        if answer.len() as u64 > MOST {
            return refused(format!("`{name}` printed more than {} MiB", MOST >> 20));
        }
        if !status.success() {
            let said = complaint.recv_timeout(POLL).unwrap_or_default();
            let said = [said.as_slice(), answer.as_slice()].into_iter().find(|said| !said.is_empty());
            let said = said.map(|said| line(&String::from_utf8_lossy(said))).unwrap_or_default();
            let said = if said.is_empty() { said } else { format!(": {}", shortened(&said, SHOWN)) };
            return refused(format!("`{name}` ended with {status}{said}"));
        }
        Ok(answer)
    }
}

/// Listens to a program until it has ended, or has printed more than is taken. What it started may hold its output open. Returns
/// what it printed; `None` where it was not done in time.
fn hear(pid: Pid, printed: &mpsc::Receiver<Vec<u8>>, until: Instant) -> Option<Vec<u8>> {
    let mut answer = None;
    loop {
        if answer.is_none() {
            answer = printed.recv_timeout(POLL).ok();
        } else {
            thread::sleep(POLL);
        }
        let is_too_much = answer.as_ref().is_some_and(|answer| answer.len() as u64 > MOST);
        if is_too_much || has_ended(pid) {
            end(pid);
            return answer.or_else(|| printed.recv_timeout(LINGER).ok());
        }
        if Instant::now() >= until {
            return None;
        }
    }
}

/// Whether a program has ended. It stays to be waited for.
fn has_ended(pid: Pid) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
    waitid(Id::Pid(pid), flags).is_ok_and(|status| status != WaitStatus::StillAlive)
}

/// What is read of a pipe in the background, up to so many bytes.
fn collected(pipe: Option<impl Read + Send + 'static>, most: u64) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(pipe) = pipe {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut pipe = pipe;
            let _ = pipe.by_ref().take(most).read_to_end(&mut bytes);
            let _ = sender.send(bytes);
            // A program whose pipe is closed ends at its next word. The rest is read, and the program ends in its own time.
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        });
    }
    receiver
}

/// Ends a program and what it started.
fn end(pid: Pid) {
    let _ = killpg(pid, Signal::SIGKILL);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str) -> Result<String, String> {
        let read = Reader::Command(command.to_owned()).read("the text".to_owned(), Duration::from_secs(2));
        read.map(|answer| String::from_utf8(answer).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_program_gets_the_text_and_its_answer_comes_back() {
        assert_eq!(read("cat"), Ok("the text".to_owned()));
        assert_eq!(read("sleep 60 & echo '[]'"), Ok("[]\n".to_owned()), "one that leaves another behind");
        assert_eq!(read("echo '[]'"), Ok("[]\n".to_owned()), "one that does not listen");
        let chatty = "i=0; while [ $i -lt 400 ]; do echo a line of a log that goes on and on >&2 || exit 1; i=$((i+1)); done; echo '[]'";
        assert_eq!(read(chatty), Ok("[]\n".to_owned()), "one that logs more than is kept");
    }

    #[test]
    fn one_that_is_slow_endless_rude_or_wrong_costs_no_more_than_its_time() {
        let began = Instant::now();
        assert!(read("sleep 60").unwrap_err().contains("took too long"));
        assert!(read("yes").unwrap_err().contains("more than 4 MiB"));
        assert!(read("trap '' TERM INT; sleep 60 & sleep 60").unwrap_err().contains("took too long"));
        assert!(read("exec >&-; sleep 60").unwrap_err().contains("took too long"));
        assert!(read("echo no login >&2; exit 3").unwrap_err().contains("exit status: 3: no login"));
        assert!(read("kill -9 $$").unwrap_err().contains("signal: 9"));
        assert!(read("wibble-that-is-nowhere").unwrap_err().contains("not found"));
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}
