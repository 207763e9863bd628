//! The prefilter of the approval check, which spares nearly every call the lexer.
//!
//! A call that runs a `lessons` or changes a guarded folder contains a name of it, or takes away what holds the folder.

use lessons_text::path;

use super::guarded_paths::GuardedPaths;

/// The name that is the same on every machine: each text that runs a `lessons` or names a `.lessons` folder contains it.
const FIXED_NAMES: [SearchName<'_>; 1] = [SearchName { letters: b"lessons", rare: 2 }];

/// The words that take files away, each with what stands behind it.
const REMOVERS: [SearchName<'_>; 3] = [
    SearchName { letters: b"rm ", rare: 0 },
    SearchName { letters: b"mv ", rare: 0 },
    SearchName { letters: b"find ", rare: 0 },
];

/// The length of the blocks in which a text is searched, in bytes.
const BLOCK: usize = 256;

/// The names that the prefilter looks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prefilter<'g> {
    folder: DataFolderName<'g>,
    /// The end of the path of the folder around the data folder, at which a pattern for the data folder begins.
    around: Option<SearchName<'g>>,
    home: &'g str,
}

/// The last component of the data folder's path, as something to search for.
#[derive(Debug, Clone, Copy)]
enum DataFolderName<'g> {
    /// A name that is too short to be searched for.
    Unsearchable,
    /// A name that contains one of the [`FIXED_NAMES`], which are searched for anyway.
    HoldsFixedName,
    /// A name to search for beside the fixed ones.
    SearchFor(SearchName<'g>),
}

/// A name to search for, without regard to case.
#[derive(Debug, Clone, Copy)]
struct SearchName<'g> {
    /// The bytes of the name, at least three.
    letters: &'g [u8],
    /// The offset of the three bytes that are searched for first, chosen to be rare in commands.
    rare: usize,
}

impl<'g> Prefilter<'g> {
    pub(super) fn new(guarded: &GuardedPaths<'g>) -> Self {
        let name = guarded.home.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let folder = match name.as_bytes() {
            letters if letters.len() < 3 => DataFolderName::Unsearchable,
            letters if FIXED_NAMES.iter().any(|fixed| fixed.occurs_in(letters)) => {
                DataFolderName::HoldsFixedName
            }
            letters => DataFolderName::SearchFor(SearchName { letters, rare: 0 }),
        };
        let around = path::parent(guarded.home.trim_end_matches('/')).unwrap_or_default();
        // One name alone is too common to be looked for.
        let two_names = around.rmatch_indices('/').nth(1).and_then(|(at, _)| around.get(at + 1..));
        let letters = two_names.map(str::as_bytes).filter(|letters| letters.len() > 2);
        let around = letters.map(|letters| SearchName { letters, rare: 0 });
        Self { folder, around, home: guarded.home }
    }

    /// Whether a command that runs in `cwd` may run a `lessons` or change a guarded folder.
    pub(super) fn may_match(self, command: &str, cwd: Option<&str>) -> bool {
        self.holds_a_name(command.as_bytes())
            || self.may_remove(command.as_bytes(), cwd)
            || cwd.is_some_and(|cwd| self.holds_a_name(cwd.as_bytes()))
    }

    /// Whether a command may name the data folder by a pattern, or take away a folder that holds it.
    fn may_remove(self, command: &[u8], cwd: Option<&str>) -> bool {
        let is_above = || cwd.is_some_and(|cwd| path::below(self.home, cwd).is_some());
        self.around.is_some_and(|around| around.occurs_in(command))
            || any_occurs_in(REMOVERS, command) && (leaves_the_folder(command) || is_above())
    }

    /// Whether `text` contains one of the names. What names a guarded folder without a pattern does: variables hold one too.
    pub(super) fn holds_a_name(self, text: &[u8]) -> bool {
        let folder = match self.folder {
            DataFolderName::Unsearchable => return true,
            DataFolderName::HoldsFixedName => false,
            DataFolderName::SearchFor(name) => any_occurs_in([name], text),
        };
        folder || any_occurs_in(FIXED_NAMES, text)
    }
}

