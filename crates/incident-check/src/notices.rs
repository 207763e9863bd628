//! The incidents that the user is asked about at the start of a session, published for the hook, which opens no database.

use lessons_context::context::Context;
use lessons_context::error::Result;
use lessons_home::files;
use lessons_lesson::waiting::WithheldNotice;
use lessons_store::durable;
use lessons_text::neutral::line;

/// The most incidents that are published.
const MOST: usize = 20;
/// The largest published list that is read, in bytes.
const LIMIT: u64 = 64 << 10;

/// Publishes the withheld incidents that wait for a decision, if they changed. An error is ignored: `lessons incidents`
/// lists them.
pub fn publish(context: &Context) {
    let Ok(bytes) = undecided(context).and_then(|notices| Ok(serde_json::to_vec(&notices)?)) else { return };
    let path = context.home.withheld_notices();
    let published = files::read(&path, LIMIT).ok().flatten();
    let is_published = published.as_deref().unwrap_or(b"[]") == bytes;
    if !is_published && files::ensure_folder(&context.home.log()).is_ok() {
        let _ = durable::replace(&path, &bytes);
    }
}

/// The withheld incidents that nobody has confirmed or retired, the newest first.
fn undecided(context: &Context) -> Result<Vec<WithheldNotice>> {
    if !crate::state::settings(context).enabled {
        return Ok(Vec::new());
    }
    let known = crate::state::known(context)?.into_iter();
    let undecided = known.filter(|known| known.is_withheld && known.is_active() && !known.is_confirmed());
    let notices = undecided.map(|known| WithheldNotice {
        id: known.incident.id.to_string(),
        source: line(&known.incident.source),
        rules: known.incident.details.rules.iter().map(|rule| rule.name().to_owned()).collect(),
        at: known.incident.created_at,
    });
    Ok(notices.take(MOST).collect())
}
