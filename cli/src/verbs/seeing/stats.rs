//! `lessons stats`: show how often lessons are queried, told and recorded, and what that costs.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Error, Result};
use lessons_context::error::Exit;
use lessons_effect::statistics::answer::Answer;
use lessons_home::machine::ThisMachine;
use lessons_index::matching::holds_at;
use lessons_ledger::database::Database;
use lessons_ledger::events;
use lessons_lesson::id::Layer;
use lessons_lesson::lesson::When;
use lessons_lesson::project::{ProjectLocation, find_roots};
use lessons_pattern::trigger::TriggerKind;
use lessons_publish::in_force;
use lessons_recall::tokens;
use lessons_review::agent_statistics::AgentStatistics;
use lessons_review::effects;
use lessons_review::lookup;
use lessons_store::telemetry::{self, Capture, LessonSize, NewParts, Recall, Row, Standing, UsageReport};
use lessons_text::wording::counted;
use lessons_text::{neutral, path};
use serde::Serialize;

use crate::app::App;
use crate::ui::local_time::LocalTime;
use crate::ui::messages;

/// The answer: the statistics.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    /// Whether queries and captures are counted.
    telemetry: bool,
    /// The time of the first counted row, in milliseconds since 1970.
    since: Option<u64>,
    #[serde(flatten)]
    report: UsageReport,
    /// What followed after reminders and blocked calls, over all lessons.
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<Answer>,
    /// What agents have learned.
    learning: AgentStatistics,
    /// What cannot be counted, and why.
    problems: Vec<String>,
    #[serde(skip)]
    config: PathBuf,
    #[serde(skip)]
    local: LocalTime,
}

pub(crate) fn run(app: &App) -> Result<Exit> {
    let (config, _) = app.settings().unwrap_or_default();
    let here = std::env::current_dir().context("the working folder")?;
    let roots = find_roots(&path::lexical(&here.to_string_lossy()), &ThisMachine);
    let sizes: HashMap<String, usize> = lookup::every_lesson(app)?
        .into_iter()
        .map(|(id, lesson)| (id.to_string(), tokens(&lesson.rule)))
        .collect();

    let mut problems = Vec::new();
    let told = told(app, &sizes).unwrap_or_else(|error| {
        problems.push(format!("reminders of hooks are not counted: {}", messages::sentence(&error)));
        Vec::new()
    });
    let (mut queries, mut captures): (Vec<Recall>, Vec<Capture>) = (Vec::new(), Vec::new());
    for row in telemetry::read(&app.home)? {
        match row {
            Row::Recall(query) => queries.push(query),
            Row::Capture(capture) => captures.push(capture),
        }
    }
    let lesson_sizes: Vec<LessonSize<'_>> =
        sizes.iter().map(|(id, &tokens)| LessonSize { id, tokens }).collect();
    let standing = standing(app, &ProjectLocation::known(Some(roots), &ThisMachine))?;
    let effect = effects::known(app).unwrap_or_else(|error| {
        problems.push(format!("what followed is not counted: {}", messages::sentence(&error)));
        None
    });
    let effect = effect
        .map(|summary| summary.answer)
        .filter(|answer| answer.share.is_some() || answer.again.sessions > 0);
    let times = queries.iter().chain(&told).map(|recall| recall.t);
    let stats = Stats {
        telemetry: config.telemetry,
        since: times.chain(captures.iter().map(|capture| capture.t)).min(),
        report: UsageReport::of(&queries, &told, &captures, &lesson_sizes, standing),
        effect,
        learning: AgentStatistics::of(app)?,
        problems,
        config: app.home.config(),
        local: app.ui.local.clone(),
    };
    app.answer(&stats)?;
    Ok(if stats.problems.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The lessons in force that a question asked at `place` can find, and that a person would else put into the context
/// themselves: none of the built-in ones.
fn standing(app: &App, place: &ProjectLocation<'_>) -> Result<Standing> {
    let mut standing = Standing { tokens: 0, only_keywords: 0 };
    let Some(index) = in_force::index(app).map_err(Error::msg)? else { return Ok(standing) };
    let manifest = index.manifest().map_err(|error| Error::msg(in_force::cannot_be_read(app, error)))?;
    let is_keyword = |position: &u32| {
        let trigger = manifest.triggers.get(*position as usize);
        trigger.is_some_and(|trigger| trigger.kind == TriggerKind::Keyword)
    };
    for lesson in &manifest.lessons {
        let terms = &lesson.terms;
        let is_own = terms.id.layer != Layer::Seed;
        if is_own && terms.when == When::Tool && !terms.is_off(&app.now_ms()) && holds_at(terms, place) {
            standing.tokens += tokens(&lesson.rule);
            let only_keywords = !terms.triggers.is_empty() && terms.triggers.iter().all(is_keyword);
            standing.only_keywords += usize::from(only_keywords);
        }
    }
    Ok(standing)
}

/// What the hooks told, up to now.
fn told(app: &App, sizes: &HashMap<String, usize>) -> Result<Vec<Recall>> {
    if !app.home.database().exists() && !app.home.events().exists() {
        return Ok(Vec::new());
    }
    let mut database = Database::open(&app.home)?;
    events::take_in(&app.home, &mut database, app.now_ms())?;
    let told = database.told_events()?;
    Ok(told.iter().map(|event| event.recall(|id| sizes.get(id).copied())).collect())
}

/// A share, printed as a percentage.
struct Percent(f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} %", self.0 * 100.0)
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "Warning: {}", neutral::line(problem))?;
        }
        match self.since {
            Some(since) => {
                writeln!(f, "Counted since {}", self.local.time(since))?;
                self.recalls(f)?;
                self.captures(f)?;
            }
            None => writeln!(f, "Nothing is counted yet")?,
        }
        write!(f, "{}", self.learning)?;
        if let Some(answer) = &self.effect {
            writeln!(f, "All lessons together: {}: lessons effect", answer.headline())?;
        }
        let alone = self.report.reachability.keyword_only_unreachable_lessons;
        if alone > 0 {
            let have = if alone == 1 { "has" } else { "have" };
            writeln!(
                f,
                "{} {have} only keywords, which a file or a command seldom holds: lessons validate",
                counted(alone, "lesson")
            )?;
        }
        if self.telemetry {
            write!(
                f,
                "Only numbers are kept, on this machine. telemetry = false in {} ends it",
                self.config.display()
            )
        } else {
            write!(
                f,
                "Queries and captures are not counted. If you want that: telemetry = true in {}. Only numbers are kept, \
                 on this machine",
                self.config.display()
            )
        }
    }
}

