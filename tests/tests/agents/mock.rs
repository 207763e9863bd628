//! A scripted stand-in for the model behind other agents: three interfaces, each in as much of it as the clients need.

use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use tiny_http::{Header, Request, Response, Server};

/// An interface of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    /// The Responses of `OpenAI`.
    Responses,
    /// The Chat Completions of `OpenAI`.
    Chat,
    /// Gemini's `generateContent`.
    Gemini,
}

/// The tools that are called, one a turn: names and inputs.
type Turns = Vec<(String, Value)>;

/// A running stand-in. It ends with the test's process.
pub(crate) struct Mock {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Mock {
    /// Starts one that calls these tools and then says that it is done.
    pub(crate) fn start(api: Api, turns: Turns) -> Self {
        let server = Server::http("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", server.server_addr());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for request in server.incoming_requests() {
                answer(api, &turns, &kept, request);
            }
        });
        Self { url, requests }
    }

    /// The requests of the conversation.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(api: Api, turns: &Turns, requests: &Mutex<Vec<Value>>, mut request: Request) {
    let mut body = Vec::new();
    let _ = request.as_reader().read_to_end(&mut body);
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = request.url().split('?').next().unwrap_or_default().to_owned();
    let is_asked =
        ["/responses", "/chat/completions", "enerateContent"].iter().any(|end| path.ends_with(end));
    if !is_asked {
        let models =
            json!({"object": "list", "data": [{"id": "mock-model", "object": "model"}], "totalTokens": 9});
        let _ = request.respond(Response::from_string(models.to_string()));
        return;
    }
    // Titles and other work beside the conversation have no tools.
    let is_conversation = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let number = {
        let mut requests = requests.lock().unwrap();
        if is_conversation {
            // What the tools are is no part of the conversation.
            let mut conversation = body.clone();
            conversation["tools"] = Value::Null;
            requests.push(conversation);
        }
        requests.len()
    };
    let call = is_conversation.then(|| turns.get(number.wrapping_sub(1))).flatten();
    let events = match api {
        Api::Responses => responses(number, call),
        Api::Chat => chat(number, call),
        Api::Gemini => gemini(call),
    };
    let is_streamed = body["stream"] == true || path.ends_with("streamGenerateContent");
    let (kind, text) = if is_streamed {
        let lines = events.iter().map(|event| match event["type"].as_str() {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        });
        let end = if api == Api::Chat { "data: [DONE]\n\n" } else { "" };
        ("text/event-stream", lines.collect::<String>() + end)
    } else {
        ("application/json", whole(api, number, call).to_string())
    };
    let header = Header::from_bytes("content-type", kind).expect("a header");
    let _ = request.respond(Response::from_string(text).with_header(header));
}

type Call<'a> = Option<&'a (String, Value)>;

fn responses(number: usize, call: Call<'_>) -> Vec<Value> {
    let item = match call {
        Some((name, input)) => {
            json!({"type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
                                      "name": name, "arguments": input.to_string(), "status": "completed"})
        }
        None => json!({"type": "message", "id": "m", "role": "assistant", "status": "completed",
                       "content": [{"type": "output_text", "text": "done", "annotations": []}]}),
    };
    let response = |status: &str, output: Value| {
        json!({"id": format!("resp_{number}"), "object": "response", "created_at": 1, "model": "mock", "status": status,
               "output": output, "tools": [], "parallel_tool_calls": true,
               "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                         "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}})
    };
    vec![
        json!({"type": "response.created", "response": response("in_progress", json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": response("completed", json!([item]))}),
    ]
}

fn tool_calls(number: usize, call: Call<'_>) -> Option<Value> {
    let (name, input) = call?;
    Some(json!([{"index": 0, "id": format!("call_{number}"), "type": "function",
                 "function": {"name": name, "arguments": input.to_string()}}]))
}

fn chat(number: usize, call: Call<'_>) -> Vec<Value> {
    let chunk = |delta: Value, end: Value| {
        json!({"id": format!("chat_{number}"), "object": "chat.completion.chunk", "created": 1, "model": "mock-model",
               "choices": [{"index": 0, "delta": delta, "finish_reason": end}]})
    };
    let text = if call.is_some() { "" } else { "done" };
    let mut chunks = vec![chunk(json!({"role": "assistant", "content": text}), Value::Null)];
    let end = match tool_calls(number, call) {
        Some(calls) => {
            chunks.push(chunk(json!({ "tool_calls": calls }), Value::Null));
            "tool_calls"
        }
        None => "stop",
    };
    chunks.push(chunk(json!({}), end.into()));
    chunks
}

fn gemini(call: Call<'_>) -> Vec<Value> {
    let part = match call {
        Some((name, input)) => {
            json!({"functionCall": {"name": name, "args": input}, "thoughtSignature": "bW9jaw=="})
        }
        None => json!({"text": "done"}),
    };
    vec![
        json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
                "modelVersion": "mock"}),
    ]
}

/// The answer to a request that wants all of it at once.
fn whole(api: Api, number: usize, call: Call<'_>) -> Value {
    match api {
        Api::Responses => {
            responses(number, call).pop().map(|event| event["response"].clone()).unwrap_or_default()
        }
        Api::Gemini => gemini(call).remove(0),
        Api::Chat => {
            let end = if call.is_some() { "tool_calls" } else { "stop" };
            let mut message =
                json!({"role": "assistant", "content": if call.is_some() { "" } else { "done" }});
            if let Some(calls) = tool_calls(number, call) {
                message["tool_calls"] = calls;
            }
            json!({"id": format!("chat_{number}"), "object": "chat.completion", "created": 1, "model": "mock-model",
                   "choices": [{"index": 0, "message": message, "finish_reason": end}],
                   "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})
        }
    }
}
