//! The names of system calls.

use nix::libc;

/// System calls of every architecture that a hook may make.
const KNOWN: [(i64, &str); 41] = [
    (libc::SYS_execve, "execve"),
    (libc::SYS_exit_group, "exit_group"),
    (libc::SYS_exit, "exit"),
    (libc::SYS_read, "read"),
    (libc::SYS_readv, "readv"),
    (libc::SYS_pread64, "pread64"),
    (libc::SYS_write, "write"),
    (libc::SYS_writev, "writev"),
    (libc::SYS_openat, "openat"),
    (libc::SYS_close, "close"),
    (libc::SYS_fstat, "fstat"),
    (libc::SYS_newfstatat, "newfstatat"),
    (libc::SYS_statx, "statx"),
    (libc::SYS_lseek, "lseek"),
    (libc::SYS_mmap, "mmap"),
    (libc::SYS_munmap, "munmap"),
    (libc::SYS_mprotect, "mprotect"),
    (libc::SYS_mremap, "mremap"),
    (libc::SYS_madvise, "madvise"),
    (libc::SYS_brk, "brk"),
    (libc::SYS_rt_sigaction, "rt_sigaction"),
    (libc::SYS_rt_sigprocmask, "rt_sigprocmask"),
    (libc::SYS_sigaltstack, "sigaltstack"),
    (libc::SYS_set_tid_address, "set_tid_address"),
    (libc::SYS_set_robust_list, "set_robust_list"),
    (libc::SYS_rseq, "rseq"),
    (libc::SYS_prlimit64, "prlimit64"),
    (libc::SYS_getrandom, "getrandom"),
    (libc::SYS_clock_gettime, "clock_gettime"),
    (libc::SYS_ppoll, "ppoll"),
    (libc::SYS_fcntl, "fcntl"),
    (libc::SYS_geteuid, "geteuid"),
    (libc::SYS_getuid, "getuid"),
    (libc::SYS_gettid, "gettid"),
    (libc::SYS_getcwd, "getcwd"),
    (libc::SYS_readlinkat, "readlinkat"),
    (libc::SYS_mkdirat, "mkdirat"),
    (libc::SYS_unlinkat, "unlinkat"),
    (libc::SYS_getdents64, "getdents64"),
    (libc::SYS_sched_getaffinity, "sched_getaffinity"),
    (libc::SYS_futex, "futex"),
];

/// System calls that only older architectures have.
#[cfg(target_arch = "x86_64")]
const OLD: [(i64, &str); 9] = [
    (libc::SYS_arch_prctl, "arch_prctl"),
    (libc::SYS_open, "open"),
    (libc::SYS_stat, "stat"),
    (libc::SYS_lstat, "lstat"),
    (libc::SYS_poll, "poll"),
    (libc::SYS_access, "access"),
    (libc::SYS_readlink, "readlink"),
    (libc::SYS_mkdir, "mkdir"),
    (libc::SYS_unlink, "unlink"),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: [(i64, &str); 0] = [];

/// Returns the name of a system call, or its number if the name is not known here.
pub(crate) fn name(number: i64) -> String {
    let found = KNOWN.iter().chain(&OLD).find(|(known, _)| *known == number);
    found.map_or_else(|| format!("call {number}"), |(_, name)| (*name).to_owned())
}
