//! Runs when a session starts: see [`lessons_hooks::session_start`].

fn main() {
    lessons_hooks::fail_open();
    lessons_hooks::session_start::run();
}
