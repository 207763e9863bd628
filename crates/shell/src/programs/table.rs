//! The rows of the table of programs.

use crate::known::ChangeMethod::{
    Alters, AltersBySql, AltersFound, AltersTree, Moves, Removes, WritesInPlace, WritesOperands,
    WritesOutputFile, WritesTarget, WritesValues,
};
use crate::known::ProgramRole::{
    Basic, ChecksFiles, ChecksTasks, CopiesInput, Inspects, Interpreter, Launcher, NeutralPrefix, Operands,
    Prints, RunsInput, Sql, TaskRunner, TriggerPrefix, VersionControl,
};
use crate::known::StartMethod::{
    CommandOption, Container, ExecOption, FirstOperandAsText, Launches, LaunchesOperand, LaunchesOption,
    Remote, Rest, RestAsText, RestRepeated, Shell, Sources, WordsAsText,
};
use crate::known::{KnownProgram, UP_TO_DASHES, own, row};
use crate::programs::options::{
    AWS_GLOBALS, AWS_SWITCHES, COMPOSE, CONDA, DOCKER, DOCKER_GLOBALS, GCLOUD_GLOBALS, GIT_GLOBALS,
    GIT_INSPECTIONS, GRADLE, KUBECTL, KUBECTL_GLOBALS, MAKE_GLOBALS, MAKE_SWITCHES, MAVEN, NODE_CALLS, NPX,
    POWERSHELL, PYTHON_CALLS, PYTHON_RUN, REDIS_GLOBALS, REDIS_SWITCHES, SQL_GLOBALS, SSH, XARGS,
};

