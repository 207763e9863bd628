//! Runs after tool calls that bring text from outside: see [`lessons_hooks::post_tool_use`].
#![no_main]

lessons_hooks::program!(post_tool_use::run);
