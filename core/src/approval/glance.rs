//! A glance at a call, which spares nearly every one of them the lexer.
//!
//! Whatever is guarded has a name, and a call that touches it holds that name. Quoting can take a name
//! apart (`les"s"ons`), but it only ever adds characters to it: where they are left out, the name is whole.

use std::iter::once;

use crate::find::{memchr_iter, memchr3_iter};

use super::names::Guarded;

/// Something that stands in every text that runs a `lessons`, or names what is guarded besides our data folder.
const SIGNS: [Name<'_>; 4] = [
    Name { letters: b"lessons", rare: 2 },
    Name { letters: b"trust.json", rare: 4 },
    Name { letters: b"grant-", rare: 3 },
    Name { letters: b"off-", rare: 1 },
];

/// So many bytes of a text are looked at at a time.
const BLOCK: usize = 256;

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glance<'g> {
    folder: Folder<'g>,
}

/// The last component of our data folder's path.
#[derive(Debug, Clone, Copy)]
enum Folder<'g> {
    /// Its letters do not say, or a shell would have them quoted.
    Unclear,
    /// It holds one of the [`SIGNS`].
    Sign,
    /// It is this.
    Name(Name<'g>),
}

/// A name, in whatever case.
#[derive(Debug, Clone, Copy)]
struct Name<'g> {
    /// At least three.
    letters: &'g [u8],
    /// Where those three of its letters begin that are looked for first.
    rare: usize,
}

impl<'g> Glance<'g> {
    pub(super) fn new(guarded: &Guarded<'g>) -> Self {
        let name = guarded.home.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let folder = match name.as_bytes() {
            letters if letters.len() < 3 || letters.iter().copied().any(quotes) => Folder::Unclear,
            letters if SIGNS.iter().any(|sign| sign.stands_in(letters)) => Folder::Sign,
            letters => Folder::Name(Name { letters, rare: 0 }),
        };
        Self { folder }
    }

    /// Whether a path may name something guarded.
    pub(super) fn sees_path(self, path: &str) -> bool {
        self.sees(path.as_bytes())
    }

    /// Whether a command that runs in `cwd` may run a `lessons`, or name something guarded.
    pub(super) fn sees_command(self, command: &str, cwd: Option<&str>) -> bool {
        let bytes = command.as_bytes();
        // `$'\x6cessons'`: letters that are not there.
        let spelt_out =
            memchr_iter(b'$', bytes).any(|at| matches!(bytes.get(at + 1), Some(b'\'' | b'"' | b'\\')));
        spelt_out
            || self.sees(bytes)
            || self.may_be_apart(bytes) && self.sees(&unquoted(bytes).collect::<Vec<_>>().concat())
            || cwd.is_some_and(|cwd| self.sees_path(cwd))
    }

    /// Whether one of the names stands in a text.
    fn sees(self, text: &[u8]) -> bool {
        let folder = match self.folder {
            Folder::Unclear => return true,
            Folder::Sign => false,
            Folder::Name(name) => any_stands_in([name], text),
        };
        folder || any_stands_in(SIGNS, text)
    }

    /// Whether quotes may take one of the names apart: then they stand between two letters that are neighbours in it.
    fn may_be_apart(self, command: &[u8]) -> bool {
        let folder = if let Folder::Name(name) = self.folder { Some(name) } else { None };
        let mut before = None;
        unquoted(command).any(|part| {
            let (Some(&first), Some(&last)) = (part.first(), part.last()) else { return false };
            let in_a_name =
                |before| SIGNS.into_iter().chain(folder).any(|name| name.has_neighbours(before, first));
            before.replace(last).is_some_and(in_a_name)
        })
    }
}

impl Name<'_> {
    /// Its three letters that are looked for first.
    fn piece(self) -> [u8; 3] {
        let piece = self.letters.get(self.rare..).and_then(|rest| rest.first_chunk());
        piece.copied().unwrap_or_default().map(folded)
    }

    fn stands_in(self, text: &[u8]) -> bool {
        any_stands_in([self], text)
    }

    /// Whether it stands in a text where its [piece](Self::piece) may begin at `at`.
    fn stands_around(self, text: &[u8], at: usize) -> bool {
        let from = at.checked_sub(self.rare).and_then(|start| text.get(start..));
        from.and_then(|from| from.get(..self.letters.len()))
            .is_some_and(|found| found.eq_ignore_ascii_case(self.letters))
    }

    fn has_neighbours(self, one: u8, other: u8) -> bool {
        self.letters.array_windows().any(|pair: &[u8; 2]| pair.eq_ignore_ascii_case(&[one, other]))
    }
}

