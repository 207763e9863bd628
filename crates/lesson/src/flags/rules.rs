//! The rules as data.
//!
//! All patterns are regular expressions of [`lessons_pattern::js`] on lower-case text with single spaces.

use super::Flag;
use super::hints::{Hint, anywhere, near};
use super::lazy::LazyPattern;
use super::order::{Instruction, Reach, Sending};

/// A condition that raises a flag. Several raise the same one.
pub(super) struct Condition {
    /// The flag.
    pub(super) flag: Flag,
    /// Words of which every text that satisfies the condition has some near each other, as one of these says. Nearly no text
    /// has, and for those nothing more is tried.
    pub(super) hints: &'static [Hint],
    /// The test that decides.
    pub(super) test: ConditionTest,
}

/// The test of a condition.
pub(super) enum ConditionTest {
    /// The pattern matches anywhere.
    Text(LazyPattern),
    /// The pattern matches, the words before it do not say not to, and what follows does not say that it is wrong.
    Act(LazyPattern),
    /// Somebody is told to do it.
    Instruction(Instruction),
    /// Something is sent somewhere, and the words before it do not say not to.
    Sending(Sending),
    /// The pattern matches as a statement, which is neither a condition (`once the user has approved`) nor denied.
    Claim(LazyPattern),
    /// The pattern matches at the start of a line or of a sentence.
    Start(LazyPattern),
}

/// The condition that a pattern matches anywhere.
const fn text(flag: Flag, hints: &'static [Hint], pattern: &'static str) -> Condition {
    Condition { flag, hints, test: ConditionTest::Text(LazyPattern::new(pattern)) }
}

/// The condition that a pattern matches as an act.
const fn act(flag: Flag, hints: &'static [Hint], pattern: &'static str) -> Condition {
    Condition { flag, hints, test: ConditionTest::Act(LazyPattern::new(pattern)) }
}

/// The condition that a pattern matches as a statement.
const fn claim(flag: Flag, hints: &'static [Hint], pattern: &'static str) -> Condition {
    Condition { flag, hints, test: ConditionTest::Claim(LazyPattern::new(pattern)) }
}

/// The condition that somebody is told to do something.
const fn instruction(
    flag: Flag,
    hints: &'static [Hint],
    verbs: &'static str,
    object: &'static str,
    reach: Reach,
) -> Condition {
    let told = Instruction { verbs: LazyPattern::new(verbs), object: LazyPattern::new(object), reach };
    Condition { flag, hints, test: ConditionTest::Instruction(told) }
}

const PIPE_TO_SHELL: Flag =
    Flag { name: "pipe-to-shell", meaning: "runs a script straight from the network" };
const EXFILTRATION: Flag = Flag { name: "exfiltration", meaning: "sends secrets or files away" };
const SAFEGUARD_OFF: Flag = Flag { name: "safeguard-off", meaning: "switches off a check or a safeguard" };
const WEAKENS_TESTS: Flag = Flag { name: "weakens-tests", meaning: "has failing tests removed or skipped" };
const CLAIMS_APPROVAL: Flag = Flag { name: "claims-approval", meaning: "says that somebody already agreed" };
const HIDES_FROM_USER: Flag = Flag { name: "hides-from-user", meaning: "keeps something from the user" };
const OVERRIDES_INSTRUCTIONS: Flag =
    Flag { name: "overrides-instructions", meaning: "speaks as if it were an instruction from above" };
const IMITATES_MARKUP: Flag =
    Flag { name: "imitates-markup", meaning: "imitates the client's or our own markup" };
const REMOTE_CONTENT: Flag =
    Flag { name: "remote-content", meaning: "has a picture or a link to another host fetched" };
const HIDDEN_TEXT: Flag = Flag { name: "hidden-text", meaning: "holds a comment that a reader does not see" };
const ENCODED_PAYLOAD: Flag = Flag { name: "encoded-payload", meaning: "runs something that is encoded" };

