//! `cargo xtask licences`: the licences of all dependencies allow distribution under our own terms.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use spdx::{Expression, ParseMode};

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
    let text = package["license"].as_str().context("it names no licence")?;
    ensure!(allowed(text)?, "{text}");
    Ok(())
}

/// Whether an SPDX expression can be met by allowed licences alone. `/` is an old spelling of `OR`.
fn allowed(text: &str) -> Result<bool> {
    let expression = Expression::parse_mode(text, ParseMode::LAX)
        .with_context(|| format!("cannot read the licence \"{text}\""))?;
    Ok(expression.evaluate(|licence| ALLOWED.contains(&licence.to_string().as_str())))
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
            "MIT-0",
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
