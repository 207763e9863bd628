//! What a failed verb says, and the status with which the program ends.

use lessons_context::error::{Coded, Error, Exit, Refused};

pub use lessons_context::error::sentence;

/// What has a code among the error and its causes.
pub fn coded(error: &anyhow::Error) -> Option<&Coded> {
    error.chain().find_map(|cause| {
        cause.downcast_ref().or_else(|| cause.downcast_ref::<Error>().and_then(Error::coded))
    })
}

/// The error of a change that a verb makes, as the libraries know it.
pub(crate) fn of_edit(error: anyhow::Error) -> Error {
    let error = match error.downcast() {
        Ok(error) => return error,
        Err(error) => error,
    };
    let error = match error.downcast::<Refused>() {
        Ok(refused) => return refused.into(),
        Err(error) => error,
    };
    match error.downcast::<Coded>() {
        Ok(coded) => coded.into(),
        Err(error) => Error::Other(error.into()),
    }
}

/// The exit status that goes with the error.
pub fn exit(error: &anyhow::Error) -> Exit {
    let is_refused = |cause: &(dyn std::error::Error + 'static)| {
        cause.is::<Refused>()
            || cause.downcast_ref().is_some_and(|error: &Error| error.exit() == Exit::Refused)
    };
    match coded(error) {
        Some(coded) => coded.exit,
        None if error.chain().any(is_refused) => Exit::Refused,
        None => Exit::Findings,
    }
}
