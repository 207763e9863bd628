//! Commands with a time limit.

use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Runs a command without input and returns its output. The process is killed after `limit`.
pub(crate) fn output(command: &mut Command, limit: Duration) -> Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    let stdout = child.stdout.take().map(drain);
    let stderr = child.stderr.take().map(drain);
    let status = wait(&mut child, limit).with_context(|| format!("{name} was stopped"))?;
    let read = |thread: Option<thread::JoinHandle<Vec<u8>>>| {
        thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    };
    Ok(Output { status, stdout: read(stdout), stderr: read(stderr) })
}

/// Waits for the end of a process, which is killed after `limit`.
pub(crate) fn wait(child: &mut Child, limit: Duration) -> Result<std::process::ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            bail!("it did not end within {} seconds", limit.as_secs());
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a thread that reads `from` to its end.
fn drain(mut from: impl std::io::Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read until an error is still worth showing.
        let _ = from.read_to_end(&mut bytes);
        bytes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_any_size_is_returned_with_the_status() {
        let script = "head -c 300000 /dev/zero; echo oops >&2; exit 3";
        let done = output(Command::new("sh").args(["-c", script]), Duration::from_secs(20)).unwrap();
        assert_eq!(done.stdout.len(), 300_000);
        assert_eq!(done.stderr, b"oops\n");
        assert_eq!(done.status.code(), Some(3));
    }

    #[test]
    fn a_program_that_hangs_is_stopped_and_named() {
        let error = output(Command::new("sleep").arg("60"), Duration::from_millis(50)).unwrap_err();
        assert!(format!("{error:#}").contains("sleep was stopped"));
    }
}
