//! The reply of a hook to the client: one JSON object, or nothing.

use crate::answer::Decision;
use lessons_text::json;

/// The object that tells the client about a decision before a tool call; `None` if there is nothing to say. `person` is a
/// line for the person, which the client shows to nobody else. Only Claude Code knows the field.
pub fn before_tool(decision: &Decision, person: Option<&str>) -> Option<String> {
    let mut out = String::from("{");
    if let Some(line) = person {
        out.push_str(r#""systemMessage":"#);
        json::string(line, &mut out);
        out.push(',');
    }
    out.push_str(r#""hookSpecificOutput":{"hookEventName":"PreToolUse","#);
    let mut decide = |decision: &str, reason: &str| {
        out.push_str(r#""permissionDecision":""#);
        out.push_str(decision);
        out.push_str(r#"","permissionDecisionReason":"#);
        json::string(reason, &mut out);
    };
    match decision {
        // A question is printed by the program that plans the call.
        Decision::Silent | Decision::Question(_) => return None,
        Decision::Advise { text, .. } => {
            out.push_str(r#""additionalContext":"#);
            json::string(text, &mut out);
        }
        Decision::Refuse { text, .. } => decide("deny", text),
        Decision::Ask { reason } => decide("ask", reason),
    }
    out.push_str("}}");
    Some(out)
}

/// The object that tells something beside the error of a failed call.
pub fn after_failure(text: &str) -> String {
    after("PostToolUseFailure", Some(text), None)
}

/// The object that tells something beside the result of a call, and puts another result, JSON in the tool's own shape, in
/// its place. `None` if there is neither.
pub fn after_tool(text: Option<&str>, output: Option<&str>) -> Option<String> {
    (text.is_some() || output.is_some()).then(|| after("PostToolUse", text, output))
}

fn after(event: &str, text: Option<&str>, output: Option<&str>) -> String {
    let mut out = format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}""#);
    if let Some(text) = text {
        out.push_str(r#","additionalContext":"#);
        json::string(text, &mut out);
    }
    if let Some(output) = output {
        out.push_str(r#","updatedToolOutput":"#);
        out.push_str(output);
    }
    out.push_str("}}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_the_three_keys_that_the_client_knows() {
        let (text, person) = ("no \"way\"\n".into(), String::new());
        let decision = Decision::Refuse { text, person, lessons: Vec::new() };
        let hook = r#""hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no \"way\"\n"}}"#;
        assert_eq!(before_tool(&decision, None).unwrap(), format!("{{{hook}"));
        let shown = before_tool(&decision, Some("a \"line\"")).unwrap();
        assert_eq!(shown, format!(r#"{{"systemMessage":"a \"line\"",{hook}"#));
    }

    #[test]
    fn advice_is_context_and_silence_no_object() {
        let advice = Decision::Advise { text: "t".into(), lessons: Vec::new() };
        assert_eq!(
            before_tool(&advice, None).unwrap(),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"t"}}"#
        );
        assert_eq!(before_tool(&Decision::Silent, None), None);
    }

    #[test]
    fn a_failure_gets_context_and_a_result_may_be_another() {
        assert_eq!(
            after_failure("t"),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"t"}}"#
        );
        assert_eq!(
            after_tool(Some("t"), Some(r#"{"stdout":""}"#)).unwrap(),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"t","updatedToolOutput":{"stdout":""}}}"#
        );
        assert_eq!(after_tool(None, None), None);
    }
}
