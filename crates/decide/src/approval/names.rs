//! The names of the guarded folders, and the search for them in a text.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use lessons_text::find::find_iter;
use lessons_text::path;

use super::guarded_paths::GuardedPaths;
use super::prefilter::Prefilter;

/// A guarded folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GuardedFolder {
    /// The data folder.
    Home,
    /// The `.lessons` folder of a project.
    Project,
}

impl GuardedFolder {
    /// A description that completes "This changes …".
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Home => "a file in the folder where Lessons keeps what you accepted",
            Self::Project => "a file in a `.lessons` folder, which holds the lessons of a project",
        }
    }
}

/// The machine's data folder below the user's home. It holds the list of the folders that the person has used, so it is guarded
/// where another folder is the one in use too.
const MACHINES_FOLDER: &str =
    if cfg!(target_os = "macos") { "/library/application support/lessons" } else { "/.local/share/lessons" };

/// Every spelling of the guarded names, in lower case: some file systems ignore letter case.
#[derive(Debug)]
pub(super) struct GuardedNames<'g> {
    pub(super) guarded: &'g GuardedPaths<'g>,
    prefilter: Prefilter<'g>,
    /// The data folders, as absolute paths and from `~` and `$HOME`. Made for the first text that may name one.
    homes: OnceCell<Vec<String>>,
}

impl<'g> GuardedNames<'g> {
    pub(super) fn of(guarded: &'g GuardedPaths<'g>) -> Self {
        Self { guarded, prefilter: Prefilter::new(guarded), homes: OnceCell::new() }
    }

    fn homes(&self) -> &[String] {
        self.homes.get_or_init(|| spellings(self.guarded))
    }

    /// The guarded folder that `text` names, whether it is a path or contains one.
    pub(super) fn named(&self, text: &str) -> Option<GuardedFolder> {
        let is_pattern = || text.contains(['*', '?', '[', '{']);
        if !self.prefilter.holds_a_name(text.as_bytes()) && !is_pattern() {
            return None;
        }
        let lower = lexical(text).to_ascii_lowercase();
        if self.homes().iter().any(|home| has_name(&lower, home)) || names_variable(&lower) {
            return Some(GuardedFolder::Home);
        }
        // Where it is no pattern, its text has said so.
        if is_pattern() && self.place(&lower) == Some(Place::Inside) {
            return Some(GuardedFolder::Home);
        }
        has_name(&lower, ".lessons").then_some(GuardedFolder::Project)
    }

    /// The data folder, if the folder at `path` holds it.
    pub(super) fn holds(&self, path: &str) -> Option<GuardedFolder> {
        self.place(&lexical(path).to_ascii_lowercase()).map(|_| GuardedFolder::Home)
    }

    /// Where a path, which may be a pattern of the shell, lies as seen from the data folder.
    fn place(&self, path: &str) -> Option<Place> {
        let pattern = wildcards(path.trim_end_matches('/'));
        let parts = || pattern.split('/');
        let fits = |home: &&String| home.split('/').zip(parts()).all(|(name, pattern)| fits(pattern, name));
        let is_absolute = path.starts_with(['/', '~', '$']);
        let home = self.homes().iter().filter(|_| is_absolute).find(fits)?;
        let is_inside = parts().count() >= home.split('/').count();
        Some(if is_inside { Place::Inside } else { Place::Above })
    }
}

/// The spellings of the data folders, each once.
fn spellings(guarded: &GuardedPaths<'_>) -> Vec<String> {
    let clean = |path: &str| lexical(path.trim_end_matches('/')).to_ascii_lowercase();
    let home = clean(guarded.home);
    if home.is_empty() {
        return Vec::new();
    }
    let user_home = guarded.user_home.map(clean).filter(|user_home| !user_home.is_empty());
    let own = user_home.as_ref().and_then(|user_home| home.strip_prefix(user_home.as_str()));
    let own = own.filter(|below| below.starts_with('/'));
    let below: Vec<&str> = std::iter::once(MACHINES_FOLDER).chain(own).collect();
    // Nothing in front is what another expression of the shell leaves.
    let starts = user_home.iter().flat_map(|user_home| ["~", "$home", "${home}", user_home, ""]);
    let short = starts.flat_map(|start| below.iter().map(move |below| format!("{start}{below}")));
    // Usually the folder in use is the machine's own.
    short.chain([home.clone()]).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Where a path lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the data folder, or it is that folder.
    Inside,
    /// It is a folder that holds the data folder.
    Above,
}

