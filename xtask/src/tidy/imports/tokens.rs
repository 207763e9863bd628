//! The tokens of Rust source: items, and the paths and `use` declarations in them.
//!
//! Tokens are enough, as only names matter here. What looks like a path is taken for one, in the call of a macro too.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A path as it is written, without generic arguments: the names between the `::`.
pub(super) type WrittenPath = Vec<String>;

/// The name that one leaf of a `use` tree binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ImportedName {
    /// One name. `_`, for a trait whose methods are called, is a name that no path mentions.
    Named(String),
    /// Every name of a module or an enum (`*`).
    Glob,
}

/// Everything that tokens mention outside of test code.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// The paths in the code and in attributes.
    pub(super) paths: Vec<WrittenPath>,
    /// The leaves of all `use` declarations, those inside functions too.
    pub(super) uses: Vec<(WrittenPath, ImportedName)>,
}

/// Splits the tokens of a module into items, each with its attributes, and leaves out those of a test build.
pub(super) fn items(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut items: Vec<Vec<TokenTree>> = vec![Vec::new()];
    for token in tokens {
        let is_end = is_mark(&token, ';') || group(&token, Delimiter::Brace).is_some();
        if let Some(item) = items.last_mut() {
            let is_use = name_after(item, "use").is_some();
            item.push(token.clone());
            if is_end && (!is_use || is_mark(&token, ';')) {
                items.push(Vec::new());
            }
        }
    }
    items.retain(|item| !item.windows(2).any(|pair| is_mark(&pair[0], '#') && is_test(&pair[1])));
    items
}

/// Returns the name behind a keyword: `mod NAME`, `fn NAME`.
pub(super) fn name_after(item: &[TokenTree], keyword: &str) -> Option<String> {
    item.windows(2).find_map(|pair| match &pair[1] {
        TokenTree::Ident(name) if is_name(&pair[0], keyword) => Some(name.to_string()),
        _ => None,
    })
}

