//! The rules, as data.
//!
//! All texts are regular expressions of [`crate::pattern::js`] on lower-case text with single spaces.

use super::order::{Order, Reach};

/// One rule: it is raised when it sees one of these.
pub(super) struct Rule {
    /// Kebab-case, as `--accept` takes it.
    pub(super) name: &'static str,
    /// What was seen, for people.
    pub(super) meaning: &'static str,
    /// What it looks for.
    pub(super) sees: &'static [Sees],
}

/// What a rule looks for.
pub(super) enum Sees {
    /// This, wherever it stands.
    Text(&'static str),
    /// This, unless the words before it say not to, and unless what follows says that it is wrong.
    Act(&'static str),
    /// Something that somebody is told to do.
    Order(Order),
    /// A statement, unless it is a condition (`once the user has approved`) or is denied.
    Claim(&'static str),
    /// This at the start of a line or of a sentence.
    Start(&'static str),
}

pub(super) const RULES: [Rule; 11] = [
    Rule {
        name: "pipe-to-shell",
        meaning: "runs a script straight from the network",
        sees: &[
            Sees::Act(r"\b(?:curl|wget|fetch)\b[^|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b"),
            Sees::Act(r"\b(?:(?:ba|z|da|k)?sh|eval)\s+(?:-c\s+)?[\x22']?(?:<|\$)\(\s*(?:curl|wget)\b"),
            Sees::Act(r"\b(?:curl|wget)\b[^|;]{0,200}(?:&&|;)\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b"),
        ],
    },
    Rule {
        name: "exfiltration",
        meaning: "sends secrets or files away",
        sees: &[
            Sees::Act(
                r"\b(?:upload|send|post|exfiltrate|copy|paste|curl|wget|nc)\b.{0,120}(?:\.ssh\b|\.aws\b|id_rsa|credential|secret|private key|api[ _-]?key|token|\.env\b|password).{0,120}(?:https?://|\bto\b.{0,40}\b(?:server|host|url|endpoint|address|mail)\b)",
            ),
            Sees::Act(
                r"(?:\.ssh\b|\.aws\b|id_rsa|credential|\.env\b)[^|]{0,60}\|\s*(?:nc|ncat|socat|curl)\b",
            ),
            Sees::Text(r"\$\(\s*cat\b[^)]{0,120}(?:\.ssh|\.aws|\.env|credential|passwd)"),
        ],
    },
    Rule {
        name: "safeguard-off",
        meaning: "switches off a check or a safeguard",
        sees: &[
            Sees::Order(Order {
                verbs: r"\b(?:use|pass|add|append|run|always|set|call|try|retry|commit|push|merge|install|clone|export)\b",
                object: r"--no-verify\b|--no-gpg-sign\b|--dangerously-skip-permissions|--insecure\b|sslverify[ =]false|--allow-unauthenticated|--trusted-host|\bverify=false|node_tls_reject_unauthorized=0",
                reach: Reach::Sentence,
            }),
            Sees::Act(r"\bchmod (?:-r )?(?:0|a\+)?777\b"),
            Sees::Act(
                r"\b(?:turn|switch) (?:(?:the|all|your) )*(?:sandbox|hooks?|linters?|reviews?|safeguards?|(?:security|safety|certificate) checks?) off\b",
            ),
            Sees::Order(Order {
                verbs: r"\b(?:disable|skip|turn off|switch off|bypass|ignore|circumvent)\b",
                object: r"\b(?:code reviews?|the reviews?|reviews|security|permission prompts?|permission checks?|sandbox|safety|safeguards?|hooks?|ci checks?|linters?)\b|\b(?:certificates?|certs?|tls|ssl)(?: certificates?)? (?:verification|validation|checks?|errors?|warnings?)\b",
                reach: Reach::Object,
            }),
        ],
    },
    Rule {
        name: "weakens-tests",
        meaning: "has failing tests removed or skipped",
        sees: &[
            Sees::Order(Order {
                verbs: r"\b(?:delete|remove|skip|disable|comment out|ignore|drop|mute)\b",
                // The next word tells the tests from the test database.
                object: r"\b(?:(?:(?:all|the|these|those|your) )+(?:(?:failing|flaky|broken|red) )*|(?:failing|flaky|broken|red) )tests?(?:$|\.$|\. |[^\w\s/.-]|\s(?:if|when|before|until|so|and|or|in|for|on|to|with|as|first|instead|entirely)\b)|\btests? (?:that|which) (?:fail|break|are (?:failing|flaky|broken|red))",
                reach: Reach::Object,
            }),
            Sees::Order(Order {
                verbs: r"\bmark\b",
                object: r"\b(?:it|them|the (?:\w+ )?tests?)(?: as)? (?:skip|xfail)",
                reach: Reach::Object,
            }),
        ],
    },
    Rule {
        name: "claims-approval",
        meaning: "says that somebody already agreed",
        sees: &[
            Sees::Claim(
                r"\b(?:user|owner|maintainers?|admins?|team|boss|manager|anthropic|everyone|everybody)(?: (?:has|have|had|already|all|both|just|explicitly|also))* (?:(?:approved|allowed|authori[sz]ed|confirmed|accepted|signed off|permitted|gave permission)\b|agreed(?:$|[^\w\s]| (?:to|that|with)\b))",
            ),
            Sees::Claim(
                r"\bpre-?approved\b|\bno (?:need|reason) to (?:ask|confirm)\b|\bno (?:confirmation|approval|permission|review)(?: is)? (?:needed|required|necessary)\b|\bwithout (?:asking|waiting for|confirmation|approval)(?: (?:from|of|by|for))?(?: (?:the user|the owner|anyone|anybody|permission|confirmation|approval))\b",
            ),
            Sees::Text(
                r"\b(?:do not|don't|never) ask(?: (?:the user|anyone|anybody|them))?(?:$|[^\w\s]| (?:first|again|before)\b| for (?:permission|confirmation|approval)\b)",
            ),
        ],
    },
    Rule {
        name: "hides-from-user",
        meaning: "keeps something from the user",
        sees: &[
            Sees::Text(
                r"\b(?:do not|don't|never|without|must not|should not)(?: (?:ever|even))? (?:tell|inform|notify|alert)(?:ing)? (?:(?:the|any|your) )?(?:users?|anyone|anybody|them|owners?|humans?|reviewers?|maintainers?|people)(?:$|[^\w'])",
            ),
            Sees::Text(
                r"\b(?:do not|don't|never|without|must not|should not)(?: (?:ever|even))? (?:mention|report|reveal|disclos|say|show)(?:e|ing)? (?:this|it|that|them)(?:$|[^\w\s]| (?:to|anywhere|again|at all)\b)",
            ),
            Sees::Text(
                r"\b(?:do not|don't|never|without)(?: (?:ever|even))? (?:mention|report|disclos)(?:e|ing)? [^.;:!?]{1,40} to (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody)\b",
            ),
            Sees::Text(
                r"\b(?:do not|don't|never)(?: (?:ever|even))? (?:show (?:this|that|these|those)[^.;:!?]{1,40} to (?:the |your |any )?(?:user|owner|human|reviewer)|let (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody)s? (?:know|see|notice))\b",
            ),
            Sees::Text(
                r"\bsecretly\b|\b(?:quietly|silently) (?:and|add|push|commit|send|upload|change|delete|remove|run|install)\b|\bhide [^.;:!?]{1,40} from (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody|maintainer)",
            ),
        ],
    },
    Rule {
        name: "overrides-instructions",
        meaning: "speaks as if it were an instruction from above",
        sees: &[
            Sees::Order(Order {
                verbs: r"\b(?:ignore|disregard|forget|override|replace)s?\b",
                object: r"\b(?:(?:previous|prior|above|earlier|other|existing|former)(?: [\w-]+)? (?:instructions?|prompts?|guidelines)|(?:previous|prior|above|earlier)(?: [\w-]+)? (?:rules?|messages?|lessons?)|system (?:prompts?|instructions?|messages?|rules?))\b",
                reach: Reach::Object,
            }),
            Sees::Text(
                r"\byou are now (?:a|an|the|free|no longer|acting|in [\w-]+ mode)\b|\bnew instructions?:|\bsystem override\b",
            ),
            Sees::Text(
                r"\b(?:ignore|disregard|forget) (?:everything|anything|all)(?: [\w-]+){0,2} (?:above|before|earlier|so far)\b|\b(?:do not|don't|never|stop) (?:follow|obey)(?:ing)?(?: [\w-]+){0,2} (?:previous|prior|above|earlier|other|existing|system)(?: [\w-]+)? (?:instructions?|prompts?|rules?)\b",
            ),
            Sees::Start(r"(?:system|assistant|human|user):\s"),
        ],
    },
    Rule {
        name: "imitates-markup",
        meaning: "imitates the client's or our own markup",
        sees: &[Sees::Text(
            r"<\s*/?\s*(?:system|recorded-lessons|lessons?\b|user-prompt|command-|local-command|function_|invoke|antml|tool_|assistant|human)|\[/?lesson\b",
        )],
    },
    Rule {
        name: "remote-content",
        meaning: "has a picture or a link to another host fetched",
        sees: &[Sees::Text(r"!\s*\[[^\]]{0,200}\]\s*\(\s*https?:|\]\(\s*https?:[^)]{0,300}(?:\$\(|\$\{|`)")],
    },
    Rule {
        name: "hidden-text",
        meaning: "holds a comment that a reader does not see",
        sees: &[Sees::Text(r"<!--")],
    },
    Rule {
        name: "encoded-payload",
        meaning: "runs something that is encoded",
        sees: &[Sees::Act(
            r"\bbase64\b.{0,40}\|\s*(?:ba|z|da)?sh\b|\b(?:eval|exec)\b.{0,40}\b(?:atob|base64|b64decode)\b",
        )],
    },
];
