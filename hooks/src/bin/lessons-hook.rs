//! Runs at the events of every client but Claude Code: see [`lessons_hooks::any_client`].
//!
//! It has the start of the standard library, which alone knows the program's arguments.

use lessons_hooks::allocator::BumpAllocator;

#[global_allocator]
static ALLOCATOR: BumpAllocator = BumpAllocator::new();

fn main() {
    lessons_hooks::process::run(lessons_hooks::any_client::run);
}
