//! What nearly every verb uses, so that its own imports name what it is about: the app and its answers, refusals, arguments,
//! JSON, and the words for numbers and lists.

pub(crate) use anyhow::{Context as _, Result, bail};
pub(crate) use clap::Args;
pub(crate) use lessons_text::{counted, line, listed, shortened};
pub(crate) use serde_json::{Value, json};

pub(crate) use crate::app::{Answer, App, Coded, Exit, Message, Output, Refused};
