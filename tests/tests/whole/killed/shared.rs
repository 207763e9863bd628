//! Shared events as they are compared: by what they say, once they are verified.
//!
//! Each run dates and signs anew, so the id of an event, which names its file, and its signature differ every time.

use std::fs;
use std::path::Path;

use lessons_home::home::Home;
use lessons_share::event::Unverified;
use lessons_store::shared_folder::identity;
use lessons_tests::env::TestEnv;

/// Returns the name of a shared event by what it says. `None` for every other file, and for one whose name, id or signature
/// is wrong: that one is compared byte by byte, and never the same.
pub(super) fn said_by(env: &TestEnv, file: &Path) -> Option<String> {
    let event = Unverified::parse(&fs::read(file).ok()?).ok()?.verify().ok()?;
    if file.file_name()?.to_str()? != format!("{}.json", event.id()) {
        return None;
    }
    let own = identity::read(&Home::at(env.data())).ok().flatten().map(|key| key.public());
    let author =
        if own == Some(event.author()) { "this machine".to_owned() } else { event.author().to_string() };
    let said = event.said();
    let text = format!("{:?} {:?}", said.tags, said.content).replace(&event.author().to_string(), &author);
    Some(format!("event of {author}, kind {}: {text}", said.kind))
}

/// Whether a file is the key of this machine, whole. It is made by chance.
pub(super) fn is_key(env: &TestEnv, file: &Path) -> bool {
    let home = Home::at(env.data());
    file == home.identity() && identity::read(&home).is_ok_and(|key| key.is_some())
}
