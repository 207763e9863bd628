//! The names of tools.

/// The core's name of a tool, given one that clients have for it in messages to hooks and in their transcripts. None uses one
/// of these for another tool.
pub fn ours(name: &str) -> String {
    let ours = match name {
        "bash" | "shell" | "exec_command" | "run_shell_command" => "Bash",
        "read" | "view" | "read_file" => "Read",
        "edit" | "replace" | "str_replace" => "Edit",
        "write" | "create" | "write_file" => "Write",
        "glob" | "find" | "ls" => "Glob",
        "grep" | "grep_search" | "search_file_content" => "Grep",
        "Task" | "task" => "Agent",
        "webfetch" | "web_fetch" => "WebFetch",
        _ => return of_server(name),
    };
    ours.to_owned()
}

/// The core's name of a tool that may be one of a server.
fn of_server(name: &str) -> String {
    // `mcp_SERVER_TOOL`, where Claude Code has two strokes each.
    let mcp = name.strip_prefix("mcp_").filter(|rest| !rest.starts_with('_'));
    match mcp.and_then(|rest| rest.split_once('_')) {
        Some((server, tool)) => format!("mcp__{server}__{tool}"),
        None => name.to_owned(),
    }
}
