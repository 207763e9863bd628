//! The statements of a person: sentences that say outright how things are to be done.
//!
//! The phrases are a table ([`self::phrases`]). What holds for one moment only is no statement ("not yet", "for now"), and
//! neither is what somebody asks or is not sure of.

pub(super) mod kin;
pub(super) mod phrases;
pub(super) mod sentence;
pub(super) mod tools;

use lessons_text::words::is_filler;

use phrases::{PhraseKind, Said, is_vague, said};
use sentence::{MOST_WORDS, Sentence};

/// How a person says what they want, the clearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StatementKind {
    /// It is to be remembered, or written down: `from now on …`, `save in memory …`, `I told you …`.
    Remembered,
    /// It always or never holds.
    Lasting,
    /// Something is not to be done.
    Prohibition,
    /// Something is to be done in the place of something else: `use X, not Y`.
    Replacement,
    /// A correction put as a question: `why are you still using X?`.
    Question,
    /// It is how things are done here.
    Custom,
    /// The reason for a refusal, in other words than these.
    Reason,
}

/// The most characters of such a sentence.
const MOST_CHARS: usize = 600;
/// The fewest telling words of a sentence that says what is to be written down, and where.
const FEWEST_TELLING: usize = 3;

/// The kinds of phrases that say nothing where what they forbid is vague.
const FORBIDDING: [PhraseKind; 3] = [PhraseKind::Never, PhraseKind::Forbid, PhraseKind::Custom];

/// A statement, and the parts of its sentence.
#[derive(Debug)]
pub(super) struct Statement<'t> {
    pub(super) kind: StatementKind,
    /// Whether its phrase begins the sentence.
    pub(super) is_first: bool,
    pub(super) sentence: Sentence<'t>,
    /// The words of what is not wanted. Empty where only the wanted is named.
    pub(super) unwanted: Vec<String>,
    /// The words of what is wanted instead.
    pub(super) wanted: Vec<String>,
}

/// The clearest statement among the sentences of a text. `ran` tells whether a program ran a moment before.
pub(super) fn statement<'t>(
    sentences: Vec<Sentence<'t>>,
    ran: &dyn Fn(&str) -> bool,
) -> Option<Statement<'t>> {
    let (mut reproaches, others): (Vec<_>, Vec<_>) = sentences
        .into_iter()
        .filter_map(|sentence| Statement::of(sentence, ran))
        .partition(|statement| statement.kind == StatementKind::Question);
    // Of two that are equally clear, the first.
    let Some(mut clearest) = others.into_iter().min_by_key(|statement| statement.kind) else {
        return reproaches.into_iter().next();
    };
    // "Why are you still using npm? I told you pnpm" names it first.
    if let Some(reproach) = reproaches.first_mut().filter(|_| clearest.unwanted.is_empty()) {
        clearest.unwanted = std::mem::take(&mut reproach.unwanted);
    }
    Some(clearest)
}

/// What a reason may say of the call that it is about. Either may be empty.
#[derive(Debug, Default)]
pub(super) struct RefusedCall<'c> {
    /// The file.
    pub(super) path: &'c str,
    /// The program and its subcommand.
    pub(super) start: String,
}

/// The reason for refusing a call that is in no phrase of the table: it tells what to do all the same.
pub(super) fn reason<'t>(sentences: Vec<Sentence<'t>>, of: &RefusedCall<'_>) -> Option<Statement<'t>> {
    let is_doubted = |sentence: &Sentence<'_>| {
        let is_of_moment = said(&sentence.line).iter().any(|said| said.kind >= PhraseKind::Moment);
        let tells_nothing = is_of_moment || sentence.is_question || sentence.begins_with(SPEAKER);
        tells_nothing || names_place(sentence.text, of)
    };
    let sentence =
        sentences.into_iter().find(Sentence::says_enough).filter(|sentence| !is_doubted(sentence))?;
    let wanted = sentence.words.clone();
    Some(Statement { kind: StatementKind::Reason, is_first: false, sentence, unwanted: Vec::new(), wanted })
}

/// Who speaks of themselves says what they know or did, and not what is to be done.
const SPEAKER: &str = "i i'm i've ich je j'ai yo eu io я tôi mình";

