//! Notices to the user, not the model, at the start of a session.

mod last_notice;
mod told;
mod undecided;
mod waiting;

use std::io::ErrorKind;
use std::path::Path;
use std::time::UNIX_EPOCH;

use lessons_decide::Source;
use lessons_home::files::FileError;
use lessons_home::{Home, SystemClock, files};
use lessons_lesson::{
    AcceptedSource, BuildNotes, FileState, LESSONS_FILES, LostRefusal, News, ProjectLocation, TrustedRoot,
};
use lessons_text::{digest, neutral};

use crate::{memory_files, repair};
use last_notice::LastNotice;
use undecided::Undecided;

/// The largest store that is read, in bytes.
const STORE_LIMIT: u64 = 8 << 20;
/// The largest settings file of a project that is read, in bytes.
const SETTINGS_LIMIT: u64 = 64 << 10;
/// The file of decisions, as builds name it.
const DECISIONS: &str = "decisions.json";
/// The last line of a notice that something is not as it should be.
const HOW_TO_FIX: &str = "/lessons:doctor says how to fix it.";
/// The most new lessons that one notice lists.
const MOST_NEWS: usize = 3;
/// The longest line about one lesson, in characters.
const LINE: usize = 120;
/// The longest line that says why a lesson is not in force, in characters.
const LONG_LINE: usize = 300;

/// The notice that nothing is in force, with the reason.
pub(crate) fn nothing_in_force(home: &Home) -> String {
    let reason = match files::check_folder(home.root()) {
        Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
            "the data folder is not there, and cannot be made".to_owned()
        }
        Err(error) => format!("the data folder {}", fault_of_folder(&error)),
        Ok(_) => why_not_rebuilt(home),
    };
    not_in_force("nothing is in force, and nothing is blocked", &reason)
}

/// The notice that something is not in force, with the reason.
fn not_in_force(what: &str, reason: &str) -> String {
    let line = format!("Lessons: {what}: {}", neutral::line(reason));
    format!("{}\n{HOW_TO_FIX}", neutral::shortened(&line, LONG_LINE))
}

/// The notice that what was decided last is not in force, with the reason. What hooks read is of the decisions before.
fn last_decisions(build: &BuildNotes, home: &Home) -> Option<String> {
    let what = "your latest changes are not in force, only the ones before";
    (!is_of_decisions(build, home)).then(|| not_in_force(what, &why_not_rebuilt(home)))
}

/// The reason why the index could not be made anew. No notice names a path of this machine.
fn why_not_rebuilt(home: &Home) -> String {
    let reason = repair::failure(home).unwrap_or_else(|| "the index could not be rebuilt in time".to_owned());
    reason.replace(&format!("{}/", home.root().display()), "")
}

/// What the user is told at the start of a session.
pub(crate) struct Notice {
    /// The text.
    pub(crate) text: String,
    /// The files that differ from what was accepted, of which the text or an earlier one tells.
    differing: Vec<AcceptedSource>,
    /// Whether the text tells of waiting candidates.
    tells_of_waiting: bool,
    /// The withheld incidents that the text asks about.
    undecided: Option<Undecided>,
}

impl Notice {
    /// Records that the notice was printed.
    pub(crate) fn record(&self, home: &Home) {
        told::record(home, &home.looked(), &serde_json::to_vec(&self.differing).unwrap_or_default());
        if self.tells_of_waiting {
            told::record(home, &home.waiting_told(), b"");
        }
        if let Some(undecided) = &self.undecided {
            undecided.record(home);
        }
    }
}

/// That Lessons is on, in the first session; what is not in force, what became active since the last notice, what this project
/// brings along untrusted, and what waits for a decision.
pub(crate) fn for_user(
    source: Source,
    build: &BuildNotes,
    place: &ProjectLocation<'_>,
    home: &Home,
) -> Option<Notice> {
    let last = LastNotice::read(home);
    let differing = differing(build, home);
    let is_first = source == Source::Startup && last.at == 0;
    let waiting = waiting::line(home);
    let tells_of_waiting = waiting.is_some();
    let undecided = Undecided::of(home);
    let parts: Vec<String> = [
        is_first.then(|| welcome(build)),
        is_first.then(|| lessons_file(place)).flatten(),
        unsafe_folder(home),
        left_by_commands(home, &last),
        last_decisions(build, home),
        lost_refusals(build),
        weakened(build, last.at),
        news(build, last.at),
        not_accepted(&differing, &last),
        store(build, place),
        memory_files::line(home, place),
        undecided.as_ref().map(|undecided| undecided.text.clone()),
        waiting,
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| Notice { text: parts.join("\n"), differing, tells_of_waiting, undecided })
}

