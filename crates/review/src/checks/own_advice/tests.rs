use lessons_lesson::{LessonId, Mode, SampleCall, TopicId};
use lessons_pattern::TriggerKind;

use super::*;

fn lesson(unless: &[&str]) -> Lesson {
    let rule = "Do not use `git stash` alone; use `git stash -u`";
    let mut lesson = Lesson::new(LessonId::new("a").unwrap(), rule, TopicId::new("t").unwrap(), "2026-01-01");
    let on = |pattern: &str| Trigger::new(TriggerKind::CommandPattern, pattern);
    lesson.triggers = vec![on(r"\bgit\s+stash\b")];
    lesson.unless = unless.iter().map(|pattern| on(pattern)).collect();
    lesson
}

#[test]
fn a_lesson_that_fires_on_its_own_advice_is_warned_of() {
    assert_eq!(fired(&lesson(&[])), ["git stash -u"]);
    assert!(fired(&lesson(&[r"(?:^|\s)-u\b"])).is_empty());
    let mut refusing = lesson(&[]);
    refusing.mode = Mode::Bump;
    let warnings = warnings(&refusing);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].message.contains("blocks `git stash -u`"), "{}", warnings[0].message);
}

#[test]
fn a_reminder_is_kept_quiet_on_what_it_advises() {
    let mut reminder = lesson(&[]);
    let told = keep_quiet(&mut reminder).unwrap().message;
    assert_eq!(told, r"it keeps quiet on what it advises: unless cmd=(?:^|\s)-u\b");
    assert!(fired(&reminder).is_empty() && fires(&reminder, &SampleCall::bash("git stash")));
    assert!(keep_quiet(&mut reminder).is_none());
    let mut refusing = Lesson { mode: Mode::Bump, ..lesson(&[]) };
    assert!(keep_quiet(&mut refusing).is_none(), "a person adds what a block lets pass");
}

#[test]
fn a_keyword_may_find_what_is_advised() {
    let mut found = lesson(&[]);
    found.triggers = vec![Trigger::new(TriggerKind::Keyword, "git stash")];
    assert!(fired(&found).is_empty());
}

#[test]
fn a_pattern_that_is_none_is_not_tried() {
    let mut broken = lesson(&[]);
    broken.triggers = vec![Trigger::new(TriggerKind::CommandPattern, "(")];
    assert!(fired(&broken).is_empty());
}

/// A lesson that bumps: trigger, rule, the command that must be stopped, and the one that it advises.
const SENTENCES: [(&str, &str, &str, &str); 40] = [
    (r"^git\s+commit\b", "Commit with `git commit -s`", "git commit", "git commit -s"),
    (r"\bgit\s+commit\b", "Every commit is signed off: `git commit -s`.", "git commit -a", "git commit -s"),
    (
        r"\bkubectl\s+apply\b",
        "Always pass `-n shop-dev`",
        "kubectl apply -f a",
        "kubectl apply -f a -n shop-dev",
    ),
    (
        r"\bkubectl\s+delete\b",
        "Add `--context dev` to it",
        "kubectl delete pod a",
        "kubectl delete pod a --context dev",
    ),
    (r"\bpytest\b", "Only ever run `pytest` via `uv run pytest`", "pytest", "uv run pytest"),
    (r"\bmake\s+seed\b", "Seed with `make seed DB=local`", "make seed", "make seed DB=local"),
    (r"\bmake\s+seed\b", "Set `DB=local` first", "make seed", "make seed DB=local"),
    (
        r"\bmake\s+seed\b",
        "The local database is seeded by `DB=local make seed`",
        "make seed",
        "DB=local make seed",
    ),
    (
        r"\bnpm\s+run\s+lint\b",
        "Go through `npm run lint -- --cache`",
        "npm run lint",
        "npm run lint -- --cache",
    ),
    (r"\bterraform\s+apply\b", "Never without `-target`", "terraform apply", "terraform apply -target"),
    (
        r"\bterraform\s+apply\b",
        "Do not forget `-var-file=dev.tfvars`",
        "terraform apply",
        "terraform apply -var-file=dev.tfvars",
    ),
    (
        r"\bterraform\s+destroy\b",
        "`terraform destroy -target=module.web` is what we do here",
        "terraform destroy",
        "terraform destroy -target=module.web",
    ),
    (
        r"\bgit\s+stash\b",
        "`git stash` leaves new files behind: take `git stash -u`",
        "git stash",
        "git stash -u",
    ),
    (
        r"\bgit\s+push\b",
        "Push to your fork, `git push fork HEAD`, never to upstream",
        "git push",
        "git push fork HEAD",
    ),
    (
        r"\bgit\s+push\s+--force",
        "If you must, `git push --force-with-lease` is fine",
        "git push --force",
        "git push --force-with-lease",
    ),
    (r"\bgit\s+push\b", "Don't push without `git push --dry-run` first", "git push", "git push --dry-run"),
    (r"\bgit\s+pull\b", "We keep history straight, so `git pull --rebase`", "git pull", "git pull --rebase"),
    (
        r"\bgit\s+clone\b",
        "Clone shallow (`git clone --depth 1 URL`)",
        "git clone https://a/b",
        "git clone --depth 1 URL",
    ),
    (
        r"\bgit\s+rebase\b",
        "Rebasing happens with `git rebase --autosquash main`",
        "git rebase main",
        "git rebase --autosquash main",
    ),
    (
        r"\bnpm\s+install\b",
        "Lock it: `npm install --save-exact x`",
        "npm install x",
        "npm install --save-exact x",
    ),
    (
        r"\bnpm\s+install\b",
        "Install packages via `corepack npm install`",
        "npm install",
        "corepack npm install",
    ),
    (
        r"\bnpm\s+test\b",
        "Test inside the container: `docker compose exec web npm test`",
        "npm test",
        "docker compose exec web npm test",
    ),
    (
        r"\bcargo\s+test\b",
        "Tests need features; `cargo test --all-features` has them",
        "cargo test",
        "cargo test --all-features",
    ),
    (
        r"\bcargo\s+publish\b",
        "Nothing but `cargo publish --dry-run`",
        "cargo publish",
        "cargo publish --dry-run",
    ),
    (
        r"\bcargo\s+update\b",
        "Update one package at a time, as in `cargo update -p serde`",
        "cargo update",
        "cargo update -p serde",
    ),
    (
        r"\bdocker\s+build\b",
        "Builds want `docker build --platform linux/amd64 .`",
        "docker build .",
        "docker build --platform linux/amd64 .",
    ),
    (r"\bdocker\s+compose\s+up\b", "Detach with `-d`", "docker compose up", "docker compose up -d"),
    (
        r"\bdocker\s+run\b",
        "Containers go away by themselves: `docker run --rm`",
        "docker run a",
        "docker run --rm",
    ),
    (
        r"\brails\s+db:migrate\b",
        "Migrate in test, i.e. `RAILS_ENV=test rails db:migrate`",
        "rails db:migrate",
        "RAILS_ENV=test rails db:migrate",
    ),
    (
        r"\bpip\s+install\b",
        "Inside the venv it is `.venv/bin/python -m pip install x`",
        "pip install x",
        ".venv/bin/python -m pip install x",
    ),
    (r"\bpip\s+install\b", "Take `uv pip install x` instead", "pip install x", "uv pip install x"),
    (r"\brsync\b", "Look first: `rsync -n a b`", "rsync a b", "rsync -n a b"),
    (r"\brm\s+-rf\b", "Ask before each file, `rm -rf -I build`", "rm -rf build", "rm -rf -I build"),
    (r"\bpsql\b", "Connect read-only: `psql service=ro`", "psql prod", "psql service=ro"),
    (
        r"\bansible-playbook\b",
        "A run must be limited, `--limit staging`",
        "ansible-playbook site.yml",
        "ansible-playbook site.yml --limit staging",
    ),
    (
        r"\bhelm\s+upgrade\b",
        "`--atomic` belongs to every upgrade",
        "helm upgrade web",
        "helm upgrade web --atomic",
    ),
    (
        r"\bgo\s+build\b",
        "Static binaries: `CGO_ENABLED=0 go build ./...`",
        "go build ./...",
        "CGO_ENABLED=0 go build ./...",
    ),
    (
        r"\bbundle\s+update\b",
        "Be conservative (`bundle update --conservative rails`)",
        "bundle update",
        "bundle update --conservative rails",
    ),
    (
        r"\bmake\s+deploy\b",
        "Deploy to staging only: `make deploy ENV=staging`",
        "make deploy",
        "make deploy ENV=staging",
    ),
    (
        r"\baws\s+s3\s+sync\b",
        "Syncing needs a look at `aws s3 sync a b --dryrun` before",
        "aws s3 sync a b",
        "aws s3 sync a b --dryrun",
    ),
];