/// Whether a text names a place in the project and no command there: where no words say that it lasts, that is one of the work
/// of the day, unless it is a folder around the file of the call, or the text spells that call.
fn names_place(text: &str, of: &RefusedCall<'_>) -> bool {
    if of.start.contains(' ') && text.to_lowercase().contains(&of.start) {
        return false;
    }
    let commands: Vec<String> = tools::commands(text).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_other = |pair: &&[&str]| !tools::is_use(&pair[0].to_lowercase());
    let names =
        words.windows(2).filter(is_other).map(|pair| pair[1].trim_matches(|c: char| !c.is_alphanumeric()));
    let is_place =
        |name: &&str| name.contains('/') && !commands.iter().any(|command| command.contains(*name));
    let places: Vec<&str> = names.filter(is_place).collect();
    !places.is_empty() && !places.iter().any(|place| of.path.contains(&format!("/{place}/")))
}

/// The words of a part of a sentence.
fn words(part: Option<&str>) -> Vec<String> {
    let words = part.unwrap_or_default().split(' ');
    words.filter(|word| !word.is_empty() && *word != ",").map(str::to_owned).collect()
}

impl<'t> Statement<'t> {
    fn of(sentence: Sentence<'t>, ran: &dyn Fn(&str) -> bool) -> Option<Self> {
        if !sentence.says_enough()
            || sentence.words.len() > MOST_WORDS
            || sentence.core.chars().nth(MOST_CHARS).is_some()
        {
            return None;
        }
        // "Just to see if it compiles" is no condition.
        let found =
            said(sentence.line.split_once(" to see if ").map_or(&*sentence.line, |(before, _)| before));
        let has = |kind: PhraseKind| found.iter().any(|said| said.kind == kind);
        let counts = |said: &&Said<'_>| match said.kind {
            PhraseKind::Record => !sentence.is_question && names_what(&sentence),
            PhraseKind::Remember | PhraseKind::Onward => !sentence.is_question && !has(PhraseKind::Moment),
            kind if FORBIDDING.contains(&kind) && said.unwanted.is_some_and(is_vague) => false,
            PhraseKind::Again => !has(PhraseKind::Moment) && !has(PhraseKind::Unsure),
            PhraseKind::Forbid if sentence.is_question => asks_politely(&sentence),
            PhraseKind::Replace if sentence.is_question => sentence.line.starts_with(" why "),
            PhraseKind::Custom if sentence.begins_with(SPEAKER) => false,
            PhraseKind::Replace
            | PhraseKind::Always
            | PhraseKind::Never
            | PhraseKind::Forbid
            | PhraseKind::Custom => {
                !sentence.is_question && !has(PhraseKind::Moment) && !has(PhraseKind::Unsure)
            }
            // "Why are you using npm?"
            PhraseKind::Reproach => tools::that_ran(&words(said.unwanted), ran).is_some(),
            _ => false,
        };
        let clearest = found.iter().filter(counts).min_by_key(|said| said.kind)?;
        if clearest.kind > PhraseKind::Onward && is_text_for_others(&sentence) {
            return None;
        }
        let kind = match clearest.kind {
            PhraseKind::Remember | PhraseKind::Record | PhraseKind::Onward => StatementKind::Remembered,
            PhraseKind::Always | PhraseKind::Never => StatementKind::Lasting,
            PhraseKind::Replace => StatementKind::Replacement,
            PhraseKind::Forbid | PhraseKind::Reproach => StatementKind::Prohibition,
            PhraseKind::Custom => StatementKind::Custom,
            _ => StatementKind::Question,
        };
        // "From now on use X, not Y" says both.
        let names = |said: &&Said<'_>| said.unwanted.is_some() || said.wanted.is_some();
        let aimed = Some(clearest)
            .filter(names)
            .or_else(|| found.iter().filter(counts).filter(names).min_by_key(|said| said.kind));
        let unwanted = words(aimed.and_then(|said| said.unwanted));
        let wanted = match aimed.and_then(|said| said.wanted) {
            Some(wanted) => words(Some(wanted)),
            None => sentence.words.iter().filter(|word| !unwanted.contains(word)).cloned().collect(),
        };
        let is_first = clearest.is_first;
        Some(Self { kind, is_first, sentence, unwanted, wanted })
    }
}

/// Whether a sentence orders a text to be written which says something: "write an eslint rule that says: never use `any`".
fn is_text_for_others(sentence: &Sentence<'_>) -> bool {
    const WRITING: &str = "compose document draft improve put translate write";
    sentence.begins_with(WRITING)
        && (sentence.text.contains(": ")
            || [" that ", " must "].iter().any(|word| sentence.line.contains(word)))
}

