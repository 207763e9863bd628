//! Which processes of a test are still there.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Waits until no process has `home` as its `HOME`. After `limit`, what is left: one line for each process.
///
/// A process keeps the environment that it was started with, so one that has detached itself is found too.
pub fn left_after(limit: Duration, home: &Path) -> Vec<String> {
    let deadline = Instant::now() + limit;
    loop {
        let left = with_home(home);
        if left.is_empty() || Instant::now() >= deadline {
            return left;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(target_os = "linux")]
fn with_home(home: &Path) -> Vec<String> {
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;

    let wanted = [b"HOME=", home.as_os_str().as_bytes()].concat();
    let mut left = Vec::new();
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        // Processes end while we look, and those of others are not ours to read.
        let Ok(environment) = fs::read(process.path().join("environ")) else { continue };
        if environment.split(|byte| *byte == 0).any(|variable| variable == wanted) {
            let command = fs::read(process.path().join("cmdline")).unwrap_or_default();
            let words = String::from_utf8_lossy(&command).replace('\0', " ");
            left.push(format!("{} {words}", process.file_name().display()));
        }
    }
    left
}

#[cfg(not(target_os = "linux"))]
fn with_home(home: &Path) -> Vec<String> {
    let wanted = format!("HOME={}", home.display());
    let listed = std::process::Command::new("ps").args(["-Aww", "-E", "-o", "pid,command"]).output();
    let listed = listed.map(|output| output.stdout).unwrap_or_default();
    let lines = String::from_utf8_lossy(&listed).into_owned();
    lines.lines().filter(|line| line.split(' ').any(|word| word == wanted)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_found_by_its_home_until_it_ends() {
        let home = tempfile::tempdir().unwrap();
        let mut sleeper =
            Command::new("sleep").arg("30").env("HOME", home.path()).stdout(Stdio::null()).spawn().unwrap();
        // A process that has just begun has no environment to be read yet.
        let deadline = Instant::now() + Duration::from_secs(20);
        let mut left = Vec::new();
        while left.is_empty() && Instant::now() < deadline {
            left = left_after(Duration::ZERO, home.path());
        }
        assert!(left.len() == 1 && left[0].contains("sleep"), "{left:?}");
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert!(left_after(Duration::from_secs(5), home.path()).is_empty());
    }
}
