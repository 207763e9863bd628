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
    pub(super) looks: &'static [Look],
}

/// Something that a rule looks for.
#[derive(Debug)]
pub(super) struct Look {
    /// One of these, with bars between them, stands in every text in which it is. They stand in few texts, so in most
    /// nothing more is looked for.
    pub(super) hints: &'static str,
    /// It.
    pub(super) sees: Sees,
}

/// What a rule looks for.
#[derive(Debug)]
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

pub(super) static RULES: [Rule; 11] = [
    Rule {
        name: "pipe-to-shell",
        meaning: "runs a script straight from the network",
        looks: &[
            Look {
                hints: "curl|wget|fetch",
                sees: Sees::Act(r"\b(?:curl|wget|fetch)\b[^|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b"),
            },
            Look {
                hints: "curl|wget",
                sees: Sees::Act(
                    r"\b(?:(?:ba|z|da|k)?sh|eval)\s+(?:-c\s+)?[\x22']?(?:<|\$)\(\s*(?:curl|wget)\b",
                ),
            },
            Look {
                hints: "curl|wget",
                sees: Sees::Act(r"\b(?:curl|wget)\b[^|;]{0,200}(?:&&|;)\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b"),
            },
        ],
    },
    Rule {
        name: "exfiltration",
        meaning: "sends secrets or files away",
        looks: &[
            Look {
                hints: ".ssh|.aws|id_rsa|credential|secret|private key|api|token|.env|password",
                sees: Sees::Act(
                    r"\b(?:upload|send|post|exfiltrate|copy|paste|curl|wget|nc)\b.{0,120}(?:\.ssh\b|\.aws\b|id_rsa|credential|secret|private key|api[ _-]?key|token|\.env\b|password).{0,120}(?:https?://|\bto\b.{0,40}\b(?:server|host|url|endpoint|address|mail)\b)",
                ),
            },
            Look {
                hints: ".ssh|.aws|id_rsa|credential|.env",
                sees: Sees::Act(
                    r"(?:\.ssh\b|\.aws\b|id_rsa|credential|\.env\b)[^|]{0,60}\|\s*(?:nc|ncat|socat|curl)\b",
                ),
            },
            Look {
                hints: "$(",
                sees: Sees::Text(r"\$\(\s*cat\b[^)]{0,120}(?:\.ssh|\.aws|\.env|credential|passwd)"),
            },
        ],
    },
    Rule {
        name: "safeguard-off",
        meaning: "switches off a check or a safeguard",
        looks: &[
            Look {
                hints: "--no-verify|--no-gpg-sign|--dangerously-skip-permissions|--insecure|sslverify|--allow-unauthenticated|--trusted-host|verify=false|node_tls_reject_unauthorized",
                sees: Sees::Order(Order {
                    verbs: r"\b(?:use|pass|add|append|run|always|set|call|try|retry|commit|push|merge|install|clone|export)\b",
                    object: r"--no-verify\b|--no-gpg-sign\b|--dangerously-skip-permissions|--insecure\b|sslverify[ =]false|--allow-unauthenticated|--trusted-host|\bverify=false|node_tls_reject_unauthorized=0",
                    reach: Reach::Sentence,
                }),
            },
            Look { hints: "chmod", sees: Sees::Act(r"\bchmod (?:-r )?(?:0|a\+)?777\b") },
            Look {
                hints: " off",
                sees: Sees::Act(
                    r"\b(?:turn|switch) (?:(?:the|all|your) )*(?:sandbox|hooks?|linters?|reviews?|safeguards?|(?:security|safety|certificate) checks?) off\b",
                ),
            },
            Look {
                hints: "disable|skip|turn off|switch off|bypass|ignore|circumvent",
                sees: Sees::Order(Order {
                    verbs: r"\b(?:disable|skip|turn off|switch off|bypass|ignore|circumvent)\b",
                    object: r"\b(?:code reviews?|the reviews?|reviews|security|permission prompts?|permission checks?|sandbox|safety|safeguards?|hooks?|ci checks?|linters?)\b|\b(?:certificates?|certs?|tls|ssl)(?: certificates?)? (?:verification|validation|checks?|errors?|warnings?)\b",
                    reach: Reach::Object,
                }),
            },
        ],
    },
    Rule {
        name: "weakens-tests",
        meaning: "has failing tests removed or skipped",
        looks: &[
            Look {
                hints: "delete|remove|skip|disable|comment out|ignore|drop|mute",
                sees: Sees::Order(Order {
                    verbs: r"\b(?:delete|remove|skip|disable|comment out|ignore|drop|mute)\b",
                    // The next word tells the tests from the test database.
                    object: r"\b(?:(?:(?:all|the|these|those|your) )+(?:(?:failing|flaky|broken|red) )*|(?:failing|flaky|broken|red) )tests?(?:$|\.$|\. |[^\w\s/.-]|\s(?:if|when|before|until|so|and|or|in|for|on|to|with|as|first|instead|entirely)\b)|\btests? (?:that|which) (?:fail|break|are (?:failing|flaky|broken|red))",
                    reach: Reach::Object,
                }),
            },
            Look {
                hints: "mark",
                sees: Sees::Order(Order {
                    verbs: r"\bmark\b",
                    object: r"\b(?:it|them|the (?:\w+ )?tests?)(?: as)? (?:skip|xfail)",
                    reach: Reach::Object,
                }),
            },
        ],
    },
    Rule {
        name: "claims-approval",
        meaning: "says that somebody already agreed",
        looks: &[
            Look {
                hints: "approved|allowed|authori|confirmed|accepted|signed off|permitted|gave permission|agreed",
                sees: Sees::Claim(
                    r"\b(?:user|owner|maintainers?|admins?|team|boss|manager|anthropic|everyone|everybody)(?: (?:has|have|had|already|all|both|just|explicitly|also))* (?:(?:approved|allowed|authori[sz]ed|confirmed|accepted|signed off|permitted|gave permission)\b|agreed(?:$|[^\w\s]| (?:to|that|with)\b))",
                ),
            },
            Look {
                hints: "approved|no need to|no reason to|no confirmation|no approval|no permission|no review|without",
                sees: Sees::Claim(
                    r"\bpre-?approved\b|\bno (?:need|reason) to (?:ask|confirm)\b|\bno (?:confirmation|approval|permission|review)(?: is)? (?:needed|required|necessary)\b|\bwithout (?:asking|waiting for|confirmation|approval)(?: (?:from|of|by|for))?(?: (?:the user|the owner|anyone|anybody|permission|confirmation|approval))\b",
                ),
            },
            Look {
                hints: " ask",
                sees: Sees::Text(
                    r"\b(?:do not|don't|never) ask(?: (?:the user|anyone|anybody|them))?(?:$|[^\w\s]| (?:first|again|before)\b| for (?:permission|confirmation|approval)\b)",
                ),
            },
        ],
    },
    Rule {
        name: "hides-from-user",
        meaning: "keeps something from the user",
        looks: &[
            Look {
                hints: "tell|inform|notify|alert",
                sees: Sees::Text(
                    r"\b(?:do not|don't|never|without|must not|should not)(?: (?:ever|even))? (?:tell|inform|notify|alert)(?:ing)? (?:(?:the|any|your) )?(?:users?|anyone|anybody|them|owners?|humans?|reviewers?|maintainers?|people)(?:$|[^\w'])",
                ),
            },
            Look {
                hints: "mention|report|reveal|disclos|say|show",
                sees: Sees::Text(
                    r"\b(?:do not|don't|never|without|must not|should not)(?: (?:ever|even))? (?:mention|report|reveal|disclos|say|show)(?:e|ing)? (?:this|it|that|them)(?:$|[^\w\s]| (?:to|anywhere|again|at all)\b)",
                ),
            },
            Look {
                hints: "mention|report|disclos",
                sees: Sees::Text(
                    r"\b(?:do not|don't|never|without)(?: (?:ever|even))? (?:mention|report|disclos)(?:e|ing)? [^.;:!?]{1,40} to (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody)\b",
                ),
            },
            Look {
                hints: "show th|let ",
                sees: Sees::Text(
                    r"\b(?:do not|don't|never)(?: (?:ever|even))? (?:show (?:this|that|these|those)[^.;:!?]{1,40} to (?:the |your |any )?(?:user|owner|human|reviewer)|let (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody)s? (?:know|see|notice))\b",
                ),
            },
            Look {
                hints: "secretly|quietly|silently|hide ",
                sees: Sees::Text(
                    r"\bsecretly\b|\b(?:quietly|silently) (?:and|add|push|commit|send|upload|change|delete|remove|run|install)\b|\bhide [^.;:!?]{1,40} from (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody|maintainer)",
                ),
            },
        ],
    },
    Rule {
        name: "overrides-instructions",
        meaning: "speaks as if it were an instruction from above",
        looks: &[
            Look {
                hints: "ignore|disregard|forget|override|replace",
                sees: Sees::Order(Order {
                    verbs: r"\b(?:ignore|disregard|forget|override|replace)s?\b",
                    object: r"\b(?:(?:previous|prior|above|earlier|other|existing|former)(?: [\w-]+)? (?:instructions?|prompts?|guidelines)|(?:previous|prior|above|earlier)(?: [\w-]+)? (?:rules?|messages?|lessons?)|system (?:prompts?|instructions?|messages?|rules?))\b",
                    reach: Reach::Object,
                }),
            },
            Look {
                hints: "you are now|new instruction|system override",
                sees: Sees::Text(
                    r"\byou are now (?:a|an|the|free|no longer|acting|in [\w-]+ mode)\b|\bnew instructions?:|\bsystem override\b",
                ),
            },
            Look {
                hints: "ignore|disregard|forget|follow|obey",
                sees: Sees::Text(
                    r"\b(?:ignore|disregard|forget) (?:everything|anything|all)(?: [\w-]+){0,2} (?:above|before|earlier|so far)\b|\b(?:do not|don't|never|stop) (?:follow|obey)(?:ing)?(?: [\w-]+){0,2} (?:previous|prior|above|earlier|other|existing|system)(?: [\w-]+)? (?:instructions?|prompts?|rules?)\b",
                ),
            },
            Look {
                hints: "system:|assistant:|human:|user:",
                sees: Sees::Start(r"(?:system|assistant|human|user):\s"),
            },
        ],
    },
    Rule {
        name: "imitates-markup",
        meaning: "imitates the client's or our own markup",
        looks: &[Look {
            hints: "<|[lesson|[/lesson",
            sees: Sees::Text(
                r"<\s*/?\s*(?:system|recorded-lessons|lessons?\b|user-prompt|command-|local-command|function_|invoke|antml|tool_|assistant|human)|\[/?lesson\b",
            ),
        }],
    },
    Rule {
        name: "remote-content",
        meaning: "has a picture or a link to another host fetched",
        looks: &[Look {
            hints: "http",
            sees: Sees::Text(r"!\s*\[[^\]]{0,200}\]\s*\(\s*https?:|\]\(\s*https?:[^)]{0,300}(?:\$\(|\$\{|`)"),
        }],
    },
    Rule {
        name: "hidden-text",
        meaning: "holds a comment that a reader does not see",
        looks: &[Look { hints: "<!--", sees: Sees::Text(r"<!--") }],
    },
    Rule {
        name: "encoded-payload",
        meaning: "runs something that is encoded",
        looks: &[Look {
            hints: "base64|atob|b64decode",
            sees: Sees::Act(
                r"\bbase64\b.{0,40}\|\s*(?:ba|z|da)?sh\b|\b(?:eval|exec)\b.{0,40}\b(?:atob|base64|b64decode)\b",
            ),
        }],
    },
];
