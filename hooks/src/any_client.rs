//! The hook of every client but Claude Code: `lessons-hook --client NAME`, for all of its events; and of Claude Code for the
//! lines that slash commands and skills run.
//!
//! It says in the client's words what the hooks of Claude Code answer. A message may be several calls, as a patch of
//! several files is: the first refusal is the answer to all of them, and their advice is said together. Where the model does
//! not see what is said before a call, the same call is asked about again when it has run.

use lessons_client::{Event, Message, Raised, Verdict, shows_advice, write};
use lessons_decide::Advice;
use lessons_home::{Home, HomeError};
use lessons_index::IndexFile;
use lessons_lesson::{PayloadEnd, render};

use crate::environment::HookEnvironment;
use crate::event::{Hook, HookCall, Said};
use crate::post_tool_use_failure::PostToolUseFailure;
use crate::pre_tool_use::PreToolUse;
use crate::session_start::SessionStart;
use crate::subagent_start::SubagentStart;
use crate::{input, output, stdio};

/// Runs the hook with these arguments.
pub fn run(arguments: &[String]) {
    let bytes = input::whole(input::UnbufferedInput(stdio::input()));
    let _ = answer(arguments, &bytes);
}

/// Answers a message. `None` where nothing is said.
fn answer(arguments: &[String], bytes: &[u8]) -> Option<()> {
    let message = Message::parse(bytes)?;
    let installed_for = arguments.iter().skip_while(|argument| *argument != "--client").nth(1);
    let client =
        message.client(installed_for.map(String::as_str), &|name| std::env::var_os(name).is_some())?;
    let Raised { event, calls } = message.read(client)?;
    let mut environment = HookEnvironment::of_client(client);
    // All calls of a message are made in one folder.
    let home = Ok(environment.home(calls.first()?.call.cwd.as_deref()).ok()?);
    let (environment, end) = (&environment, PayloadEnd::Whole);
    let calls: Vec<HookCall<'_>> =
        calls.iter().map(|payload| HookCall { environment, client, payload, end, raw: &[] }).collect();
    let mut replies = Replies { home: &home, advice: Vec::new(), refusal: None, said: Vec::new() };
    for call in &calls {
        replies.ask(call, event);
        if replies.refusal.is_some() {
            break;
        }
    }
    let printed = replies.verdict().and_then(|verdict| write(client, event, &verdict));
    if printed.is_some_and(|object| output::print(&object).is_err()) {
        replies.said.iter_mut().for_each(Said::take_back);
    } else {
        replies.said.iter().for_each(Said::record);
    }
    Some(())
}

/// What the hooks say about the calls of one message.
struct Replies<'a> {
    home: &'a Result<Home, HomeError>,
    advice: Vec<String>,
    refusal: Option<String>,
    said: Vec<Said<'a>>,
}

impl<'a> Replies<'a> {
    /// Asks the hooks for this event.
    fn ask(&mut self, call: &'a HookCall<'a>, event: Event) {
        let advice = HookEnvironment::advice();
        match event {
            Event::Before | Event::SkillLine => {
                let silenced = advice.silenced || !shows_advice(call.client, event);
                self.add(call, event, &mut PreToolUse { advice: Advice { silenced, ..advice } });
            }
            Event::After | Event::Failed => {
                if !shows_advice(call.client, Event::Before) {
                    self.add(call, event, &mut PreToolUse { advice });
                }
                self.add(call, event, &mut PostToolUseFailure);
            }
            Event::Start => {
                let mut hook = SessionStart::default();
                self.add(call, event, &mut hook);
                hook.start_scanner();
            }
            Event::AgentStart => self.add(call, event, &mut SubagentStart),
        }
    }

    fn add(&mut self, call: &'a HookCall<'a>, event: Event, hook: &mut impl Hook) {
        if !hook.expects_answer(call.payload, call.end) {
            return;
        }
        let index = self.home.as_ref().ok().and_then(IndexFile::open);
        let Some((answer, mut said)) = call.answered(hook, self.home, index.as_ref()) else { return };
        match answer.for_any_client() {
            Some(Verdict::Refusal(reason)) if event.is_before_call() => {
                // What was to be said beside the calls before it is not said.
                self.said.drain(..).for_each(|mut said| said.take_back());
                self.refusal = Some(reason);
            }
            // It has run.
            Some(Verdict::Refusal(_)) => return said.take_back(),
            Some(Verdict::Advice(text)) => self.advice.push(text),
            None => {}
        }
        self.said.push(said);
    }

    fn verdict(&mut self) -> Option<Verdict> {
        if let Some(reason) = self.refusal.take() {
            return Some(Verdict::Refusal(reason));
        }
        (!self.advice.is_empty()).then(|| Verdict::Advice(render::joined(&self.advice)))
    }
}
