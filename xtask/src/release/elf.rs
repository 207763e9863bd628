//! Whether a program is static: loaded at a fixed address by the kernel alone.

use anyhow::{Result, anyhow, ensure};
use object::LittleEndian;
use object::elf::{ET_EXEC, PT_INTERP};
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};

/// Fails if the program in these bytes is not a static one.
pub(crate) fn ensure_static(program: &[u8]) -> Result<()> {
    let file = ElfFile64::<LittleEndian>::parse(program)
        .map_err(|error| anyhow!("not a whole little-endian 64-bit ELF file: {error}"))?;
    let is_dynamic = file.elf_program_headers().iter().any(|header| header.p_type(LittleEndian) == PT_INTERP);
    ensure!(!is_dynamic, "it is dynamic: an interpreter has to load it");
    let is_fixed = file.elf_header().e_type(LittleEndian) == ET_EXEC;
    ensure!(is_fixed, "it is not at a fixed address: it relocates itself at its start");
    Ok(())
}

#[cfg(test)]
mod tests {
    use object::elf::{ET_DYN, FileType};

    use super::*;

    /// An ELF header with two program headers of the given kinds behind it.
    fn program(kind: FileType, headers: [u32; 2]) -> Vec<u8> {
        let mut out = vec![0; 0x40 + 2 * 56];
        out[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        out[0x10..0x12].copy_from_slice(&kind.0.to_le_bytes());
        // Where the program headers begin, their size and their number.
        (out[0x20], out[0x36], out[0x38]) = (0x40, 56, 2);
        for (index, header) in headers.iter().enumerate() {
            let at = 0x40 + index * 56;
            out[at..at + 4].copy_from_slice(&header.to_le_bytes());
        }
        out
    }

    #[test]
    fn only_a_program_at_a_fixed_address_without_an_interpreter_is_static() {
        let refused = |program: &[u8]| ensure_static(program).unwrap_err().to_string();
        ensure_static(&program(ET_EXEC, [1, 2])).unwrap();
        assert!(refused(&program(ET_DYN, [1, 2])).contains("relocates itself"));
        assert!(refused(&program(ET_EXEC, [1, PT_INTERP.0])).contains("interpreter"));
        assert!(refused(&program(ET_DYN, [PT_INTERP.0, 1])).contains("interpreter"));
    }

    #[test]
    fn what_is_no_whole_program_is_an_error() {
        assert!(ensure_static(b"#!/bin/sh\n").is_err());
        let whole = program(ET_EXEC, [1, 2]);
        for end in 0..whole.len() {
            assert!(ensure_static(&whole[..end]).is_err(), "{end}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_very_test_is_not_static() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(ensure_static(&own).is_err());
    }
}
