//! The longer lists of the table of programs: mostly the options with values that stand between a program and what it starts,
//! and between a program and its subcommand.
//!
//! Options are separated by spaces, subcommands by commas.

use crate::known::{UP_TO_DASHES, WrapperOptions, own};

/// What stands between `docker exec` or `docker run` and the command: options, and the container or the image.
pub(super) const DOCKER: WrapperOptions = own(
    "-e --env --env-file -u --user -w --workdir --detach-keys --index -v --volume --mount --name -p --publish \
     --network --net --entrypoint -l --label --platform --restart -h --hostname -m --memory --cpus --gpus \
     --add-host --cap-add --security-opt --pull --ulimit --tmpfs -f --file --profile --project-name",
    1,
);
/// The options of `docker compose` in front of its subcommand.
pub(super) const COMPOSE: &str =
    "-f --file -p --project-name --project-directory --profile --env-file --ansi --progress --parallel";
/// The options of `docker` in front of its subcommand.
pub(super) const DOCKER_GLOBALS: &str = "-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey --url --identity --connection";
/// The options of `kubectl` that say where.
pub(super) const KUBECTL_GLOBALS: &str = "-n --namespace --context --kubeconfig --cluster --user -s --server --token --as \
                               --as-group --request-timeout -v --certificate-authority --client-key --cache-dir";
/// What stands between `kubectl exec` and the command.
pub(super) const KUBECTL: WrapperOptions = own("", UP_TO_DASHES);
/// The options of `uv run` and programs like it.
pub(super) const PYTHON_RUN: WrapperOptions = own(
    "-p --python --from --with --with-requirements --with-editable --extra --group --project --directory --package \
     --env-file -C -P -e --env",
    0,
);
/// The options of `npx` and programs like it.
pub(super) const NPX: WrapperOptions =
    own("-p --package -w --workspace --prefix --registry --cache -C --dir --filter -F", 0);
/// The options of PowerShell with a value. What `-Command` says goes on to the end of the line.
pub(super) const POWERSHELL: WrapperOptions =
    own("-ExecutionPolicy -ep -ex -WorkingDirectory -wd -Version -InputFormat -OutputFormat", 0);
/// What stands between `ssh` and the command.
pub(super) const SSH: WrapperOptions =
    own("-p -i -l -o -F -J -L -R -D -b -c -e -I -m -M -O -Q -S -W -w -B -E", 1);
/// The options of `conda run` and programs like it.
pub(super) const CONDA: WrapperOptions = own("-n --name -p --prefix --cwd", 0);
/// The options of a shell for SQL that say where the database is.
pub(super) const SQL_GLOBALS: &str =
    "-h --host -P -p --port -U -u --user --username -d --dbname -D --database -S --socket";
/// The options of Gradle in front of its tasks.
pub(super) const GRADLE: &str = "-p --project-dir -b --build-file -c --settings-file -g --gradle-user-home -I --init-script \
                      --console --max-workers";
/// The options of Maven in front of its goals.
pub(super) const MAVEN: &str =
    "-f --file -pl --projects -P --activate-profiles -s --settings -T --threads -rf --resume-from";
/// The calls of Python that run a command.
pub(super) const PYTHON_CALLS: &str =
    "system popen run call check_call check_output Popen getoutput getstatusoutput";
/// The calls of Node that run a command.
pub(super) const NODE_CALLS: &str = "exec execSync spawn spawnSync execFile execFileSync";
/// The options of `aws` with a value, and without.
pub(super) const AWS_GLOBALS: &str = "--profile --region --output --endpoint-url --query --ca-bundle --color --cli-read-timeout \
                           --cli-connect-timeout";
pub(super) const AWS_SWITCHES: &str =
    "--no-cli-pager --debug --no-paginate --no-verify-ssl --no-sign-request";
/// The options of `gcloud` with a value.
pub(super) const GCLOUD_GLOBALS: &str = "--project --account --configuration --format --verbosity --billing-project --impersonate-service-account";
/// The options of `git` in front of its subcommand, and the subcommands that only look.
pub(super) const GIT_GLOBALS: &str =
    "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source";
pub(super) const GIT_INSPECTIONS: &str =
    "blame, branch, describe, diff, grep, log, ls-files, reflog, remote, rev-parse, show, status, tag";
/// The options of `make` with a value, and without.
pub(super) const MAKE_GLOBALS: &str =
    "-C --directory -f --file --makefile -I --include-dir -o --old-file -W --what-if";
pub(super) const MAKE_SWITCHES: &str =
    "-j -k -s -B -w -i --jobs --keep-going --silent --always-make --no-print-directory";
/// The options of `redis-cli` with a value, and without.
pub(super) const REDIS_GLOBALS: &str = "-h -p -n -a -u --user --pass -s -i -r -t --cacert --cert --key";
pub(super) const REDIS_SWITCHES: &str = "--tls --raw --no-raw --no-auth-warning -c --insecure -3";
/// What stands between `xargs` and the command.
pub(super) const XARGS: WrapperOptions = own(
    "-I -n -P -L -d -a -s -E -J -R --max-args --max-procs --max-lines --delimiter --arg-file --max-chars \
     --process-slot-var",
    0,
);