/// Whether a command names anything outside of the folder in which it runs: by `~`, a variable, `..` or an absolute path.
fn leaves_the_folder(command: &[u8]) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-*?]})".contains(&byte);
    let leaves = |pair: &[u8]| match pair {
        [b'~' | b'$', _] | [_, b'~' | b'$'] | [b'.', b'.'] => true,
        [before, b'/'] => !is_name(*before),
        _ => false,
    };
    command.windows(2).any(leaves)
}

impl SearchName<'_> {
    /// The three bytes of the name that are searched for first.
    fn probe(self) -> [u8; 3] {
        let probe = self.letters.get(self.rare..).and_then(|rest| rest.first_chunk());
        probe.copied().unwrap_or_default().map(folded)
    }

    fn occurs_in(self, text: &[u8]) -> bool {
        any_occurs_in([self], text)
    }

    /// Whether `text` contains the name around `at`, where its [probe](Self::probe) may begin.
    fn occurs_around(self, text: &[u8], at: usize) -> bool {
        let from = at.checked_sub(self.rare).and_then(|start| text.get(start..));
        from.and_then(|from| from.get(..self.letters.len()))
            .is_some_and(|found| found.eq_ignore_ascii_case(self.letters))
    }
}

/// Whether `text` contains one of the names. For most blocks of a text one question is enough, whether they contain the
/// three bytes of any name; a compiler vectorizes it.
fn any_occurs_in<const N: usize>(names: [SearchName<'_>; N], text: &[u8]) -> bool {
    let probes = names.map(SearchName::probe);
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| rest.len() > 2) {
        // A probe that begins in this block may end in the next one, two bytes further.
        let block = &rest[..rest.len().min(BLOCK + 2)];
        let begins = |[a, b, c]: [u8; 3], found: [u8; 3]| a ^ found[0] | b ^ found[1] | c ^ found[2] == 0;
        let found = block.iter().zip(&block[1..]).zip(&block[2..]).fold(false, |any, ((a, b), c)| {
            let found = [*a, *b, *c].map(folded);
            any | probes.iter().fold(false, |any, probe| any | begins(*probe, found))
        });
        let around = |at: usize| names.iter().any(|name| name.occurs_around(text, at));
        if found && (start..start + block.len()).any(around) {
            return true;
        }
        start += BLOCK;
    }
    false
}

