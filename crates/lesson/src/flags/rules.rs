//! The rules as data.
//!
//! All patterns are regular expressions of [`lessons_pattern::js`] on lower-case text with single spaces.

use super::order::{Instruction, Reach, Sending};

/// A rule, which raises its flag if any of its conditions holds.
pub(super) struct Rule {
    /// The rule's name, kebab-case, as `--accept` takes it.
    pub(super) name: &'static str,
    /// A description of what the rule found, for people.
    pub(super) meaning: &'static str,
    /// The conditions of the rule.
    pub(super) conditions: &'static [Condition],
}

/// A condition of a rule.
#[derive(Debug)]
pub(super) struct Condition {
    /// Words, separated by bars, of which one occurs in every text that satisfies the condition. They are rare, so for most
    /// texts nothing more is tried.
    pub(super) hints: &'static str,
    /// The test that decides.
    pub(super) test: ConditionTest,
}

/// The test of a condition.
#[derive(Debug)]
pub(super) enum ConditionTest {
    /// The pattern matches anywhere.
    Text(&'static str),
    /// The pattern matches, the words before it do not say not to, and what follows does not say that it is wrong.
    Act(&'static str),
    /// Somebody is told to do it.
    Instruction(Instruction),
    /// Something is sent somewhere, and the words before it do not say not to.
    Sending(Sending),
    /// The pattern matches as a statement, which is neither a condition (`once the user has approved`) nor denied.
    Claim(&'static str),
    /// The pattern matches at the start of a line or of a sentence.
    Start(&'static str),
}

pub(super) static RULES: [Rule; 11] = [
    Rule {
        name: "pipe-to-shell",
        meaning: "runs a script straight from the network",
        conditions: &[
            Condition {
                hints: "curl|wget|fetch",
                test: ConditionTest::Act(
                    r"\b(?:curl|wget|fetch)\b[^|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b",
                ),
            },
            Condition {
                hints: "curl|wget",
                test: ConditionTest::Act(
                    r"\b(?:(?:ba|z|da|k)?sh|eval)\s+(?:-c\s+)?[\x22']?(?:<|\$)\(\s*(?:curl|wget)\b",
                ),
            },
            Condition {
                hints: "curl|wget",
                test: ConditionTest::Act(
                    r"\b(?:curl|wget)\b[^|;]{0,200}(?:&&|;)\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b",
                ),
            },
        ],
    },
    Rule {
        name: "exfiltration",
        meaning: "sends secrets or files away",
        conditions: &[
            Condition {
                hints: ".ssh|.aws|id_rsa|credential|secret|private key|api|token|.env|password",
                test: ConditionTest::Sending(Sending {
                    verbs: r"\b(?:upload|send|post|exfiltrate|copy|paste|curl|wget|nc)\b",
                    object: r"\.ssh\b|\.aws\b|id_rsa|credential|secret|private key|api[ _-]?key|token|\.env\b|password",
                    target: r"https?://|\bto\b.{0,40}\b(?:server|host|url|endpoint|address|mail)\b",
                }),
            },
            Condition {
                hints: ".ssh|.aws|id_rsa|credential|.env",
                test: ConditionTest::Act(
                    r"(?:\.ssh\b|\.aws\b|id_rsa|credential|\.env\b)[^|]{0,60}\|\s*(?:nc|ncat|socat|curl)\b",
                ),
            },
            Condition {
                hints: "$(",
                test: ConditionTest::Text(r"\$\(\s*cat\b[^)]{0,120}(?:\.ssh|\.aws|\.env|credential|passwd)"),
            },
        ],
    },
    Rule {
        name: "safeguard-off",
        meaning: "switches off a check or a safeguard",
        conditions: &[
            Condition {
                hints: "--no-verify|--no-gpg-sign|--dangerously-skip-permissions|--insecure|sslverify|--allow-unauthenticated|--trusted-host|verify=false|node_tls_reject_unauthorized",
                test: ConditionTest::Instruction(Instruction {
                    verbs: r"\b(?:use|pass|add|append|run|always|set|call|try|retry|commit|push|merge|install|clone|export)\b",
                    object: r"--no-verify\b|--no-gpg-sign\b|--dangerously-skip-permissions|--insecure\b|sslverify[ =]false|--allow-unauthenticated|--trusted-host|\bverify=false|node_tls_reject_unauthorized=0",
                    reach: Reach::Sentence,
                }),
            },
            Condition { hints: "chmod", test: ConditionTest::Act(r"\bchmod (?:-r )?(?:0|a\+)?777\b") },
            Condition {
                hints: " off",
                test: ConditionTest::Act(
                    r"\b(?:turn|switch) (?:(?:the|all|your) )*(?:sandbox|hooks?|linters?|reviews?|safeguards?|(?:security|safety|certificate) checks?) off\b",
                ),
            },
            Condition {
                hints: "disable|skip|turn off|switch off|bypass|ignore|circumvent",
                test: ConditionTest::Instruction(Instruction {
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
        conditions: &[
            Condition {
                hints: "delete|remove|skip|disable|comment out|ignore|drop|mute",
                test: ConditionTest::Instruction(Instruction {
                    verbs: r"\b(?:delete|remove|skip|disable|comment out|ignore|drop|mute)\b",
                    // The next word distinguishes the tests from the test database.
                    object: r"\b(?:(?:(?:all|the|these|those|your) )+(?:(?:failing|flaky|broken|red) )*|(?:failing|flaky|broken|red) )tests?(?:$|\.$|\. |[^\w\s/.-]|\s(?:if|when|before|until|so|and|or|in|for|on|to|with|as|first|instead|entirely)\b)|\btests? (?:that|which) (?:fail|break|are (?:failing|flaky|broken|red))",
                    reach: Reach::Object,
                }),
            },
            Condition {
                hints: "mark",
                test: ConditionTest::Instruction(Instruction {
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
        conditions: &[
            Condition {
                hints: "approved|allowed|authori|confirmed|accepted|signed off|permitted|gave permission|agreed",
                test: ConditionTest::Claim(
                    r"\b(?:user|owner|maintainers?|admins?|team|boss|manager|anthropic|everyone|everybody)(?: (?:has|have|had|already|all|both|just|explicitly|also))* (?:(?:approved|allowed|authori[sz]ed|confirmed|accepted|signed off|permitted|gave permission)\b|agreed(?:$|[^\w\s]| (?:to|that|with)\b))",
                ),
            },
            Condition {
                hints: "approved|no need to|no reason to|no confirmation|no approval|no permission|no review|without",
                test: ConditionTest::Claim(
                    r"\bpre-?approved\b|\bno (?:need|reason) to (?:ask|confirm)\b|\bno (?:confirmation|approval|permission|review)(?: is)? (?:needed|required|necessary)\b|\bwithout (?:asking|waiting for|confirmation|approval)(?: (?:from|of|by|for))?(?: (?:the user|the owner|anyone|anybody|permission|confirmation|approval))\b",
                ),
            },
            Condition {
                hints: " ask",
                test: ConditionTest::Text(
                    r"\b(?:do not|don't|never) ask(?: (?:the user|anyone|anybody|them))?(?:$|[^\w\s]| (?:first|again|before)\b| for (?:permission|confirmation|approval)\b)",
                ),
            },
        ],
    },
    Rule {
        name: "hides-from-user",
        meaning: "keeps something from the user",
        conditions: &[
            Condition {
                hints: "tell|inform|notify|alert",
                test: ConditionTest::Text(
                    r"\b(?:do not|don't|never|without|must not|should not)(?: (?:ever|even))? (?:tell|inform|notify|alert)(?:ing)? (?:(?:the|any|your) )?(?:users?|anyone|anybody|them|owners?|humans?|reviewers?|maintainers?|people)(?:$|[^\w'])",
                ),
            },
            Condition {
                hints: "mention|report|reveal|disclos|say|show",
                test: ConditionTest::Text(
                    r"\b(?:do not|don't|never|without|must not|should not)(?: (?:ever|even))? (?:mention|report|reveal|disclos|say|show)(?:e|ing)? (?:this|it|that|them)(?:$|[^\w\s]| (?:to|anywhere|again|at all)\b)",
                ),
            },
            Condition {
                hints: "mention|report|disclos",
                test: ConditionTest::Text(
                    r"\b(?:do not|don't|never|without)(?: (?:ever|even))? (?:mention|report|disclos)(?:e|ing)? [^.;:!?]{1,40} to (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody)\b",
                ),
            },
            Condition {
                hints: "show th|let ",
                test: ConditionTest::Text(
                    r"\b(?:do not|don't|never)(?: (?:ever|even))? (?:show (?:this|that|these|those)[^.;:!?]{1,40} to (?:the |your |any )?(?:user|owner|human|reviewer)|let (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody)s? (?:know|see|notice))\b",
                ),
            },
            Condition {
                hints: "secretly|quietly|silently|hide ",
                test: ConditionTest::Text(
                    r"\bsecretly\b|\b(?:quietly|silently) (?:and|add|push|commit|send|upload|change|delete|remove|run|install)\b|\bhide [^.;:!?]{1,40} from (?:the |your |any )?(?:user|owner|human|reviewer|anyone|anybody|maintainer)",
                ),
            },
        ],
    },
    Rule {
        name: "overrides-instructions",
        meaning: "speaks as if it were an instruction from above",
        conditions: &[
            Condition {
                hints: "ignore|disregard|forget|override|replace",
                test: ConditionTest::Instruction(Instruction {
                    verbs: r"\b(?:ignore|disregard|forget|override|replace)s?\b",
                    object: r"\b(?:(?:previous|prior|above|earlier|other|existing|former)(?: [\w-]+)? (?:instructions?|prompts?|guidelines)|(?:previous|prior|above|earlier)(?: [\w-]+)? (?:rules?|messages?|lessons?)|system (?:prompts?|instructions?|messages?|rules?))\b",
                    reach: Reach::Object,
                }),
            },
            Condition {
                hints: "you are now|new instruction|system override",
                test: ConditionTest::Text(
                    r"\byou are now (?:a|an|the|free|no longer|acting|in [\w-]+ mode)\b|\bnew instructions?:|\bsystem override\b",
                ),
            },
            Condition {
                hints: "ignore|disregard|forget|follow|obey",
                test: ConditionTest::Text(
                    r"\b(?:ignore|disregard|forget) (?:everything|anything|all)(?: [\w-]+){0,2} (?:above|before|earlier|so far)\b|\b(?:do not|don't|never|stop) (?:follow|obey)(?:ing)?(?: [\w-]+){0,2} (?:previous|prior|above|earlier|other|existing|system)(?: [\w-]+)? (?:instructions?|prompts?|rules?)\b",
                ),
            },
            Condition {
                hints: "system:|assistant:|human:|user:",
                test: ConditionTest::Start(r"(?:system|assistant|human|user):\s"),
            },
        ],
    },
    Rule {
        name: "imitates-markup",
        meaning: "imitates the client's or our own markup",
        conditions: &[Condition {
            hints: "<|[lesson|[/lesson",
            test: ConditionTest::Text(
                // `C<system>` is Perl's documentation, and `<system_error>` a header of C++.
                r"(?:^|[^\w])<\s*/?\s*(?:system(?:$|[^\w]|_(?:prompt|message|reminder|instruction))|recorded-lessons|lessons?\b|user-prompt|command-|local-command|function_|invoke|antml|tool_|assistant|human)|\[/?lesson\b",
            ),
        }],
    },
    Rule {
        name: "remote-content",
        meaning: "has a picture or a link to another host fetched",
        conditions: &[Condition {
            hints: "http",
            test: ConditionTest::Text(
                r"!\s*\[[^\]]{0,200}\]\s*\(\s*https?:|\]\(\s*https?:[^)]{0,300}(?:\$\(|\$\{|`)",
            ),
        }],
    },
    Rule {
        name: "hidden-text",
        meaning: "holds a comment that a reader does not see",
        conditions: &[Condition { hints: "<!--", test: ConditionTest::Text(r"<!--") }],
    },
    Rule {
        name: "encoded-payload",
        meaning: "runs something that is encoded",
        conditions: &[Condition {
            hints: "base64|atob|b64decode",
            test: ConditionTest::Act(
                r"\bbase64\b.{0,40}\|\s*(?:ba|z|da)?sh\b|\b(?:eval|exec)\b.{0,40}\b(?:atob|base64|b64decode)\b",
            ),
        }],
    },
];
