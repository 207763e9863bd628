//! Keeping the client off the network.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// How the client is kept off the network.
#[derive(Debug, PartialEq, Eq)]
pub enum Isolation {
    /// A network namespace of its own, in which there is only loopback.
    Namespace {
        /// What `unshare` needs to be told by this user.
        flags: &'static [&'static str],
    },
    /// Proxies that lead nowhere. A client that ignores them would get out.
    Proxies,
}

/// Root needs no user namespace, which some machines forbid; others are only allowed a network of their own as
/// root of one.
const NAMESPACES: [Isolation; 2] =
    [Isolation::Namespace { flags: &["-n"] }, Isolation::Namespace { flags: &["-r", "-n"] }];

/// Port 9 is `discard` (RFC 863): nothing listens there.
const NOWHERE: &str = "http://127.0.0.1:9";

/// The best way this machine allows. Says once, on standard error, when that is not a namespace.
pub(super) fn of_this_machine() -> &'static Isolation {
    static FOUND: OnceLock<Isolation> = OnceLock::new();
    FOUND.get_or_init(|| {
        NAMESPACES.into_iter().find(Isolation::works).unwrap_or_else(|| {
            // Not `eprintln`, which the test runner keeps to itself.
            let _ = writeln!(
                io::stderr(),
                "NOT ISOLATED: no network namespace here (it takes `unshare` and `ip`, and permission); \
                 the client gets proxies at a closed port instead"
            );
            Isolation::Proxies
        })
    })
}

impl Isolation {
    /// The given program, isolated; arguments can be added.
    pub(super) fn command(&self, program: &Path) -> Command {
        match self {
            Self::Namespace { flags } => {
                let mut unshare = Command::new("unshare");
                unshare
                    .args(*flags)
                    .args(["sh", "-c", r#"ip link set lo up && exec "$@""#, "sh"])
                    .arg(program);
                unshare
            }
            Self::Proxies => Command::new(program),
        }
    }

    /// What the client's environment needs for it.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let proxies = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
        let exempt = ["no_proxy", "NO_PROXY"];
        match self {
            Self::Namespace { .. } => Vec::new(),
            Self::Proxies => (proxies.iter().map(|name| (*name, NOWHERE)))
                .chain(exempt.iter().map(|name| (*name, "127.0.0.1")))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        }
    }

    fn works(&self) -> bool {
        let mut probe = self.command(Path::new("true"));
        let ended = probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        ended.is_ok_and(|status| status.success())
    }
}
