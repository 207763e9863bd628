//! The packages that a text says to install.
//!
//! A model can make up the name of a package, and somebody else may have registered it. A fix that installs what nothing in
//! its session mentions is therefore looked at twice.

use lessons_text::words;

/// Package managers, with the words by which they install a package; some install whatever follows. The longest way to say it
/// is three words: `uv pip install`.
const INSTALLERS: [(&[&str], &[&str]); 11] = [
    (&["npm"], &["install", "i", "add", "exec"]),
    (&["pnpm"], &["add", "install", "i", "dlx"]),
    (&["yarn"], &["add", "dlx"]),
    (&["bun"], &["add", "install", "i", "x"]),
    (&["npx", "bunx", "uvx"], &[]),
    (&["pip", "pip3", "conda", "gem", "brew", "apt", "apt-get", "dnf"], &["install"]),
    (&["pipx"], &["install", "run"]),
    (&["uv", "poetry", "apk"], &["add"]),
    (&["cargo"], &["add", "install"]),
    (&["go"], &["get", "install"]),
    (&["composer"], &["require"]),
];
/// Words that follow a command in a sentence, besides the [fillers](words::is_filler).
const AFTER_COMMAND: [&str; 8] = ["after", "again", "because", "before", "fails", "once", "while", "without"];
/// The shortest word of a package that is looked for, in bytes: shorter ones are everywhere.
const SHORTEST_WORD: usize = 3;
/// The most packages of one text.
const MOST: usize = 8;

/// The packages that the commands in a text install, without their versions. A command between backticks is read to its
/// end; of one in a sentence only the first package is certain to be one.
pub(crate) fn installed(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (number, part) in text.split('`').enumerate() {
        let most = if number % 2 == 1 { MOST } else { 1 };
        let words: Vec<&str> = part.split_whitespace().collect();
        for at in 0..words.len() {
            let Some(rest) = after_installer(&words[at..]) else { continue };
            let named =
                rest.iter().filter(|word| !word.starts_with('-')).map_while(|word| package(bare(word)));
            for package in named.take(most) {
                if found.len() < MOST && !found.contains(&package) {
                    found.push(package);
                }
            }
        }
    }
    found
}

/// The words after a package manager and its verb, if the words begin with these.
fn after_installer<'w, 't>(words: &'w [&'t str]) -> Option<&'w [&'t str]> {
    let (first, rest) = words.split_first()?;
    let (_, verbs) = INSTALLERS.iter().find(|(managers, _)| managers.contains(&bare(first)))?;
    match rest.split_first() {
        _ if verbs.is_empty() => Some(rest),
        Some((verb, rest)) if verbs.contains(verb) => Some(rest),
        _ => None,
    }
}

/// A word without the quotation marks and the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_start_matches(['"', '\'', '(']).trim_end_matches(['"', '\'', ')', ',', ';', ':', '.'])
}

/// The name of the package that a word is, without its version; `None` for a path, a file and an ordinary word.
fn package(word: &str) -> Option<&str> {
    let end = word.get(1..)?.find(['@', '=', '<', '>', '[', '~', '^', '!']).map_or(word.len(), |at| at + 1);
    let name = word.get(..end)?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/' | b'@'));
    let is_file =
        [".txt", ".toml", ".json", ".lock", ".whl", ".deb"].iter().any(|ending| name.ends_with(ending));
    let is_searchable = words::tokens(name).iter().any(|part| part.len() >= SHORTEST_WORD);
    let lower = name.to_lowercase();
    let is_prose = words::is_filler(&lower) || AFTER_COMMAND.contains(&lower.as_str());
    (is_name && !is_file && is_searchable && !is_prose).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packages_of_a_command_are_named_without_their_versions() {
        for (text, expected) in [
            ("run `npm install left-padd` before the build", &["left-padd"][..]),
            ("`npm i -D @scope/pkg@1.2.3 another && npm test`", &["@scope/pkg", "another"]),
            ("use `pip install 'requests[socks]>=2'`, then retry", &["requests"]),
            ("python -m pip install huggingface-clii", &["huggingface-clii"]),
            ("add it with cargo add serde_jsonx.", &["serde_jsonx"]),
            ("npx create-thing my-app", &["create-thing"]),
            ("go get github.com/a/b@latest", &["github.com/a/b"]),
            ("sudo apt-get install -y libfoo-dev && make", &["libfoo-dev"]),
        ] {
            assert_eq!(installed(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_that_installs_nothing_by_name_has_no_package() {
        for text in [
            "run `npm install` first",
            "run npm install before the tests",
            "pip install -r requirements.txt",
            "pip install ./local",
            "npm run install-hooks",
            "use npm ci, not npm install",
            "cargo install --path .",
            "",
        ] {
            assert_eq!(installed(text), [] as [&str; 0], "{text}");
        }
    }
}
