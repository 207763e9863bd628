//! A glance at a call, which spares nearly every one of them the lexer.
//!
//! Whatever is guarded has a name, and a call that touches it holds that name. Quoting can take a name
//! apart (`les"s"ons`), but it only ever adds characters to it: where they are left out, the name is whole.

use alloc::vec::Vec;

use memchr::{memchr_iter, memchr3_iter, memmem};

use super::names::Guarded;

/// Something that stands in every text that runs a `lessons`, or names what is guarded besides our data folder.
const SIGNS: [&[u8]; 4] = [b"lessons", b"trust.json", b"grant-", b"off-"];

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glance<'g> {
    /// The last component of our data folder's path; `None` where its letters do not say.
    folder: Option<&'g [u8]>,
}

impl<'g> Glance<'g> {
    pub(super) fn new(guarded: &Guarded<'g>) -> Self {
        let folder = guarded.home.trim_end_matches('/').rsplit('/').next();
        let folder = folder.filter(|folder| !matches!(*folder, "" | "." | ".."));
        Self { folder: folder.map(str::as_bytes) }
    }

    /// Whether a path may name something guarded.
    pub(super) fn sees_path(self, path: &str) -> bool {
        self.sees(&path.as_bytes().to_ascii_lowercase())
    }

    /// Whether a command that runs in `cwd` may run a `lessons`, or name something guarded.
    pub(super) fn sees_command(self, command: &str, cwd: Option<&str>) -> bool {
        let bytes = command.as_bytes();
        // `$'\x6cessons'`: letters that are not there.
        let spelt_out =
            memchr_iter(b'$', bytes).any(|at| matches!(bytes.get(at + 1), Some(b'\'' | b'"' | b'\\')));
        spelt_out || self.sees(&unquoted(bytes)) || cwd.is_some_and(|cwd| self.sees_path(cwd))
    }

    /// Whether a text, in lower case, holds any of the names.
    fn sees(self, text: &[u8]) -> bool {
        let Some(folder) = self.folder else { return true };
        if text.len() > SHORT {
            let folder = folder.to_ascii_lowercase();
            let mut names = SIGNS.into_iter().chain([folder.as_slice()]);
            return names.any(|name| memmem::find(text, name).is_some());
        }
        let first = folder.first().map_or(0, u8::to_ascii_lowercase);
        text.iter().enumerate().any(|(at, byte)| {
            let here = || text.get(at..).unwrap_or_default();
            let is_sign = matches!(byte, b'l' | b't' | b'g' | b'o')
                && SIGNS.iter().any(|sign| here().starts_with(sign));
            let is_folder =
                || here().get(..folder.len()).is_some_and(|name| name.eq_ignore_ascii_case(folder));
            is_sign || *byte == first && is_folder()
        })
    }
}

/// In a text of at most so many bytes all names are looked for at once: to prepare a search for each costs more.
const SHORT: usize = 256;

/// A command in lower case, without what quotes in a shell; a line that is continued is one.
fn unquoted(command: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(command.len());
    let mut from = 0;
    for at in memchr3_iter(b'\'', b'"', b'\\', command) {
        out.extend_from_slice(command.get(from..at).unwrap_or_default());
        let continues = command.get(at + 1) == Some(&b'\n');
        from = at + 1 + usize::from(continues);
    }
    out.extend_from_slice(command.get(from..).unwrap_or_default());
    out.make_ascii_lowercase();
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Verdict, judge_command};
    use super::*;

    const GUARDED: Guarded<'_> =
        Guarded { home: "/home/dev/.local/share/Notes", user_home: Some("/home/dev") };

    fn sees(command: &str) -> bool {
        Glance::new(&GUARDED).sees_command(command, Some("/p"))
    }

    #[test]
    fn ordinary_commands_are_not_looked_at_twice() {
        for command in ["ls -la", "git commit -m \"it's\"", "rg 'a\\.b' src | head", "echo $HOME", ""] {
            assert!(!sees(command), "{command}");
        }
    }

    #[test]
    fn a_name_is_seen_however_it_is_quoted() {
        for command in [
            "lessons add",
            "LESSONS add",
            "les\"s\"ons add",
            "l\\essons add",
            "les\\\nsons add",
            "sh -c 'les\\'\"\nsons add\"",
            "cat 'trust'.json",
            "rm ~/.local/share/no\"te\"s/x",
            "rm x/grant-1 y/off-2",
            "$'\\x6cessons' add",
            "sh -c \"\\$\"\"'\\\\x6cessons'\"",
        ] {
            assert!(sees(command), "{command}");
        }
        assert!(Glance::new(&GUARDED).sees_command("rm *", Some("/home/dev/.local/share/notes")));
    }

    #[test]
    fn a_long_command_is_looked_at_as_a_short_one_is() {
        let around = "cat <<EOF\nof the great letters\nEOF\n".repeat(10);
        for (name, expected) in
            [("LES\\sons", true), ("sha\\re/noTes/x", true), ("of-", false), ("lesson", false)]
        {
            for command in [format!("{name} {around}"), format!("{around} {name}")] {
                assert_eq!(sees(&command), expected, "{name}");
            }
        }
    }

    #[test]
    fn a_folder_without_a_name_makes_everything_suspect() {
        for home in ["", "/", "/a/..", "/a/."] {
            assert!(Glance::new(&Guarded { home, user_home: None }).sees_path("/x"), "{home:?}");
        }
    }

    proptest! {
        #[test]
        fn a_glance_never_misses_what_the_lexer_sees(
            command in "(les|sons|lessons|trust.json|/opt/n|cd|rm|add|sh -c|echo|[$'\"\\\\\n ;|&(){}/.]){1,14}",
            cwd in prop::sample::select(vec!["/srv", "/opt/n/x", "/srv/.lessons"]),
        ) {
            let guarded = Guarded { home: "/opt/n", user_home: Some("/opt") };
            if !Glance::new(&guarded).sees_command(&command, Some(cwd)) {
                prop_assert_eq!(judge_command(&command, Some(cwd), &guarded), Verdict::Pass);
            }
        }
    }
}
