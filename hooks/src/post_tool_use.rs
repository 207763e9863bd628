//! The hook after a tool call that brought text from outside, which warns of text that gives orders, or withholds it.
//!
//! A warning is text beside the result. What is critical is replaced in every string of the response, which goes back
//! whole, in the tool's own shape. Any doubt lets the text pass: no index, an error, a payload beyond the limit, a shape
//! that is not known. A second part of a long result is not looked at where no time is left.

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use lessons_client::claude;
use lessons_decide::{
    Inspection, Measure, Memory, SessionClaims, SessionFolder, Suspicion, session_hash, warning,
};
use lessons_home::{Home, SystemClock, clock, files};
use lessons_incident::index::MOST_MATCHES;
use lessons_incident::response::Response;
use lessons_incident::withheld::{SLOTS, Withheld};
use lessons_incident::{IncidentIndex, Pattern, response};
use lessons_lesson::payload::LIMIT;
use lessons_lesson::{Clock, Contents, DedupScope, Payload, PayloadEnd};
use lessons_text::digest;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::environment::HookEnvironment;
use crate::incidents::{self, Origin, ToolInput};
use crate::input::{self, Input};
use crate::{output, stdio};

/// The time of the processor after which no further part of a result is looked at. That of a clock would let text pass on a
/// busy machine.
const MOST_TIME: Duration = Duration::from_millis(30);

/// Runs the hook.
pub fn run() {
    let mut environment = HookEnvironment::of_process();
    let mut home = environment.home(None).ok();
    let mut index = home.as_ref().and_then(incidents::index);
    // What is not looked at is read all the same, or the client would get an error.
    let most_kept = if index.is_some() { |_: &str| LIMIT } else { |_: &str| 0 };
    let input = input::read(input::UnbufferedInput(stdio::input()), Contents::Skip, most_kept);
    if environment.variables.names_folder() {
        home = environment.home(input.payload.call.cwd.as_deref()).ok();
        index = home.as_ref().and_then(incidents::index);
    }
    if let (Some(home), Some(index)) = (home, index) {
        let _ = look(&environment, &home, &index, &input);
    }
}

/// The parts of a payload that the reader of payloads skips.
#[derive(Deserialize)]
struct ResultParts<'p> {
    #[serde(borrow)]
    tool_input: Option<&'p RawValue>,
    #[serde(borrow)]
    tool_response: &'p RawValue,
}

/// Looks at a result and answers. `None` where there is nothing to look at, or nothing to say.
fn look(environment: &HookEnvironment, home: &Home, index: &IncidentIndex, input: &Input) -> Option<()> {
    let Input { payload, end, raw } = input;
    if *end != PayloadEnd::Whole || HookEnvironment::advice().silenced {
        return None;
    }
    let parts: ResultParts<'_> = serde_json::from_slice(raw).ok()?;
    let tool_input: ToolInput<'_> =
        parts.tool_input.and_then(|input| serde_json::from_str(input.get()).ok()).unwrap_or_default();
    let place = environment.place(payload);
    let origin = Origin::of(payload, &tool_input, &place, index.settings)?;
    let response = Response::of(parts.tool_response.get());
    let mut found = suspicions(index, &response, &origin);
    if found.is_empty() {
        return None;
    }
    let tool = payload.call.tool.as_ref();
    let output = replaced(tool, &response, parts.tool_response.get(), &found);
    for suspicion in found.iter_mut().filter(|_| output.is_none()) {
        suspicion.measure = Measure::Warn;
    }
    let folder = SessionFolder::of(home, payload.session_id.as_deref());
    let mut claims = SessionClaims::new(folder, payload.agent_id.as_deref(), DedupScope::Context);
    let text = incidents::warnings(tool, &origin, &found, &mut claims);
    let object = claude::after_tool(text.as_deref(), output.as_deref())?;
    if output::print(&object).is_err() {
        claims.take_back();
        return None;
    }
    let project = place.roots().map_or_else(String::new, |roots| roots.root.clone());
    for suspicion in found.iter().filter(|found| found.measure == Measure::Withhold).take(MOST_MATCHES) {
        record(home, &withheld(suspicion, response.text(), payload, &origin, &project));
    }
    Some(())
}

