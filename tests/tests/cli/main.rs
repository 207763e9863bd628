//! What a person reads and types: every verb of `lessons`, through the program itself.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]

/// What a call and the start of a session get.
mod calls {
    mod agents;
    mod aiming;
    mod conditions;
    mod failing;
    mod greeting;
    mod hooking;
    mod landing;
    mod live;
    mod mcp;
    mod telling;
    mod waiting;
    mod withholding;
}

/// What a person decides, and what decides without one.
mod decisions {
    mod accepting;
    mod deciding;
    mod differing;
    mod editing;
    pub(crate) mod gate;
    mod more_roads;
    mod open_roads;
    mod project_store;
    mod reaching;
    mod recording;
    mod reflecting;
    mod repeating;
    pub(crate) mod reviewing;
    mod roads;
    mod scoping;
    pub(crate) mod screen;
    mod trusting;
    mod unaccepted_texts;
    mod undoing;
    mod unread;
}

/// What keeps a home in order.
mod keeping {
    mod cleaning;
    mod client_settings;
    mod clients;
    mod damage;
    pub(crate) mod doctoring;
    mod forgetting;
    mod homes;
    pub(crate) mod losing;
    mod migrating;
    mod nightly;
    mod remedies;
    mod renewing;
    mod truthful;
}

/// What is found in sessions.
mod scans {
    mod detecting;
    mod incidents;
    mod other_clients;
    mod proposing;
}

/// What a person looks up.
mod seeing {
    mod asking;
    mod counting;
    mod docs;
    mod effects;
    mod explaining;
    mod finding;
    mod fired;
    mod helping;
    mod json;
    mod labelling;
    mod local_time;
    mod measuring;
    mod pages;
    pub(crate) mod reading;
    pub(crate) mod replaying;
}

/// Lessons of others, and for others.
mod sharing {
    mod exporting;
    mod importing;
    mod receiving;
    mod signing;
    mod testing;
}

mod front_matter;
#[path = "../../../scanner/tests/labelled/render.rs"]
#[allow(dead_code, reason = "the scanner's own tests look at the labels")]
mod render;
mod said;
mod scene;
#[path = "../../../scanner/tests/labelled/script.rs"]
#[allow(dead_code, reason = "the scanner's own tests look at the labels")]
mod script;
