//! Standard output: one JSON object in the client's form, or nothing.

use nix::errno::Errno;
use serde_json::json;

use crate::stdio;

/// The object for the start of a session: text for the model, a message for the user.
pub(crate) fn at_start(context: Option<&str>, message: Option<&str>) -> Option<String> {
    let mut object = json!({});
    if let Some(context) = context {
        object["hookSpecificOutput"] = json!({"hookEventName": "SessionStart", "additionalContext": context});
    }
    if let Some(message) = message {
        object["systemMessage"] = message.into();
    }
    (context.is_some() || message.is_some()).then(|| object.to_string())
}

/// Prints the whole object.
pub(crate) fn print(object: &str) -> nix::Result<()> {
    let mut rest = object.as_bytes();
    while !rest.is_empty() {
        match nix::unistd::write(stdio::output(), rest) {
            Ok(0) => return Err(Errno::EIO),
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_no_object() {
        assert_eq!(at_start(None, None), None);
    }

    #[test]
    fn a_message_for_the_user_is_not_for_the_model() {
        let object = at_start(None, Some("look")).unwrap();
        assert_eq!(object, r#"{"systemMessage":"look"}"#);
    }
}