/// All known programs: those that are alike in one row, where the first of their names belongs.
pub(super) static ROWS: [KnownProgram; 207] = [
    row(".", &[]).starts(Sources),
    row(
        "[, ack, ag, aspell, basename, cut, df, dig, dirname, false, file, gdb, git-grep, host, \
         locate, lsof, man, nm, nslookup, objdump, printenv, ps, pwd, readlink, realpath, stat, \
         strings, tree, true, type, uniq, whereis, whoami",
        &[Inspects],
    ),
    row("asdf, pyenv, rbenv", &[]).starts(Launches("exec", own("", 0))),
    row("ash, dash, fish, ksh, mksh, rbash", &[]).starts(Shell),
    row("autossh", &[]).starts(Remote(SSH)),
    row(
        "ava, bandit, bats, brakeman, checkpatch.pl, clang, clang-tidy, cppcheck, ctest, detekt, \
         flake8, g++, gcc, hadolint, jasmine, java, javac, ktlint, lychee, markdownlint, phpstan, \
         phpunit, pyright, rspec, rubocop, rustc, scalafmt, stylelint, xmllint, yamllint",
        &[ChecksFiles],
    ),
    row("awk, gawk", &[Inspects, Operands]).changes(WritesInPlace, "-e -f -F -i -v"),
    row("aws", &[]).nests("*").global_options(AWS_GLOBALS, AWS_SWITCHES),
    row("aws-vault", &[]).starts(Launches("exec", own("-d --duration -r --region", 1))),
    row("az", &[])
        .nests("*")
        .global_options("--subscription -o --output --query", "--debug --only-show-errors"),
    row("bash, sh, zsh", &[Interpreter, Operands]).starts(Shell),
    row(
        "biome, cypress, dotnet, golangci-lint, nox, pio, playwright, sbt, swift, tox, vite, vitest, \
         xcodebuild, zig",
        &[ChecksTasks],
    ),
    row("black, eslint, jest, mocha, mypy, prettier, pylint, shellcheck, tsc", &[ChecksFiles, Operands]),
    row("bsdtar, tar", &[Operands]).changes(WritesValues, "-C --directory"),
    row(
        "builtin, busybox, catchsegv, chronic, cross-env, dumb-init, firejail, setsid, torsocks, \
         toybox, unbuffer, unshare",
        &[],
    )
    .starts(Rest(own("", 0))),
    row("bun", &[Interpreter, TaskRunner])
        .runs_code("-e --eval", NODE_CALLS)
        .starts(Launches("x", NPX))
        .checks("test")
        .nests("pm, run")
        .options_in_front("--cwd --env-file -c --config"),
    row("bundle", &[]).launches("exec").starts(Launches("exec", own("--gemfile", 0))).nests("exec"),
    row("bunx, npx", &[Launcher, TaskRunner, TriggerPrefix]).starts(LaunchesOperand("", NPX)),
    row("bzip2, chgrp, gunzip, gzip, umount, xz", &[Operands]).changes(Alters, ""),
    row("caffeinate", &[]).starts(Rest(own("-t -w", 0))),
    row("cargo", &[])
        .inspects("metadata, search, tree")
        .checks("bench, build, check, clippy, doc, fmt, nextest run, run, test, xtask")
        .nests("nextest, xtask")
        .options_in_front("--manifest-path -Z --config -C --color"),
    row("cat", &[Inspects, Operands, CopiesInput]),
    row(
        "cd, diff, du, head, jq, kill, less, ls, pgrep, ping, pkill, rg, tail, test, wc, which",
        &[Inspects, Operands],
    ),
    row("chamber, crictl, direnv", &[]).starts(Launches("exec", own("", 1))),
    row("chattr", &[]).changes(Alters, ""),
    row("chmod, chown, mkdir", &[Basic, Operands]).changes(Alters, ""),
    row("chroot, envchain, gosu, su-exec, taskset", &[]).starts(Rest(own("", 1))),
    row("chrt", &[]).starts(Rest(own("-T -P -D", 1))),
    row("cmd", &[]).starts(RestAsText(own("", 1))),
    row("colima", &[]).starts(Launches("ssh", KUBECTL)),
    row("command", &[Inspects, TriggerPrefix, NeutralPrefix]).starts(Rest(own("", 0))),
    row("concurrently", &[]).starts(LaunchesOperand("", own("-n --names -c --prefix-colors", 0))),
    row("conda, mamba, micromamba", &[]).starts(Launches("run", CONDA)),
    row("cp, ln", &[Basic, Operands]).changes(WritesTarget, "-S -t --suffix --target-directory"),
    row("cpio", &[]).changes(WritesValues, "-D --directory"),
    row("crontab", &[]).global_options("-u", ""),
    row("curl", &[Inspects, Operands])
        .changes(WritesValues, "-o --output --output-dir")
        .groups("afgGiIjJkLnNOpqRsSv"),
    row("dd", &[]).changes(WritesOutputFile, ""),
    row("ddev", &[]).starts(LaunchesOperand("exec", own("-s --service -d --dir", 0))),
    row("deno", &[Interpreter]).runs_code("eval", NODE_CALLS).checks("check, fmt, lint, test"),
    row("devbox", &[]).starts(Launches("run", own("-c --config -e --env --env-file", 0))),
    row("distrobox", &[]).starts(Launches("enter, run", KUBECTL)),
    row("ditto", &[Operands]).changes(WritesTarget, ""),
    row("doas", &[TriggerPrefix]).starts(Rest(own("-u -C", 0))),
    row("docker", &[])
        .starts(Container(DOCKER))
        .inspects("images, inspect, logs, ps, version")
        .nests("builder, buildx, compose, container, image, network, system, volume")
        .options_in_front(DOCKER_GLOBALS),
    row("docker build", &[]).groups("q"),
    row("docker compose, podman compose", &[]).options_in_front(COMPOSE),
    row("docker exec", &[]).groups("dit"),
    row("docker rm", &[]).groups("flv"),
    row("docker run", &[]).groups("ditP"),
    row("docker-compose", &[]).starts(Container(DOCKER)).options_in_front(COMPOSE),
    row("doppler", &[]).starts(Launches("run", own("-p --project -c --config -t --token --scope", 0))),
    row("dotenv", &[]).starts(LaunchesOperand("run", own("-e -f --file -v -p -c", 0))),
    row("dotenvx", &[]).starts(Launches("run", own("-f --env-file -e --env", 0))),
    row("duckdb", &[RunsInput, Sql]),
    row("echo", &[Inspects, Operands, Prints]),
    row("ed, emacs, ex, nvim, sponge", &[]).changes(WritesOperands, ""),
    row("entr", &[]).starts(RestRepeated(own("", 0))),
    row("env", &[Inspects, TriggerPrefix, NeutralPrefix]).starts(Rest(own("-u --unset -C --chdir", 0))),
    row("eval", &[]).starts(WordsAsText),
    row("exec", &[TriggerPrefix, NeutralPrefix]).starts(Rest(own("-a", 0))),
    row("export, sleep, wait", &[Basic]),
    row("fallocate", &[Operands]).changes(WritesOperands, "-l -o"),
    row("fd", &[Inspects, Operands]).starts(ExecOption),
    row("fdfind", &[]).starts(ExecOption),
    row("find", &[Inspects, Operands]).changes(AltersFound, "").starts(ExecOption),
    row("flock", &[]).starts(Rest(own("-w --timeout -E", 1))),
    row("fly, flyctl", &[]).starts(LaunchesOption("-C --command", own("-a --app", 9))),
    row("foreman", &[]).starts(Launches("run", own("-e --env -f --procfile", 0))),
    row("gcloud", &[]).nests("*").global_options(GCLOUD_GLOBALS, "--quiet -q --no-user-output-enabled"),
    row("gh", &[])
        .inspects("auth status, issue list, issue view, pr list, pr view, release view, run view")
        .checks("pr checks, run watch")
        .nests("*")
        .options_in_front("-R --repo --hostname"),
    row("git", &[VersionControl])
        .changes(AltersTree, "")
        .inspects(GIT_INSPECTIONS)
        .checks("am, apply, bisect, cherry-pick, commit, diff, merge, rebase, revert")
        .nests("bisect, lfs, notes, reflog, remote, sparse-checkout, stash, submodule, worktree")
        .starts(Launches("submodule foreach, bisect run", own("-C -c", 0)))
        .options_in_front(GIT_GLOBALS),
    row("git add", &[]).groups("AfinpuvN"),
    row("git branch", &[]).groups("acCdDflmMqrv"),
    row("git checkout", &[]).groups("dflmpqt"),
    row("git clean", &[]).groups("dfinqxX"),
    row("git commit", &[]).groups("aeinopqsvz"),
    row("git fetch", &[]).groups("afkmnpPqtuv46"),
    row("git merge", &[]).groups("nqsv"),
    row("git pull", &[]).groups("afkmnpqrstuv46"),
    row("git push", &[]).groups("dfnqu46v"),
    row("git rebase", &[]).groups("fiknqrv"),
    row("git reset", &[]).groups("Npq"),
    row("git rm", &[]).groups("fnqr"),
    row("git stash", &[]).groups("akpqSu"),
    row("git tag", &[]).groups("adfilnsv"),
    row("glab, systemctl", &[]).nests("*"),
    row("go", &[ChecksTasks]).nests("mod, tool, work"),
    row("gpg", &[Operands]).changes(WritesValues, "-o --output"),
    row("gradle, gradlew", &[ChecksTasks])
        .global_options(GRADLE, "-q -i -s --no-daemon --daemon --quiet --info --offline --parallel"),
    row("grep", &[Inspects, Operands]).groups("acEFGhHilLnoPqrRsvwxyzZ"),
    row("guix", &[]).starts(Launches("shell, environment", KUBECTL)),
    row("hatch, pdm, rye", &[]).starts(Launches("run", PYTHON_RUN)),
    row("helm", &[])
        .checks("lint, template")
        .nests("repo")
        .global_options("-n --namespace --kube-context --kubeconfig", "--debug"),
    row("heroku", &[]).starts(Launches("run", own("-a --app -s --size -r --remote", 0))),
    row("hg, jj, svn", &[VersionControl]),
    row("hyperfine", &[])
        .starts(LaunchesOperand("", own("-w --warmup -r --runs -m --min-runs -p --prepare", 0))),
    row("incus, lxc", &[]).starts(Container(KUBECTL)),
    row("infisical", &[]).starts(Launches("run", own("--env --path --projectId --token", 0))),
    row("install", &[])
        .changes(WritesTarget, "-g -m -o -S -t --group --mode --owner --suffix --target-directory"),
    row("ionice", &[]).starts(Rest(own("-c --class -n --classdata", 0))),
    row("just", &[ChecksTasks]).starts(LaunchesOption("-c --command", own("", 9))).global_options(
        "-f --justfile -d --working-directory --dotenv-path --color",
        "-q -v --quiet --verbose --yes",
    ),
    row("k", &[]).starts(Container(KUBECTL)).nests("delete").global_options(KUBECTL_GLOBALS, ""),
    row("killall, more, zip", &[Operands]),
    row("kubectl", &[])
        .starts(Container(KUBECTL))
        .inspects("describe, explain, get, logs, top, version")
        .checks("apply, rollout status, wait")
        .nests("config, rollout, delete")
        .global_options(KUBECTL_GLOBALS, ""),
    row("lando, spring", &[]).starts(LaunchesOperand("", own("", 0))),
    row("lerna", &[]).starts(Launches("exec", own("--scope --concurrency", 0))),
    row("limactl", &[]).starts(Launches("shell", own("--workdir", 1))),
    row("ltrace", &[]).starts(Rest(own("-o -e -u -s -a -n", 0))),
    row("lua", &[Interpreter]).runs_code("-e", "execute popen"),
    row("make", &[ChecksTasks]).global_options(MAKE_GLOBALS, MAKE_SWITCHES),
    row("mariadb, mysql", &[Operands, RunsInput, Sql]).global_options(SQL_GLOBALS, ""),
    row("mise", &[])
        .checks("exec, r, run, x")
        .starts(Launches("exec, x", own("-C --cd -E --env -j --jobs", UP_TO_DASHES))),
    row("mongo, mongosh", &[RunsInput]),
    row("mosh", &[]).starts(Remote(own("-p --port --ssh", 1))),
    row("mount", &[]).changes(WritesTarget, "-o"),
    row("multipass", &[]).starts(Launches("exec", KUBECTL)),
    row("mv", &[Basic, Operands]).changes(Moves, "-S -t --suffix --target-directory"),
    row("mvn, mvnw", &[ChecksTasks])
        .global_options(MAVEN, "-q -B -o -U -e -X --batch-mode --offline --quiet"),
    row("nano, vi, vim", &[Operands]).changes(WritesOperands, ""),
    row("nerdctl", &[]).starts(Container(DOCKER)).options_in_front(DOCKER_GLOBALS),
    row("nice", &[TriggerPrefix, NeutralPrefix]).starts(Rest(own("-n --adjustment", 0))),
    row("ninja", &[ChecksTasks]).global_options("-C -f -k -l", "-j -v --verbose --quiet"),
    row("nix", &[])
        .starts(LaunchesOption("-c --command", own("-I -f --file --override-input --inputs-from -k", 9))),
    row("nix-shell, runuser, script, su", &[]).starts(CommandOption),
    row("node", &[Interpreter, Operands, RunsInput]).runs_code("-e --eval -p --print -pe", NODE_CALLS),
    row("nodemon", &[]).starts(LaunchesOption("-x --exec", own("-w --watch -e --ext", 9))),
    row("nohup", &[TriggerPrefix, NeutralPrefix]).starts(Rest(own("", 0))),
    row("npm", &[TaskRunner])
        .inspects("audit, info, list, ls, outdated, view, why")
        .checks("audit, run build, run lint, run test, run typecheck, start, test")
        .starts(Launches("exec, x", NPX))
        .nests("exec, run, run-script")
        .options_in_front("--prefix -C -w --workspace --loglevel --registry --cache --userconfig"),
    row("oc", &[]).starts(Container(KUBECTL)).global_options(KUBECTL_GLOBALS, ""),
    row("op", &[]).starts(Launches("run", own("--env-file --account", 0))),
    row("osascript, ts-node", &[Interpreter]),
    row("parallel", &[])
        .starts(RestRepeated(own("-j --jobs -I -a --arg-file -S --delay --timeout -n -N", 0))),
    row("patch", &[]).changes(WritesOperands, "-d -F -i -o -p -r"),
    row("perl", &[Interpreter, RunsInput])
        .changes(WritesInPlace, "-e -E -I -M")
        .runs_code("-e -E -le -ne -pe", "` system exec"),
    row("php", &[Interpreter, RunsInput])
        .runs_code("-r", "` shell_exec exec system passthru popen proc_open"),
    row("pip", &[]).inspects("freeze, list, show"),
    row("pipenv", &[]).launches("run").starts(Launches("run", PYTHON_RUN)),
    row("pipx", &[TriggerPrefix]).starts(Launches("run", own("--spec --python --index-url", 0))),
    row("pixi", &[]).starts(Launches("run, exec", own("-e --environment --manifest-path", 0))),
    row("pkexec", &[]).starts(Rest(own("-u --user", 0))),
    row("pnpm", &[TaskRunner])
        .launches("dlx, exec")
        .starts(Launches("dlx, exec", NPX))
        .checks("build, lint, run build, run lint, run test, test")
        .nests("dlx, exec, run")
        .options_in_front("-C --dir --filter -F --prefix --config"),
    row("pnpx", &[TaskRunner]).starts(LaunchesOperand("", NPX)),
    row("podman", &[])
        .starts(Container(DOCKER))
        .nests("compose, container, image, machine, network, system, volume")
        .options_in_front(DOCKER_GLOBALS),
    row("poetry", &[])
        .launches("run")
        .starts(Launches("run", PYTHON_RUN))
        .nests("env, run, self")
        .options_in_front("-C --directory -P --project"),
    row("powershell, pwsh", &[]).starts(RestAsText(POWERSHELL)),
    row("printf", &[Prints]),
    row("proxychains, proxychains4", &[]).starts(Rest(own("-f", 0))),
    row("psql", &[Operands, RunsInput, Sql]).global_options(SQL_GLOBALS, "-q -t -A -X -w -W -1 -e -b -E"),
    row("pulumi", &[]).options_in_front("-C --cwd --color -v"),
    row("pytest", &[ChecksFiles, Operands]).groups("hlqsvx"),
    row("python, python2, python3", &[Interpreter, Operands, RunsInput])
        .starts(LaunchesOption("-m", own("-W -X", 0)))
        .runs_code("-c", PYTHON_CALLS),
    row("rails", &[]).nests("db"),
    row("railway", &[]).starts(Launches("run", own("-s --service -e --environment", 0))),
    row("redis-cli", &[RunsInput]).global_options(REDIS_GLOBALS, REDIS_SWITCHES),
    row("rm", &[Basic, Operands]).changes(Removes, "").groups("dfiIrRv"),
    row("rmdir", &[Basic, Operands]).changes(Removes, ""),
    row("rsync", &[Operands])
        .changes(WritesTarget, "-e -f --exclude --filter --include --rsh")
        .groups("aAbcdDgGhHiklLnNopPqrRstuvWxXyz"),
    row("rtk", &[]).starts(LaunchesOperand("proxy", own("", 0))),
    row("ruby", &[Interpreter, Operands, RunsInput])
        .changes(WritesInPlace, "-e -I -r")
        .runs_code("-e", "` system exec spawn popen"),
    row("ruff", &[ChecksTasks, Operands]),
    row("run0", &[]).starts(Rest(own("-u --user -g --group -D --chdir", 0))),
    row("rustup", &[]).nests("component, target, toolchain"),
    row("scp", &[Operands]).changes(WritesTarget, "-c -F -i -J -l -o -P -S"),
    row("screen", &[]).starts(LaunchesOperand("", own("-S -c -p -t", 0))),
    row("sed", &[Operands]).changes(WritesInPlace, "-e -f --expression --file"),
    row("setfacl", &[]).changes(Alters, "-m -M -x -X"),
    row("setpriv", &[]).starts(Rest(own("--reuid --regid --groups --bounding-set", 0))),
    row("shred, unlink", &[]).changes(Removes, ""),
    row("sops", &[]).starts(Launches("exec-env, exec-file", own("", 1))),
    row("sort", &[Inspects, Operands]).changes(WritesValues, "-o --output"),
    row("source", &[Operands]).starts(Sources),
    row("split", &[]).changes(WritesTarget, "-a -b -C -l -n"),
    row("sqlite3", &[Operands, RunsInput, Sql]).changes(AltersBySql, ""),
    row("ssh", &[Operands]).starts(Remote(SSH)),
    row("sshpass", &[]).starts(Rest(own("-p -f -d -P", 0))),
    row("stdbuf", &[]).starts(Rest(own("-i --input -o --output -e --error", 0))),
    row("strace", &[]).starts(Rest(own("-o -e -E -u -P -s -a -b -I -O -S -X", 0))),
    row("sudo", &[TriggerPrefix])
        .starts(Rest(own("-u --user -g --group -h --host -p --prompt -C -D -R -r -t -T -U", 0))),
    row("supabase", &[])
        .nests("db, migration")
        .global_options("--workdir --profile --dns-resolver --network-id -o --output", "--debug"),
    row("systemd-run", &[]).starts(Rest(own(
        "-p --property -u --unit --slice --uid --gid -E --setenv -M --working-directory",
        0,
    ))),
    row("tee", &[Operands, CopiesInput]).changes(WritesOperands, ""),
    row("terraform", &[]).checks("fmt, validate").nests("state, workspace").options_in_front(""),
    row("terragrunt", &[]).options_in_front("--terragrunt-working-dir --working-dir"),
    row("time", &[TriggerPrefix, NeutralPrefix]).starts(Rest(own("-f --format -o --output", 0))),
    row("timeout", &[NeutralPrefix]).starts(Rest(own("-s --signal -k --kill-after", 1))),
    row("tini", &[]).starts(Rest(own("-p -e", 0))),
    row("tmux", &[]).starts(Launches(
        "new, neww, new-session, new-window, split-window, run-shell, send, send-keys",
        own("-s -n -c -t -x -y -F -e", 0),
    )),
    row("tofu", &[]).nests("state, workspace").options_in_front(""),
    row("toolbox", &[]).starts(Launches("run", own("-c --container -d --distro -r --release", 0))),
    row("touch", &[Basic, Operands]).changes(WritesOperands, "-d -r -t --date --reference"),
    row("trap", &[]).starts(FirstOperandAsText),
    row("trash, trash-put", &[Operands]).changes(Removes, ""),
    row("trickle", &[]).starts(Rest(own("-d -u -s -w", 0))),
    row("truncate", &[]).changes(WritesOperands, "-r -s --reference --size"),
    row("tsx", &[Interpreter, Operands]),
    row("unzip", &[Operands]).changes(WritesValues, "-d"),
    row("uv", &[])
        .launches("run")
        .starts(Launches("run, tool run", PYTHON_RUN))
        .nests("pip, python, run, tool")
        .options_in_front("--project --directory --config-file --cache-dir --color"),
    row("uvx", &[Launcher, TriggerPrefix]).starts(LaunchesOperand("", PYTHON_RUN)),
    row("vagrant", &[]).starts(LaunchesOption("-c --command", own("", 9))),
    row("watch", &[]).starts(RestAsText(own("-n --interval -q", 0))),
    row("wget", &[Inspects, Operands]).changes(WritesValues, "-O -P"),
    row("wsl", &[]).starts(LaunchesOperand("", own("-d --distribution -u --user --cd", 0))),
    row("xargs", &[Inspects, Operands]).starts(RestRepeated(XARGS)),
    row("xvfb-run", &[]).starts(Rest(own("-e -f -n -p -s -w --server-args --server-num --error-file", 0))),
    row("yarn", &[TaskRunner])
        .launches("dlx")
        .starts(Launches("dlx, exec", NPX))
        .checks("build, lint, run build, run test, test")
        .nests("dlx, run, workspace")
        .options_in_front("--cwd --use-yarnrc"),
    row("yq", &[Inspects]).changes(WritesInPlace, ""),
];
