//! Links in Markdown files that lead into this repository: the file must exist, and the heading too.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

/// A Markdown file: the targets of its links with their lines, and the anchors of its headings.
struct Page {
    links: Vec<(usize, String)>,
    anchors: Vec<String>,
}

/// Finds links of these files, with paths from the root, that lead nowhere.
pub(super) fn broken(root: &Path, files: &[PathBuf]) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        let path = root.join(file);
        if path.is_file() {
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            pages.insert(file.clone(), Page::read(&text));
        }
    }
    let mut findings = Vec::new();
    for (file, page) in &pages {
        for (line, link) in page.links.iter().filter(|(_, link)| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { file.clone() } else { joined(file, path) };
            let lacks = |anchor: &str| !anchor.is_empty() && !has_anchor(&pages, &target, anchor);
            if !root.join(&target).exists() || lacks(anchor) {
                findings.push(format!("{}:{line} links to {link}, which does not exist", file.display()));
            }
        }
    }
    Ok(findings)
}

fn has_anchor(pages: &BTreeMap<PathBuf, Page>, target: &Path, anchor: &str) -> bool {
    pages.get(target).is_some_and(|page| page.anchors.iter().any(|own| own == anchor))
}

/// The path of a link, from the root.
fn joined(file: &Path, link: &str) -> PathBuf {
    let mut path = file.parent().unwrap_or(Path::new("")).to_owned();
    for component in Path::new(link).components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

impl Page {
    fn read(text: &str) -> Self {
        let mut page = Self { links: Vec::new(), anchors: Vec::new() };
        let mut in_code = false;
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            } else if !in_code {
                if let Some(heading) = heading(line) {
                    page.anchors.push(anchor(heading));
                }
                page.links.extend(targets(line).map(|target| (number + 1, target.to_owned())));
            }
        }
        page
    }
}

/// The text of a heading.
fn heading(line: &str) -> Option<&str> {
    line.starts_with('#').then(|| line.trim_start_matches('#').strip_prefix(' ')).flatten()
}

/// The anchor that code-hosting pages make of a heading: lower case, hyphens for spaces, no other punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// The targets of inline links in a line, without those in code.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let prose = line.split('`').step_by(2);
    // `[`code`](target)` is cut before its target, which then begins the next piece.
    prose.flat_map(|prose| prose.split("](").skip(1)).filter_map(|rest| rest.split(')').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        let mut names = Vec::new();
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
            names.push(PathBuf::from(name));
        }
        broken(root.path(), &names).unwrap()
    }

    #[test]
    fn a_link_to_a_file_or_a_heading_that_is_gone_is_found_with_its_line() {
        let readme = "# Top\n[a](docs/a.md) [b](docs/b.md)\n[c](docs/a.md#what-it-does-the-mode) [d](docs/a.md#gone)\n";
        let page = "## What it does: the mode\n[up](../README.md#top) [here](#gone)\n";
        let found = found(&[("README.md", readme), ("docs/a.md", page)]);
        assert_eq!(
            found,
            [
                "README.md:2 links to docs/b.md, which does not exist",
                "README.md:3 links to docs/a.md#gone, which does not exist",
                "docs/a.md:2 links to #gone, which does not exist",
            ]
        );
    }

    #[test]
    fn code_and_other_sites_are_left_alone() {
        let text =
            "`[x](gone.md)` [y](https://example.org/gone.md)\n```sh\n[z](gone.md)\n# no heading\n```\n";
        assert!(found(&[("README.md", text)]).is_empty());
        assert_eq!(found(&[("README.md", "[`x`](gone.md)\n")]).len(), 1);
    }
}