impl Mentions {
    /// Adds everything that the tokens of an item or a block mention.
    pub(super) fn read(&mut self, tokens: impl IntoIterator<Item = TokenTree>) {
        let mut tokens = tokens.into_iter().peekable();
        let mut path = WrittenPath::new();
        let mut colons = 0;
        while let Some(token) = tokens.next() {
            if is_mark(&token, ':') {
                colons += 1;
                continue;
            }
            if colons != 2 || !matches!(token, TokenTree::Ident(_)) {
                self.end(&mut path);
            }
            colons = 0;
            match token {
                // `use<'a>` in a type says which lifetimes it holds.
                TokenTree::Ident(keyword)
                    if keyword == "use" && !tokens.peek().is_some_and(|next| is_mark(next, '<')) =>
                {
                    let tree: Vec<TokenTree> =
                        tokens.by_ref().take_while(|token| !is_mark(token, ';')).collect();
                    leaves(&tree, &[], &mut self.uses);
                }
                TokenTree::Ident(name) => path.push(name.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    if tokens.peek().is_some_and(is_test) {
                        while tokens.next().is_some_and(|token| {
                            !is_mark(&token, ';')
                                && !is_mark(&token, ',')
                                && group(&token, Delimiter::Brace).is_none()
                        }) {}
                    } else if let Some(attribute) =
                        tokens.next_if(|token| group(token, Delimiter::Bracket).is_some())
                    {
                        self.read_attribute(attribute);
                    }
                }
                TokenTree::Group(group) => self.read(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut WrittenPath) {
        if !path.is_empty() {
            self.paths.push(std::mem::take(path));
        }
    }

    /// Adds the paths of an attribute, those in strings such as `#[serde(with = "a::b")]` too.
    fn read_attribute(&mut self, attribute: TokenTree) {
        let text = attribute.to_string();
        if !text.starts_with("[doc") {
            self.paths.extend(
                text.split('"')
                    .skip(1)
                    .step_by(2)
                    .filter(|text| text.contains("::"))
                    .map(|path| path.split("::").map(str::to_owned).collect()),
            );
            self.read([attribute]);
        }
    }
}

/// Collects the leaves of a `use` tree below the path `start`.
fn leaves(tree: &[TokenTree], start: &[String], into: &mut Vec<(WrittenPath, ImportedName)>) {
    for branch in tree.split(|token| is_mark(token, ',')) {
        let mut path = start.to_vec();
        let mut names = branch.iter().peekable();
        let mut bound = None;
        while let Some(token) = names.next() {
            match token {
                TokenTree::Ident(keyword) if keyword == "as" => bound = names.next().map(ToString::to_string),
                // `a::{self}` names `a`.
                TokenTree::Ident(name) if name == "self" && !path.is_empty() => {}
                TokenTree::Ident(name) => path.push(name.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == '*' => {
                    into.push((path.clone(), ImportedName::Glob));
                }
                TokenTree::Group(group) => {
                    leaves(&group.stream().into_iter().collect::<Vec<_>>(), &path, into);
                }
                _ => {}
            }
        }
        let ends_in_name = matches!(branch.last(), Some(TokenTree::Ident(_)));
        if let Some(name) = bound.or_else(|| path.last().cloned()).filter(|_| ends_in_name) {
            into.push((path, ImportedName::Named(name)));
        }
    }
}

/// Whether the brackets of an attribute make what follows part of a test build only.
fn is_test(attribute: &TokenTree) -> bool {
    let Some(attribute) = group(attribute, Delimiter::Bracket) else { return false };
    let text = attribute.stream().to_string().replace(' ', "");
    let names_test =
        |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "test");
    text == "test"
        || text.strip_prefix("cfg(").is_some_and(|condition| names_test(&condition.replace("not(test)", "")))
}

fn is_name(token: &TokenTree, wanted: &str) -> bool {
    matches!(token, TokenTree::Ident(name) if name == wanted)
}

fn is_mark(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == wanted)
}

fn group(token: &TokenTree, delimiter: Delimiter) -> Option<&Group> {
    if let TokenTree::Group(group) = token {
        Some(group).filter(|group| group.delimiter() == delimiter)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentions(source: &str) -> Mentions {
        let mut mentions = Mentions::default();
        for item in items(source.parse().unwrap()) {
            mentions.read(item);
        }
        mentions
    }

    fn paths(source: &str) -> Vec<String> {
        mentions(source).paths.into_iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn a_use_tree_has_a_leaf_for_each_name() {
        let leaf = |path: &str, name| (path.split("::").map(str::to_owned).collect::<WrittenPath>(), name);
        let named = |name: &str| ImportedName::Named(name.to_owned());
        assert_eq!(
            mentions("use a::{self, b::C as D, e::*, F as _};").uses,
            [
                leaf("a", named("a")),
                leaf("a::b::C", named("D")),
                leaf("a::e", ImportedName::Glob),
                leaf("a::F", named("_")),
            ]
        );
    }

    #[test]
    fn paths_inside_macro_calls_and_generic_arguments_are_mentioned() {
        let found = paths("fn f(x: Vec<a::B>) { assert!(c::d(x, e::F { g: 1 }) == h::I::J); }");
        for path in ["a::B", "c::d", "e::F", "h::I::J"] {
            assert!(found.iter().any(|found| found == path), "{path} is not in {found:?}");
        }
    }

    #[test]
    fn lifetimes_that_a_type_captures_are_no_import() {
        let source = "fn f<'a>(x: &'a X) -> impl I + use<'a> { a::b(x) } use c::{d}; fn g() { e::f() }";
        assert_eq!(mentions(source).uses.len(), 1);
        let found = paths(source);
        assert!(["a::b", "e::f"].iter().all(|path| found.iter().any(|found| found == path)), "{found:?}");
    }

    #[test]
    fn only_code_of_a_test_build_is_left_out() {
        let mentioned = |attribute: &str| {
            let outside = paths(&format!("{attribute} fn f() {{ a::b() }}")).contains(&"a::b".to_owned());
            let inside =
                paths(&format!("impl X {{ {attribute} fn f() {{ a::b() }} }}")).contains(&"a::b".to_owned());
            assert_eq!(outside, inside, "{attribute}");
            outside
        };
        for test in ["#[cfg(test)]", "#[test]", "#[cfg(all(unix, test))]", "#[cfg(any(test, fuzzing))]"] {
            assert!(!mentioned(test), "{test}");
        }
        for other in ["#[cfg(unix)]", "#[cfg(not(test))]", "#[cfg_attr(test, allow(dead_code))]", "#[inline]"]
        {
            assert!(mentioned(other), "{other}");
        }
    }

    #[test]
    fn a_string_is_a_path_only_in_an_attribute_and_never_in_documentation() {
        assert!(paths("#[serde(with = \"a::b\")] struct S;").contains(&"a::b".to_owned()));
        assert!(!paths("#[doc = \"a::b\"] struct S;").contains(&"a::b".to_owned()));
        assert!(!paths("const S: &str = \"a::b\";").contains(&"a::b".to_owned()));
    }
}
