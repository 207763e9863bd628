//! The Messages API on loopback, playing a script and writing down every request.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};
use tiny_http::{Header, Response, Server};

use super::director::{Cue, Director};
use super::{Script, answer};
use crate::requests::Request;

/// A running model. It answers until the process ends.
pub struct Model {
    address: SocketAddr,
    stage: Arc<Mutex<Stage>>,
}

struct Stage {
    director: Director,
    requests: Vec<Request>,
    log: File,
}

impl Model {
    /// Starts to play a script on a free port of 127.0.0.1. Requests are appended to `log`, one JSON a line,
    /// before they are answered.
    pub fn start(script: Script, log: &Path) -> io::Result<Self> {
        let server = Server::http("127.0.0.1:0").map_err(io::Error::other)?;
        let address = server.server_addr().to_ip().ok_or_else(|| io::Error::other("not an IP socket"))?;
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        let stage = Stage { director: Director::new(script), requests: Vec::new(), log };
        let stage = Arc::new(Mutex::new(stage));
        let shared = Arc::clone(&stage);
        thread::spawn(move || {
            for request in server.incoming_requests() {
                let stage = Arc::clone(&shared);
                // A thread for each: one answer may be delayed while others are not.
                thread::spawn(move || answer(request, &stage));
            }
        });
        Ok(Self { address, stage })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        enter(&self.stage).requests.clone()
    }
}

fn enter(stage: &Mutex<Stage>) -> MutexGuard<'_, Stage> {
    stage.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers one request. A client that has gone away is no error: there is nobody to tell.
fn answer(mut http: tiny_http::Request, stage: &Mutex<Stage>) {
    let mut raw = Vec::new();
    if http.as_reader().read_to_end(&mut raw).is_err() {
        return;
    }
    let body = serde_json::from_slice(&raw).unwrap_or(Value::Null);
    let route = http.url().split('?').next().unwrap_or_default().to_owned();
    let is_message = route == "/v1/messages" && *http.method() == tiny_http::Method::Post;

    let (cue, serial) = {
        let mut stage = enter(stage);
        let cue = is_message.then(|| stage.director.next(&body));
        let serial = stage.requests.len();
        let method = http.method().as_str().to_owned();
        let place = cue.as_ref().map(|cue| (cue.thread.clone(), cue.turn));
        stage.record(Request::new(serial, method, route, place, body.clone()));
        (cue, serial)
    };
    let _ = match cue {
        Some(cue) => http.respond(play(&cue, serial, &body)),
        None => http.respond(not_found()),
    };
}

impl Stage {
    fn record(&mut self, request: Request) {
        // A log that cannot be written shows as requests that the test misses.
        if let Ok(mut line) = serde_json::to_vec(&request) {
            line.push(b'\n');
            let _ = self.log.write_all(&line);
        }
        self.requests.push(request);
    }
}

type Reply = Response<io::Cursor<Vec<u8>>>;

fn play(cue: &Cue, serial: usize, request: &Value) -> Reply {
    thread::sleep(cue.answer.delay);
    let model = request["model"].as_str().unwrap_or("model");
    let message = answer::message(cue, std::process::id(), serial, model);
    if request["stream"] == true {
        reply(200, "text/event-stream", answer::stream(&message))
    } else {
        reply(200, "application/json", message.to_string())
    }
}

fn not_found() -> Reply {
    let error = json!({"type": "error", "error": {"type": "not_found_error", "message": "not scripted"}});
    reply(404, "application/json", error.to_string())
}

fn reply(status: u16, kind: &str, body: String) -> Reply {
    let kind = Header::from_bytes("content-type", kind).expect("a constant header");
    Response::from_string(body).with_status_code(status).with_header(kind)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::TcpStream;

    use super::super::Turn;
    use super::*;

    fn post(address: SocketAddr, path: &str, body: &Value) -> String {
        let body = body.to_string();
        let mut socket = TcpStream::connect(address).unwrap();
        write!(socket, "POST {path} HTTP/1.1\r\nHost: model\r\nConnection: close\r\n").unwrap();
        write!(socket, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut reply = String::new();
        socket.read_to_string(&mut reply).unwrap();
        reply
    }

    #[test]
    fn requests_are_kept_in_memory_and_in_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("requests.jsonl");
        let model = Model::start(Script::new().turn(Turn::text("Hello there")), &log).unwrap();

        let body = json!({"stream": true, "tools": [{}], "messages": [{"role": "user", "content": "hi"}]});
        let reply = post(model.address(), "/v1/messages?beta=true", &body);
        assert!(reply.contains("text/event-stream") && reply.contains("Hello there"), "{reply}");
        assert!(post(model.address(), "/v1/other", &json!({})).starts_with("HTTP/1.1 404"));

        assert_eq!(model.requests().len(), 2);
        assert_eq!(std::fs::read_to_string(log).unwrap().lines().count(), 2);
    }
}
