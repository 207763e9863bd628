//! The look-around context of a place in a text: what assertions can find on either side of it.

use regex_automata::util::look::Look;

use super::byte_set::ByteSet;
use crate::automaton::Alphabet;

/// The content of one side of a place in a text, as far as an assertion can distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Context {
    /// The start or the end of the text.
    Edge,
    /// An ASCII letter, digit or underscore.
    Word,
    /// A byte that continues a character in UTF-8. No assertion holds before it.
    Continuation,
    /// Any other byte.
    Other,
}

impl Context {
    /// Every context.
    pub(super) const ALL: [Self; 4] = [Self::Edge, Self::Word, Self::Continuation, Self::Other];

    fn is_word(self) -> bool {
        self == Self::Word
    }
}

/// A set of contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct ContextSet(u8);

impl ContextSet {
    /// The set of all contexts.
    pub(super) const ALL: Self = Self(0b1111);

    pub(super) fn contains(self, context: Context) -> bool {
        self.0 >> context as u8 & 1 == 1
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The contexts of the set before which `look` holds, after a byte of context `before`.
    pub(super) fn where_holds(self, look: Look, before: Context) -> Self {
        let held =
            Context::ALL.into_iter().filter(|&after| self.contains(after) && holds(look, before, after));
        held.fold(Self::default(), |contexts, context| Self(contexts.0 | 1 << context as u8))
    }
}

/// Whether an assertion is supported: about an end of the text, or about ASCII words.
pub(super) fn is_known(look: Look) -> bool {
    matches!(look, Look::Start | Look::End | Look::WordAscii | Look::WordAsciiNegate)
}

/// Whether a [supported](is_known) assertion holds between two contexts.
fn holds(look: Look, before: Context, after: Context) -> bool {
    match look {
        Look::Start => before == Context::Edge,
        Look::End => after == Context::Edge,
        Look::WordAscii => before.is_word() != after.is_word(),
        Look::WordAsciiNegate => before.is_word() == after.is_word() && after != Context::Continuation,
        _ => false,
    }
}

/// The contexts of bytes that the assertions `looks` distinguish in a text of `alphabet`, with the bytes of each.
pub(super) fn distinguished(
    looks: impl IntoIterator<Item = Look>,
    alphabet: Alphabet,
) -> Vec<(Context, ByteSet)> {
    let (mut words, mut continuations) = (ByteSet::default(), ByteSet::default());
    for look in looks.into_iter().filter(|look| !is_edge(*look)) {
        words = ByteSet::which(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if look == Look::WordAsciiNegate && alphabet == Alphabet::Utf8 {
            continuations = ByteSet::range(0x80, 0xBF);
        }
    }
    let others = ByteSet::ALL.without(words).without(continuations);
    let all = [(Context::Word, words), (Context::Continuation, continuations), (Context::Other, others)];
    all.into_iter().filter(|(_, bytes)| !bytes.is_empty()).collect()
}

/// Whether an assertion is about an end of the text.
pub(super) fn is_edge(look: Look) -> bool {
    matches!(look, Look::Start | Look::End)
}
