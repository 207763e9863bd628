//! `lessons stats`: show how often lessons are queried, told and recorded, and what that costs.

use std::collections::{BTreeMap, HashMap};

use lessons_client::Client;
use lessons_home::ThisMachine;
use lessons_index::matching::holds_at;
use lessons_ledger::{Counts, events};
use lessons_lesson::{Layer, ProjectLocation, When};
use lessons_pattern::TriggerKind;
use lessons_recall::tokens;
use lessons_review::{AgentStatistics, effects, project_names};
use lessons_store::telemetry::{Capture, Standing, UsageReport};
use lessons_store::{NewParts, Recall, Row, telemetry};

use crate::prelude::*;

pub(crate) fn run(app: &App) -> Result<Exit> {
    let (config, _) = app.settings().unwrap_or_default();
    let roots = project_names::roots_here()?;
    let every = lookup::every_lesson(app)?.into_iter();
    let sizes: HashMap<String, usize> = every.map(|(id, it)| (id.to_string(), tokens(&it.rule))).collect();

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
    let standing = standing(app, &ProjectLocation::known(Some(roots), &ThisMachine))?;
    let effect = effects::known(app).unwrap_or_else(|error| {
        problems.push(format!("what followed is not counted: {}", messages::sentence(&error)));
        None
    });
    let effect = effect.map(|summary| summary.answer);
    let effect = effect.filter(|answer| answer.share.is_some() || answer.again.sessions > 0);
    let times = queries.iter().chain(&told).map(|recall| recall.t);
    let since = times.chain(captures.iter().map(|capture| capture.t)).min();
    let report = UsageReport::of(&queries, &told, &captures, &sizes, standing);
    let learning = AgentStatistics::of(app)?;

    let warnings = problems.iter().map(|problem| format!("Warning: {}", line(problem)));
    let mut lines: Vec<String> = warnings.collect();
    match since {
        Some(since) => {
            lines.push(format!("Counted since {}", app.local.time(since)));
            recalls(&mut lines, &report, &learning.told_by_client);
            captured(&mut lines, &report);
        }
        None => lines.push("Nothing is counted yet".to_owned()),
    }
    lines.extend(learning.to_string().lines().map(str::to_owned));
    lines.extend(
        effect.iter().map(|answer| format!("All lessons together: {}: lessons effect", answer.headline())),
    );
    let alone = report.reachability.keyword_only_unreachable_lessons;
    if alone > 0 {
        let have = if alone == 1 { "has" } else { "have" };
        lines.push(format!(
            "{} {have} only keywords, which a file or a command seldom holds: lessons validate",
            counted(alone, "lesson")
        ));
    }
    let file = app.home.config().display().to_string();
    lines.push(if config.telemetry {
        format!("Only numbers are kept, on this machine. telemetry = false in {file} ends it")
    } else {
        format!(
            "Queries and captures are not counted. If you want that: telemetry = true in {file}. Only numbers are kept, on \
             this machine"
        )
    });

    let answer = Answer::new(lines, json!(report)).with("telemetry", config.telemetry).with("since", since);
    app.answer(&answer.with("learning", learning).with("problems", &problems).given("effect", effect))?;
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The lessons in force that a question asked at `place` can find, and that a person would else put into the context
/// themselves: none of the built-in ones.
fn standing(app: &App, place: &ProjectLocation<'_>) -> Result<Standing> {
    let mut standing = Standing { tokens: 0, only_keywords: 0 };
    let Some(index) = in_force::index(app)? else { return Ok(standing) };
    let manifest = index.manifest().map_err(|error| in_force::cannot_be_read(app, error))?;
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
    let mut database = app.database()?;
    events::take_in(&app.home, &mut database, app.now_ms())?;
    let told = database.told_events()?;
    Ok(told.iter().map(|event| event.recall(|id| sizes.get(id).copied())).collect())
}

/// A share from 0 to 1, as a percentage.
fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn recalls(lines: &mut Vec<String>, report: &UsageReport, by_client: &BTreeMap<Client, Counts>) {
    let (all, told) = (report.total_recalls, report.told_by_hooks);
    let queries = all - told;
    let even = &report.preload_break_even;
    let (recalls, sessions) = (counted(all, "recall"), counted(even.sessions, "session"));
    lines.push(format!(
        "{recalls} in {sessions}: {told} by hooks at tool calls, {queries} by `lessons query`"
    ));
    if all == 0 {
        return;
    }
    // Of the only client there is nothing to tell apart.
    for (client, counts) in by_client.iter().filter(|_| by_client.len() > 1) {
        let reminders = counted(counts.told, "reminder");
        lines.push(format!("  {}: {reminders}, {} blocked", client.title(), counts.refused));
    }
    if queries > 0 {
        let (none, by_keywords) =
            (percent(report.no_match_rate), percent(report.reachability.keyword_only_recall_rate));
        lines.push(format!(
            "  {none} of the queries found nothing; of the others {by_keywords} found lessons by keywords alone; {} asked for --all",
            report.bypassed_recalls
        ));
    }
    let buckets = report.match_count_histogram.iter().map(|it| format!("{} ({})", it.bucket, it.count));
    lines.push(format!("  Lessons that matched (how often): {}", listed(buckets)));
    let tokens = report.returned_tokens;
    if tokens.max == 0 && told > 0 {
        lines.push("  Tokens: not known, because the lessons are gone".to_owned());
        return;
    }
    lines.push(format!(
        "  Tokens shown at a time: {} at the median, {} at the 90th percentile, {} at most",
        tokens.p50, tokens.p90, tokens.max
    ));
    let verdict = if even.recall_cheaper { "costs less" } else { "does not cost less" };
    lines.push(format!(
        "  Tokens in all: {}; each of your rules once in every session would be {}, so recalling {verdict}",
        even.mandatory_recall_tokens, even.preload_tokens
    ));
    let (rate, known) = (percent(report.redundancy.rate), percent(report.redundancy.coverage));
    lines.push(format!(
        "  Shown again in the same session: {rate} of the tokens (known of {known} of the recalls)"
    ));
}

fn captured(lines: &mut Vec<String>, report: &UsageReport) {
    let captures = &report.captures;
    let parts = [
        (captures.added, "added"),
        (captures.promoted, "promoted"),
        (captures.updated, "joined to a known lesson"),
        (captures.unchanged, "known already"),
        (captures.refused, "refused"),
    ];
    let parts = parts.iter().filter(|(times, _)| *times > 0).map(|(times, what)| format!("{times} {what}"));
    let Some(ratio) = report.recalls_per_capture else { return };
    let (all, parts, warned) = (counted(captures.total, "capture"), listed(parts), captures.warned);
    lines.push(format!("{all}: {parts}; {warned} with something to look at; {ratio:.1} recalls for each"));
    let NewParts { topics, triggers } = &report.new;
    let kinds = listed(triggers.iter().map(|(kind, number)| format!("{} {number}", kind.short())));
    let kinds = if kinds.is_empty() { kinds } else { format!(" ({kinds})") };
    let triggers = counted(triggers.values().sum::<usize>(), "trigger");
    let agents = match report.capturing_sessions {
        0 => String::new(),
        sessions => format!("; agents recorded in {}", counted(sessions, "session")),
    };
    lines.push(format!("  New: {}, {triggers}{kinds}{agents}", counted(*topics, "topic")));
    let warnings = listed(report.warnings.iter().map(|(code, times)| format!("{code} ({times})")));
    lines.extend((!warnings.is_empty()).then(|| format!("  Warnings (how often): {warnings}")));
}
