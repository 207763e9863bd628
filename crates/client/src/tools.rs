//! The names of tools.

/// The names that clients have for tools of the core, in messages to hooks and in their transcripts. None uses one of them for
/// another tool.
const TOOLS: [(&str, &str); 23] = [
    ("bash", "Bash"),
    ("shell", "Bash"),
    ("exec_command", "Bash"),
    ("run_shell_command", "Bash"),
    ("read", "Read"),
    ("view", "Read"),
    ("read_file", "Read"),
    ("edit", "Edit"),
    ("replace", "Edit"),
    ("str_replace", "Edit"),
    ("write", "Write"),
    ("create", "Write"),
    ("write_file", "Write"),
    ("glob", "Glob"),
    ("find", "Glob"),
    ("ls", "Glob"),
    ("grep", "Grep"),
    ("grep_search", "Grep"),
    ("search_file_content", "Grep"),
    ("Task", "Agent"),
    ("task", "Agent"),
    ("webfetch", "WebFetch"),
    ("web_fetch", "WebFetch"),
];

/// The core's name of a tool.
pub fn ours(name: &str) -> String {
    if let Some((_, ours)) = TOOLS.iter().find(|(theirs, _)| *theirs == name) {
        return (*ours).to_owned();
    }
    // `mcp_SERVER_TOOL`, where Claude Code has two strokes each.
    let mcp = name.strip_prefix("mcp_").filter(|rest| !rest.starts_with('_'));
    match mcp.and_then(|rest| rest.split_once('_')) {
        Some((server, tool)) => format!("mcp__{server}__{tool}"),
        None => name.to_owned(),
    }
}
