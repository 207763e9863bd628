//! The few variables that the hook looks at.

use core::ffi::CStr;

/// What this process was given. A variable that is empty or no UTF-8 counts as absent; where that matters,
/// [`Environment::odd`] says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Environment<'e> {
    /// `HOME`.
    pub home: Option<&'e str>,
    /// `XDG_DATA_HOME`.
    pub data: Option<&'e str>,
    /// `XDG_RUNTIME_DIR`.
    pub runtime: Option<&'e str>,
    /// `LESSONS_HOME`.
    pub lessons_home: Option<&'e str>,
    /// `LESSONS_ENABLED`.
    pub enabled: Option<&'e str>,
    /// `LESSONS_SEEN`.
    pub seen: Option<&'e str>,
    /// `CLAUDE_PROJECT_DIR`.
    pub project: Option<&'e str>,
    /// One of them is no UTF-8.
    pub odd: bool,
}

impl<'e> Environment<'e> {
    /// What the names begin with.
    pub const INITIALS: &'static [u8] = b"HXLC";

    /// Reads `NAME=value` strings. Of a name that is there twice the first counts, as with `getenv`.
    pub fn of(variables: impl Iterator<Item = &'e CStr>) -> Self {
        let mut found = Self::default();
        for variable in variables {
            found.take(variable.to_bytes());
        }
        found
    }

    fn take(&mut self, variable: &'e [u8]) {
        let Some(at) = variable.iter().position(|byte| *byte == b'=') else { return };
        let (name, value) = variable.split_at(at);
        let place = match name {
            b"HOME" => &mut self.home,
            b"XDG_DATA_HOME" => &mut self.data,
            b"XDG_RUNTIME_DIR" => &mut self.runtime,
            b"LESSONS_HOME" => &mut self.lessons_home,
            b"LESSONS_ENABLED" => &mut self.enabled,
            b"LESSONS_SEEN" => &mut self.seen,
            b"CLAUDE_PROJECT_DIR" => &mut self.project,
            _ => return,
        };
        match core::str::from_utf8(value.get(1..).unwrap_or_default()) {
            Ok("") => {}
            Ok(value) => *place = place.or(Some(value)),
            Err(_) => self.odd = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_are_found_by_name() {
        let found = Environment::of(
            [
                c"PATH=/bin",
                c"HOME=/home/u",
                c"LESSONS_SEEN=a=b",
                c"LESSONS_HOME=",
                c"HOME=/other",
                c"HOMER=x",
            ]
            .into_iter(),
        );
        let expected = Environment { home: Some("/home/u"), seen: Some("a=b"), ..Environment::default() };
        assert_eq!(found, expected);
        assert!(Environment::of([c"XDG_DATA_HOME=\xff"].into_iter()).odd);
        assert!(!Environment::of([c"OTHER=\xff"].into_iter()).odd);
    }
}
