//! The properties of known programs: the columns of the table in [`super::programs`].

/// A role of a program in the readings of commands. Each role answers one question of one or more readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramRole {
    /// The program only looks: finding nothing is an answer, and success changes nothing.
    Inspects,
    /// Everybody knows how to call the program, so a failed call teaches nothing.
    Basic,
    /// A failure of the program is a judgement on the files that it is given: a linter, a compiler, a test runner.
    ChecksFiles,
    /// A failure of the program is a judgement on the code, and its first word names a task.
    ChecksTasks,
    /// The program runs source files of the project.
    Interpreter,
    /// The first word after the program's options is an operand and no subcommand. Proposed triggers ask.
    Operands,
    /// The program downloads or finds the program that its next word names, and runs it: `npx`.
    Launcher,
    /// The program is one of several interchangeable ways to run a task of the project: `npm`, `yarn`.
    TaskRunner,
    /// A proposed trigger keeps this wrapper in front of the program.
    TriggerPrefix,
    /// Two calls are the same with and without this wrapper.
    NeutralPrefix,
    /// The program prints its words.
    Prints,
    /// The program copies its input to its output or into files.
    CopiesInput,
    /// The program records versions of files, with messages.
    VersionControl,
    /// The program runs what it reads, in a language of its own: `psql`, `python`.
    RunsInput,
    /// That language is SQL, and so are its operands.
    Sql,
}

/// The way in which a program starts another command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartMethod {
    /// The program starts nothing that its words name.
    Nothing,
    /// The program runs the words after its own, once and unchanged: `sudo`, `timeout 5`.
    Rest(WrapperOptions),
    /// The program runs the words after its own, repeatedly or with more arguments: `xargs`.
    RestRepeated(WrapperOptions),
    /// The program gives the words after its own, joined, to a shell: `watch`.
    RestAsText(WrapperOptions),
    /// The program gives all its words, joined, to a shell: `eval`.
    WordsAsText,
    /// The program gives its first operand to a shell: `trap`.
    FirstOperandAsText,
    /// The program gives the value of `-c` to a shell: `su`.
    CommandOption,
    /// The program is a shell.
    Shell,
    /// The running shell reads the file that the first operand names: `source`.
    Sources,
    /// The program runs the words after `-exec` or an option like it: `find`.
    ExecOption,
    /// The program starts another one in a container, behind `exec` or `run`.
    Container(WrapperOptions),
    /// The program starts the command behind one of these subcommands: `uv run`.
    Launches(&'static str, WrapperOptions),
    /// The program starts the command that its first operand begins: `npx`. One of these subcommands may stand in front.
    LaunchesOperand(&'static str, WrapperOptions),
    /// The program starts the command behind the first of these options, separated by spaces: `python -m`.
    LaunchesOption(&'static str, WrapperOptions),
    /// The program gives the words behind its operand to a shell of another machine: `ssh`.
    Remote(WrapperOptions),
}

/// The options of a program that say where and how, and not what: its normal form is without them. Lists are separated
/// by spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GlobalOptions {
    /// The program has none that are known.
    Unknown,
    /// All options in front of the subcommand. The values of these are the next word.
    InFront(&'static str),
    /// These options with a value and these without one, wherever they stand.
    Named(&'static str, &'static str),
}

/// The way in which a program changes files that its words name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeMethod {
    /// The program changes no file that its words name, or not plainly.
    Nothing,
    /// The program writes its operands: `tee`.
    WritesOperands,
    /// The program writes its operands behind the code, where an option says so: `sed -i`.
    WritesInPlace,
    /// The program writes into the last operand or the folder that `-t` names: `cp`.
    WritesTarget,
    /// The same, and the other operands are gone: `mv`.
    Moves,
    /// The program writes the values of the options of its row: `sort -o`.
    WritesValues,
    /// The program writes the file behind `of=`: `dd`.
    WritesOutputFile,
    /// The program removes its operands: `rm`.
    Removes,
    /// The program changes something else about its operands: `chmod`.
    Alters,
    /// The same, unless it only runs queries: `sqlite3`.
    AltersBySql,
    /// The program changes what it finds below its first operands, where it is told to: `find`.
    AltersFound,
    /// Some subcommands change files of a work tree: `git checkout`.
    AltersTree,
}

impl ChangeMethod {
    /// Whether the program writes files.
    pub(super) const fn writes(self) -> bool {
        use ChangeMethod::{Alters, AltersBySql, AltersFound, AltersTree, Nothing, Removes};
        !matches!(self, Nothing | Removes | Alters | AltersBySql | AltersFound | AltersTree)
    }
}

/// The options and operands of a wrapper, a program that runs the words after its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WrapperOptions {
    /// The options whose value is the next word, separated by spaces.
    values: &'static str,
    /// The number of operands before the command; [`UP_TO_DASHES`] for all words up to `--`.
    pub(super) operands: u8,
}

