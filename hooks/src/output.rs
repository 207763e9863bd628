//! Standard output: one JSON object in the client's form, or nothing.

use std::io::Write;

use lessons_core::answer::Decision;
use serde_json::{Value, json};

/// The object that tells the client of a decision before a tool call.
pub(crate) fn before_tool(decision: &Decision) -> Option<Value> {
    let mut specific = json!({"hookEventName": "PreToolUse"});
    let mut decide = |decision: &str, reason: &str| {
        specific["permissionDecision"] = decision.into();
        specific["permissionDecisionReason"] = reason.into();
    };
    match decision {
        Decision::Silent => return None,
        Decision::Advise { text, .. } => specific["additionalContext"] = text.as_str().into(),
        Decision::Refuse { text, .. } => decide("deny", text),
        Decision::Ask { reason, .. } => decide("ask", reason),
        Decision::Deny { reason } => decide("deny", reason),
    }
    Some(json!({"hookSpecificOutput": specific}))
}

/// The object for the start of a session: text for the model, a message for the user.
pub(crate) fn at_start(context: Option<&str>, message: Option<&str>) -> Option<Value> {
    let mut object = json!({});
    if let Some(context) = context {
        object["hookSpecificOutput"] = json!({"hookEventName": "SessionStart", "additionalContext": context});
    }
    if let Some(message) = message {
        object["systemMessage"] = message.into();
    }
    (context.is_some() || message.is_some()).then_some(object)
}

/// Prints the object. `false` where it did not get through.
pub(crate) fn print(object: &Value) -> bool {
    let mut out = std::io::stdout().lock();
    out.write_all(object.to_string().as_bytes()).and_then(|()| out.flush()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_the_three_keys_that_the_client_knows() {
        let decision = Decision::Refuse { text: "no".into(), lessons: Vec::new() };
        assert_eq!(
            before_tool(&decision).unwrap().to_string(),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#
        );
    }

    #[test]
    fn silence_is_no_object() {
        assert_eq!(before_tool(&Decision::Silent), None);
        assert_eq!(at_start(None, None), None);
    }

    #[test]
    fn a_message_for_the_user_is_not_for_the_model() {
        let object = at_start(None, Some("look")).unwrap();
        assert_eq!(object.to_string(), r#"{"systemMessage":"look"}"#);
    }
}
