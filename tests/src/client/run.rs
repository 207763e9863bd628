//! The inside of one run: the model, the client, and the prompts between them.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::{Value, json};

use super::job::{Ending, Job};
use crate::model::server::Model;

/// How often an ended client is noticed although something still holds its output open.
const TICK: Duration = Duration::from_millis(20);

/// Plays the model and runs the client until it ends or its time is up.
pub(super) fn run(job: &Job) -> io::Result<Ending> {
    if job.only_loopback {
        refuse_a_network()?;
    }
    let model = Model::start(job.script.clone(), &job.requests())?;
    let mut client = Command::new(&job.program)
        .args(&job.arguments)
        .env_clear()
        .envs(&job.environment)
        .env("ANTHROPIC_BASE_URL", format!("http://{}", model.address()))
        .current_dir(&job.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(File::create(job.errors())?)
        .process_group(0)
        .spawn()?;
    let (Some(input), Some(output)) = (client.stdin.take(), client.stdout.take()) else {
        return Err(io::Error::other("the client has no pipes"));
    };
    let conversation = Conversation {
        lines: follow(output, File::create(job.output())?),
        input: Some(input),
        prompts: job.prompts.clone().into_iter(),
        session: String::new(),
    };
    conversation.hold(client, Instant::now() + job.timeout)
}

pub(super) fn refuse_a_network() -> io::Result<()> {
    let devices = fs::read_to_string("/proc/net/dev")?;
    let names = devices.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim());
    let others: Vec<&str> = names.filter(|name| *name != "lo").collect();
    if others.is_empty() {
        return Ok(());
    }
    Err(io::Error::other(format!("not isolated: there is also {}", others.join(", "))))
}

/// Copies the client's output to a log, and hands on every line.
fn follow(output: ChildStdout, mut log: File) -> Receiver<Value> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = writeln!(log, "{line}");
            if sender.send(serde_json::from_str(&line).unwrap_or(Value::Null)).is_err() {
                break;
            }
        }
    });
    lines
}

/// The prompts on their way to the client: each goes out when the one before has its result.
struct Conversation {
    lines: Receiver<Value>,
    /// Closed when there is nothing more to ask, which ends the client.
    input: Option<ChildStdin>,
    prompts: std::vec::IntoIter<String>,
    session: String,
}

impl Conversation {
    fn hold(mut self, mut client: Child, deadline: Instant) -> io::Result<Ending> {
        self.ask_next();
        loop {
            match self.lines.recv_timeout(TICK) {
                Ok(line) => self.heed(&line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(TICK),
            }
            if let Some(status) = client.try_wait()? {
                while let Ok(line) = self.lines.recv_timeout(TICK) {
                    self.heed(&line);
                }
                return Ok(Ending { exit: status.code(), timed_out: false, session: self.session });
            }
            if Instant::now() >= deadline {
                kill_group(&mut client)?;
                return Ok(Ending { exit: None, timed_out: true, session: self.session });
            }
        }
    }

    fn heed(&mut self, line: &Value) {
        if line["type"] == "result" {
            line["session_id"].as_str().unwrap_or_default().clone_into(&mut self.session);
            self.ask_next();
        }
    }

    fn ask_next(&mut self) {
        let Some(prompt) = self.prompts.next() else {
            self.input = None;
            return;
        };
        let message = json!({"type": "user", "message": {"role": "user", "content": prompt}});
        // A client that has ended is noticed by its status, not here.
        if let Some(input) = &mut self.input {
            let _ = writeln!(input, "{message}");
        }
    }
}

fn kill_group(client: &mut Child) -> io::Result<()> {
    let group = i32::try_from(client.id()).map_err(io::Error::other)?;
    killpg(Pid::from_raw(group), Signal::SIGKILL)?;
    client.wait()?;
    Ok(())
}