/// All conditions, those of one flag together.
pub(super) static CONDITIONS: [Condition; 32] = [
    act(
        PIPE_TO_SHELL,
        &[anywhere().parts("curl|wget|fetch")],
        r"\b(?:curl|wget|fetch)\b[^|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b",
    ),
    act(
        PIPE_TO_SHELL,
        &[anywhere().parts("curl|wget")],
        r"\b(?:(?:ba|z|da|k)?sh|eval)\s+(?:-c\s+)?[\x22']?(?:<|\$)\(\s*(?:curl|wget)\b",
    ),
    act(
        PIPE_TO_SHELL,
        &[anywhere().parts("curl|wget")],
        r"\b(?:curl|wget)\b[^|;]{0,200}(?:&&|;)\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b",
    ),
    Condition {
        flag: EXFILTRATION,
        hints: &[near(416)
            .parts(".ssh|.aws|id_rsa|credential|secret|private key|api key|api_key|api-key|apikey|token|.env|password")
            .words("upload|send|post|exfiltrate|copy|paste|curl|wget|nc")
            .parts("http://|https://|server|host|url|endpoint|address|mail")],
        test: ConditionTest::Sending(Sending {
            verbs: LazyPattern::new(r"\b(?:upload|send|post|exfiltrate|copy|paste|curl|wget|nc)\b"),
            object: LazyPattern::new(
                r"\.ssh\b|\.aws\b|id_rsa|credential|secret|private key|api[ _-]?key|token|\.env\b|password",
            ),
            target: LazyPattern::new(r"https?://|\bto\b.{0,40}\b(?:server|host|url|endpoint|address|mail)\b"),
        }),
    },
    act(
        EXFILTRATION,
        &[near(264).parts(".ssh|.aws|id_rsa|credential|.env").words("nc|ncat|socat|curl")],
        r"(?:\.ssh\b|\.aws\b|id_rsa|credential|\.env\b)[^|]{0,60}\|\s*(?:nc|ncat|socat|curl)\b",
    ),
    act(
        EXFILTRATION,
        &[near(900).words("curl|wget|nc|ncat|socat").words("env|printenv")],
        r"\b(?:curl|wget|nc|ncat|socat)\b[^|;]{0,200}(?:\$\(|`)\s*(?:env|printenv)\b|\b(?:env|printenv)\s*\|\s*(?:base64\b[^|]{0,20}\|\s*)?(?:nc|ncat|socat|curl)\b",
    ),
    act(
        EXFILTRATION,
        &[near(300).words("nc|ncat").parts("<")],
        r"\b(?:nc|ncat) (?:-\w+ )*[\w.-]+ (?:\d{1,5} ?< ?\S|\d{0,5} ?< ?[~\w.-]*[/.][\w/~.])",
    ),
    text(
        EXFILTRATION,
        &[near(500).parts("$(").words("cat").parts(".ssh|.aws|.env|credential|passwd")],
        r"\$\(\s*cat\b[^)]{0,120}(?:\.ssh|\.aws|\.env|credential|passwd)",
    ),
    instruction(
        SAFEGUARD_OFF,
        &[anywhere()
            .parts("--no-verify|--no-gpg-sign|--dangerously-skip-permissions|--insecure|sslverify|--allow-unauthenticated|--trusted-host|verify=false|node_tls_reject_unauthorized")],
        r"\b(?:use|pass|add|append|run|always|set|call|try|retry|commit|push|merge|install|clone|export)\b",
        r"--no-verify\b|--no-gpg-sign\b|--dangerously-skip-permissions|--insecure\b|sslverify[ =]false|--allow-unauthenticated|--trusted-host|\bverify=false|node_tls_reject_unauthorized=0",
        Reach::Sentence,
    ),
    act(SAFEGUARD_OFF, &[anywhere().parts("chmod")], r"\bchmod (?:-r )?(?:0|a\+)?777\b"),
    act(
        SAFEGUARD_OFF,
        &[anywhere().parts(" off")],
        r"\b(?:turn|switch) (?:(?:the|all|your) )*(?:sandbox|hooks?|linters?|reviews?|safeguards?|(?:security|safety|certificate) checks?) off\b",
    ),
    instruction(
        SAFEGUARD_OFF,
        &[anywhere().parts("disable|skip|turn off|switch off|bypass|ignore|circumvent")],
        r"\b(?:disable|skip|turn off|switch off|bypass|ignore|circumvent)\b",
        r"\b(?:code reviews?|the reviews?|reviews|security|permission prompts?|permission checks?|sandbox|safety|safeguards?|hooks?|ci checks?|linters?)\b|\b(?:certificates?|certs?|tls|ssl)(?: certificates?)? (?:verification|validation|checks?|errors?|warnings?)\b",
        Reach::Object,
    ),
    instruction(
        WEAKENS_TESTS,
        &[anywhere().parts("delete|remove|skip|disable|comment out|ignore|drop|mute")],
        r"\b(?:delete|remove|skip|disable|comment out|ignore|drop|mute)\b",
        // The next word distinguishes the tests from the test database.
        r"\b(?:(?:(?:all|the|these|those|your) )+(?:(?:failing|flaky|broken|red) )*|(?:failing|flaky|broken|red) )tests?(?:$|\.$|\. |[^\w\s/.-]|\s(?:if|when|before|until|so|and|or|in|for|on|to|with|as|first|instead|entirely)\b)|\btests? (?:that|which) (?:fail|break|are (?:failing|flaky|broken|red))",
        Reach::Object,
    ),
    instruction(
        WEAKENS_TESTS,
        &[anywhere().parts("mark")],
        r"\bmark\b",
        r"\b(?:it|them|the (?:\w+ )?tests?)(?: as)? (?:skip|xfail)",
        Reach::Object,
    ),
    claim(
        CLAIMS_APPROVAL,
        &[near(27)
            .words("user|owner|maintainer|maintainers|admin|admins|team|boss|manager|anthropic|everyone|everybody|has|have|had|already|all|both|just|explicitly|also")
            .words("approved|allowed|authorised|authorized|confirmed|accepted|signed off|permitted|gave permission|agreed")],
        r"\b(?:user|owner|maintainers?|admins?|team|boss|manager|anthropic|everyone|everybody)(?: (?:has|have|had|already|all|both|just|explicitly|also))* (?:(?:approved|allowed|authori[sz]ed|confirmed|accepted|signed off|permitted|gave permission)\b|agreed(?:$|[^\w\s]| (?:to|that|with)\b))",
    ),
    claim(
        CLAIMS_APPROVAL,
        &[anywhere()
            .words("preapproved|pre-approved|no need to ask|no need to confirm|no reason to ask|no reason to confirm|no confirmation|no approval|no permission|no review|without asking|without waiting for|without confirmation|without approval")],
        r"\bpre-?approved\b|\bno (?:need|reason) to (?:ask|confirm)\b|\bno (?:confirmation|approval|permission|review)(?: is)? (?:needed|required|necessary)\b|\bwithout (?:asking|waiting for|confirmation|approval)(?: (?:from|of|by|for))?(?: (?:the user|the owner|anyone|anybody|permission|confirmation|approval))\b",
    ),
    text(
        CLAIMS_APPROVAL,
        &[anywhere().words("not ask|don't ask|never ask")],
        r"\b(?:do not|don't|never) ask(?: (?:the user|anyone|anybody|them))?(?:$|[^\w\s]| (?:first|again|before)\b| for (?:permission|confirmation|approval)\b)",
    ),
    text(
        HIDES_FROM_USER,
        &[near(34)
            .words("not|don't|never|without|ever|even")
            .words("tell|telling|inform|informing|notify|notifying|alert|alerting")
            .words("user|users|anyone|anybody|them|owner|owners|human|humans|reviewer|reviewers|maintainer|maintainers|people")],
        r"\b(?:do not|don't|never|without|must not|should not)(?: (?:ever|even))? (?:tell|inform|notify|alert)(?:ing)? (?:(?:the|any|your) )?(?:users?|anyone|anybody|them|owners?|humans?|reviewers?|maintainers?|people)(?:$|[^\w'])",
    ),
    text(
        HIDES_FROM_USER,
        &[near(24)
            .words("not|don't|never|without|ever|even")
            .parts("mention|report|reveal|disclos|say|show")
            .words("this|it|that|them")],
        r"\b(?:do not|don't|never|without|must not|should not)(?: (?:ever|even))? (?:mention|report|reveal|disclos|say|show)(?:e|ing)? (?:this|it|that|them)(?:$|[^\w\s]| (?:to|anywhere|again|at all)\b)",
    ),
    text(
        HIDES_FROM_USER,
        &[near(200)
            .words("not|don't|never|without|ever|even")
            .parts("mention|report|disclos")
            .words("user|owner|human|reviewer|anyone|anybody")],
        r"\b(?:do not|don't|never|without)(?: (?:ever|even))? (?:mention|report|disclos)(?:e|ing)? [^.;:!?]{1,40} to (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody)\b",
    ),
    text(
        HIDES_FROM_USER,
        &[near(200)
            .words("not|don't|never|ever|even")
            .words("show|let")
            .parts("user|owner|human|reviewer|anyone|anybody")],
        r"\b(?:do not|don't|never)(?: (?:ever|even))? (?:show (?:this|that|these|those)[^.;:!?]{1,40} to (?:the |your |any )?(?:user|owner|human|reviewer)|let (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody)s? (?:know|see|notice))\b",
    ),
    text(
        HIDES_FROM_USER,
        &[
            anywhere().words("secretly"),
            near(16)
                .words("quietly|silently")
                .words("and|add|push|commit|send|upload|change|delete|remove|run|install"),
            near(192)
                .words("hide")
                .words("from")
                .parts("user|owner|human|reviewer|anyone|anybody|maintainer"),
        ],
        r"\bsecretly\b|(?:^|[.,;:!?*\n-][ \n]*|\b(?:and|then|to|please|will|should|must|can|you|just|always|also|now) )(?:quietly|silently) (?:and|add|push|commit|send|upload|change|delete|remove|run|install)\b|\bhide [^.;:!?]{1,40} from (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody|maintainer)",
    ),
    instruction(
        OVERRIDES_INSTRUCTIONS,
        &[near(96)
            .parts("ignore|disregard|forget|override|replace")
            .words("previous|prior|above|earlier|other|existing|former|system")],
        r"\b(?:ignore|disregard|forget|override|replace)s?\b",
        r"\b(?:(?:previous|prior|above|earlier|other|existing|former)(?: [\w-]+)? (?:instructions?|prompts?|guidelines)|(?:previous|prior|above|earlier)(?: [\w-]+)? (?:rules?|messages?|lessons?)|system (?:prompts?|instructions?|messages?|rules?))\b",
        Reach::Object,
    ),
    text(
        OVERRIDES_INSTRUCTIONS,
        &[anywhere().parts("you are now|new instruction|system override")],
        r"\byou are now (?:a|an|the|free|no longer|acting|in [\w-]+ mode)\b|\bnew instructions?:|\bsystem override\b",
    ),
    text(
        OVERRIDES_INSTRUCTIONS,
        &[
            near(20).words("ignore|disregard|forget").words("everything|anything|all"),
            near(16).words("not|don't|never|stop").words("follow|following|obey|obeying"),
        ],
        r"\b(?:ignore|disregard|forget) (?:everything|anything|all)(?: [\w-]+){0,2} (?:above|before|earlier|so far)\b|\b(?:do not|don't|never|stop) (?:follow|obey)(?:ing)?(?: [\w-]+){0,2} (?:previous|prior|above|earlier|other|existing|system)(?: [\w-]+)? (?:instructions?|prompts?|rules?)\b",
    ),
    act(
        OVERRIDES_INSTRUCTIONS,
        &[near(90)
            .words("ignore|disregard|forget")
            .words("user|users|operator|operators|owner|owners|human|developer|developers")
            .words("asked|said|told|wanted|wants|requested|instructed")],
        r"\b(?:ignore|disregard|forget) (?:everything|anything|all|what|whatever)(?: that)? (?:the|your) (?:users?|operators?|owners?|human|developers?) (?:(?:has|have|had) )?(?:asked|said|told|wanted|wants|requested|instructed)\b",
    ),
    Condition {
        flag: OVERRIDES_INSTRUCTIONS,
        hints: &[anywhere().parts("system: |assistant: |human: |user: ")],
        test: ConditionTest::Start(LazyPattern::new(r"(?:system|assistant|human|user):\s")),
    },
    // In a template a placeholder follows.
    text(
        IMITATES_MARKUP,
        &[anywhere().parts("im_start")],
        r"<\|\s*im_start\s*\|>\s*(?:system|assistant)\s+[a-z]",
    ),
    text(
        IMITATES_MARKUP,
        &[
            near(20)
                .parts("<")
                .parts("system|recorded-lessons|lesson|user-prompt|command-|local-command|function_|invoke|antml|tool_|assistant|human"),
            anywhere().parts("[lesson|[/lesson"),
        ],
        // `C<system>` is Perl's documentation, and `<system_error>` a header of C++.
        r"(?:^|[^\w])<\s*/?\s*(?:system(?:$|[^\w]|_(?:prompt|message|reminder|instruction))|recorded-lessons|lessons?\b|user-prompt|command-|local-command|function_|invoke|antml|tool_|assistant|human)|\[/?lesson\b",
    ),
    text(
        REMOTE_CONTENT,
        &[anywhere().parts("http")],
        r"!\s*\[[^\]]{0,200}\]\s*\(\s*https?:|\]\(\s*https?:[^)]{0,300}(?:\$\(|\$\{|`)",
    ),
    text(HIDDEN_TEXT, &[anywhere().parts("<!--")], r"<!--"),
    act(
        ENCODED_PAYLOAD,
        &[
            near(172).words("base64").words("sh|bash|zsh|dash"),
            near(173).words("eval|exec").words("atob|base64|b64decode"),
        ],
        r"\bbase64\b.{0,40}\|\s*(?:ba|z|da)?sh\b|\b(?:eval|exec)\b.{0,40}\b(?:atob|base64|b64decode)\b",
    ),
];
