//! `cargo xtask licences`: the licences of all dependencies allow distribution under our own terms.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::cargo;
use crate::workspace::Workspace;

/// Licences that ask for no more than a notice, or, in the case of MPL-2.0, for the source of
/// that very file, which its package carries.
const ALLOWED: [&str; 12] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    "Unicode-3.0",
    "Zlib",
];

/// Checks every package in Cargo.lock, on all platforms.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let metadata = cargo::metadata(&workspace.root, &["--locked"])?;
    let packages = metadata["packages"].as_array().context("cargo lists no packages")?;
    let mut refused = Vec::new();
    for package in packages {
        if let Err(error) = check(package) {
            let name = package["name"].as_str().unwrap_or_default();
            let version = package["version"].as_str().unwrap_or_default();
            refused.push(format!("  {name} {version}: {error:#}"));
        }
    }
    ensure!(refused.is_empty(), "packages whose licence is not allowed:\n{}", refused.join("\n"));
    println!("Licences of {} packages: all allowed", packages.len());
    Ok(())
}

fn check(package: &Value) -> Result<()> {
    let expression = package["license"].as_str().context("it names no licence")?;
    ensure!(allowed(expression)?, "{expression}");
    Ok(())
}

/// Whether an SPDX expression can be met by allowed licences alone. `/` is an old spelling of `OR`.
fn allowed(expression: &str) -> Result<bool> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = LicenceParser { tokens: &tokens };
    let result = parser.either().with_context(|| format!("cannot read the licence \"{expression}\""))?;
    ensure!(parser.tokens.is_empty(), "cannot read the licence \"{expression}\" to its end");
    Ok(result)
}

/// A parser of SPDX expressions that evaluates them. Precedence from low to high: OR, AND, WITH, parentheses.
struct LicenceParser<'a> {
    tokens: &'a [&'a str],
}

impl<'a> LicenceParser<'a> {
    fn either(&mut self) -> Result<bool> {
        let mut result = self.both()?;
        while self.eat("OR") {
            result |= self.both()?;
        }
        Ok(result)
    }

    fn both(&mut self) -> Result<bool> {
        let mut result = self.one()?;
        while self.eat("AND") {
            result &= self.one()?;
        }
        Ok(result)
    }

    fn one(&mut self) -> Result<bool> {
        match self.next()? {
            "(" => {
                let result = self.either()?;
                ensure!(self.eat(")"), "a parenthesis is not closed");
                Ok(result)
            }
            word @ (")" | "OR" | "AND" | "WITH") => bail!("{word} stands where a licence should"),
            name if self.eat("WITH") => {
                Ok(ALLOWED.contains(&format!("{name} WITH {}", self.next()?).as_str()))
            }
            name => Ok(ALLOWED.contains(&name)),
        }
    }

    fn next(&mut self) -> Result<&'a str> {
        let (first, rest) = self.tokens.split_first().context("it ends too early")?;
        self.tokens = rest;
        Ok(first)
    }

    fn eat(&mut self, word: &str) -> bool {
        match self.tokens.split_first() {
            Some((first, rest)) if *first == word => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allowed_way_is_enough_and_every_condition_counts() {
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
            "MIT AND (Zlib AND (ISC OR AGPL-3.0))",
            "GPL-3.0 AND MIT OR ISC",
        ] {
            assert!(allowed(good).unwrap(), "{good}");
        }
        for bad in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "GPL-2.0 WITH Classpath-exception-2.0",
            "(MIT OR ISC) AND SSPL-1.0",
            "mit-0",
        ] {
            assert!(!allowed(bad).unwrap(), "{bad}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for nonsense in ["", "MIT AND", "(MIT", "MIT)", "OR MIT", "MIT ISC", "Apache-2.0 WITH"] {
            assert!(allowed(nonsense).is_err(), "{nonsense}");
        }
        assert!(check(&serde_json::json!({"name": "x", "license": null})).is_err());
    }
}
