//! What can be known of a program: the columns of the table in [`super::programs`].

/// A role that a program plays for somebody who reads a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramRole {
    /// It only looks: finding nothing is an answer, and success changes nothing.
    Inspects,
    /// Everybody knows how to call it, so a failed call teaches nothing.
    Basic,
    /// Its failure is a judgement on the files that it is given: a linter, a compiler, a test runner.
    ChecksFiles,
    /// Its failure is a judgement on the code, and its first word names a task.
    ChecksTasks,
    /// It runs what is written in the project.
    Interpreter,
    /// In a proposed trigger its first word after the options is an operand and no subcommand.
    Operands,
    /// It downloads or finds the program that its next word names, and runs it: `npx`.
    Launcher,
    /// One of several interchangeable ways to run a task of the project: `npm`, `yarn`.
    TaskRunner,
    /// A proposed trigger keeps it in front of the program.
    TriggerPrefix,
    /// Whether it stands in front of a program makes no difference between two calls.
    NeutralPrefix,
    /// It may stand in front of a `lessons` that a person is asked about.
    PlainPrefix,
    /// It may read the guarded files without a question: it has no option that writes or runs anything.
    PlainReader,
    /// It prints its words.
    Prints,
    /// It copies its input to its output or into files.
    CopiesInput,
    /// It records versions of files, with messages.
    VersionControl,
    /// It talks to a server for merge requests and issues.
    Forge,
    /// It says where a program is, or hands its name on.
    NamesPrograms,
}

/// The way in which a program runs another command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartMethod {
    /// It runs nothing that its words name.
    Nothing,
    /// It runs the words after its own, once and as they stand: `sudo`, `timeout 5`.
    Rest(WrapperOptions),
    /// It runs the words after its own, often or with more arguments: `xargs`.
    RestRepeated(WrapperOptions),
    /// It gives the words after its own, joined, to a shell: `watch`.
    RestAsText(WrapperOptions),
    /// It gives all its words, joined, to a shell: `eval`.
    WordsAsText,
    /// It gives its first operand to a shell: `trap`.
    FirstOperandAsText,
    /// It gives the value of `-c` to a shell: `su`.
    CommandOption,
    /// It is a shell.
    Shell,
    /// The running shell reads the file that it names: `source`.
    Sources,
    /// It runs what follows `-exec` or an option like it: `find`.
    ExecOption,
    /// It starts a program in a container.
    Container,
}

/// The words that belong to a program which runs the words after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WrapperOptions {
    /// The options whose value is the next word, separated by spaces.
    values: &'static str,
    /// How many operands come before the command.
    pub(super) operands: u8,
}

/// The own words of a program: its options with a value, and the number of its operands.
pub(super) const fn own(values: &'static str, operands: u8) -> WrapperOptions {
    WrapperOptions { values, operands }
}

impl WrapperOptions {
    /// Whether the value of an option is the next word.
    pub(super) fn takes_value(self, option: &str) -> bool {
        self.values.split(' ').any(|known| known == option)
    }
}

/// A program that is known by its name. Lists of subcommands are separated by `, `.
#[derive(Debug, Clone, Copy)]
pub struct KnownProgram {
    pub(super) name: &'static str,
    roles: &'static [ProgramRole],
    pub(super) start_method: StartMethod,
    launches: &'static str,
    inspects: &'static str,
    checks: &'static str,
    nests: &'static str,
}

/// A program that has these roles and nothing else.
pub(super) const fn row(name: &'static str, roles: &'static [ProgramRole]) -> KnownProgram {
    KnownProgram {
        name,
        roles,
        start_method: StartMethod::Nothing,
        launches: "",
        inspects: "",
        checks: "",
        nests: "",
    }
}

impl KnownProgram {
    pub(super) const fn starts(self, start_method: StartMethod) -> Self {
        Self { start_method, ..self }
    }

    pub(super) const fn launches(self, launches: &'static str) -> Self {
        Self { launches, ..self }
    }

    pub(super) const fn inspects(self, inspects: &'static str) -> Self {
        Self { inspects, ..self }
    }

    pub(super) const fn checks(self, checks: &'static str) -> Self {
        Self { checks, ..self }
    }

    /// `*` stands for every subcommand.
    pub(super) const fn nests(self, nests: &'static str) -> Self {
        Self { nests, ..self }
    }

    /// Whether the program has a role.
    pub fn is(&self, role: ProgramRole) -> bool {
        self.roles.contains(&role)
    }

    /// Whether the program runs another command with more words than stand in the line: `xargs`.
    pub fn adds_words(&self) -> bool {
        matches!(self.start_method, StartMethod::RestRepeated(_))
    }

    /// Whether a subcommand starts the program that the next word names: `uv run`.
    pub fn launches_with(&self, subcommand: &str) -> bool {
        lists(self.launches, subcommand)
    }

    /// Whether a subcommand only looks: `git status`.
    pub fn inspects_with(&self, subcommand: &str) -> bool {
        lists(self.inspects, subcommand)
    }

    /// Whether the failure of a subcommand is a judgement on the code: `cargo test`.
    pub fn checks_with(&self, subcommand: &str) -> bool {
        lists(self.checks, subcommand)
    }

    /// Whether the word after a subcommand belongs to it: `git stash pop`.
    pub fn nests_in(&self, subcommand: &str) -> bool {
        self.nests == "*" || lists(self.nests, subcommand)
    }
}

fn lists(list: &str, subcommand: &str) -> bool {
    !subcommand.is_empty() && list.split(", ").any(|known| known == subcommand)
}
