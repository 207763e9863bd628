//! Whether a program for macOS can start on a Mac: what it loads, and whether its signature is whole.
//!
//! Nothing here runs it. A Mac with Apple silicon kills a program whose pages differ from the hashes in its signature, and
//! a tool that strips symbols after linking changes pages.

use anyhow::{Context, Result, anyhow, bail, ensure};
use object::Endianness;
use object::macho::{CPU_TYPE_ARM64, CPU_TYPE_X86_64, LC_CODE_SIGNATURE, MachHeader64};
use object::read::macho::{LoadCommandVariant, MachHeader};
use sha2::{Digest, Sha256};

use super::platform::{OLDEST_MACOS, Platform};

/// The folder of the libraries that every Mac has.
const SYSTEM_LIBRARIES: &[u8] = b"/usr/lib/";

// The constants and layouts of signatures are those of xnu: osfmk/kern/cs_blobs.h.
const SUPER_BLOB: u32 = 0xfade_0cc0;
const CODE_DIRECTORY: u32 = 0xfade_0c02;
const CODE_DIRECTORY_SLOT: u32 = 0;
const SHA256: u8 = 2;

/// Fails if the program in these bytes loads more than the libraries of the system, needs another macOS than
/// [`OLDEST_MACOS`], is for another processor, or has a signature that does not fit. Only programs for Apple silicon need one.
pub(super) fn check(program: &[u8], platform: Platform) -> Result<()> {
    let unread = |error| anyhow!("not a whole 64-bit Mach-O file: {error}");
    let header = MachHeader64::<Endianness>::parse(program, 0).map_err(unread)?;
    let endian = header.endian().map_err(unread)?;
    let (processor, is_signed) = match platform {
        Platform::MacosArm64 => (CPU_TYPE_ARM64, true),
        Platform::MacosX86_64 => (CPU_TYPE_X86_64, false),
        Platform::LinuxX86_64 | Platform::LinuxArm64 => bail!("{} has no Mach-O files", platform.name()),
    };
    ensure!(header.cputype(endian) == processor, "it is for another processor");
    let mut commands = header.load_commands(endian, program, 0).map_err(unread)?;
    let (mut signature, mut oldest) = (None, None);
    while let Some(command) = commands.next().map_err(unread)? {
        if let Some(library) = command.dylib().map_err(unread)? {
            let name = command.string(endian, library.dylib.name).map_err(unread)?;
            let shown = String::from_utf8_lossy(name);
            ensure!(name.starts_with(SYSTEM_LIBRARIES), "it loads {shown}, which not every Mac has");
        }
        match command.variant().map_err(unread)? {
            LoadCommandVariant::LinkeditData(data) if command.cmd() == LC_CODE_SIGNATURE => {
                signature = Some(data.data(endian, program).map_err(unread)?);
            }
            LoadCommandVariant::BuildVersion(build, _) => oldest = Some(build.minos.get(endian).0),
            _ => {}
        }
    }
    // The major version, the minor one and the patch, of 16, 8 and 8 bits.
    let oldest = oldest.context("it does not say which macOS it needs")?;
    let (major, minor) = (oldest >> 16, oldest >> 8 & 0xff);
    ensure!(format!("{major}.{minor}") == OLDEST_MACOS, "it needs macOS {major}.{minor}, not {OLDEST_MACOS}");
    match signature {
        Some(signature) => pages_are_signed(program, signature),
        None if is_signed => bail!("it has no signature, so Apple silicon kills it"),
        None => Ok(()),
    }
}

