//! Runs before every tool call: see [`lessons_hooks::pre_tool_use`].
#![no_main]

lessons_hooks::program!(pre_tool_use::run);
