//! The row of a call in the table of calls.

use super::super::case::{CallClass, Case, MOST_MEMORY_KIB, Topic};
use super::super::count::Counted;
use super::super::sampling::Samples;
use super::numbers::{micros, thousands};

/// The row of one program in the table of calls.
#[derive(Debug)]
pub(crate) struct CallRow {
    pub(super) topic: Topic,
    label: String,
    /// The number of lessons, for a hook.
    pub(super) lessons: Option<usize>,
    /// The highest ratio that is accepted.
    limit: Option<f64>,
    pub(super) samples: Samples,
    /// The median as a multiple of the exit floor's.
    ratio: f64,
    /// The limits that were exceeded.
    over: Vec<String>,
    counted: Option<Counted>,
}

impl CallRow {
    /// Makes the row of a floor, which has no limits.
    pub(crate) fn of_floor(topic: Topic, label: &str, samples: &Samples, empty: &Samples) -> Self {
        Self {
            topic,
            label: label.to_owned(),
            lessons: None,
            limit: None,
            ratio: samples.median().div_duration_f64(empty.median()),
            samples: samples.clone(),
            over: Vec::new(),
            counted: None,
        }
    }

    /// Makes the row of a hook's call and holds it against its limits. `empty` is the exit floor, `truth` is `/bin/true`.
    pub(crate) fn of_case(
        topic: Topic,
        case: &Case,
        samples: &Samples,
        empty: &Samples,
        truth: &Samples,
        counted: Option<Counted>,
    ) -> Self {
        let ratio = samples.median().div_duration_f64(empty.median());
        let mut over = Vec::new();
        if case.limit.is_some_and(|limit| ratio > limit) {
            over.push("time".to_owned());
        }
        if case.class == CallClass::NoMatch && samples.median() >= truth.median() {
            over.push("slower than `/bin/true`".to_owned());
        }
        if case.class == CallClass::NoMatch && counted.as_ref().is_some_and(|counted| counted.execs > 0) {
            over.push("became another program".to_owned());
        }
        let payload = case.contender.payload.bytes().len() as u64 / 1024;
        if counted.as_ref().is_some_and(|counted| counted.peak_kib > MOST_MEMORY_KIB + payload) {
            over.push("memory".to_owned());
        }
        Self {
            topic,
            label: case.label.clone(),
            lessons: Some(case.lessons()),
            limit: case.limit,
            samples: samples.clone(),
            ratio,
            over,
            counted,
        }
    }

    fn verdict(&self) -> String {
        match (&self.limit, self.over.is_empty()) {
            (None, true) => String::new(),
            (Some(_), true) => "ok".to_owned(),
            (_, false) => format!("**OVER**: {}", self.over.join(", ")),
        }
    }

    pub(super) fn markdown(&self) -> String {
        let optional = |value: Option<String>| value.unwrap_or_default();
        let cells = [
            self.label.clone(),
            optional(self.lessons.map(thousands)),
            format!("{:.2}", self.ratio),
            optional(self.limit.map(|limit| format!("{limit:.2}"))),
            self.verdict(),
            micros(self.samples.median()),
            micros(self.samples.percentile(90)),
            micros(self.samples.percentile(99)),
            self.page_faults(),
            optional(self.counted.as_ref().map(|counted| counted.calls.len().to_string())),
            optional(self.counted.as_ref().map(|counted| counted.instructions.to_string())),
            optional(self.counted.as_ref().map(|counted| counted.peak_kib.to_string())),
            self.samples.runs().to_string(),
        ];
        format!("| {} |\n", cells.join(" | "))
    }

    fn page_faults(&self) -> String {
        match self.samples.major_faults() {
            0 => self.samples.minor_faults().to_string(),
            major => format!("{} + {major} from disk", self.samples.minor_faults()),
        }
    }
}
