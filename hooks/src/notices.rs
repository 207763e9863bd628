//! Notices to the user, not the model, at the start of a session.

use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use lessons_decide::opening::Source;
use lessons_home::files;
use lessons_home::home::{Home, HomeError};
use lessons_lesson::compiled::{AcceptedSource, BuildNotes};
use lessons_lesson::project::ProjectLocation;
use lessons_text::digest;
use lessons_text::neutral;

/// The largest project store that is read, in bytes.
const STORE_LIMIT: u64 = 8 << 20;
/// The largest settings file of a project that is read, in bytes.
const SETTINGS_LIMIT: u64 = 64 << 10;
/// The most new lessons that one notice lists.
const MOST_NEWS: usize = 3;
/// The longest line about one lesson, in characters.
const LINE: usize = 120;
/// The longest line that says why a lesson is not in force, in characters.
const LONG_LINE: usize = 300;

/// The notice that the data folder is not used.
pub(crate) fn unusable_home(error: &HomeError) -> String {
    format!("Lessons is off in this session: {error}")
}

/// What became active since the last look, and what this project brings along untrusted.
pub(crate) fn for_user(
    build: &BuildNotes,
    place: &ProjectLocation<'_>,
    home: &Home,
    source: Source,
) -> Option<String> {
    if !matches!(source, Source::Startup | Source::Clear | Source::Resume) {
        return None;
    }
    let parts: Vec<String> = [
        lost_refusals(build),
        news(build, last_look(home)),
        not_accepted(build, home, last_look(home)),
        store(build, place),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// The notice that accepted lessons which should refuse calls are not in force, with the reasons.
fn lost_refusals(build: &BuildNotes) -> Option<String> {
    let lines: Vec<String> = build
        .lost_refusals
        .iter()
        .take(MOST_NEWS)
        .map(|lost| {
            let line =
                format!("Lessons: {} refuses nothing at present: {}", lost.id, neutral::line(&lost.reason));
            neutral::shortened(&line, LONG_LINE)
        })
        .collect();
    (!lines.is_empty())
        .then(|| lines.join("\n") + "\n`lessons doctor` names every one; `lessons edit ID` fixes it.")
}

fn news(build: &BuildNotes, since: u64) -> Option<String> {
    let fresh: Vec<_> = build.news.iter().filter(|news| news.at > since).collect();
    let first = fresh.first()?;
    let mut text = match fresh.len() {
        1 => format!("Lessons: one lesson is new since you last looked ({}).", neutral::line(&first.by)),
        many => format!("Lessons: {many} lessons are new since you last looked."),
    };
    for news in fresh.iter().take(MOST_NEWS) {
        let line = format!("{}: {} ({})", news.id, neutral::line(&news.summary), neutral::line(&news.by));
        text.push_str("\n  ");
        text.push_str(&neutral::shortened(&line, LINE));
    }
    text.push_str("\nSee them with `lessons list`; `lessons off ID` switches one off.");
    Some(text)
}

/// A word about files that were changed by other means than a command since the user was last told something. A build
/// that did not look at these files says nothing of them.
fn not_accepted(build: &BuildNotes, home: &Home, since: u64) -> Option<String> {
    let sources = build.sources.as_ref()?;
    let files = [("lessons.json", home.lessons()), ("config.toml", home.config())];
    let changed: Vec<&str> = files
        .iter()
        .filter(|(name, path)| {
            let state = AcceptedSource::state_of(path);
            !sources.iter().any(|source| source.file == *name && source.state == state)
        })
        .filter(|(_, path)| changed_at(path).is_none_or(|at| at >= since))
        .map(|(name, _)| *name)
        .collect();
    (!changed.is_empty()).then(|| {
        format!(
            "Lessons: {} changed by other means than a `lessons` command. What you accepted stays in force; \
             `lessons accept` shows the difference and takes it.",
            changed.join(" and ")
        )
    })
}

/// The time at which a file last changed or was moved to its path, in milliseconds since 1970; `None` if it does not exist.
fn changed_at(path: &Path) -> Option<u64> {
    let found = path.symlink_metadata().ok()?;
    u64::try_from(found.ctime().saturating_mul(1000).saturating_add(found.ctime_nsec() / 1_000_000)).ok()
}

/// A word about the project's own store, if it is not what the user has approved.
fn store(build: &BuildNotes, place: &ProjectLocation<'_>) -> Option<String> {
    let roots = place.roots()?;
    let root = Path::new(&roots.root);
    let found = read(root, "lessons.json", STORE_LIMIT)?;
    let approved = build
        .trusted
        .iter()
        .find(|trusted| trusted.root == roots.root || Some(&trusted.root) == roots.main.as_ref());
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

/// The time of the last notice, in milliseconds since 1970; 0 if there was none.
fn last_look(home: &Home) -> u64 {
    let looked = home.log().join("looked").symlink_metadata().and_then(|found| found.modified());
    let since = looked.ok().and_then(|time: SystemTime| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| u64::try_from(since.as_millis()).ok()).unwrap_or(0)
}

/// Records the time of a notice.
pub(crate) fn record_notice(home: &Home) {
    if files::ensure_folder(&home.log()).is_ok() {
        let file = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .custom_flags(nix::fcntl::OFlag::O_NOFOLLOW.bits())
            .open(home.log().join("looked"));
        // The file system's clock sets the time, which also sets that of a changed file. It is slower than the system's.
        let _ = file.and_then(|mut file| file.write_all(b"\n"));
    }
}
