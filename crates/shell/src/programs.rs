//! The one table of programs that are known by name.
//!
//! Readers of command lines, the approval check, the detectors of mistakes, proposals of triggers,
//! replays, and the checks of patterns all ask here. A program that is not listed has no role. For the
//! detectors a missing name costs precision, and a name too many costs recall.

use super::known::ChangeMethod::{
    Alters, AltersBySql, AltersFound, Moves, Removes, WritesInPlace, WritesOperands, WritesOutputFile,
    WritesTarget, WritesValues,
};
use super::known::ProgramRole::{
    Basic, ChecksFiles, ChecksTasks, CopiesInput, Inspects, Interpreter, Launcher, NeutralPrefix, Operands,
    Prints, TaskRunner, TriggerPrefix, VersionControl,
};
use super::known::StartMethod::{
    CommandOption, Container, ExecOption, FirstOperandAsText, Rest, RestAsText, RestRepeated, Shell, Sources,
    WordsAsText,
};
use super::known::{KnownProgram, ProgramRole, own, row};

/// All known programs, in the order of their names.
static PROGRAMS: [KnownProgram; 256] = [
    row(".", &[]).starts(Sources),
    row("[", &[Inspects]),
    row("ack", &[Inspects]),
    row("ag", &[Inspects]),
    row("ash", &[]).starts(Shell),
    row("aspell", &[Inspects]),
    row("ava", &[ChecksFiles]),
    row("awk", &[Inspects, Operands]).changes(WritesInPlace, "-e -f -F -i -v"),
    row("aws", &[]).nests("*"),
    row("az", &[]).nests("*"),
    row("bandit", &[ChecksFiles]),
    row("basename", &[Inspects]),
    row("bash", &[Interpreter, Operands]).starts(Shell),
    row("bats", &[ChecksFiles]),
    row("biome", &[ChecksTasks]),
    row("black", &[ChecksFiles, Operands]),
    row("brakeman", &[ChecksFiles]),
    row("builtin", &[]).starts(Rest(own("", 0))),
    row("bun", &[Interpreter, TaskRunner]).checks("test").nests("pm, run"),
    row("bundle", &[]).launches("exec").nests("exec"),
    row("bunx", &[Launcher, TaskRunner, TriggerPrefix]),
    row("busybox", &[]).starts(Rest(own("", 0))),
    row("caffeinate", &[]).starts(Rest(own("-t -w", 0))),
    row("cargo", &[])
        .inspects("metadata, search, tree")
        .checks("bench, build, check, clippy, doc, fmt, nextest run, run, test, xtask")
        .nests("nextest, xtask"),
    row("cat", &[Inspects, Operands, CopiesInput]),
    row("cd", &[Inspects, Operands]),
    row("checkpatch.pl", &[ChecksFiles]),
    row("chgrp", &[Operands]).changes(Alters, ""),
    row("chmod", &[Basic, Operands]).changes(Alters, ""),
    row("chown", &[Basic, Operands]).changes(Alters, ""),
    row("chroot", &[]).starts(Rest(own("", 1))),
    row("chrt", &[]).starts(Rest(own("-T -P -D", 1))),
    row("clang", &[ChecksFiles]),
    row("clang-tidy", &[ChecksFiles]),
    row("command", &[Inspects, TriggerPrefix, NeutralPrefix]).starts(Rest(own("", 0))),
    row("cp", &[Basic, Operands]).changes(WritesTarget, "-S -t --suffix --target-directory"),
    row("cppcheck", &[ChecksFiles]),
    row("ctest", &[ChecksFiles]),
    row("curl", &[Inspects, Operands]).changes(WritesValues, "-o --output --output-dir"),
    row("cut", &[Inspects]),
    row("cypress", &[ChecksTasks]),
    row("dash", &[]).starts(Shell),
    row("dd", &[]).changes(WritesOutputFile, ""),
    row("deno", &[Interpreter]).checks("check, fmt, lint, test"),
    row("detekt", &[ChecksFiles]),
    row("df", &[Inspects]),
    row("diff", &[Inspects, Operands]),
    row("dig", &[Inspects]),
    row("dirname", &[Inspects]),
    row("doas", &[TriggerPrefix]).starts(Rest(own("-u -C", 0))),
    row("docker", &[])
        .starts(Container)
        .inspects("images, inspect, logs, ps, version")
        .nests("builder, buildx, compose, container, image, network, system, volume"),
    row("docker-compose", &[]).starts(Container),
    row("dotnet", &[ChecksTasks]),
    row("du", &[Inspects, Operands]),
    row("echo", &[Inspects, Operands, Prints]),
    row("ed", &[]).changes(WritesOperands, ""),
    row("emacs", &[]).changes(WritesOperands, ""),
    row("env", &[Inspects, TriggerPrefix, NeutralPrefix]).starts(Rest(own("-u --unset -C --chdir", 0))),
    row("eslint", &[ChecksFiles, Operands]),
    row("eval", &[]).starts(WordsAsText),
    row("ex", &[]).changes(WritesOperands, ""),
    row("exec", &[TriggerPrefix, NeutralPrefix]).starts(Rest(own("-a", 0))),
    row("export", &[Basic]),
    row("false", &[Inspects]),
    row("fd", &[Inspects, Operands]).starts(ExecOption),
    row("fdfind", &[]).starts(ExecOption),
    row("file", &[Inspects]),
    row("find", &[Inspects, Operands]).changes(AltersFound, "").starts(ExecOption),
    row("fish", &[]).starts(Shell),
    row("flake8", &[ChecksFiles]),
    row("flock", &[]).starts(Rest(own("-w --timeout -E", 1))),
    row("g++", &[ChecksFiles]),
    row("gawk", &[Inspects, Operands]).changes(WritesInPlace, "-e -f -F -i -v"),
    row("gcc", &[ChecksFiles]),
    row("gcloud", &[]).nests("*"),
    row("gdb", &[Inspects]),
    row("gh", &[])
        .inspects("auth status, issue list, issue view, pr list, pr view, release view, run view")
        .checks("pr checks, run watch")
        .nests("*"),
    row("git", &[VersionControl])
        .inspects(
            "blame, branch, describe, diff, grep, log, ls-files, reflog, remote, rev-parse, \
             show, status, tag",
        )
        .checks("am, apply, bisect, cherry-pick, commit, diff, merge, rebase, revert")
        .nests("bisect, lfs, notes, reflog, remote, sparse-checkout, stash, submodule, worktree"),
    row("git-grep", &[Inspects]),
    row("glab", &[]).nests("*"),
    row("go", &[ChecksTasks]).nests("mod, tool, work"),
    row("golangci-lint", &[ChecksTasks]),
    row("gradle", &[ChecksTasks]),
    row("gradlew", &[ChecksTasks]),
    row("grep", &[Inspects, Operands]),
    row("gunzip", &[Operands]).changes(Alters, ""),
    row("gzip", &[Operands]).changes(Alters, ""),
    row("hadolint", &[ChecksFiles]),
    row("head", &[Inspects, Operands]),
    row("helm", &[]).checks("lint, template").nests("repo"),
    row("hg", &[VersionControl]),
    row("host", &[Inspects]),
    row("install", &[])
        .changes(WritesTarget, "-g -m -o -S -t --group --mode --owner --suffix --target-directory"),
    row("ionice", &[]).starts(Rest(own("-c --class -n --classdata", 0))),
    row("jasmine", &[ChecksFiles]),
    row("java", &[ChecksFiles]),
    row("javac", &[ChecksFiles]),
    row("jest", &[ChecksFiles, Operands]),
    row("jj", &[VersionControl]),
    row("jq", &[Inspects, Operands]),
    row("just", &[ChecksTasks]),
    row("kill", &[Inspects, Operands]),
    row("killall", &[Operands]),
    row("ksh", &[]).starts(Shell),
    row("ktlint", &[ChecksFiles]),
    row("kubectl", &[])
        .starts(Container)
        .inspects("describe, explain, get, logs, top, version")
        .checks("apply, rollout status, wait")
        .nests("config, rollout, delete"),
    row("less", &[Inspects, Operands]),
    row("ln", &[Basic, Operands]).changes(WritesTarget, "-S -t --suffix --target-directory"),
    row("locate", &[Inspects]),
    row("ls", &[Inspects, Operands]),
    row("lsof", &[Inspects]),
    row("ltrace", &[]).starts(Rest(own("-o -e -u -s -a -n", 0))),
    row("lxc", &[]).starts(Container),
    row("lychee", &[ChecksFiles]),
    row("make", &[ChecksTasks]),
    row("man", &[Inspects]),
    row("markdownlint", &[ChecksFiles]),
    row("mise", &[]).checks("exec, r, run, x"),
    row("mkdir", &[Basic, Operands]).changes(Alters, ""),
    row("mksh", &[]).starts(Shell),
    row("mocha", &[ChecksFiles, Operands]),
    row("more", &[Operands]),
    row("mv", &[Basic, Operands]).changes(Moves, "-S -t --suffix --target-directory"),
    row("mvn", &[ChecksTasks]),
    row("mvnw", &[ChecksTasks]),
    row("mypy", &[ChecksFiles, Operands]),
    row("mysql", &[Operands]),
    row("nano", &[Operands]).changes(WritesOperands, ""),
    row("nerdctl", &[]).starts(Container),
    row("nice", &[TriggerPrefix, NeutralPrefix]).starts(Rest(own("-n --adjustment", 0))),
    row("ninja", &[ChecksTasks]),
    row("nm", &[Inspects]),
    row("node", &[Interpreter, Operands]),
    row("nohup", &[TriggerPrefix, NeutralPrefix]).starts(Rest(own("", 0))),
    row("nox", &[ChecksTasks]),
    row("npm", &[TaskRunner])
        .inspects("audit, info, list, ls, outdated, view, why")
        .checks("audit, run build, run lint, run test, run typecheck, start, test")
        .nests("exec, run, run-script"),
    row("npx", &[Launcher, TaskRunner, TriggerPrefix]),
    row("nslookup", &[Inspects]),
    row("nvim", &[]).changes(WritesOperands, ""),
    row("objdump", &[Inspects]),
    row("oc", &[]).starts(Container),
    row("parallel", &[])
        .starts(RestRepeated(own("-j --jobs -I -a --arg-file -S --delay --timeout -n -N", 0))),
    row("patch", &[]).changes(WritesOperands, "-d -F -i -o -p -r"),
    row("perl", &[Interpreter]).changes(WritesInPlace, "-e -E -I -M"),
    row("pgrep", &[Inspects, Operands]),
    row("php", &[Interpreter]),
    row("phpstan", &[ChecksFiles]),
    row("phpunit", &[ChecksFiles]),
    row("ping", &[Inspects, Operands]),
    row("pio", &[ChecksTasks]),
    row("pip", &[]).inspects("freeze, list, show"),
    row("pipenv", &[]).launches("run"),
    row("pipx", &[TriggerPrefix]),
    row("pkill", &[Inspects, Operands]),
    row("playwright", &[ChecksTasks]),
    row("pnpm", &[TaskRunner])
        .launches("dlx, exec")
        .checks("build, lint, run build, run lint, run test, test")
        .nests("dlx, exec, run"),
    row("pnpx", &[TaskRunner]),
    row("podman", &[]).starts(Container).nests("compose, container, image, machine, network, system, volume"),
    row("poetry", &[]).launches("run").nests("env, run, self"),
    row("prettier", &[ChecksFiles, Operands]),
    row("printenv", &[Inspects]),
    row("printf", &[Prints]),
    row("ps", &[Inspects]),
    row("psql", &[Operands]),
    row("pwd", &[Inspects]),
    row("pylint", &[ChecksFiles, Operands]),
    row("pyright", &[ChecksFiles]),
    row("pytest", &[ChecksFiles, Operands]),
    row("python", &[Interpreter, Operands]),
    row("python2", &[Interpreter, Operands]),
    row("python3", &[Interpreter, Operands]),
    row("rails", &[]).nests("db"),
    row("rbash", &[]).starts(Shell),
    row("readlink", &[Inspects]),
    row("realpath", &[Inspects]),
    row("rg", &[Inspects, Operands]),
    row("rm", &[Basic, Operands]).changes(Removes, ""),
    row("rmdir", &[Basic, Operands]).changes(Removes, ""),
    row("rspec", &[ChecksFiles]),
    row("rsync", &[Operands]).changes(WritesTarget, "-e -f --exclude --filter --include --rsh"),
    row("rubocop", &[ChecksFiles]),
    row("ruby", &[Interpreter, Operands]).changes(WritesInPlace, "-e -I -r"),
    row("ruff", &[ChecksTasks, Operands]),
    row("runuser", &[]).starts(CommandOption),
    row("rustc", &[ChecksFiles]),
    row("rustup", &[]).nests("component, target, toolchain"),
    row("sbt", &[ChecksTasks]),
    row("scalafmt", &[ChecksFiles]),
    row("scp", &[Operands]).changes(WritesTarget, "-c -F -i -J -l -o -P -S"),
    row("script", &[]).starts(CommandOption),
    row("sed", &[Operands]).changes(WritesInPlace, "-e -f --expression --file"),
    row("setsid", &[]).starts(Rest(own("", 0))),
    row("sh", &[Interpreter, Operands]).starts(Shell),
    row("shellcheck", &[ChecksFiles, Operands]),
    row("shred", &[]).changes(Removes, ""),
    row("sleep", &[Basic]),
    row("sort", &[Inspects, Operands]).changes(WritesValues, "-o --output"),
    row("source", &[Operands]).starts(Sources),
    row("sponge", &[]).changes(WritesOperands, ""),
    row("sqlite3", &[Operands]).changes(AltersBySql, ""),
    row("ssh", &[Operands]),
    row("stat", &[Inspects]),
    row("stdbuf", &[]).starts(Rest(own("-i --input -o --output -e --error", 0))),
    row("strace", &[]).starts(Rest(own("-o -e -E -u -P -s -a -b -I -O -S -X", 0))),
    row("strings", &[Inspects]),
    row("stylelint", &[ChecksFiles]),
    row("su", &[]).starts(CommandOption),
    row("sudo", &[TriggerPrefix])
        .starts(Rest(own("-u --user -g --group -h --host -p --prompt -C -D -R -r -t -T -U", 0))),
    row("svn", &[VersionControl]),
    row("swift", &[ChecksTasks]),
    row("systemctl", &[]).nests("*"),
    row("tail", &[Inspects, Operands]),
    row("tar", &[Operands]).changes(WritesValues, "-C --directory"),
    row("taskset", &[]).starts(Rest(own("", 1))),
    row("tee", &[Operands, CopiesInput]).changes(WritesOperands, ""),
    row("terraform", &[]).checks("fmt, validate").nests("state, workspace"),
    row("test", &[Inspects, Operands]),
    row("time", &[TriggerPrefix, NeutralPrefix]).starts(Rest(own("-f --format -o --output", 0))),
    row("timeout", &[NeutralPrefix]).starts(Rest(own("-s --signal -k --kill-after", 1))),
    row("touch", &[Basic, Operands]).changes(WritesOperands, "-d -r -t --date --reference"),
    row("tox", &[ChecksTasks]),
    row("toybox", &[]).starts(Rest(own("", 0))),
    row("trap", &[]).starts(FirstOperandAsText),
    row("tree", &[Inspects]),
    row("true", &[Inspects]),
    row("truncate", &[]).changes(WritesOperands, "-r -s --reference --size"),
    row("ts-node", &[Interpreter]),
    row("tsc", &[ChecksFiles, Operands]),
    row("tsx", &[Interpreter, Operands]),
    row("type", &[Inspects]),
    row("unbuffer", &[]).starts(Rest(own("", 0))),
    row("uniq", &[Inspects]),
    row("unlink", &[]).changes(Removes, ""),
    row("unzip", &[Operands]).changes(WritesValues, "-d"),
    row("uv", &[]).launches("run").nests("pip, python, run, tool"),
    row("uvx", &[Launcher, TriggerPrefix]),
    row("vi", &[Operands]).changes(WritesOperands, ""),
    row("vim", &[Operands]).changes(WritesOperands, ""),
    row("vite", &[ChecksTasks]),
    row("vitest", &[ChecksTasks]),
    row("wait", &[Basic]),
    row("watch", &[]).starts(RestAsText(own("-n --interval -q", 0))),
    row("wc", &[Inspects, Operands]),
    row("wget", &[Inspects, Operands]).changes(WritesValues, "-O -P"),
    row("whereis", &[Inspects]),
    row("which", &[Inspects, Operands]),
    row("whoami", &[Inspects]),
    row("xargs", &[Inspects, Operands]).starts(RestRepeated(own(
        "-I -n -P -L -d -a -s -E -J -R --max-args --max-procs --max-lines --delimiter \
             --arg-file --max-chars --process-slot-var",
        0,
    ))),
    row("xcodebuild", &[ChecksTasks]),
    row("xmllint", &[ChecksFiles]),
    row("yamllint", &[ChecksFiles]),
    row("yarn", &[TaskRunner])
        .launches("dlx")
        .checks("build, lint, run build, run test, test")
        .nests("dlx, run, workspace"),
    row("yq", &[Inspects]),
    row("zig", &[ChecksTasks]),
    row("zip", &[Operands]),
    row("zsh", &[Interpreter, Operands]).starts(Shell),
];

