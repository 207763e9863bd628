//! Which texts name the files in which a person's approval is kept.

use std::borrow::Cow;

use super::folder::Way;
use super::grant;
use crate::find::find_iter;

/// What is guarded besides the names that are the same everywhere.
#[derive(Debug, Clone, Copy)]
pub struct Guarded<'a> {
    /// Our data folder, absolute.
    pub home: &'a str,
    /// The user's home folder, which `~` and `$HOME` mean.
    pub user_home: Option<&'a str>,
}

/// Something guarded that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Home,
    ProjectFolder,
    Trust,
    Grant,
}

impl Named {
    /// Completes "This names …".
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Home => "the folder in which Lessons keeps what you have approved",
            Self::ProjectFolder => "a `.lessons` folder, whose lessons guide every session of a project",
            Self::Trust => "a `trust.json`, in which Lessons keeps what you trust",
            Self::Grant => "a file by which Lessons knows what you have allowed in a session",
        }
    }
}

/// Every way to write what is guarded, in lower case.
#[derive(Debug)]
pub(super) struct Names {
    /// Our data folder, as an absolute path and from `~` and `$HOME`.
    homes: Vec<String>,
    /// The last component of its path.
    folder: String,
    /// For paths that do not say where they start.
    pub(super) way: Way,
}

impl Names {
    pub(super) fn of(guarded: &Guarded<'_>) -> Self {
        let clean = |path: &str| lexical(path.trim_end_matches('/')).to_ascii_lowercase();
        let way = Way::new(guarded.home, guarded.user_home);
        let home = clean(guarded.home);
        if home.is_empty() {
            return Self { homes: Vec::new(), folder: "lessons".to_owned(), way };
        }
        let folder = home.rsplit('/').next().unwrap_or_default().to_owned();
        let user_home = guarded.user_home.map(clean);
        let below = user_home
            .and_then(|user_home| home.strip_prefix(&user_home).map(str::to_owned))
            .filter(|below| below.starts_with('/') && below.len() < home.len());
        let short =
            below.iter().flat_map(|below| ["~", "$home", "${home}"].map(|start| format!("{start}{below}")));
        let homes = short.chain([home.clone()]).collect();
        Self { homes, folder, way }
    }

    /// What `text` names, whether it is a path or has one in it. Letter case does not count, since it
    /// does not on every file system.
    pub(super) fn named(&self, text: &str) -> Option<Named> {
        let text = lexical(text).to_ascii_lowercase();
        if self.homes.iter().any(|home| has_name(&text, home)) || names_variable(&text) {
            return Some(Named::Home);
        }
        if has_name(&text, ".lessons") {
            return Some(Named::ProjectFolder);
        }
        if has_name(&text, "trust.json") {
            return Some(Named::Trust);
        }
        let mut components = text.split(|c: char| !is_name_char(c));
        components.any(grant::is_file_name).then_some(Named::Grant)
    }

    /// Whether `text` may name something guarded, or be a `lessons`: quick, and never `false` for a
    /// text without quoting that does.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        ["lessons", "trust.json", "grant-", "off-", &self.folder].iter().any(|name| text.contains(name))
    }
}

/// Whether a variable stands here that leads to our data folder.
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

/// Whether `name` stands in `text` as a whole path component or run of components.
fn has_name(text: &str, name: &str) -> bool {
    ends_of(text, name).any(|at| {
        let before = text.get(..at - name.len()).and_then(|before| before.chars().next_back());
        !before.is_some_and(is_name_char)
    })
}

/// Where `name` ends in `text` and no longer name goes on.
fn ends_of<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    find_iter(text.as_bytes(), name.as_bytes())
        .map(move |at| at + name.len())
        .filter(move |end| !text.get(*end..).is_some_and(|after| after.starts_with(is_name_char)))
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

/// The text with `//`, `/./` and `/x/../` resolved by its letters alone.
fn lexical(text: &str) -> Cow<'_, str> {
    if !text.contains("//") && !text.contains("/.") {
        return Cow::Borrowed(text);
    }
    let mut kept: Vec<&str> = Vec::new();
    for (index, component) in text.split('/').enumerate() {
        match component {
            "" | "." if index > 0 => {}
            ".." if kept.last().is_some_and(|last| !matches!(*last, "" | "..")) => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    Cow::Owned(kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names::of(&Guarded { home: "/home/dev/.local/share/lessons", user_home: Some("/home/dev") })
    }

    #[test]
    fn our_files_are_known_by_any_way_to_write_them() {
        let names = names();
        for (text, named) in [
            ("/home/dev/.local/share/lessons", Named::Home),
            ("/home/dev/.local/share/lessons/lessons.json", Named::Home),
            ("/home/dev/.local//share/./lessons/x", Named::Home),
            ("/home/dev/src/../.local/share/lessons/x", Named::Home),
            ("~/.local/share/lessons/config.toml", Named::Home),
            ("$HOME/.local/share/lessons", Named::Home),
            ("${HOME}/.local/share/lessons", Named::Home),
            ("${XDG_DATA_HOME:-$HOME/.local/share}/lessons/x", Named::Home),
            ("$LESSONS_HOME/lessons.json", Named::Home),
            ("--file=/home/dev/.local/share/lessons/lessons.db", Named::Home),
            ("open('/home/dev/.local/share/lessons/lessons.json', 'w')", Named::Home),
            ("/HOME/dev/.local/share/Lessons/x", Named::Home),
            (".lessons", Named::ProjectFolder),
            (".lessons/lessons.json", Named::ProjectFolder),
            ("/srv/app/.lessons/", Named::ProjectFolder),
            (".lessons*", Named::ProjectFolder),
            ("trust.json", Named::Trust),
            ("./trust.json", Named::Trust),
            ("/x/grant-0123456789abcdef0123456789abcdef", Named::Grant),
            ("/x/off-0123456789abcdef0123456789abcdef", Named::Grant),
        ] {
            assert_eq!(names.named(text), Some(named), "{text}");
            assert!(names.may_be_in(text), "{text}");
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
            "entrust.json",
            "trust.json5",
            "tsconfig.json",
            "grant-12",
            "XDG_DATA_HOME=/x cargo test",
        ] {
            assert_eq!(names.named(text), None, "{text}");
        }
    }

    #[test]
    fn a_home_elsewhere_is_known_by_its_own_name() {
        let names = Names::of(&Guarded { home: "/opt/notes/", user_home: None });
        assert_eq!(names.named("cat /opt/notes/lessons.json"), Some(Named::Home));
        assert!(names.may_be_in("/opt/notes"));
        assert_eq!(names.named("/opt/notes2"), None);
        assert_eq!(names.named("~/notes"), None);
        let nowhere = Names::of(&Guarded { home: "", user_home: Some("") });
        assert_eq!(nowhere.named("/x"), None);
    }
}
