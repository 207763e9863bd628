//! A headless Chromium, driven by its protocol for developers through a pair of pipes.

use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The names of Chromium's program.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The protocol reads from descriptor 3 and writes to descriptor 4. `timeout` ends a browser that hangs.
const START: &str = r#"exec timeout 120 "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;

/// A browser with one open page.
pub(crate) struct Browser {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The session of the page.
    page: String,
    last: u64,
    /// What the page reported since it was asked last.
    events: Vec<Value>,
    _profile: TempDir,
}

/// A window and its theme.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) width: u32,
    pub(crate) theme: &'static str,
}

impl Browser {
    /// Starts the browser of this machine; `None` where there is none.
    pub(crate) fn start() -> Option<Self> {
        let program = on_path()?;
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", START, "sh"])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let requests = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut browser = Self {
            child,
            requests,
            answers,
            page: String::new(),
            last: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.ask("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.ask("Target.attachToTarget", &attached);
        attached["sessionId"].as_str().unwrap().clone_into(&mut browser.page);
        for domain in ["Page", "Log", "Runtime", "Network"] {
            browser.ask(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Opens a file in a window. Returns what the page reported: messages, errors and requests.
    pub(crate) fn open(&mut self, file: &Path, window: Window) -> Vec<Value> {
        let Window { width, theme } = window;
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.ask("Emulation.setDeviceMetricsOverride", &size);
        let theme = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
        self.ask("Emulation.setEmulatedMedia", &theme);
        self.events.clear();
        self.ask("Page.navigate", &json!({ "url": format!("file://{}", file.display()) }));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.receive();
            self.events.push(event);
        }
        std::mem::take(&mut self.events)
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let answer =
            self.ask("Runtime.evaluate", &json!({ "expression": expression, "returnByValue": true }));
        assert!(answer["exceptionDetails"].is_null(), "{answer}");
        answer["result"]["value"].clone()
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if !self.page.is_empty() {
            message["sessionId"] = self.page.clone().into();
        }
        self.requests.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.receive();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn receive(&mut self) -> Value {
        let mut message = Vec::new();
        self.answers.read_until(0, &mut message).unwrap();
        assert_eq!(message.pop(), Some(0), "the browser has ended");
        serde_json::from_slice(&message).unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser that has ended already needs nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn on_path() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|it| it.is_file())
}
