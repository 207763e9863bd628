//! Lessons to a manifest.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use lessons_index::manifest::{LostRefusal, MAX_LESSONS};
use lessons_index::{LessonEntry, Manifest, Settings, TriggerEntry};
use lessons_lesson::{FORCED, Layer, Lesson, Level, Mode, QualifiedId, Status, When, validate};
use lessons_pattern::{Compiled, Trigger, breadth};
use lessons_store::interchange::lesson_in_braces;
use lessons_text::neutral;

use crate::layers::{LayerInput, Off};
use crate::patterns::Patterns;
use crate::report::{Noted, Reason, Report};
use crate::{examples, own_advice, single};

/// The longest command that a message shows, in characters.
const SHOWN: usize = 100;

/// Everything a build needs to know.
pub struct Input<'a> {
    /// The layers, in any order.
    pub layers: Vec<LayerInput<'a>>,
    /// The manifest to begin with: settings, trusted stores, accepted files.
    pub manifest: Manifest,
    /// The lowest priority that is compiled.
    pub minimum_priority: u8,
    /// The lowest confidence that is compiled.
    pub minimum_confidence: f64,
    /// The lessons that are switched off, by id with layer.
    pub off: BTreeMap<String, Off>,
    /// The roots on this machine at which a project key is known.
    pub roots_of: &'a dyn Fn(&str) -> Vec<String>,
    /// The cache of prepared patterns.
    pub patterns: &'a Patterns,
}

impl<'a> Input<'a> {
    /// Layers as a person builds them who has set nothing.
    pub fn of_layers(layers: Vec<LayerInput<'a>>, patterns: &'a Patterns) -> Self {
        Self {
            layers,
            manifest: Manifest::new(Settings::default(), env!("CARGO_PKG_VERSION")),
            minimum_priority: 1,
            minimum_confidence: 0.0,
            off: BTreeMap::new(),
            roots_of: &|_| Vec::new(),
            patterns,
        }
    }
}

/// The result of a build.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// The manifest to publish.
    pub manifest: Manifest,
    /// The report for the person.
    pub report: Report,
}

/// Compiles all layers into one manifest. The same input gives the same bytes.
pub fn compile(input: &Input<'_>) -> Built {
    let mut build = Build {
        input,
        manifest: input.manifest.clone(),
        triggers: HashMap::default(),
        report: Report::default(),
    };
    build.manifest.trusted.sort_by(|a, b| a.root.cmp(&b.root));
    let of_each = input.layers.iter().flat_map(|it| it.lessons.iter().map(move |lesson| (it, *lesson)));
    let mut lessons: Vec<_> = of_each.collect();
    lessons.sort_by_key(|(layer, lesson)| (&layer.layer, &lesson.id));
    lessons.dedup_by_key(|(layer, lesson)| (&layer.layer, &lesson.id));
    build.make_room_for(lessons.len());
    for (layer, lesson) in lessons {
        let id = QualifiedId { layer: layer.layer.clone(), id: lesson.id.clone() };
        // Globs of earlier programs. One without an equivalent stays, and compiling it says how to write it instead.
        let in_braces = lesson_in_braces(lesson);
        if let Err(reason) = build.add(&id, layer, in_braces.as_ref().unwrap_or(lesson)) {
            if lesson.mode.refuses() && reason.is_defect() {
                build.manifest.lost_refusals.push(LostRefusal { id: id.clone(), reason: reason.to_string() });
            }
            build.report.left_out.push(Noted { id, reason });
        }
    }
    build.finish()
}

struct Build<'a> {
    input: &'a Input<'a>,
    manifest: Manifest,
    triggers: HashMap<Trigger, u32, RandomState>,
    report: Report,
}

