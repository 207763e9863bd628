//! Whether advice may be given.

use lessons_lesson::{QualifiedId, Settings};

/// Whether advice may be given, as the environment has it. It never silences a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    /// `LESSONS_ENABLED` says no.
    pub silenced: bool,
    /// `LESSONS_SEEN`: lessons that were told by other means. Bare ids and ids with their layer.
    pub seen: Vec<String>,
    /// The lot of the session.
    pub draws: Draws,
}

/// The lot of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Draws {
    /// None is drawn: nothing is measured, or there is no session id.
    #[default]
    Nothing,
    /// The session with this id draws it.
    Session(String),
    /// It was drawn before, and left reminders out.
    LeftOut,
}

impl Advice {
    /// Reads the values of `LESSONS_ENABLED` and `LESSONS_SEEN`.
    pub fn from_variables(enabled: Option<&str>, seen: Option<&str>) -> Self {
        let off = |value: &str| matches!(value.trim(), "0" | "false" | "off" | "no");
        let ids = seen.unwrap_or_default().split(',').map(str::trim).filter(|id| !id.is_empty());
        Self {
            silenced: enabled.is_some_and(off),
            seen: ids.map(str::to_owned).collect(),
            draws: Draws::Nothing,
        }
    }

    /// The same for a session whose lot is drawn where the settings say so. Looking costs nothing while nothing is measured.
    #[must_use]
    pub fn drawn(mut self, settings: Option<&Settings>, session_id: Option<&str>) -> Self {
        let is_measured = settings.is_some_and(|settings| settings.lot.is_some());
        let session = session_id.filter(|_| is_measured);
        self.draws = session.map_or(Draws::Nothing, |id| Draws::Session(id.to_owned()));
        self
    }

    /// Whether the lot leaves reminders out of this session.
    pub(crate) fn leaves_out(&self, settings: &Settings) -> bool {
        match &self.draws {
            Draws::Nothing => false,
            Draws::Session(id) => settings.lot.as_ref().is_some_and(|lot| lot.leaves_out(id)),
            Draws::LeftOut => true,
        }
    }

    pub(crate) fn allows(&self, id: &QualifiedId) -> bool {
        !self.silenced && !self.seen.iter().any(|seen| seen == id.id.as_str() || *seen == id.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seen_lesson_is_named_with_or_without_its_layer_and_silences_no_other() {
        let advice = Advice::from_variables(None, Some("other, ,a , user/b,"));
        assert_eq!(
            advice,
            Advice { seen: ["other", "a", "user/b"].map(Into::into).into(), ..Advice::default() }
        );
        for (lesson, allowed) in [
            ("user/a", false),
            ("seed/a", false),
            ("user/other", false),
            ("user/b", false),
            ("seed/b", true),
            ("user/c", true),
            ("user/ab", true),
        ] {
            assert_eq!(advice.allows(&lesson.parse().unwrap()), allowed, "{lesson}");
        }
    }

    #[test]
    fn advice_is_silenced_by_each_way_to_say_no_and_by_nothing_else() {
        for (value, silenced) in [
            (Some("0"), true),
            (Some("false"), true),
            (Some("off"), true),
            (Some("no"), true),
            (Some(" 0 "), true),
            (Some("1"), false),
            (Some("yes"), false),
            (Some("00"), false),
            (Some(""), false),
            (None, false),
        ] {
            let advice = Advice::from_variables(value, None);
            assert_eq!(advice, Advice { silenced, ..Advice::default() }, "{value:?}");
            assert_eq!(advice.allows(&"user/a".parse().unwrap()), !silenced, "{value:?}");
        }
    }
}