/// Compares every page with its hash in the signature.
fn pages_are_signed(program: &[u8], signature: &[u8]) -> Result<()> {
    ensure!(number(signature, 0)? == SUPER_BLOB, "the signature is not one");
    let slots = number(signature, 8)? as usize;
    let slot = (0..slots).find(|slot| number(signature, 12 + slot * 8).ok() == Some(CODE_DIRECTORY_SLOT));
    let at = number(signature, 16 + slot.context("the signature has no code directory")? * 8)? as usize;
    let directory = signature.get(at..).context("the code directory is cut")?;
    ensure!(number(directory, 0)? == CODE_DIRECTORY, "the code directory is not one");
    let [hashes, pages, limit] = [16, 28, 32].map(|at| number(directory, at).map(|number| number as usize));
    let [size, kind, _, page] = directory.get(36..40).context("the code directory is cut")? else {
        bail!("the code directory is cut");
    };
    ensure!((*size, *kind) == (32, SHA256), "the signature does not use SHA-256");
    let code = program.get(..limit?).context("the signature covers more than the file")?;
    let found: Vec<_> = code.chunks(1 << page).map(Sha256::digest).collect();
    ensure!(found.len() == pages?, "the signature covers another number of pages");
    let from = hashes?;
    let signed = directory.get(from..from + found.len() * 32).context("the hashes are cut")?;
    let differing = found.iter().zip(signed.chunks(32)).position(|(found, signed)| found[..] != *signed);
    ensure!(differing.is_none(), "page {} was changed after it was signed", differing.unwrap_or_default());
    Ok(())
}

/// The big-endian number at an offset.
fn number(bytes: &[u8], at: usize) -> Result<u32> {
    let four = bytes.get(at..).and_then(|rest| rest.first_chunk());
    Ok(u32::from_be_bytes(*four.context("the signature is cut")?))
}

#[cfg(test)]
mod tests {
    use object::macho::{LC_BUILD_VERSION, MH_MAGIC_64};

    use super::*;

    /// The signature of `code` with one page of 16 bytes each.
    fn signature(code: &[u8]) -> Vec<u8> {
        let pages: Vec<_> = code.chunks(16).map(Sha256::digest).collect();
        let mut out = Vec::new();
        for word in [SUPER_BLOB, 0, 1, CODE_DIRECTORY_SLOT, 20] {
            out.extend(word.to_be_bytes());
        }
        let (count, limit) = (u32::try_from(pages.len()).unwrap(), u32::try_from(code.len()).unwrap());
        for word in [CODE_DIRECTORY, 0, 0, 0, 40, 0, 0, count, limit] {
            out.extend(word.to_be_bytes());
        }
        out.extend([32, SHA256, 0, 4]);
        out.extend(pages.iter().flatten());
        out
    }

    #[test]
    fn a_page_that_was_changed_after_signing_is_found() {
        let mut code = [7; 40];
        let signature = signature(&code);
        pages_are_signed(&code, &signature).unwrap();
        code[33] = 8;
        let error = pages_are_signed(&code, &signature).unwrap_err().to_string();
        assert!(error.contains("page 2"), "{error}");
    }

    #[test]
    fn a_signature_that_is_cut_anywhere_is_an_error() {
        let code = [7; 40];
        let whole = signature(&code);
        for end in 0..whole.len() {
            assert!(pages_are_signed(&code, &whole[..end]).is_err(), "{end}");
        }
    }

    /// A program without code that needs this version of macOS, or does not say which.
    fn program(oldest: Option<u32>) -> Vec<u8> {
        let commands = oldest.map_or(Vec::new(), |oldest| vec![LC_BUILD_VERSION.0, 24, 1, oldest, oldest, 0]);
        let (count, size) = (u32::from(oldest.is_some()), u32::try_from(commands.len() * 4).unwrap());
        let header = [MH_MAGIC_64, CPU_TYPE_X86_64.0, 3, 2, count, size, 0, 0];
        header.into_iter().chain(commands).flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn a_program_must_say_that_it_needs_the_oldest_macos() {
        let refused = |oldest| check(&program(oldest), Platform::MacosX86_64).unwrap_err().to_string();
        check(&program(Some(11 << 16)), Platform::MacosX86_64).unwrap();
        assert!(refused(Some(15 << 16)).contains("needs macOS 15.0"));
        assert!(refused(None).contains("does not say"));
        assert!(check(&program(Some(11 << 16)), Platform::MacosArm64).is_err());
    }

    #[test]
    fn what_is_no_program_for_macos_is_an_error() {
        assert!(check(b"\x7fELF", Platform::MacosArm64).is_err());
    }
}