/// Whether a question asks for something, and not about it: "can you please stop adding comments?".
fn asks_politely(sentence: &Sentence<'_>) -> bool {
    [" can you ", " could you ", " would you "].iter().any(|start| sentence.line.starts_with(start))
}

/// Whether a sentence that asks for something to be written down says what: "add that to CLAUDE.md" does not.
fn names_what(sentence: &Sentence<'_>) -> bool {
    let is_east = sentence.words.iter().all(|word| !word.is_ascii());
    let telling = sentence.words.iter().filter(|word| !is_filler(word) && !word.contains(".md"));
    is_east || telling.count() >= FEWEST_TELLING
}

#[cfg(test)]
mod languages;

#[cfg(test)]
mod tests {
    use super::sentence::sentences;
    use super::*;

    pub(super) fn statement(sentences: Vec<Sentence<'_>>) -> Option<Statement<'_>> {
        super::statement(sentences, &|_| false)
    }

    pub(super) fn kind_of(text: &str) -> Option<StatementKind> {
        statement(sentences(text)).map(|statement| statement.kind)
    }

    #[test]
    fn a_wish_counts_in_any_clause() {
        use StatementKind::{Lasting, Prohibition, Question, Remembered, Replacement};
        for (text, kind) in [
            ("when you make compose files, save in memory to always check that ports are free", Remembered),
            ("never run git, save it in your memory please", Remembered),
            ("squash them into one, don't push to main", Prohibition),
            ("looks good, and always sort the imports", Lasting),
            ("you should never log a token", Lasting),
            ("ok, use tabs, not spaces", Replacement),
            ("why are you still using yarn?", Question),
            ("shouldn't this be a table test?", Question),
            ("why are we using moment instead of dayjs?", Replacement),
            ("返事は毎回日本語でお願いします", Lasting),
            ("始终先看日志再改代码", Lasting),
            ("one thing going fwd, each rule needs a ticket", Remembered),
        ] {
            assert_eq!(kind_of(text), Some(kind), "{text}");
        }
    }

    #[test]
    fn what_holds_for_a_moment_or_asks_for_nothing_is_none() {
        for text in [
            "don't change the code yet",
            "don't worry about the linter for now",
            "don't touch it, let's see",
            "don't you think so",
            "never mind, I found it",
            "why did that fail?",
            "can we use another colour?",
            "I always thought so",
            "if the lock is held, don't wait for it",
            "maybe use a map instead of a list",
            "do you remember to close it?",
            "add that to CLAUDE.md",
            "the queue is in the worker, not in the server",
            "immer noch kaputt",
            "siempre falla aquí",
            "先不要提交代码",
            "永远差三秒左右，不要改代码，先帮我看看原因",
            "isso, nunca ia achar sozinho",
            "とりあえず削除しないで",
            "毎回失敗するのはなぜですか",
            "stell den timeout um: 60s statt 30",
            "红色改成蓝色",
            "nie działa na telefonie",
            "ürün silme butonu ekle",
            "nigdy nie działało na telefonie",
            "zawsze wywala ten sam błąd",
            "altijd dezelfde fout",
            "bu buton asla çalışmıyor",
            "geen idee waarom dit faalt",
            "gebruik npm niet in dit project",
            "не треба, дякую",
            "daty w przyszłości powinny być zablokowane",
            "the player keeps moving forward after the key is released",
            "毎回ビルドが失敗するので直してください",
            "nog niet committen",
            "henüz silme",
            "ще не видаляй",
            "지금은 일단 수정하지 마",
            "yes",
            "",
        ] {
            assert!(kind_of(text).is_none_or(|kind| kind == StatementKind::Custom), "{text}");
        }
    }

    #[test]
    fn the_clearest_of_several_statements_counts() {
        let found = statement(sentences("Why are you still using tabs? From now on use spaces.")).unwrap();
        assert_eq!((found.kind, found.sentence.core), (StatementKind::Remembered, "From now on use spaces."));
    }

    #[test]
    fn the_unwanted_and_the_wanted_are_told_apart() {
        let parts = |text: &str| {
            let found = statement(sentences(text)).unwrap();
            (found.unwanted.join(" "), found.wanted.join(" "))
        };
        assert_eq!(parts("use pnpm instead of npm"), ("npm".into(), "pnpm".into()));
        assert_eq!(parts("don't open a pr, just push the branch").0, "open a pr");
        assert_eq!(parts("why are we using moment instead of dayjs?"), ("moment".into(), "dayjs".into()));
        assert_eq!(parts("never use yarn, use pnpm").0, "use yarn");
        assert_eq!(parts("why are you still using npm?").0, "using npm");
        assert_eq!(parts("always sort the imports").0, "");
    }

    #[test]
    fn a_reason_for_a_refusal_needs_no_phrase_but_an_aim() {
        let is_reason = |text: &str| reason(sentences(text), &RefusedCall::default()).is_some();
        let reasons =
            ["rebase onto main first", "use scripts/lint.sh for that", "rerun the tests and clippy"];
        assert_eq!(reasons.map(is_reason), [true; 3]);
        let update = RefusedCall { path: "", start: "west update".to_owned() };
        let of_update = "west update throws away my patches in modules/hal_nordic";
        assert!(!is_reason(of_update) && reason(sentences(of_update), &update).is_some());
        let others = ["let's talk about that later", "write the plan to notes/plan-2", "ich weiß das schon"];
        assert_eq!(others.map(is_reason), [false; 3]);
        assert_eq!(["what does it print?", "maybe test it first", "no"].map(is_reason), [false; 3]);
        let of_moment = ["dont put them below, back on top", "don't run it twice", "don't do that again"];
        assert_eq!(of_moment.map(kind_of), [None; 3]);
        let customs = ["I put a copy into each folder", "we put a copy into each folder"];
        assert_eq!(customs.map(kind_of), [None, Some(StatementKind::Custom)]);
        assert_eq!(kind_of("Mina saw the list, ask her about the order"), None, "`her` is Turkish for every");
    }

    #[test]
    fn what_leads_a_wish_is_no_part_of_it() {
        for text in [
            "from now on use pnpm instead of npm",
            "please always use pnpm, not npm",
            "ab jetzt bitte immer pnpm statt npm",
            "앞으로는 npm 말고 pnpm 써",
            "d'ora in poi usa sempre pnpm al posto di npm",
            "từ giờ luôn dùng pnpm thay vì npm",
        ] {
            let found = statement(sentences(text)).unwrap();
            assert_eq!(found.unwanted, ["npm"], "{text}");
            assert_eq!(found.wanted[0], "pnpm", "{text}");
        }
    }

    #[test]
    fn a_reproach_says_what_the_wish_behind_it_is_about() {
        let found = statement(sentences("why are you still using yarn? i told you bun")).unwrap();
        assert_eq!(
            (found.kind, found.unwanted.last().unwrap().as_str()),
            (StatementKind::Remembered, "yarn")
        );
    }

    #[test]
    fn of_two_that_name_something_the_clearer_one_counts() {
        let found = statement(sentences("non usare mai yarn, usa sempre bun")).unwrap();
        assert_eq!(found.unwanted, ["yarn"]);
    }

    #[test]
    fn verbs_of_other_languages_forbid_too() {
        for text in [
            "nutze nie das alte Skript",
            "今後コミットは小さく分けてください",
            "para de reescrever os testes que passam",
        ] {
            assert!(kind_of(text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_reason_for_now_is_no_reason_for_ever() {
        for text in [
            "hold on. i need to look at the diff",
            "let me stash my changes",
            "i already started it over there",
            "Moment, ich räume erst auf",
            "等一下，我看看日志再说",
            "aspetta, controllo una cosa",
        ] {
            assert!(reason(sentences(text), &RefusedCall::default()).is_none(), "{text}");
        }
    }

    #[test]
    fn a_reproach_names_what_ran() {
        let found = |text: &'static str| super::statement(sentences(text), &|word| word == "yarn");
        assert_eq!(found("why are you using yarn again? we have bun").unwrap().unwanted[0], "yarn");
        assert_eq!(found("i said bun not yarn").unwrap().wanted, ["bun"]);
        assert!(found("why are you using a list there?").is_none());
    }

    #[test]
    fn no_input_is_too_long_or_too_odd() {
        let half_emoji = String::from_utf8_lossy(&"不要用👩‍💻npm".as_bytes()[..11]).into_owned();
        for text in [
            "never ".repeat(1 << 21),
            "不要".repeat(1 << 21),
            "อย่าใช้".repeat(1 << 18),
            "从现在开始use不要npm".repeat(1000),
            half_emoji,
            "\u{202e}don't \u{0} use npm".into(),
        ] {
            let _ = statement(sentences(&text));
        }
    }
}
