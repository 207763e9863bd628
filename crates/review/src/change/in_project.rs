//! The lessons of a project as what a verb changes: which project, whether its lessons are in force, and the words for it.

use std::path::{Path, PathBuf};

use lessons_context::{Coded, Context, Error, Refused, Result, WhileDoing as _, refused, refused_as};
use lessons_ledger::{Candidate, Database};
use lessons_lesson::Lesson;
use lessons_store::{ProjectRoot, StoreLocation, TrustList, Warning, decisions::trust};
use lessons_text::{line, listed};

use crate::project_names;

/// The verbs whose commands need `--project` for a lesson of a project.
const VERBS: [&str; 5] = ["edit", "merge", "retire", "restore", "prune"];

/// The context of a verb that changes the store that its arguments name: the user's, or that of the project around the
/// working folder.
pub fn around_here(context: &Context) -> Result<Context> {
    let here = std::env::current_dir().while_doing(|| "the working folder".to_owned())?;
    let Some(store) = store_around(context, &here)? else {
        return refused(format!(
            "{} is in no project: neither it nor a folder above it has .git or .lessons. `git init` makes it one",
            line(&here.to_string_lossy())
        ));
    };
    Ok(context.changing(store))
}

/// The same for the verb that makes a candidate a lesson: the project is the one in which the candidate was seen.
pub fn of_candidate(context: &Context, candidate: &Candidate) -> Result<Context> {
    let database = Database::open(&context.home)?;
    let known = database.projects_of(&candidate.id)?.into_iter().map(|(root, _)| root);
    let mut seen: Vec<String> = known.collect();
    if seen.is_empty() {
        let sightings = database.sightings(&candidate.id)?;
        seen.extend(sightings.into_iter().filter_map(|sighting| sighting.project));
    }
    seen.sort();
    seen.dedup();
    let here = std::env::current_dir().ok().and_then(|here| project_names::roots_of(&here).ok());
    let is_here = |root: &String| here.as_ref().is_some_and(|here| here.within(root));
    // In a linked work tree of that project its own checkout is meant.
    if seen.is_empty() || seen.iter().any(is_here) {
        return around_here(context);
    }
    let (id, roots) = (&candidate.id, listed(seen.iter().map(|root| line(root))));
    let [folder] = seen.as_slice() else {
        return refused(format!("candidate {id} was seen in {roots}; run this in one of them"));
    };
    match store_around(context, Path::new(folder))? {
        Some(store) => Ok(context.changing(store)),
        None => refused(format!("candidate {id} was seen in {roots}, which is no project any more")),
    }
}

/// Refuses a scope for a lesson of a project: it holds in that project and nowhere else.
pub fn refuse_scope(context: &Context, projects: Option<&[String]>) -> Result<()> {
    let is_scoped = projects.into_iter().flatten().any(|project| !project.is_empty());
    if is_scoped && context.store != StoreLocation::User {
        return refused_as(
            "PROJECT_HAS_NO_SCOPE",
            "a lesson of a project holds in that project and nowhere else: leave out --scope-project, or leave out --project \
             for a lesson of your own",
        );
    }
    Ok(())
}

/// The store of the project around a folder; `None` outside of a project.
fn store_around(context: &Context, folder: &Path) -> Result<Option<StoreLocation>> {
    let roots = project_names::roots_of(folder)?;
    let root = PathBuf::from(&roots.root);
    if !project_names::is_project(&root) {
        return Ok(None);
    }
    let store = ProjectRoot::new(&root)?;
    let is_approved_here = TrustList::read(&context.home)?.0.contains_key(&roots.root);
    Ok(Some(StoreLocation::Project(match roots.main {
        // Both are the same project, and its lessons hold in both.
        Some(main) if !is_approved_here => store.approved_at(&main),
        _ => store,
    })))
}

/// Whether a lesson is approved in the project's store that a verb has changed, and warnings about what keeps it, or the rest
/// of the file, out of force. `None` for the user's own store.
pub fn standing(context: &Context, lesson: Option<&Lesson>) -> Option<(bool, Vec<Warning>)> {
    let StoreLocation::Project(root) = &context.store else { return None };
    let mut warnings = Vec::new();
    let approved = trust::approved(&context.home).unwrap_or_default();
    let Some(approved) = approved.into_iter().find(|approved| approved.store.root == root.approval) else {
        warnings.push(Warning::coded(
            "PROJECT_NOT_TRUSTED",
            "this project's lessons are not trusted, so none of them is in force; `lessons trust` shows them and asks",
        ));
        return Some((false, warnings));
    };
    let here = lesson.and_then(|lesson| approved.lessons.iter().find(|known| known.id == lesson.id));
    if let Some(lesson) = lesson {
        let id = Some(lesson.id.as_str());
        let problems = approved.problems.iter().filter(|problem| problem.lesson() == id);
        warnings.extend(problems.map(|problem| Warning::coded(problem.flaw.code, problem.flaw.to_string())));
        if here.is_some_and(|here| lesson.mode.refuses() && !here.mode.refuses()) {
            warnings.push(Warning::coded(
                "PROJECT_ADVISES_ONLY",
                "lessons of projects only advise here; `lessons trust --allow-refusals` lets this project's lessons block",
            ));
        }
    }
    let written = context.store.read(&context.home).ok().and_then(|stored| stored.bytes);
    if written.is_none_or(|bytes| trust::sha256(&bytes) != approved.store.sha256) {
        warnings.push(Warning::coded(
            "PROJECT_DIFFERS",
            "the project's file holds other changes that you have not approved, and they are not in force; \
             `lessons trust` shows them and asks",
        ));
    }
    Some((here.is_some(), warnings))
}

/// A text about the user's lessons, said of the store that a verb changes: ids with its layer, commands with `--project`.
pub fn worded(context: &Context, text: &str) -> String {
    if context.store == StoreLocation::User {
        return text.to_owned();
    }
    let text = text.replace("user/", &format!("{}/", context.store.layer()));
    VERBS.iter().fold(text, |text, verb| {
        let command = format!("lessons {verb} ");
        text.replace(&command, &format!("{command}--project "))
    })
}

/// An error about the user's lessons, said of the store that a verb changes.
pub fn worded_error(context: &Context, error: Error) -> Error {
    match error {
        Error::Coded(coded) => Coded { text: worded(context, &coded.text), ..coded }.into(),
        Error::Refused(Refused(text)) => Refused(worded(context, &text)).into(),
        error => error,
    }
}
