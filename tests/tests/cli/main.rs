//! What a person reads and types: every verb of `lessons`, through the program itself.
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]

mod cleaning;
mod damage;
mod deciding;
mod grants;
mod json;
mod reading;
mod said;
