//! The agents that Lessons works in: how each writes its tool calls, and which answers it takes.

mod client;

pub use client::Client;