/// The number of operands of a program that needs `--` in front of the command.
pub(super) const UP_TO_DASHES: u8 = u8::MAX;

/// The own words of a wrapper: its options with a value, and the number of its operands.
pub(super) const fn own(values: &'static str, operands: u8) -> WrapperOptions {
    WrapperOptions { values, operands }
}

impl WrapperOptions {
    /// Whether the value of `option` is the next word.
    pub(super) fn takes_value(self, option: &str) -> bool {
        names(self.values, option)
    }
}

/// Whether a list of options, separated by spaces, names this one.
pub(super) fn names(options: &str, option: &str) -> bool {
    options.split(' ').any(|known| known == option)
}

/// Programs that are known by their names and are alike: a row of the table. Lists of names and of subcommands are
/// separated by `, `.
#[derive(Debug, Clone, Copy)]
pub struct KnownProgram {
    pub(super) names: &'static str,
    roles: &'static [ProgramRole],
    pub(super) start_method: StartMethod,
    pub(super) change: ChangeMethod,
    /// The options with a value that bear on which words name changed files, separated by spaces.
    pub(super) value_options: &'static str,
    launches: &'static str,
    inspects: &'static str,
    checks: &'static str,
    nests: &'static str,
    pub(super) globals: GlobalOptions,
    /// The options whose value is code, and the names of calls in its code that run a command, separated by blanks.
    pub(super) code: (&'static str, &'static str),
    /// The letters of the short options without a value that may stand together: `-sm`.
    pub(super) letters: &'static str,
}

/// A row for programs that have these roles and nothing else.
pub(super) const fn row(names: &'static str, roles: &'static [ProgramRole]) -> KnownProgram {
    KnownProgram {
        names,
        roles,
        start_method: StartMethod::Nothing,
        change: ChangeMethod::Nothing,
        value_options: "",
        launches: "",
        inspects: "",
        checks: "",
        nests: "",
        globals: GlobalOptions::Unknown,
        code: ("", ""),
        letters: "",
    }
}

impl KnownProgram {
    pub(super) const fn starts(self, start_method: StartMethod) -> Self {
        Self { start_method, ..self }
    }

    /// Sets how the program changes files, and its options with a value.
    pub(super) const fn changes(self, change: ChangeMethod, value_options: &'static str) -> Self {
        Self { change, value_options, ..self }
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

    /// Sets the subcommands that have subcommands of their own; `*` stands for all of them.
    pub(super) const fn nests(self, nests: &'static str) -> Self {
        Self { nests, ..self }
    }

    /// Sets the options in front of the subcommand whose value is the next word.
    pub(super) const fn options_in_front(self, values: &'static str) -> Self {
        Self { globals: GlobalOptions::InFront(values), ..self }
    }

    /// Sets the options, with and without a value, that the normal form is without wherever they stand.
    pub(super) const fn global_options(self, values: &'static str, flags: &'static str) -> Self {
        Self { globals: GlobalOptions::Named(values, flags), ..self }
    }

    /// Sets the options whose value is code, and the names of calls that run a command; see [`super::embedded`].
    pub(super) const fn runs_code(self, options: &'static str, calls: &'static str) -> Self {
        Self { code: (options, calls), ..self }
    }

    /// Sets the letters of short options without a value that may stand together.
    pub(super) const fn groups(self, letters: &'static str) -> Self {
        Self { letters, ..self }
    }

    /// Whether the program's normal forms may differ from what was typed.
    pub(super) const fn has_forms(&self) -> bool {
        !matches!(self.globals, GlobalOptions::Unknown) || !self.letters.is_empty()
    }

    /// Whether the program has `role`.
    pub fn is(&self, role: ProgramRole) -> bool {
        self.roles.contains(&role)
    }

    /// Whether `subcommand` starts the program that the next word names: `uv run`.
    pub fn launches_with(&self, subcommand: &str) -> bool {
        lists(self.launches, subcommand)
    }

    /// Whether `subcommand` only looks: `git status`.
    pub fn inspects_with(&self, subcommand: &str) -> bool {
        lists(self.inspects, subcommand)
    }

    /// Whether a failure of `subcommand` is a judgement on the code: `cargo test`.
    pub fn checks_with(&self, subcommand: &str) -> bool {
        lists(self.checks, subcommand)
    }

    /// Whether the word after `subcommand` belongs to it: `git stash pop`.
    pub fn nests_in(&self, subcommand: &str) -> bool {
        self.nests == "*" || lists(self.nests, subcommand)
    }
}

/// Whether a list of subcommands, separated by `, `, names this one.
pub(super) fn lists(list: &str, subcommand: &str) -> bool {
    !subcommand.is_empty() && list.split(", ").any(|known| known == subcommand)
}