/// How the names of programs that write files begin: for each first letter the second ones, a bit each. Every word of every
/// command is asked, and hardly one begins so.
static WRITERS: [u32; 26] = {
    let mut beginnings = [0; 26];
    let mut at = 0;
    while at < PROGRAMS.len() {
        if let [first @ b'a'..=b'z', second @ b'a'..=b'z', ..] = PROGRAMS[at].name.as_bytes()
            && PROGRAMS[at].change.writes()
        {
            beginnings[(*first - b'a') as usize] |= 1 << (*second - b'a');
        }
        at += 1;
    }
    beginnings
};

/// Whether a word is the name of a program that writes files.
pub fn names_writer(word: &[u8]) -> bool {
    let [first @ b'a'..=b'z', second @ b'a'..=b'z', ..] = word else { return false };
    let seconds = WRITERS.get(usize::from(first - b'a')).copied().unwrap_or_default();
    seconds >> (second - b'a') & 1 == 1
        && std::str::from_utf8(word)
            .is_ok_and(|word| known(word).is_some_and(|program| program.change.writes()))
}

/// The known program of this name, which is without its folder.
pub fn known(name: &str) -> Option<&'static KnownProgram> {
    let at = PROGRAMS.binary_search_by(|program| program.name.cmp(name)).ok()?;
    PROGRAMS.get(at)
}

