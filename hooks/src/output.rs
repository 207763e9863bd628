//! Standard output: one JSON object in the client's form, or nothing.

use nix::errno::Errno;
use serde_json::{Value, json};

use crate::stdio;

/// The object for the start of a session: text for the model, a message for the user.
pub(crate) fn at_start(context: Option<&str>, message: Option<&str>) -> Option<String> {
    let mut object = context.map_or_else(|| json!({}), |context| for_model("SessionStart", context));
    if let Some(message) = message {
        object["systemMessage"] = message.into();
    }
    (context.is_some() || message.is_some()).then(|| object.to_string())
}

/// The object for the start of a sub-agent: text for its model.
pub(crate) fn at_agent_start(context: &str) -> String {
    for_model("SubagentStart", context).to_string()
}

/// An object with text for the model, at the event of this name.
fn for_model(event: &str, context: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}})
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
