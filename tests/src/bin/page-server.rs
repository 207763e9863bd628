//! An MCP server over standard streams with one tool, `fetch`, which answers with the text of a file.
#![allow(clippy::print_stdout, reason = "the client reads it")]

use std::io::{self, BufRead};

use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let page = std::env::args_os().nth(1).unwrap_or_default();
    for line in io::stdin().lock().lines() {
        let Ok(request) = serde_json::from_str::<Value>(&line?) else { continue };
        let result = match request["method"].as_str().unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": request["params"]["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "pages", "version": "1"},
            }),
            "tools/list" => json!({"tools": [{
                "name": "fetch", "description": "Fetches the page.",
                "inputSchema": {"type": "object", "properties": {}},
            }]}),
            "tools/call" => json!({"content": [{"type": "text", "text": std::fs::read_to_string(&page)?}]}),
            _ => json!({}),
        };
        // What has no id is a notification, and gets no answer.
        if !request["id"].is_null() {
            println!("{}", json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
        }
    }
    Ok(())
}
