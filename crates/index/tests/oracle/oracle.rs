//! The oracle: what a call matches, found by trying every trigger of every lesson with a regular expression.

use std::borrow::Cow;
use std::cmp::Reverse;

use lessons_index::manifest::{LessonEntry, Manifest, TriggerEntry};
use lessons_index::views::{View, Views};
use lessons_lesson::call::{Call, tool_name};
use lessons_lesson::compiled::Terms;
use lessons_lesson::lesson::Subject;
use lessons_lesson::project::ProjectLocation;
use lessons_pattern::Regex;
use lessons_pattern::keyword;
use lessons_pattern::prepared::regex_of;
use lessons_pattern::trigger::TriggerKind;
use lessons_shell::{CommandLine, command_kind};
use lessons_text::words::tokens;

/// The root of the project in which calls are made.
pub(crate) const ROOT: &str = "/p";

/// The lessons of a manifest, with a matcher for each trigger that has a pattern.
pub(crate) struct Oracle<'m> {
    manifest: &'m Manifest,
    matchers: Vec<Option<Regex>>,
}

impl<'m> Oracle<'m> {
    pub(crate) fn of(manifest: &'m Manifest) -> Self {
        let matcher = |trigger: &TriggerEntry| match trigger.kind {
            TriggerKind::Keyword | TriggerKind::Tool => None,
            kind => Some(regex_of(kind, &trigger.pattern).unwrap()),
        };
        Self { manifest, matchers: manifest.triggers.iter().map(matcher).collect() }
    }

    /// The ids of the lessons that match, best first, each with the document frequency of its most specific matching trigger;
    /// and the texts of the first.
    pub(crate) fn answers(&self, call: &Call<'_>) -> (Vec<String>, Option<String>) {
        let place = ProjectLocation::fixed(ROOT);
        let views = Views::new(call, &place);
        let lessons = self.manifest.lessons.iter();
        let mut found: Vec<(u32, &LessonEntry)> =
            lessons.filter_map(|lesson| Some((self.document_frequency(lesson, &views)?, lesson))).collect();
        found.sort_by_key(|(document_frequency, lesson)| {
            let terms = &lesson.terms;
            (
                terms.id.layer.clone(),
                Reverse(terms.priority),
                *document_frequency,
                Reverse(terms.created_at.clone()),
                terms.id.clone(),
            )
        });
        let ids = found.iter().map(|(frequency, lesson)| format!("{} {frequency}", lesson.terms.id));
        let first = found.first().map(|(_, lesson)| format!("{}{}", lesson.full, lesson.brief));
        (ids.collect(), first)
    }

    /// The document frequency of the most specific trigger that matches, if the lesson does.
    fn document_frequency(&self, lesson: &LessonEntry, views: &Views<'_>) -> Option<u32> {
        let terms = &lesson.terms;
        let holds = |position: &&u32| self.holds(**position, views, terms.subject);
        let only_reads = terms.tools.is_empty() && !views.call.writes();
        let may_fire = |position: &&u32| {
            let kind = self.manifest.triggers[**position as usize].kind;
            !(only_reads && matches!(kind, TriggerKind::FileGlob | TriggerKind::PathPattern))
        };
        let fires = terms.triggers.iter().filter(may_fire).filter(holds);
        let frequency = |position: &u32| self.manifest.triggers[*position as usize].document_frequency;
        let best = fires.map(frequency).min()?;
        let is_for_tool =
            terms.tools.is_empty() || terms.tools.iter().any(|tool| views.call.is_of_tool(tool));
        let is_here = terms.roots.as_ref().is_none_or(|roots| roots.iter().any(|root| root == ROOT));
        let conditions =
            terms.also.iter().all(|position| holds(&position)) && !self.is_silenced(terms, views);
        // After a failure only what looks at the error counts.
        let is_error = |position: &&u32| {
            self.manifest.triggers[**position as usize].kind == TriggerKind::ErrorPattern && holds(position)
        };
        let is_now =
            views.error().is_none() || terms.triggers.iter().chain(&terms.also).any(|at| is_error(&at));
        (is_for_tool && is_here && conditions && is_now).then_some(best)
    }