/// Whether one of the names stands in a text. What most blocks of a text get is one question, whether the three
/// letters of any name are there; a compiler makes it many bytes at a time.
fn any_stands_in<const N: usize>(names: [Name<'_>; N], text: &[u8]) -> bool {
    let pieces = names.map(Name::piece);
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| rest.len() > 2) {
        // The two bytes behind the last one of a block belong to pieces that begin in it.
        let block = &rest[..rest.len().min(BLOCK + 2)];
        let begins = |[a, b, c]: [u8; 3], found: [u8; 3]| a ^ found[0] | b ^ found[1] | c ^ found[2] == 0;
        let found = block.iter().zip(&block[1..]).zip(&block[2..]).fold(false, |any, ((a, b), c)| {
            let found = [*a, *b, *c].map(folded);
            any | pieces.iter().fold(false, |any, piece| any | begins(*piece, found))
        });
        let around = |at: usize| names.iter().any(|name| name.stands_around(text, at));
        if found && (start..start + block.len()).any(around) {
            return true;
        }
        start += BLOCK;
    }
    false
}

/// What is the same for both cases of a letter, and for few other bytes.
fn folded(byte: u8) -> u8 {
    byte | 0x20
}

/// Whether a shell takes a byte for a quote.
fn quotes(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"' | b'\\')
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
    fn a_name_is_seen_wherever_a_block_ends() {
        for name in ["lessons", "NOTES", "off-2", "les\"so\"ns"] {
            for at in BLOCK - 16..2 * BLOCK + 8 {
                let command = format!("{}{name}{}", "x".repeat(at), "y".repeat(BLOCK));
                assert!(sees(&command), "{name} at {at}");
            }
        }
    }

    #[test]
    fn quotes_between_letters_that_no_name_has_side_by_side_take_none_apart() {
        let glance = Glance::new(&GUARDED);
        for (command, expected) in
            [("git commit -m \"it's\"", false), ("don't", true), ("l''e", true), ("l' 'e", false)]
        {
            assert_eq!(glance.may_be_apart(command.as_bytes()), expected, "{command}");
            assert!(!sees(command), "{command}");
        }
    }

    #[test]
    fn a_folder_that_holds_a_sign_is_seen_by_it() {
        let own = Glance::new(&Guarded { home: "/home/dev/.local/share/our-lessons", user_home: None });
        assert!(own.sees_path("/home/dev/.local/share/OUR-LESSONS/x"));
        assert!(!own.sees_path("/home/dev/.local/share/ours"));
    }

    #[test]
    fn a_folder_whose_name_cannot_be_looked_for_makes_everything_suspect() {
        for home in ["", "/", "/a/..", "/a/.", "/a/n", "/a/it's", "/a/back\\slash"] {
            assert!(Glance::new(&Guarded { home, user_home: None }).sees_path("/x"), "{home:?}");
        }
    }

    proptest! {
        #[test]
        fn a_text_holds_a_name_where_it_does_letter_by_letter(
            text in "(x{0,250}|les|LES|sons|sOn|trust|.json|gr|ant-|o?ff-|no|tes){0,9}"
        ) {
            let notes = Name { letters: b"notes", rare: 0 };
            for name in SIGNS.into_iter().chain([notes]) {
                let expected = text.as_bytes().windows(name.letters.len()).any(|found| found.eq_ignore_ascii_case(name.letters));
                prop_assert_eq!(name.stands_in(text.as_bytes()), expected);
            }
        }

        #[test]
        fn a_glance_never_misses_what_the_lexer_sees(
            command in "(les|sons|lessons|trust.json|/opt/nap|/opt|n|ap|cd|rm|add|sh -c|echo|[$'\"\\\\\n ;|&(){}/.]){1,14}",
            cwd in prop::sample::select(vec!["/srv", "/opt/nap/x", "/srv/.lessons"]),
        ) {
            let guarded = Guarded { home: "/opt/nap", user_home: Some("/opt") };
            if !Glance::new(&guarded).sees_command(&command, Some(cwd)) {
                prop_assert_eq!(judge_command(&command, Some(cwd), &guarded), Verdict::Pass);
            }
        }
    }
}
