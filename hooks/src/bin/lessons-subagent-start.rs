//! Runs at the start of every sub-agent: see [`lessons_hooks::subagent_start`].
#![no_main]

lessons_hooks::program!(subagent_start::run);
