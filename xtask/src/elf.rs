//! The part of the ELF format that says whether a program is static.
//!
//! Source of the numbers: the System V ABI, chapter 4 (ELF header) and 5 (program header), 64 bits.

use anyhow::{Context, Result, ensure};

/// The way a program is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Linkage {
    /// Loaded at a fixed address by the kernel alone.
    Static,
    /// Loaded by the kernel alone; the program relocates itself at its start.
    StaticPie,
    /// Loaded by an interpreter (`PT_INTERP`), which finds shared libraries.
    Dynamic,
}

const PROGRAM_HEADERS_AT: usize = 0x20;
const PROGRAM_HEADER_SIZE_AT: usize = 0x36;
const PROGRAM_HEADER_COUNT_AT: usize = 0x38;
const TYPE_AT: usize = 0x10;
const ET_EXEC: u16 = 2;
const ET_DYN: u16 = 3;
const PT_INTERP: u32 = 3;

/// Reads the linkage of a program from the bytes of its little-endian 64-bit ELF file.
pub(crate) fn linkage(program: &[u8]) -> Result<Linkage> {
    ensure!(program.starts_with(b"\x7fELF\x02\x01"), "not a little-endian 64-bit ELF file");
    let kind = u16::from_le_bytes(bytes(program, TYPE_AT)?);
    let table = usize::try_from(u64::from_le_bytes(bytes(program, PROGRAM_HEADERS_AT)?))?;
    let size = usize::from(u16::from_le_bytes(bytes(program, PROGRAM_HEADER_SIZE_AT)?));
    let count = usize::from(u16::from_le_bytes(bytes(program, PROGRAM_HEADER_COUNT_AT)?));
    ensure!(count > 0, "an ELF file without program headers cannot be started");
    for index in 0..count {
        let at = table.checked_add(index * size).context("the program headers lie outside the file")?;
        if u32::from_le_bytes(bytes(program, at)?) == PT_INTERP {
            return Ok(Linkage::Dynamic);
        }
    }
    match kind {
        ET_EXEC => Ok(Linkage::Static),
        ET_DYN => Ok(Linkage::StaticPie),
        other => anyhow::bail!("an ELF file of type {other} is not a program"),
    }
}

fn bytes<const N: usize>(program: &[u8], at: usize) -> Result<[u8; N]> {
    program
        .get(at..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .context("the ELF file ends within its headers")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF header with two program headers of the given kinds behind it.
    fn program(kind: u16, headers: [u32; 2]) -> Vec<u8> {
        let mut out = vec![0; 0x40 + 2 * 56];
        out[..6].copy_from_slice(b"\x7fELF\x02\x01");
        out[TYPE_AT..TYPE_AT + 2].copy_from_slice(&kind.to_le_bytes());
        out[PROGRAM_HEADERS_AT] = 0x40;
        out[PROGRAM_HEADER_SIZE_AT] = 56;
        out[PROGRAM_HEADER_COUNT_AT] = 2;
        for (index, header) in headers.iter().enumerate() {
            let at = 0x40 + index * 56;
            out[at..at + 4].copy_from_slice(&header.to_le_bytes());
        }
        out
    }

    #[test]
    fn an_interpreter_makes_a_program_dynamic_whatever_its_type() {
        assert_eq!(linkage(&program(ET_EXEC, [1, 2])).unwrap(), Linkage::Static);
        assert_eq!(linkage(&program(ET_DYN, [1, 2])).unwrap(), Linkage::StaticPie);
        assert_eq!(linkage(&program(ET_EXEC, [1, PT_INTERP])).unwrap(), Linkage::Dynamic);
        assert_eq!(linkage(&program(ET_DYN, [PT_INTERP, 1])).unwrap(), Linkage::Dynamic);
    }

    #[test]
    fn what_is_no_whole_program_is_an_error() {
        assert!(linkage(b"").is_err());
        assert!(linkage(b"#!/bin/sh\n").is_err());
        let whole = program(ET_EXEC, [1, 2]);
        for end in 0..whole.len() - 56 {
            assert!(linkage(&whole[..end]).is_err(), "{end}");
        }
        let mut far = program(ET_EXEC, [1, 2]);
        far[PROGRAM_HEADERS_AT..PROGRAM_HEADERS_AT + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(linkage(&far).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_very_test_is_a_dynamic_program() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(linkage(&own).unwrap(), Linkage::Dynamic);
    }
}