/// The line that the user is greeted with.
fn welcome(build: &BuildNotes) -> String {
    let count = match build.built_in {
        0 => String::new(),
        1 => ", with 1 built-in lesson".to_owned(),
        many => format!(", with {many} built-in lessons"),
    };
    format!("Lessons is on{count}. /lessons:help says what it does and how to go on.")
}

/// The line that a file of lessons is there already.
fn lessons_file(place: &ProjectLocation<'_>) -> Option<String> {
    let root = Path::new(&place.roots()?.root);
    let name = LESSONS_FILES.into_iter().find(|name| root.join(name).is_file())?;
    Some(format!(
        "This project has {name}: `lessons import {name}` makes its entries candidates for you to review."
    ))
}

/// The notice that no command accepts the data folder. What was built is in force all the same.
fn unsafe_folder(home: &Home) -> Option<String> {
    let fault = fault_of_folder(&files::check_folder(home.root()).err()?);
    Some(format!("Lessons: the data folder {fault}, so no `lessons` command uses it. {HOW_TO_FIX}"))
}

/// The reason why the data folder is refused, without its path.
fn fault_of_folder(error: &FileError) -> &'static str {
    match error {
        FileError::Link { .. } | FileError::FolderLink { .. } => "is a link",
        FileError::Kind { .. } => "is not a folder",
        FileError::Owner { .. } => "belongs to another user",
        FileError::Writable { .. } => "can be written by others",
        FileError::TooLarge { .. } | FileError::Io { .. } => "cannot be opened",
    }
}

/// The notice that accepted lessons which should refuse calls are not in force, with the reasons.
fn lost_refusals(build: &BuildNotes) -> Option<String> {
    let line = |lost: &LostRefusal| {
        let line = format!("Lessons: {} blocks nothing at present: {}", lost.id, neutral::line(&lost.reason));
        neutral::shortened(&line, LONG_LINE)
    };
    let lines: Vec<String> = build.lost_refusals.iter().take(MOST_NEWS).map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n") + "\n/lessons:doctor names every one, and how to fix it.")
}

/// The notice that lessons stop calls no more since the last notice, because somebody decided so.
fn weakened(build: &BuildNotes, since: u64) -> Option<String> {
    let which = build.weakened_since(since, &SystemClock)?;
    Some(format!(
        "Lessons: stops calls no more: {which}. `lessons log` shows the changes, `lessons undo` takes one back."
    ))
}

fn news(build: &BuildNotes, since: u64) -> Option<String> {
    let fresh: Vec<_> = build.news.iter().filter(|news| news.at > since).collect();
    let first = fresh.first()?;
    let heading = match fresh.len() {
        1 => format!("Lessons: one lesson is new since you last looked ({}).", neutral::line(&first.by)),
        many => format!("Lessons: {many} lessons are new since you last looked."),
    };
    let line = |news: &&News| {
        let line = format!("{}: {} ({})", news.id, neutral::line(&news.summary), neutral::line(&news.by));
        format!("  {}", neutral::shortened(&line, LINE))
    };
    let end = "See them with `lessons list`; `lessons off ID` switches one off.".to_owned();
    let lines = fresh.iter().take(MOST_NEWS).map(line);
    Some(std::iter::once(heading).chain(lines).chain([end]).collect::<Vec<_>>().join("\n"))
}

/// Whether the index was made of the decisions that are there now. Size, time and inode are compared first.
pub(crate) fn is_of_decisions(build: &BuildNotes, home: &Home) -> bool {
    let made_of = build.sources.iter().flatten().find(|source| source.file == DECISIONS);
    let path = home.decisions();
    let state = AcceptedSource::state_of(&path);
    match made_of {
        Some(made_of) => is_same(made_of, state, &path),
        None => state.is_none(),
    }
}