impl Stats {
    fn recalls(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.report;
        let (all, told) = (report.total_recalls, report.told_by_hooks);
        let queries = all - told;
        writeln!(
            f,
            "{} in {}: {told} by hooks at tool calls, {queries} by `lessons query`",
            counted(all, "recall"),
            counted(report.preload_break_even.sessions, "session")
        )?;
        if all == 0 {
            return Ok(());
        }
        if queries > 0 {
            writeln!(
                f,
                "  {} of the queries found nothing; of the others {} found lessons by keywords alone; {} asked for --all",
                Percent(report.no_match_rate),
                Percent(report.reachability.keyword_only_recall_rate),
                report.bypassed_recalls
            )?;
        }
        let buckets: Vec<String> =
            report.match_count_histogram.iter().map(|it| format!("{} ({})", it.bucket, it.count)).collect();
        writeln!(f, "  Lessons that matched (how often): {}", buckets.join(", "))?;
        let tokens = report.returned_tokens;
        if tokens.max == 0 && told > 0 {
            return writeln!(f, "  Tokens: not known, because the lessons are gone");
        }
        writeln!(
            f,
            "  Tokens shown at a time: {} at the median, {} at the 90th percentile, {} at most",
            tokens.p50, tokens.p90, tokens.max
        )?;
        let even = &report.preload_break_even;
        let verdict = if even.recall_cheaper { "costs less" } else { "does not cost less" };
        writeln!(
            f,
            "  Tokens in all: {}; each of your rules once in every session would be {}, so recalling {verdict}",
            even.mandatory_recall_tokens, even.preload_tokens
        )?;
        let again = &report.redundancy;
        writeln!(
            f,
            "  Shown again in the same session: {} of the tokens (known of {} of the recalls)",
            Percent(again.rate),
            Percent(again.coverage)
        )
    }

    fn captures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let captures = &self.report.captures;
        let parts = [
            (captures.added, "added"),
            (captures.promoted, "promoted"),
            (captures.updated, "joined to a known lesson"),
            (captures.unchanged, "known already"),
            (captures.refused, "refused"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(times, _)| *times > 0)
            .map(|(times, what)| format!("{times} {what}"))
            .collect();
        let Some(ratio) = self.report.recalls_per_capture else { return Ok(()) };
        writeln!(
            f,
            "{}: {}; {} with something to look at; {ratio:.1} recalls for each",
            counted(captures.total, "capture"),
            parts.join(", "),
            captures.warned
        )?;
        self.new_parts(f)?;
        let warnings: Vec<String> =
            self.report.warnings.iter().map(|(code, times)| format!("{code} ({times})")).collect();
        if warnings.is_empty() {
            return Ok(());
        }
        writeln!(f, "  Warnings (how often): {}", warnings.join(", "))
    }

    /// What the recorded lessons brought that no lesson had before.
    fn new_parts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NewParts { topics, triggers } = &self.report.new;
        let kinds: Vec<String> =
            triggers.iter().map(|(kind, number)| format!("{} {number}", kind.short())).collect();
        let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
        let triggers = counted(triggers.values().sum::<usize>(), "trigger");
        write!(f, "  New: {}, {triggers}{kinds}", counted(*topics, "topic"))?;
        match self.report.capturing_sessions {
            0 => writeln!(f),
            sessions => writeln!(f, "; agents recorded in {}", counted(sessions, "session")),
        }
    }
}
