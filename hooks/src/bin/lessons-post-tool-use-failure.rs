//! Runs after every tool call that failed: see [`lessons_hooks::post_tool_use_failure`].
#![no_main]

lessons_hooks::program!(post_tool_use_failure::run);