/// What commands have to say since the last notice: what became of decisions that were written by other means, and which block
/// something else dropped.
fn left_by_commands(home: &Home, last: &LastNotice) -> Option<String> {
    let path = home.notice();
    let written = path.symlink_metadata().and_then(|found| found.modified()).ok()?;
    let at = written.duration_since(UNIX_EPOCH).ok()?.as_millis();
    if at <= u128::from(last.at) {
        return None;
    }
    let bytes = files::read(&path, SETTINGS_LIMIT).ok()??;
    let text = String::from_utf8_lossy(&bytes);
    let line = |line: &str| format!("Lessons: {}.", neutral::shortened(&neutral::line(line), LONG_LINE));
    Some(text.lines().take(MOST_NEWS).map(line).collect::<Vec<_>>().join("\n"))
}

/// The files that differ from what was accepted. A build that did not look at these files says nothing of them.
fn differing(build: &BuildNotes, home: &Home) -> Vec<AcceptedSource> {
    let Some(sources) = &build.sources else { return Vec::new() };
    if !is_of_decisions(build, home) {
        // A change is on its way, or its index is; what it changed by a command is not to be called changed by other means.
        return Vec::new();
    }
    let files = [("lessons.json", home.lessons()), ("config.toml", home.config())];
    let differing = files.into_iter().filter_map(|(name, path)| {
        let accepted = sources.iter().find(|source| source.file == name);
        let state = AcceptedSource::state_of(&path);
        let is_accepted = accepted.is_some_and(|accepted| is_same(accepted, state, &path));
        (!is_accepted).then(|| AcceptedSource { file: name.to_owned(), state, sha256: String::new() })
    });
    differing.collect()
}

/// Whether a file is as it was accepted, or was written again with the same content.
fn is_same(accepted: &AcceptedSource, state: Option<FileState>, path: &Path) -> bool {
    let length = |state: Option<FileState>| state.map(|FileState(length, ..)| length);
    accepted.state == state
        || length(state).is_some_and(|length| length <= STORE_LIMIT)
            && length(accepted.state) == length(state)
            && files::read(path, STORE_LIMIT)
                .is_ok_and(|bytes| bytes.is_some_and(|bytes| digest::hex(&bytes, 64) == accepted.sha256))
}

/// A word about files that were changed by other means than a command, once for each state that they are found in.
fn not_accepted(differing: &[AcceptedSource], last: &LastNotice) -> Option<String> {
    let changed: Vec<_> = differing.iter().filter(|source| !last.knows(source)).collect();
    let named = |source: &AcceptedSource| match source.state {
        Some(_) => format!("{} was changed outside of `lessons`", source.file),
        None => format!("{} is gone", source.file),
    };
    let what: Vec<String> = changed.iter().map(|source| named(source)).collect();
    let is_store = changed.iter().any(|source| source.file == "lessons.json");
    let back = if is_store { ", `lessons restore --store` restores lessons.json" } else { "" };
    (!what.is_empty()).then(|| {
        format!(
            "Lessons: {}. What you accepted stays in force; `lessons accept --dry-run` shows the difference, \
             `lessons accept` accepts it{back}.",
            what.join(", and "),
        )
    })
}

/// A word about the project's own store, if it is not what the user has approved.
fn store(build: &BuildNotes, place: &ProjectLocation<'_>) -> Option<String> {
    let roots = place.roots()?;
    let root = Path::new(&roots.root);
    let found = read(root, "lessons.json", STORE_LIMIT)?;
    let is_here =
        |trusted: &&TrustedRoot| [Some(&roots.root), roots.main.as_ref()].contains(&Some(&trusted.root));
    let approved = build.trusted.iter().find(is_here);
    let what = match approved {
        Some(trusted) if trusted.sha256 == digest::hex(&found, 64) => {
            let settings = read(root, "config.toml", SETTINGS_LIMIT).map(|found| digest::hex(&found, 64));
            if settings == trusted.settings {
                return None;
            }
            "This project's settings for Lessons changed after you trusted it. Those you approved stay in use"
        }
        Some(_) => "This project's lessons changed after you trusted them. Those you approved stay in use",
        None => "This project brings lessons of its own. They are not in use",
    };
    Some(format!("Lessons: {what}. To look at them and decide, run `lessons trust` in a terminal there."))
}

/// The bytes of a file in a project's `.lessons` folder. Links and files beyond `limit` are not read.
fn read(root: &Path, name: &str, limit: u64) -> Option<Vec<u8>> {
    let path = root.join(".lessons").join(name);
    let found = path.symlink_metadata().ok()?;
    (found.is_file() && found.len() <= limit).then(|| std::fs::read(path).ok())?
}