impl Build<'_> {
    /// Room for so many lessons, most of which bring a trigger of their own. What grows takes its memory twice.
    fn make_room_for(&mut self, lessons: usize) {
        self.manifest.lessons.reserve_exact(lessons);
        self.manifest.triggers.reserve(lessons);
        self.triggers.reserve(lessons);
    }

    fn add(&mut self, id: &QualifiedId, layer: &LayerInput<'_>, lesson: &Lesson) -> Result<(), Reason> {
        self.admit(id, lesson)?;
        let roots = self.roots(layer, lesson)?;
        if self.manifest.lessons.len() >= MAX_LESSONS {
            return Err(Reason::Full { limit: MAX_LESSONS });
        }
        let mut entry = single::entry(id, lesson);
        entry.terms.roots = roots;
        if let Some(Off::Until(until)) = self.off(id) {
            entry.terms.off_until = Some(until);
        }
        // The seeds cannot change after our own tests have tried them, and are most of the work.
        if id.layer != Layer::Seed {
            examples::check(lesson, &entry, self.input.patterns).map_err(|text| Reason::Example { text })?;
            self.refuse_no_own_advice(id, lesson, &mut entry);
        }
        self.push(entry, lesson);
        Ok(())
    }

    /// Has a lesson advise only, where it would refuse what it advises itself, by whatever way it came here. A person may have
    /// given a reason why it should; a project cannot.
    fn refuse_no_own_advice(&mut self, id: &QualifiedId, lesson: &Lesson, entry: &mut LessonEntry) {
        let is_forced =
            id.layer == Layer::User && lesson.evidence.iter().any(|entry| entry.starts_with(FORCED));
        if !lesson.mode.refuses() || is_forced {
            return;
        }
        let Some(command) = own_advice::of(lesson, self.input.patterns).fired.into_iter().next() else {
            return;
        };
        let command = neutral::shortened(&neutral::line(&command), SHOWN);
        let text = format!(
            "it would refuse `{command}`, which its own rule advises, so it only reminds; `unless` keeps it quiet there"
        );
        entry.terms.mode = Mode::Advise;
        self.manifest.lost_refusals.push(LostRefusal { id: id.clone(), reason: text.clone() });
        self.report.warnings.push(Noted { id: id.clone(), reason: Reason::Flaw { text } });
    }

    /// Whether a lesson is switched off. Mostly none is, and then no id has to be put together.
    fn off(&self, id: &QualifiedId) -> Option<Off> {
        if self.input.off.is_empty() { None } else { self.input.off.get(&id.to_string()).copied() }
    }

    /// Whether a lesson is wanted at all.
    fn admit(&mut self, id: &QualifiedId, lesson: &Lesson) -> Result<(), Reason> {
        if lesson.status != Status::Active {
            return Err(Reason::Inactive);
        }
        if self.off(id) == Some(Off::ForEver) {
            return Err(Reason::Off { id: id.to_string() });
        }
        let below = |what, value: &dyn ToString, minimum: &dyn ToString| {
            Err(Reason::BelowMinimum { what, value: value.to_string(), minimum: minimum.to_string() })
        };
        if lesson.priority.get() < self.input.minimum_priority {
            return below("priority", &lesson.priority.get(), &self.input.minimum_priority);
        }
        if lesson.confidence.get() < self.input.minimum_confidence {
            return below("confidence", &lesson.confidence.get(), &self.input.minimum_confidence);
        }
        let check = |trigger: &Trigger| {
            self.input.patterns.get(trigger).map(|prepared| breadth::of(trigger, &prepared))
        };
        for flaw in validate::flaws_given(lesson, check) {
            let reason = Reason::Flaw { text: flaw.to_string() };
            match flaw.level {
                Level::Error => return Err(reason),
                // A seed's warnings are for us, and a test holds them.
                Level::Warning if id.layer == Layer::Seed => {}
                Level::Warning => self.report.warnings.push(Noted { id: id.clone(), reason }),
            }
        }
        Ok(())
    }

    fn roots(&self, layer: &LayerInput<'_>, lesson: &Lesson) -> Result<Option<Vec<String>>, Reason> {
        if let Some(root) = &layer.root {
            return Ok(Some(vec![root.clone()]));
        }
        let projects = &lesson.scope.projects;
        if projects.is_empty() {
            return Ok(None);
        }
        let mut roots: Vec<String> = projects.iter().flat_map(|key| (self.input.roots_of)(key)).collect();
        roots.sort();
        roots.dedup();
        if roots.is_empty() {
            return Err(Reason::UnknownProject { projects: projects.join(", ") });
        }
        Ok(Some(roots))
    }

    fn push(&mut self, mut entry: LessonEntry, lesson: &Lesson) {
        // A lesson told at the start of a session has no call to be tried on.
        if lesson.when == When::Tool {
            single::name_triggers(&mut entry.terms, lesson, |trigger| self.intern(trigger));
        }
        for &trigger in &entry.terms.triggers {
            if let Some(found) = self.manifest.triggers.get_mut(trigger as usize) {
                found.document_frequency += 1;
            }
        }
        match entry.terms.id.layer {
            Layer::User => self.report.user += 1,
            Layer::Project(_) => self.report.project += 1,
            Layer::Peer(_) => self.report.peers += 1,
            Layer::Seed => self.report.seeds += 1,
        }
        self.manifest.lessons.push(entry);
    }

    /// The position of a trigger, which is added when it is new. `None` for a pattern that is none, with which
    /// no lesson is admitted.
    fn intern(&mut self, trigger: &Trigger) -> Option<u32> {
        if let Some(&known) = self.triggers.get(trigger) {
            return Some(known);
        }
        let prepared = self.input.patterns.get(trigger).ok()?;
        let position = u32::try_from(self.manifest.triggers.len()).ok()?;
        let is_expression = matches!(prepared.compiled, Compiled::Pattern(_));
        self.report.always_tried += usize::from(is_expression && prepared.clauses.is_empty());
        self.manifest.triggers.push(TriggerEntry {
            kind: trigger.kind,
            pattern: trigger.pattern.clone(),
            document_frequency: 0,
        });
        self.triggers.insert(trigger.clone(), position);
        Some(position)
    }

    fn finish(mut self) -> Built {
        self.report.compiled = self.manifest.lessons.len();
        self.report.triggers = self.manifest.triggers.len();
        Built { manifest: self.manifest, report: self.report }
    }
}