/// A byte with the bit set that tells lower from upper case in ASCII. Few other bytes become equal by it.
fn folded(byte: u8) -> u8 {
    byte | 0x20
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Verdict, judge_command};
    use super::*;

    const GUARDED: GuardedPaths<'_> =
        GuardedPaths { home: "/home/dev/.local/share/Notes", user_home: Some("/home/dev") };

    fn holds_a_name(command: &str) -> bool {
        Prefilter::new(&GUARDED).may_match(command, Some("/p"))
    }

    #[test]
    fn ordinary_commands_are_not_looked_at_twice() {
        for command in
            ["ls -la", "git commit -m \"it's\"", "rg 'a\\.b' src | head", "echo $HOME", "rm trust.json", ""]
        {
            assert!(!holds_a_name(command), "{command}");
        }
    }

    #[test]
    fn what_may_take_the_folder_away_with_all_around_it_is_looked_at() {
        for command in
            ["rm -rf ~/.local", "mv $HOME/.local x", "rm -r /home", "find / -delete", "rm -rf ../../.local"]
        {
            assert!(holds_a_name(command), "{command}");
        }
        for command in ["rm -rf target/*", "mv a/b c", "find . -name x", "cat ~/.bashrc"] {
            assert!(!holds_a_name(command), "{command}");
        }
        assert!(holds_a_name("cp x ~/.local/share/N*/y"));
        assert!(Prefilter::new(&GUARDED).may_match("rm -rf .local", Some("/home/dev")));
    }

    #[test]
    fn a_name_is_seen_in_either_case_in_the_command_and_in_its_folder() {
        for command in ["lessons add", "LESSONS add", "rm ~/.local/share/notes/x", "cat .lessons/x"] {
            assert!(holds_a_name(command), "{command}");
        }
        assert!(Prefilter::new(&GUARDED).may_match("rm *", Some("/home/dev/.local/share/notes")));
    }

    #[test]
    fn a_long_command_is_looked_at_as_a_short_one_is() {
        let around = "cat <<EOF\nof the great letters\nEOF\n".repeat(100);
        for (name, expected) in [("LESsons", true), ("share/noTes/x", true), ("lesson", false)] {
            for command in [format!("{name} {around}"), format!("{around} {name}")] {
                assert_eq!(holds_a_name(&command), expected, "{name}");
            }
        }
    }

    #[test]
    fn a_name_is_seen_wherever_a_block_ends() {
        for name in ["lessons", "NOTES"] {
            for at in BLOCK - 16..2 * BLOCK + 8 {
                let command = format!("{}{name}{}", "x".repeat(at), "y".repeat(BLOCK));
                assert!(holds_a_name(&command), "{name} at {at}");
            }
        }
    }

    #[test]
    fn a_folder_that_holds_a_sign_is_seen_by_it() {
        let own =
            Prefilter::new(&GuardedPaths { home: "/home/dev/.local/share/our-lessons", user_home: None });
        assert!(own.may_match("/home/dev/.local/share/OUR-LESSONS/x", None));
        assert!(!own.may_match("/home/dev/ours", None));
    }

    #[test]
    fn a_folder_whose_name_cannot_be_looked_for_makes_everything_suspect() {
        for home in ["", "/", "/a/..", "/a/.", "/a/n"] {
            assert!(
                Prefilter::new(&GuardedPaths { home, user_home: None }).may_match("/x", None),
                "{home:?}"
            );
        }
    }

    #[test]
    fn a_text_that_is_a_name_and_nothing_else_holds_it() {
        let nap = SearchName { letters: b"nap", rare: 0 };
        for (text, expected) in [("nap", true), ("NAP", true), ("na", false), ("nape", true), ("", false)] {
            assert_eq!(nap.occurs_in(text.as_bytes()), expected, "{text}");
        }
        assert!(any_occurs_in(FIXED_NAMES, b"lessons"));
    }

    #[test]
    fn a_folder_is_searched_for_from_three_letters_on() {
        let may_match =
            |home, path| Prefilter::new(&GuardedPaths { home, user_home: None }).may_match(path, None);
        assert!(may_match("/opt/nap", "/opt/NAP/x") && !may_match("/opt/nap", "/opt/na/x"));
        assert!(may_match("/opt/nap//", "/opt/nap"));
        assert!(may_match("/opt/na", "/srv/x"), "too short to be searched for");
    }

    proptest! {
        #[test]
        fn a_text_holds_a_name_where_it_does_letter_by_letter(
            text in "(x{0,250}|les|LES|sons|sOn|no|tes){0,9}"
        ) {
            let notes = SearchName { letters: b"notes", rare: 0 };
            for name in FIXED_NAMES.into_iter().chain([notes]) {
                let expected = text.as_bytes().windows(name.letters.len()).any(|found| found.eq_ignore_ascii_case(name.letters));
                prop_assert_eq!(name.occurs_in(text.as_bytes()), expected);
            }
        }

        #[test]
        fn the_prefilter_never_misses_what_the_lexer_sees(
            command in "(lessons|/opt/nap|/opt|nap|cd|rm|add|sh -c|echo|[ ;|&(){}/.>]){1,14}",
            cwd in prop::sample::select(vec!["/srv", "/opt/nap/x", "/srv/.lessons"]),
        ) {
            let guarded = GuardedPaths { home: "/opt/nap", user_home: Some("/opt") };
            if !Prefilter::new(&guarded).may_match(&command, Some(cwd)) {
                prop_assert_eq!(judge_command(&command, Some(cwd), &guarded), Verdict::Pass);
            }
        }
    }
}
