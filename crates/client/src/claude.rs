//! Claude Code's forms of answers, which others took over, and what only it can be told.

use lessons_text::json;

use crate::{Event, Verdict};

/// An answer to Claude Code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Answer {
    /// Nothing is said.
    #[default]
    Silent,
    /// What every client can be told, and a line that the client shows to the person alone.
    Told {
        /// What the agent is told.
        verdict: Option<Verdict>,
        /// The line for the person.
        person: Option<String>,
    },
    /// The call is put to the person, for this reason.
    Ask(String),
    /// The reply that another program has planned: a question with the rewritten call, or a refusal.
    Planned(String),
}

impl Answer {
    /// The answer that tells the agent this.
    pub fn told(verdict: Verdict) -> Self {
        Self::Told { verdict: Some(verdict), person: None }
    }

    /// The bytes for Claude Code; `None` where there is nothing to say.
    pub fn write(self, event: Event) -> Option<String> {
        let (verdict, person) = match self {
            Self::Silent => return None,
            Self::Planned(reply) => return Some(reply),
            Self::Ask(reason) => return Some(decision("ask", &reason)),
            Self::Told { verdict, person } => (verdict, person),
        };
        let told = verdict.and_then(|verdict| crate::write(crate::Client::ClaudeCode, event, &verdict));
        let Some(person) = person else { return told };
        let shown = json::object("systemMessage", &person);
        let Some(told) = told else { return Some(shown) };
        // Two objects with one field each become one with both.
        Some(format!("{},{}", shown.strip_suffix('}')?, told.strip_prefix('{')?))
    }

    /// What of it every client can be told. A question is a refusal there.
    pub fn for_any_client(self) -> Option<Verdict> {
        match self {
            Self::Silent => None,
            Self::Told { verdict, .. } => verdict,
            Self::Ask(reason) => Some(Verdict::Refusal(reason)),
            Self::Planned(_) => Some(Verdict::Refusal("Not done: only a person decides that.".into())),
        }
    }
}

/// The object with a text for the model, at the event of this name.
pub(crate) fn context(_: Event, name: &str, text: &str) -> String {
    after(name, Some(text), None)
}

/// The object that refuses a call.
pub(crate) fn denial(reason: &str) -> String {
    decision("deny", reason)
}

fn decision(decision: &str, reason: &str) -> String {
    let mut out = format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":"#
    );
    json::string(reason, &mut out);
    out + "}}"
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
    out + "}}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_the_three_keys_that_the_client_knows_and_a_line_for_the_person() {
        let refused = |person| {
            let answer = Answer::Told { verdict: Some(Verdict::Refusal("no \"way\"\n".into())), person };
            answer.write(Event::Before).unwrap()
        };
        let hook = r#""hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no \"way\"\n"}}"#;
        assert_eq!(refused(None), format!("{{{hook}"));
        assert_eq!(refused(Some("a \"line\"".into())), format!(r#"{{"systemMessage":"a \"line\"",{hook}"#));
    }

    #[test]
    fn advice_is_context_and_silence_no_object() {
        let told = |event| Answer::told(Verdict::Advice("t".into())).write(event).unwrap();
        for (event, name) in [(Event::Before, "PreToolUse"), (Event::Failed, "PostToolUseFailure")] {
            let context =
                format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{name}","additionalContext":"t"}}}}"#);
            assert_eq!(told(event), context);
        }
        assert_eq!(Answer::Silent.write(Event::Before), None);
        assert_eq!(Answer::Told { verdict: None, person: None }.write(Event::Start), None);
    }

    #[test]
    fn a_message_for_the_person_is_not_for_the_model() {
        let answer = Answer::Told { verdict: None, person: Some("look".into()) };
        assert_eq!(answer.write(Event::Start).unwrap(), r#"{"systemMessage":"look"}"#);
    }

    #[test]
    fn a_question_is_asked_of_claude_code_and_a_refusal_for_every_other_client() {
        let asked = Answer::Ask("why".into());
        assert!(asked.clone().write(Event::Before).unwrap().contains(r#""permissionDecision":"ask""#));
        assert_eq!(asked.for_any_client(), Some(Verdict::Refusal("why".into())));
        assert!(matches!(Answer::Planned("{}".into()).for_any_client(), Some(Verdict::Refusal(_))));
    }

    #[test]
    fn a_result_may_be_another() {
        assert_eq!(
            after_tool(Some("t"), Some(r#"{"stdout":""}"#)).unwrap(),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"t","updatedToolOutput":{"stdout":""}}}"#
        );
        assert_eq!(after_tool(None, None), None);
    }
}
