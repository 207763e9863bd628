//! What a command showed an agent, as events: an agent that read a lesson in its shell has been told it by nobody, and yet
//! knows it.

use lessons_decide::claims;
use lessons_decide::events::{Event, Outcome};
use lessons_lesson::id::QualifiedId;

use crate::app::App;

/// The agent in these events: the variables of a shell do not say which one it is.
const AGENT: &str = "shell";
/// The lessons of one event, as many as always fit into its line.
const IN_ONE: usize = 3;
/// The most lessons that are recorded of one command. The client cuts what an agent reads at 30,000 characters, in which not
/// more of them are listed.
const MOST: usize = 300;

/// Records that a command of an agent showed it these lessons. A person who reads them is not a session.
pub(crate) fn record<'l>(app: &App, lessons: impl IntoIterator<Item = &'l QualifiedId>) {
    if app.session().is_some() && app.ui.printed.is_none() {
        append(app, Outcome::Shown, AGENT, lessons);
    }
}

/// Adds what an agent got to the events of its session.
pub(crate) fn append<'l>(
    app: &App,
    outcome: Outcome,
    agent: &str,
    lessons: impl IntoIterator<Item = &'l QualifiedId>,
) {
    let lessons: Vec<String> = lessons.into_iter().take(MOST).map(ToString::to_string).collect();
    for part in lessons.chunks(IN_ONE) {
        let event = Event {
            session: app.session().map(claims::session_hash).unwrap_or_default(),
            agent: agent.to_owned(),
            ..Event::new(outcome, part.to_vec(), app.now_ms())
        };
        event.append(&app.home.events());
    }
}
