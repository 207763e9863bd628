//! The acts that people speak of by a word, and the commands that do them, or the files that they write.

use std::collections::HashSet;
use std::sync::LazyLock;

use lessons_pattern::{Trigger, TriggerKind};

use crate::detect::command::options::lists;

/// An act, such as committing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Act {
    /// The words that name it; `+` joins words that must both be there.
    words: &'static str,
    /// A pattern for the commands that do it, or for the files that are written.
    pub(crate) pattern: &'static str,
    /// Which of the two it is.
    kind: TriggerKind,
}

impl Act {
    pub(crate) fn trigger(&self) -> Trigger {
        Trigger::new(self.kind, self.pattern)
    }

    pub(crate) fn is_run(&self) -> bool {
        self.kind == TriggerKind::CommandPattern
    }
}

const fn run(words: &'static str, pattern: &'static str) -> Act {
    Act { words, pattern, kind: TriggerKind::CommandPattern }
}

/// The writing of a file that everybody knows by its name.
const fn write(words: &'static str, pattern: &'static str) -> Act {
    Act { words, pattern, kind: TriggerKind::FileGlob }
}

/// The acts, the more special ones first.
const ACTS: [Act; 20] = [
    run("amend amends amending", r"\bgit\s(?:[^\n;&|]*\s)?commit\b[^\n;&|]*--amend\b"),
    run("force+push force-push force-pushing", r"\bgit\s(?:[^\n;&|]*\s)?push\b[^\n;&|]*\s(?:-f\b|--force)"),
    run(
        "create+pr open+pr opening+pr creating+pr create+prs pull+request pr+title pr+description pr+body",
        r"\bgh\s+pr\s+create\b",
    ),
    run("merge+pr merging+pr merge+prs", r"\bgh\s+pr\s+merge\b"),
    run("comment+pr comments+pr comment+issue", r"\bgh\s+(?:pr|issue)\s+comment\b"),
    run(
        "commit commits committed committing comitting check+in checked+in checking+in committen committe committest \
                commitear comitear commitar comitar committer commiter コミット 提交 커밋 коммит",
        r"\bgit\s(?:[^\n;&|]*\s)?commit\b",
    ),
    run(
        "push+main push+master pushing+main pushing+master пуш+main пуш+master プッシュ+main 推送+main 푸시+main \
                pushen+main pushe+main pusher+main pushear+main",
        // Without the name of a branch it may be that one.
        r"\bgit\s(?:[^\n;&|]*\s)?push\b(?:[^\n;&|]*\b(?:main|master)\b|(?:\s+-\S+)*(?:\s+[\w.-]+)?\s*(?:[\n;&|]|$))",
    ),
    run(
        "push pushes pushed pushing pushen pushe pushear pusher プッシュ 推送 푸시 пуш",
        r"\bgit\s(?:[^\n;&|]*\s)?push\b",
    ),
    run("rebase rebases rebasing", r"\bgit\s(?:[^\n;&|]*\s)?rebase\b"),
    run("pull pulling", r"\bgit\s(?:[^\n;&|]*\s)?pull\b"),
    run("merge merges merging", r"\bgit\s(?:[^\n;&|]*\s)?merge\b"),
    run("stash stashes stashing", r"\bgit\s(?:[^\n;&|]*\s)?stash\b"),
    run("cherry-pick cherry-picking", r"\bgit\s(?:[^\n;&|]*\s)?cherry-pick\b"),
    run("worktree worktrees", r"\bgit\s(?:[^\n;&|]*\s)?worktree\b"),
    run(
        "dev+server development+server dev-server devserver serveur+dev servidor+desarrollo 开发服务器 開発サーバー",
        r"\b(?:npm|pnpm|yarn|bun|deno)\s+(?:(?:run|task)\s+)?(?:dev|start|serve)\b|\brunserver\b|\brails\s+s(?:erver)?\b|\b(?:vite|next\s+dev)(?:\s+-|\s*(?:[;&|]|$))",
    ),
    run(
        "new+dependency new+dependencies new+packages add+dependency add+dependencies add+packages adding+dependencies \
                adding+packages dependencias abhängigkeiten dépendances dependências 의존성",
        r"\b(?:npm|pnpm|yarn|bun)[ \t]+(?:i|install|add)[ \t]+(?:-\w+[ \t]+|--(?:save|dev|exact|global|no)\S*[ \t]+)*[@a-zA-Z]|\b(?:cargo|uv|poetry|pdm|bundle|go)[ \t]+(?:add|get)[ \t]|\bpip3?[ \t]+install[ \t]+(?:-[Uqe]+[ \t]+|--(?:upgrade|user|quiet)\S*[ \t]+)*[a-zA-Z]|\bcomposer[ \t]+require[ \t]",
    ),
    write("readme", "**/README*"),
    write("dockerfile dockerfiles", "**/*Dockerfile*"),
    write("makefile makefiles", "**/Makefile"),
    write("docker-compose+files docker-compose+file compose+files compose+file", "**/*compose*.y*ml"),
];

