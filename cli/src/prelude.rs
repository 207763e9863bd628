//! What nearly every verb uses, so that its own imports name what it is about: the app and its answers, refusals, arguments,
//! paths, JSON, the words for numbers and lists, what is said and asked beside an answer, and where lessons are found and
//! brought into force.

pub(crate) use std::path::{Path, PathBuf};

pub(crate) use anyhow::{Context as _, Result, bail};
pub(crate) use clap::Args;
pub(crate) use lessons_publish::{building, in_force};
pub(crate) use lessons_review::lookup;
pub(crate) use lessons_text::{counted, line, listed, shortened};
pub(crate) use serde_json::{Value, json};

pub(crate) use crate::app::{Answer, App, Coded, Exit, Message, Output, Refused};
pub(crate) use crate::ui::{messages, prompt};