/// A pattern with `*` and `?` alone: a class stands for one character, and a choice for any.
fn wildcards(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains(['[', '{']) {
        return Cow::Borrowed(pattern);
    }
    let (mut simple, mut rest) = (String::new(), pattern);
    while let Some(at) = rest.find(['[', '{']) {
        let is_class = rest.as_bytes().get(at) == Some(&b'[');
        let Some(end) = rest.get(at..).and_then(|group| group.find([']', '}'])) else { break };
        let before = rest.get(..at).unwrap_or_default();
        simple.push_str(before);
        match (before.ends_with('$'), is_class) {
            // A variable is none.
            (true, _) => simple.push_str(rest.get(at..=at + end).unwrap_or_default()),
            (false, true) => simple.push('?'),
            (false, false) => simple.push('*'),
        }
        rest = rest.get(at + end + 1..).unwrap_or_default();
    }
    Cow::Owned(simple + rest)
}

/// Whether the shell takes a pattern for a name. Linear in their lengths, times each other.
fn fits(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n, mut last_star) = (0, 0, None);
    while n < name.len() {
        match (pattern.get(p), last_star) {
            (Some(b'*'), _) => {
                last_star = Some((p, n));
                p += 1;
            }
            (Some(c), _) if *c == b'?' || name.get(n) == Some(c) => {
                p += 1;
                n += 1;
            }
            (_, Some((star, from))) => {
                last_star = Some((star, from + 1));
                p = star + 1;
                n = from + 1;
            }
            _ => return false,
        }
    }
    pattern.iter().skip(p).all(|rest| *rest == b'*')
}

/// Whether `text` contains a variable that leads to the data folder.
fn names_variable(text: &str) -> bool {
    if !text.contains('$') {
        return false;
    }
    // `${XDG_DATA_HOME:-$HOME/.local/share}/lessons`, in any of its forms.
    let data_folder = text.split_once("xdg_data_home").map_or("", |(_, rest)| rest);
    text.contains("$lessons_home")
        || text.contains("${lessons_home")
        || ends_of(data_folder, "/lessons").next().is_some()
}

/// Whether `text` contains `name` as a whole path component or a run of components.
fn has_name(text: &str, name: &str) -> bool {
    ends_of(text, name).any(|at| {
        let before = text.get(..at - name.len()).and_then(|before| before.chars().next_back());
        !before.is_some_and(is_name_char)
    })
}

/// The offsets in `text` at which `name` ends as a whole component.
fn ends_of<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    find_iter(text.as_bytes(), name.as_bytes())
        .map(move |at| at + name.len())
        .filter(move |end| !text.get(*end..).is_some_and(|after| after.starts_with(is_name_char)))
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

