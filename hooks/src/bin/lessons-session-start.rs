//! Runs at the start of every session: see [`lessons_hooks::session_start`].
#![no_main]

lessons_hooks::program!(session_start::run);
