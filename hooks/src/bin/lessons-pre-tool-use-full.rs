//! Runs before every tool call: see [`lessons_hooks::pre_tool_use`].

fn main() {
    lessons_hooks::fail_open();
    lessons_hooks::pre_tool_use::run();
}