/// The text with `//`, `/./` and `/x/../` resolved textually, without the disk.
fn lexical(text: &str) -> Cow<'_, str> {
    if text.contains("//") || text.contains("/.") { path::lexical(text).into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names() -> GuardedNames<'static> {
        GuardedNames::of(&GuardedPaths {
            home: "/home/dev/.local/share/lessons",
            user_home: Some("/home/dev"),
        })
    }

    #[test]
    fn our_files_are_known_by_any_way_to_write_them() {
        let names = names();
        for (text, named) in [
            ("/home/dev/.local/share/lessons", GuardedFolder::Home),
            ("/home/dev/.local/share/lessons/lessons.json", GuardedFolder::Home),
            ("/home/dev/.local//share/./lessons/x", GuardedFolder::Home),
            ("/home/dev/src/../.local/share/lessons/x", GuardedFolder::Home),
            ("~/.local/share/lessons/config.toml", GuardedFolder::Home),
            ("$HOME/.local/share/lessons", GuardedFolder::Home),
            ("${HOME%/}/.local/share/lessons", GuardedFolder::Home),
            ("$(echo ~)/.local/share/lessons/x", GuardedFolder::Home),
            ("${HOME}/.local/share/lessons", GuardedFolder::Home),
            ("${XDG_DATA_HOME:-$HOME/.local/share}/lessons/x", GuardedFolder::Home),
            ("$LESSONS_HOME/lessons.json", GuardedFolder::Home),
            ("--file=/home/dev/.local/share/lessons/lessons.db", GuardedFolder::Home),
            ("open('/home/dev/.local/share/lessons/lessons.json', 'w')", GuardedFolder::Home),
            ("/HOME/dev/.local/share/Lessons/x", GuardedFolder::Home),
            (".lessons", GuardedFolder::Project),
            (".lessons/lessons.json", GuardedFolder::Project),
            ("/srv/app/.lessons/", GuardedFolder::Project),
            (".lessons*", GuardedFolder::Project),
        ] {
            assert_eq!(names.named(text), Some(named), "{text}");
        }
    }

    #[test]
    fn other_names_that_look_like_ours_are_not() {
        let names = names();
        for text in [
            "",
            "lessons",
            "lessons/",
            "src/lessons/mod.rs",
            "lessons.md",
            "/home/dev/.local/share/lessons-backup/x",
            "/home/dev/.local/share/lessons2",
            "/backup/home/dev/.local/share",
            "~/.local/share",
            "my.lessons/x",
            ".lessons.toml",
            ".lessonsrc",
            "trust.json",
            "tsconfig.json",
            "grant-12",
            "XDG_DATA_HOME=/x cargo test",
        ] {
            assert_eq!(names.named(text), None, "{text}");
        }
    }

    #[test]
    fn a_pattern_reaches_the_folder_and_what_holds_it() {
        let names = names();
        for path in [
            "/",
            "/home",
            "/home/dev/",
            "~",
            "~/",
            "$HOME",
            "~/.local",
            "~/.l*",
            "/home/*/.local",
            "~/.local/share/*",
            "~/.local/{share,state}",
            "~/.loca[l]",
            "${HOME}/.lo{x,c*}",
            "~/.local/share/less?ns",
        ] {
            assert_eq!(names.holds(path), Some(GuardedFolder::Home), "{path}");
        }
        for path in [
            "${BUILD}",
            "$BUILD/x",
            "~/src",
            "~/*",
            "/home/dev2",
            "*",
            "src",
            "~/.local/share/x*",
            "~/.local/lib",
            "",
        ] {
            assert_eq!(names.holds(path), None, "{path}");
        }
        assert_eq!(names.named("~/.local/share/l*/decisions.json"), Some(GuardedFolder::Home));
        assert_eq!(names.named("~/.local/share/*/decisions.json"), Some(GuardedFolder::Home));
        assert_eq!(names.named("~/.local/*"), None, "it holds the folder");
        // With every star tried at every place it would never end.
        assert!(!fits(&"*a".repeat(10_000), &"a".repeat(200)));
    }

    #[test]
    fn a_home_elsewhere_is_known_by_its_own_name() {
        let names = GuardedNames::of(&GuardedPaths { home: "/opt/notes/", user_home: None });
        assert_eq!(names.named("cat /opt/notes/lessons.json"), Some(GuardedFolder::Home));
        assert_eq!(names.named("/opt/notes2"), None);
        assert_eq!(names.named("~/notes"), None);
        let nowhere = GuardedNames::of(&GuardedPaths { home: "", user_home: Some("") });
        assert_eq!(nowhere.named("/x"), None);
    }

    proptest! {
        #[test]
        fn a_text_that_is_not_looked_at_has_none_of_the_names(
            text in "(/home/dev|~|/opt|/share|/[.]local|lessons|LESSONS_HOME|XDG_DATA_HOME|notes|[.]|//|[$]|x){1,9}",
            home in prop::sample::select(vec!["/home/dev/.local/share/lessons", "/opt/notes", "/home/dev/share", "/opt/notes/"]),
        ) {
            let guarded = GuardedPaths { home, user_home: Some("/home/dev") };
            let lower = lexical(&text).to_ascii_lowercase();
            let has_one = spellings(&guarded).iter().any(|home| has_name(&lower, home))
                || names_variable(&lower)
                || has_name(&lower, ".lessons");
            prop_assert!(!has_one || Prefilter::new(&guarded).holds_a_name(text.as_bytes()));
        }
    }

    #[test]
    fn a_path_is_resolved_as_far_as_its_text_allows() {
        for (text, expected) in [
            ("/a/b", "/a/b"),
            ("a/./b", "a/b"),
            ("a//b", "a/b"),
            ("/a//b", "/a/b"),
            ("//a", "/a"),
            ("./a/./b", "a/b"),
            ("a/../b", "b"),
            ("/a/b/../c/./d", "/a/c/d"),
            // Nothing is above the root, or known above the start.
            ("/../a", "/../a"),
            ("../../a//b", "../../a/b"),
            ("a/../../b", "../b"),
            ("/.a", "/.a"),
        ] {
            assert_eq!(lexical(text), expected, "{text}");
        }
    }

    #[test]
    fn a_home_folder_that_is_not_known_gives_the_data_folder_no_short_name() {
        for user_home in [None, Some(""), Some("/"), Some("/opt/notes"), Some("/op")] {
            let guarded = GuardedPaths { home: "/opt/notes", user_home };
            let names = GuardedNames::of(&guarded);
            assert_eq!(names.named("$HOME/opt/notes"), None, "{user_home:?}");
            assert_eq!(names.named("$HOME"), None, "{user_home:?}");
            assert_eq!(names.named("/opt/notes/x"), Some(GuardedFolder::Home), "{user_home:?}");
        }
    }
}