/// The suspicious parts of a response, with their places in its text.
///
/// Only looking counts against the time: what was found is never let pass because it took long to say what it is. Else words
/// that resemble secrets, for which expressions are compiled here, would be a way past the hook.
fn suspicions(index: &IncidentIndex, response: &Response<'_>, origin: &Origin) -> Vec<Suspicion> {
    let started = clock::spent();
    let mut inspections = Vec::new();
    for part in response.inspected() {
        let text = response.text().get(part.clone()).unwrap_or_default();
        inspections.push((part, text, Inspection::of(index, text)));
        if clock::spent().saturating_sub(started) >= MOST_TIME {
            break;
        }
    }
    let mut found = Vec::new();
    for (part, text, inspection) in inspections {
        for mut suspicion in inspection.judge(text, origin.owner) {
            for sentence in &mut suspicion.sentences {
                *sentence = sentence.start + part.start..sentence.end + part.start;
            }
            found.push(suspicion);
        }
    }
    found.sort_by_key(|suspicion| std::cmp::Reverse(suspicion.severity));
    found
}

/// The response with a marker in the place of all that is withheld. `None` if nothing is, or the tool's shape is not known.
fn replaced(tool: &str, response: &Response<'_>, json: &str, found: &[Suspicion]) -> Option<String> {
    let mut places: Vec<(Range<usize>, String)> = found
        .iter()
        .filter(|suspicion| suspicion.measure == Measure::Withhold)
        .flat_map(|suspicion| {
            suspicion.sentences.iter().map(|sentence| (sentence.clone(), warning::marker(suspicion)))
        })
        .collect();
    if places.is_empty() || !response::is_replaceable(tool, &serde_json::from_str(json).ok()?) {
        return None;
    }
    places.sort_by_key(|(range, _)| range.start);
    let mut apart: Vec<(Range<usize>, String)> = Vec::with_capacity(places.len());
    for (range, marker) in places {
        match apart.last_mut() {
            Some((last, _)) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push((range, marker)),
        }
    }
    Some(response.with(&apart))
}

/// The record of a withheld part.
fn withheld(suspicion: &Suspicion, text: &str, payload: &Payload, from: &Origin, project: &str) -> Withheld {
    Withheld {
        pattern: Pattern::of_parts(text, &suspicion.sentences),
        severity: suspicion.severity,
        rules: suspicion.rules.clone(),
        like: suspicion.like.map(|(id, _)| id),
        source_kind: from.kind,
        source: if from.source.is_empty() { payload.call.tool.to_string() } else { from.source.clone() },
        tool_use_id: payload.tool_use_id.clone().unwrap_or_default(),
        agent_type: payload.agent().to_owned(),
        session: payload.session_id.as_deref().map_or_else(String::new, session_hash),
        project: project.to_owned(),
        at: SystemClock.now() / 1000,
    }
    .fitted()
}

/// Writes a record under the first free of its names. Errors are ignored: the text is withheld all the same.
fn record(home: &Home, withheld: &Withheld) {
    let Some(bytes) = withheld.to_bytes() else { return };
    let folder = home.withheld();
    if folder.parent().is_none_or(|parent| files::ensure_folder(parent).is_err())
        || files::ensure_folder(&folder).is_err()
    {
        return;
    }
    // Parallel results begin their search for a name at different ones.
    let first = digest::hex(withheld.tool_use_id.as_bytes(), 2);
    let first = usize::from_str_radix(&first, 16).unwrap_or_default();
    let free = (0..SLOTS).find_map(|step| {
        let name = format!("{:02}", (first + step) % SLOTS);
        created(&folder.join(name)).ok()
    });
    if let Some(mut file) = free {
        let _ = file.write_all(&bytes);
    }
}

fn created(path: &Path) -> std::io::Result<File> {
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}