#[test]
fn no_bump_stops_what_its_rule_advises_however_it_is_worded_and_the_exception_is_proposed() {
    for (trigger, rule, stopped, advised) in SENTENCES {
        let mut bump = lesson(&[]);
        (bump.mode, bump.rule) = (Mode::Bump, rule.to_owned());
        bump.triggers = vec![Trigger::new(TriggerKind::CommandPattern, trigger)];
        bump.examples.fires = vec![SampleCall::bash(stopped)];
        assert_eq!(fired(&bump), [advised], "{rule}");
        let exceptions = exceptions(&bump);
        assert!(exceptions.is_some(), "{rule}: nothing tells them apart");
        bump.unless.extend(exceptions.unwrap_or_default());
        assert!(fired(&bump).is_empty(), "{rule}");
        bump.examples.quiet = vec![SampleCall::bash(advised)];
        let id =
            lessons_lesson::id::QualifiedId { layer: lessons_lesson::id::Layer::User, id: bump.id.clone() };
        let failing = lessons_manifest_builder::examples::try_lesson(&id, &bump, &Patterns::default());
        assert_eq!(failing, Ok(Vec::new()), "{rule}: {:?}", bump.unless);
    }
}

#[test]
fn a_rule_that_only_names_what_is_wrong_may_be_a_bump() {
    for (trigger, rule, stopped) in [
        (r"\bmake\s+seed\b", "`make seed` empties the staging database; ask first", "make seed"),
        (r"\bgit\s+push\b", "Before `git push`, run the tests", "git push"),
        (r"\bgit\s+push\b", "Run the tests before `git push origin main`", "git push"),
        (
            r"\bterraform\s+apply\b",
            "Never run `terraform apply -auto-approve`",
            "terraform apply -auto-approve",
        ),
        (r"\bnpm\s+install\b", "Instead of `npm install x`, use `pnpm add x`", "npm install x"),
        (
            r"\bdocker\s+compose\s+down\b.*\s-v\b",
            "Use `docker compose down` without `-v`",
            "docker compose down -v",
        ),
        (r"\bgit\s+checkout\b", "Running `git checkout` drops what is not committed", "git checkout"),
        (r"\bgit\s+reset\s+--hard\b", "Don't; `git reset --hard` must not be used here", "git reset --hard"),
    ] {
        let mut bump = lesson(&[]);
        (bump.mode, bump.rule) = (Mode::Bump, rule.to_owned());
        bump.triggers = vec![Trigger::new(TriggerKind::CommandPattern, trigger)];
        bump.examples.fires = vec![SampleCall::bash(stopped)];
        assert!(fired(&bump).is_empty(), "{rule}: {:?}", fired(&bump));
    }
}
