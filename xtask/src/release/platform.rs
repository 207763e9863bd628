//! The platforms that a release is built for.

use anyhow::{Context, Result};
use clap::ValueEnum;

/// The oldest macOS that the programs run on. zig would take its own choice, which is a recent one.
pub(crate) const OLDEST_MACOS: &str = "11.0";

/// A platform with an archive of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Platform {
    /// Linux on x86-64, for any distribution.
    LinuxX86_64,
    /// Linux on arm64, for any distribution.
    LinuxArm64,
    /// macOS on Apple silicon.
    MacosArm64,
    /// macOS on Intel.
    MacosX86_64,
}

/// The system and the format of its programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum System {
    /// Static ELF files, which need nothing but the kernel.
    Linux,
    /// Mach-O files, which need the system's own C library.
    Macos,
}

impl Platform {
    /// Every platform.
    pub(crate) const ALL: [Self; 4] =
        [Self::LinuxX86_64, Self::LinuxArm64, Self::MacosArm64, Self::MacosX86_64];

    /// The platform of this machine.
    pub(crate) fn of_machine() -> Result<Self> {
        let arch = std::env::consts::ARCH;
        let is_own =
            |platform: &Self| platform.system() == System::Linux && platform.target().starts_with(arch);
        Self::ALL.into_iter().find(is_own).with_context(|| format!("no release is built on {arch}"))
    }

    /// The name in archives, marketplaces and messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::LinuxX86_64 => "linux-x86-64",
            Self::LinuxArm64 => "linux-arm64",
            Self::MacosArm64 => "macos-arm64",
            Self::MacosX86_64 => "macos-x86-64",
        }
    }

    /// The target triple.
    pub(crate) const fn target(self) -> &'static str {
        match self {
            Self::LinuxX86_64 => "x86_64-unknown-linux-musl",
            Self::LinuxArm64 => "aarch64-unknown-linux-musl",
            Self::MacosArm64 => "aarch64-apple-darwin",
            Self::MacosX86_64 => "x86_64-apple-darwin",
        }
    }

    /// The system.
    pub(crate) const fn system(self) -> System {
        match self {
            Self::LinuxX86_64 | Self::LinuxArm64 => System::Linux,
            Self::MacosArm64 | Self::MacosX86_64 => System::Macos,
        }
    }

    /// The name of the archive without its ending, and of the folder in it.
    pub(crate) fn archive_name(self, version: &str) -> String {
        format!("lessons-{version}-{}", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_is_named_as_the_command_line_names_it() {
        for platform in Platform::ALL {
            assert_eq!(Platform::from_str(platform.name(), false), Ok(platform));
        }
    }
}