    /// Whether an exception silences a lesson. In one about programs that refuses, each command is judged for itself.
    fn is_silenced(&self, terms: &Terms, views: &Views<'_>) -> bool {
        let programs = views.command(Subject::Program);
        let texts: Vec<_> = views
            .sources()
            .iter()
            .map(|source| (&programs[source.invocations.clone()], source.typed.as_str()))
            .collect();
        let matches = |position: &u32, text: &str| {
            self.manifest.triggers[*position as usize].kind == TriggerKind::CommandPattern
                && self.matchers[*position as usize].as_ref().unwrap().is_match(text)
        };
        let fires: Vec<bool> = texts
            .iter()
            .map(|(forms, _)| {
                forms.iter().any(|form| terms.triggers.iter().any(|at| matches(at, form.text())))
            })
            .collect();
        let is_guard = terms.subject == Subject::Program && terms.mode.refuses() && fires.contains(&true);
        let of_line = |position: &u32| {
            terms.subject.of_unless().iter().any(|subject| self.holds(*position, views, *subject))
        };
        if !is_guard {
            return terms.unless.iter().any(of_line);
        }
        let own = |position: &u32, at: usize| {
            let (forms, typed) = texts[at];
            matches(position, typed) || forms.iter().any(|form| matches(position, form.text()))
        };
        let text = |at: usize| texts[at].0.first().map(View::text);
        let kind = |at: usize| text(at).map(command_kind);
        let feeds = |before: usize, at: usize| (before + 1..=at).all(|next| views.sources()[next].reads_pipe);
        // Only what names the command in front, or stands in what surrounds the next one, says something of others.
        let names = |position: &u32, at: usize| match text(at) {
            None => own(position, at),
            Some(text) => {
                let (program, words) = text.split_at(text.find(' ').unwrap_or(text.len()));
                let is_around = ["cd", "export", "pushd"].contains(&program);
                matches(position, text) && (is_around || !matches(position, words))
            }
        };
        let excused = |at: usize| {
            terms.unless.iter().any(|position| {
                let in_front = |before| {
                    (!views.sources()[at].runs_after_failure && kind(before) != kind(at)) || feeds(before, at)
                };
                own(position, at) || (0..at).any(|before| in_front(before) && names(position, before))
            })
        };
        let is_other =
            |position: &&u32| self.manifest.triggers[**position as usize].kind != TriggerKind::CommandPattern;
        terms.unless.iter().filter(is_other).any(of_line)
            || (0..texts.len()).all(|at| !fires[at] || excused(at))
    }

    fn holds(&self, position: u32, views: &Views<'_>, subject: Subject) -> bool {
        let trigger = &self.manifest.triggers[position as usize];
        let (kind, pattern) = (trigger.kind, trigger.pattern.as_str());
        let (below, executed);
        let texts: Vec<&View<'_>> = match kind {
            TriggerKind::Tool => return tool_name(pattern) == views.call.tool,
            TriggerKind::ErrorPattern => views.error().into_iter().collect(),
            TriggerKind::Keyword => {
                let needle = keyword::needle(pattern);
                // The lines of what would run are parts of its first view.
                let commands = match subject {
                    Subject::Command | Subject::Executable => {
                        views.command(subject).get(..1).unwrap_or_default()
                    }
                    Subject::Program => views.command(subject),
                };
                let mut texts = commands.iter().chain(views.own_paths());
                return texts
                    .any(|view| tokens(view.text()).windows(needle.len()).any(|words| words == needle));
            }
            TriggerKind::CommandPattern => {
                // What was not typed as it is: without global options, for example.
                let plain = |text: &str| {
                    let words = text.split_whitespace().map(|word| word.replace(['\'', '"', '\\'], ""));
                    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
                };
                let typed = plain(views.call.command.as_deref().unwrap_or_default());
                let is_form = |view: &&View<'_>| {
                    let means_less_in_quotes = view.text().contains(|c| "*?[]{}()^#!~$`".contains(c));
                    !means_less_in_quotes && !typed.contains(&plain(view.text()))
                };
                // Lessons about programs look at every form anyway.
                let most = if subject == Subject::Program { 0 } else { 64 };
                let forms = views.command(Subject::Program).iter().take(most).filter(is_form);
                // As what would run: a message behind options that stand apart stays hidden.
                let goes_on = views.call.command.as_deref().is_some_and(|it| it.contains("\\\n"));
                let joined = if goes_on { most } else { 0 };
                let joined = views.sources().iter().take(joined).map(|source| source.typed.as_str());
                executed = forms
                    .map(View::text)
                    .chain(joined)
                    .map(|text| View::new(Cow::Owned(CommandLine::new(text).executable())))
                    .collect::<Vec<_>>();
                views
                    .command(subject)
                    .iter()
                    .chain(&executed)
                    .filter(|view| !view.text().is_empty())
                    .collect()
            }
            TriggerKind::ContentPattern => views.contents().iter().collect(),
            TriggerKind::FileGlob | TriggerKind::PathPattern => {
                below = views.below_root(views.written_files());
                let written = views.written_files().iter().chain(&below);
                views.absolute().iter().chain(views.relative()).chain(written).collect()
            }
        };
        let matcher = self.matchers[position as usize].as_ref().unwrap();
        texts.iter().any(|view| matcher.is_match(view.text()))
    }
}
