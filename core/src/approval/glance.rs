//! A glance at a call, which spares nearly every one of them the lexer.
//!
//! Whatever is guarded has a name, and a call that touches it holds that name. Quoting can take a name
//! apart (`les"s"ons`), but it only ever adds characters to it: where they are left out, the name is whole.

use alloc::vec::Vec;
use core::cell::OnceCell;
use core::iter::once;

use memchr::{memchr_iter, memchr3_iter, memmem};

use super::names::Guarded;

/// Something that stands in every text that runs a `lessons`, or names what is guarded besides our data folder.
const SIGNS: [&[u8]; 4] = [b"lessons", b"trust.json", b"grant-", b"off-"];

/// So many bytes of a text are looked at at a time. A copy of all of a long one would need memory of its own.
const WINDOW: usize = 512;

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glance<'g> {
    folder: Folder<'g>,
}

/// The last component of our data folder's path.
#[derive(Debug, Clone, Copy)]
enum Folder<'g> {
    /// Its letters do not say, or it is too long to be looked for.
    Unclear,
    /// It holds one of the [`SIGNS`].
    Sign,
    /// It is this.
    Name(&'g [u8]),
}

impl<'g> Glance<'g> {
    pub(super) fn new(guarded: &Guarded<'g>) -> Self {
        let name = guarded.home.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let folder = match name {
            "" | "." | ".." => Folder::Unclear,
            _ if name.len() > WINDOW / 2 => Folder::Unclear,
            _ if (0..name.len()).any(|at| is_sign(&name.as_bytes()[at..])) => Folder::Sign,
            _ => Folder::Name(name.as_bytes()),
        };
        Self { folder }
    }

    /// Whether a path may name something guarded.
    pub(super) fn sees_path(self, path: &str) -> bool {
        self.sees(once(path.as_bytes()))
    }

    /// Whether a command that runs in `cwd` may run a `lessons`, or name something guarded.
    pub(super) fn sees_command(self, command: &str, cwd: Option<&str>) -> bool {
        let bytes = command.as_bytes();
        // `$'\x6cessons'`: letters that are not there.
        let spelt_out =
            memchr_iter(b'$', bytes).any(|at| matches!(bytes.get(at + 1), Some(b'\'' | b'"' | b'\\')));
        spelt_out || self.sees(unquoted(bytes)) || cwd.is_some_and(|cwd| self.sees_path(cwd))
    }

    /// Whether any of the names stands in a text, of which these are the parts, in whatever case.
    fn sees<'t>(self, parts: impl Iterator<Item = &'t [u8]>) -> bool {
        let folder = match self.folder {
            Folder::Unclear => return true,
            Folder::Sign => None,
            Folder::Name(name) => Some(name.to_ascii_lowercase()),
        };
        let sought = Sought { folder: folder.as_deref(), finders: OnceCell::new() };
        let (mut window, mut filled) = ([0; WINDOW], 0);
        for mut part in parts {
            while !part.is_empty() {
                let free = &mut window[filled..];
                let (now, later) = part.split_at(part.len().min(free.len()));
                free[..now.len()].copy_from_slice(now);
                free[..now.len()].make_ascii_lowercase();
                filled += now.len();
                part = later;
                if filled == WINDOW {
                    if sought.stands_in(&window) {
                        return true;
                    }
                    // A name may have begun in what is left.
                    window.copy_within(WINDOW - sought.overlap().., 0);
                    filled = sought.overlap();
                }
            }
        }
        sought.stands_in(&window[..filled])
    }
}

/// What is looked for, in lower case.
struct Sought<'g> {
    folder: Option<&'g [u8]>,
    finders: OnceCell<Vec<memmem::Finder<'g>>>,
}

/// In a text of at most so many bytes all names are looked for at once: to prepare a search for each costs more.
const SHORT: usize = 256;

impl Sought<'_> {
    /// How many bytes there are at most of a name that has only begun.
    fn overlap(&self) -> usize {
        let longest = SIGNS.into_iter().chain(self.folder).map(<[u8]>::len).max();
        longest.unwrap_or(1) - 1
    }

    fn stands_in(&self, text: &[u8]) -> bool {
        if text.len() > SHORT {
            let all = || SIGNS.into_iter().chain(self.folder).map(memmem::Finder::new).collect();
            return self.finders.get_or_init(all).iter().any(|name| name.find(text).is_some());
        }
        let first = self.folder.and_then(<[u8]>::first);
        text.iter().enumerate().any(|(at, byte)| {
            let here = || text.get(at..).unwrap_or_default();
            let is_folder = || self.folder.is_some_and(|folder| here().starts_with(folder));
            matches!(byte, b'l' | b't' | b'g' | b'o') && is_sign(here()) || Some(byte) == first && is_folder()
        })
    }
}

/// Whether a text, in lower case, begins with one of the [`SIGNS`].
fn is_sign(text: &[u8]) -> bool {
    SIGNS.iter().any(|sign| text.starts_with(sign))
}

/// A command without what quotes in a shell, in parts; a line that is continued is one.
fn unquoted(command: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut from = 0;
    memchr3_iter(b'\'', b'"', b'\\', command).map(Some).chain(once(None)).map(move |at| {
        let part = command.get(from..at.unwrap_or(command.len())).unwrap_or_default();
        from = at.map_or(command.len(), |at| at + 1 + usize::from(command.get(at + 1) == Some(&b'\n')));
        part
    })
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
        let around = "cat <<EOF\nof the great letters\nEOF\n".repeat(100);
        for (name, expected) in
            [("LES\\sons", true), ("sha\\re/noTes/x", true), ("of-", false), ("lesson", false)]
        {
            for command in [format!("{name} {around}"), format!("{around} {name}")] {
                assert_eq!(sees(&command), expected, "{name}");
            }
        }
    }

    #[test]
    fn a_name_is_seen_wherever_a_window_ends() {
        for name in ["lessons", "NOTES", "off-2"] {
            for at in WINDOW / 2 - 8..2 * WINDOW + 8 {
                let command = format!("{}{name}{}", "x".repeat(at), "y".repeat(WINDOW));
                assert!(sees(&command), "{name} at {at}");
            }
        }
    }

    #[test]
    fn a_folder_that_holds_a_sign_is_seen_by_it_and_one_that_is_too_long_always() {
        let glance = |home| Glance::new(&Guarded { home, user_home: None });
        let own = glance("/home/dev/.local/share/our-lessons");
        assert!(own.sees_path("/home/dev/.local/share/OUR-LESSONS/x"));
        assert!(!own.sees_path("/home/dev/.local/share/ours"));
        assert!(glance(&format!("/{}", "x".repeat(WINDOW))).sees_path("/y"));
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
