//! What every test here is made with.

use lessons_tests::client::{Pin, Session};
use lessons_tests::model::{Script, Turn};
use lessons_tests::person::Person;
use lessons_tests::plugin::Plugin;
use lessons_tests::requests::Request;
use lessons_tests::scratch::Scratch;
use serde_json::json;

/// What the lesson of most tests says.
pub(crate) const RULE: &str = "Announce it in the operations channel first.";

/// How a lesson is made to match [`DEPLOY`] and commands like it.
pub(crate) const TRIGGER: [&str; 2] = ["--trigger", r"cmd=\bdeploy-site\b"];

/// A command that the lesson of most tests matches, and that succeeds when it runs.
pub(crate) const DEPLOY: &str = "echo deploy-site";

/// How the text of the protocol begins.
pub(crate) const PROTOCOL: &str = "[Lessons] When you have made a mistake";

/// A home with the plugin, and the person whose home it is.
pub(crate) struct World {
    pub(crate) scratch: Scratch,
    pub(crate) plugin: Plugin,
    pub(crate) person: Person,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Plugin::new())
    }

    pub(crate) fn with(plugin: Plugin) -> Self {
        let scratch = Scratch::new();
        let person = Person::new(&scratch, &plugin);
        Self { scratch, plugin, person }
    }

    /// A world whose person has recorded [`RULE`] for [`DEPLOY`], with these flags.
    pub(crate) fn with_lesson(flags: &[&str]) -> Self {
        let world = Self::new();
        world.add(RULE, &[&TRIGGER, flags].concat());
        world
    }

    /// The person records a lesson.
    #[track_caller]
    pub(crate) fn add(&self, rule: &str, flags: &[&str]) {
        self.person.types(&[&["add", "--rule", rule], flags].concat());
    }

    /// A session in which the model writes down a lesson about `site-ctl apply` with this fix, and then a scan.
    #[track_caller]
    pub(crate) fn record(&self, pin: Pin, fix: &str) {
        let tag = format!(
            "#lesson\ntool: Bash\ntrigger: site-ctl apply\n\
             mistake: site-ctl apply without a plan file silently applies an old plan\nfix: {fix}\n#/lesson"
        );
        let _ = self.session(pin, Script::new().turn(Turn::text(&tag))).run();
        self.person.types(&["scan"]);
    }

    /// The id of the only candidate there is.
    #[track_caller]
    pub(crate) fn candidate(&self) -> String {
        let list = self.person.reads(&["candidates"]);
        match list.as_array().map(Vec::as_slice) {
            Some([one]) => one["id"].as_str().unwrap().to_owned(),
            _ => panic!("not exactly one candidate: {list}"),
        }
    }

    /// A session with the plugin.
    pub(crate) fn session(&self, pin: Pin, script: Script) -> Session<'_> {
        Session::new(&self.scratch, pin, script).plugin(self.plugin.folder())
    }
}

/// What a lesson that refuses needs besides its trigger.
pub(crate) const BUMP: [&str; 4] = ["--mode", "bump", "--fires", "deploy-site now"];

/// The model runs a command.
pub(crate) fn bash(command: &str) -> Turn {
    Turn::default().and_bash(command)
}

/// The model runs another command in the same message.
pub(crate) trait AndBash {
    fn and_bash(self, command: &str) -> Self;
}

impl AndBash for Turn {
    fn and_bash(self, command: &str) -> Self {
        self.tool("Bash", json!({"command": command, "description": "a step"}))
    }
}

/// The model sends a sub-agent, whose conversation begins with `opening`.
pub(crate) fn send_agent(opening: &str) -> Turn {
    let task = json!({
        "description": "a task", "prompt": opening, "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    Turn::call("Agent", task)
}

/// The model ends its turn.
pub(crate) fn done() -> Turn {
    Turn::text("Done.")
}

/// Whether what is new in a request tells this rule as a lesson, and how often.
pub(crate) fn times_told(request: &Request, rule: &str) -> usize {
    fenced(&request.fresh()).iter().map(|lessons| lessons.matches(rule).count()).sum()
}

/// That a request tells the rule once; else what it says instead.
pub(crate) fn tells_once(request: &Request, rule: &str) -> Result<(), String> {
    match times_told(request, rule) {
        1 => Ok(()),
        times => Err(format!("told {times} times in:\n{}", request.fresh())),
    }
}

/// The contents of the fences that our text stands in. (The protocol mentions the fence within a line.)
pub(crate) fn fenced(text: &str) -> Vec<&str> {
    text.split("<recorded-lessons>\n")
        .skip(1)
        .map(|rest| rest.split("</recorded-lessons>").next().unwrap_or_default())
        .collect()
}