/// Whether the program of this name has a role.
pub fn has_role(name: &str, role: ProgramRole) -> bool {
    known(name).is_some_and(|program| program.is(role))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_that_writes_is_known_by_how_its_name_begins() {
        for program in &PROGRAMS {
            assert_eq!(names_writer(program.name.as_bytes()), program.change.writes(), "{}", program.name);
        }
        assert!(["", "t", "te", "tees", "\u{e9}"].iter().all(|word| !names_writer(word.as_bytes())));
    }

    #[test]
    fn names_are_in_order_and_each_is_found() {
        assert!(PROGRAMS.is_sorted_by(|one, next| one.name < next.name));
        assert!(
            PROGRAMS
                .iter()
                .all(|program| known(program.name).is_some_and(|found| found.name == program.name))
        );
        assert!(known("").is_none() && known("no-such-program").is_none());
    }

    #[test]
    fn roles_and_subcommands_are_those_of_the_row() {
        assert!(has_role("cat", Inspects) && !has_role("cat", Basic) && !has_role("unknown", Inspects));
        let git = known("git").unwrap();
        assert!(git.inspects_with("status") && git.checks_with("commit") && git.nests_in("stash"));
        assert!(!git.inspects_with("") && !git.inspects_with("stat") && !git.nests_in("push"));
        assert!(known("aws").unwrap().nests_in("anything"));
        assert!(known("uv").unwrap().launches_with("run"));
        assert!(known("gh").unwrap().inspects_with("pr view"));
    }
}
