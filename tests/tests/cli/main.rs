//! What a person reads and types: every verb of `lessons`, through the program itself.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]

mod accepting;
mod agents;
mod aiming;
mod asking;
mod cleaning;
mod client_settings;
mod clients;
mod conditions;
mod counting;
mod damage;
mod deciding;
mod detecting;
mod differing;
mod docs;
mod doctoring;
mod editing;
mod effects;
mod explaining;
mod failing;
mod finding;
mod fired;
mod forgetting;
mod front_matter;
mod gate;
mod greeting;
mod helping;
mod homes;
mod hooking;
mod importing;
mod incidents;
mod json;
mod labelling;
mod landing;
mod live;
mod local_time;
mod losing;
mod mcp;
mod measuring;
mod migrating;
mod more_roads;
mod nightly;
mod open_roads;
mod other_clients;
mod pages;
mod project_store;
mod proposing;
mod reaching;
mod reading;
mod receiving;
mod recording;
mod reflecting;
mod remedies;
#[path = "../../../scanner/tests/labelled/render.rs"]
#[allow(dead_code, reason = "the scanner's own tests look at the labels")]
mod render;
mod renewing;
mod repeating;
mod replaying;
mod reviewing;
mod roads;
mod said;
mod scene;
mod scoping;
mod screen;
#[path = "../../../scanner/tests/labelled/script.rs"]
#[allow(dead_code, reason = "the scanner's own tests look at the labels")]
mod script;
mod sharing;
mod signing;
mod telling;
mod testing;
mod trusting;
mod truthful;
mod unaccepted_texts;
mod undoing;
mod unread;
mod waiting;
mod withholding;