/// Words after the name of an act that make it the name of a thing: `commit hash`.
const THINGS: &str = "hash hashes sha shas id ids history metadata trailer trailers hook hooks";

/// What an act makes, so that it is the occasion for what is asked of that.
const PRODUCTS: &str = "message messages title titles description descriptions body メッセージ 信息 메시지 \
     mensaje mensajes mensagem nachricht nachrichten";

/// Words before an act that make it an occasion.
pub(crate) const OCCASIONS: &str = "after any before each every per until when whenever";

/// Whether a word is one of those that name acts. Most sentences have none.
pub(crate) fn is_of_act(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| ACTS.iter().flat_map(|act| act.words.split([' ', '+'])).collect());
    WORDS.contains(word)
}

/// The acts that these words name, the more special ones first.
pub(crate) fn named(words: &[String]) -> impl Iterator<Item = &'static Act> + '_ {
    let has = |word: &str| {
        let is_thing = |at: usize| words.get(at + 1).is_some_and(|next| lists(THINGS, next));
        // Of other scripts the end of a word tells its case, and words are not parted.
        let is = |own: &str| own == word || !word.is_ascii() && own.contains(word);
        words.iter().enumerate().any(|(at, own)| is(own) && !is_thing(at))
    };
    ACTS.iter().filter(move |act| act.words.split(' ').any(|phrase| phrase.split('+').all(has)))
}

/// The act that is the occasion for what these words ask for, or that the speaker wants to do: the first after such a
/// word, in the same breath, or the one of which they tell the product.
pub(crate) fn occasion(words: &[String]) -> Option<&'static Act> {
    /// The most words between the two: "before you open a".
    const SOON: usize = 4;
    let begins = |at: usize| {
        lists(OCCASIONS, &words[at])
            || words[..=at].ends_with(&["let".to_owned(), "me".to_owned()])
            || words[at] == "i'll"
    };
    let near = |at: usize| words.get(at + 1..words.len().min(at + 1 + SOON)).unwrap_or_default();
    let of_occasion = (0..words.len()).filter(|&at| begins(at)).find_map(|at| named(near(at)).next());
    let is_product = |word: &String| {
        PRODUCTS.split(' ').any(|known| word == known || !word.is_ascii() && word.contains(known))
    };
    let of_product = || {
        let product = words.iter().position(is_product)?;
        named(&words[product.saturating_sub(2)..words.len().min(product + 3)]).next()
    };
    of_occasion.or_else(of_product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_is_an_occasion_after_before_and_every_and_is_left_to_the_speaker() {
        let of = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            occasion(&words).map(|act| act.words)
        };
        for text in
            ["run the tests before you commit", "with every commit update it", "next time let me commit"]
        {
            assert!(of(text).is_some_and(|words| words.starts_with("commit ")), "{text}");
        }
        assert!(of("a commit message names its issue").is_some());
        assert_eq!(of("show the message body once push is clicked"), None);
        assert!(of("before opening a pr run them").is_some_and(|words| words.contains("create+pr")));
        for text in ["fold it into the last commit", "commit it", "before you go on look at the commit", ""] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    fn first(text: &str) -> Option<&'static str> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        named(&words).next().map(|act| act.words)
    }

    #[test]
    fn an_act_is_named_by_its_verb_and_the_more_special_one_first() {
        assert_eq!(first("don't amend the commit"), Some(ACTS[0].words));
        assert!(first("don't create a pr").unwrap().contains("create+pr"));
        assert!(first("don't check this in").unwrap().starts_with("commit "));
        assert_eq!(first("don't touch the tests"), None);
        assert!(first("never start the dev server yourself").unwrap().contains("dev+server"));
    }

    #[test]
    fn a_thing_of_an_act_is_not_the_act() {
        assert_eq!(first("never store commit hashes"), None);
    }
}
