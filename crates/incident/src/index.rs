//! The index of incidents: those that are active or retired, as a file that hooks read.
//!
//! Format, little-endian: the magic `LINC`, the version in a byte, three zero bytes, the checksum of all that follows in
//! eight; whether local tools are checked in a byte, the threshold in thousandths in two, the number of rows in four; then
//! the rows, the most severe first. A row is the id and the time in eight bytes each; type, severity, kind of source and
//! standing in one each; then the source and the sketch, each with its length in two and in four bytes
//! before it. A reader that knows another version, or finds any byte wrong, has no index. An upgrade is a rebuild.

use crate::kind::{IncidentType, Severity, SourceKind, Standing};
use crate::likeness::{ComparedText, Likeness, Threshold};
use crate::pattern::IncidentId;
use crate::sketch::Sketch;

/// The most rows of an index.
pub const MOST_ROWS: usize = 2000;
/// The most matches that are told of a text.
pub const MOST_MATCHES: usize = 3;
/// The largest index, in bytes.
pub const MOST_BYTES: u64 = 24 << 20;

const MAGIC: &[u8; 4] = b"LINC";
/// The version of the format, sketches included.
const VERSION: u8 = 1;
/// The longest source, in bytes.
const MOST_SOURCE: usize = 200;

/// An incident, as far as a check needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The id.
    pub id: IncidentId,
    /// The type.
    pub kind: IncidentType,
    /// The severity.
    pub severity: Severity,
    /// What a person decided about it.
    pub standing: Standing,
    /// The time at which it was last seen, in seconds since 1970.
    pub last_seen: u64,
    /// The kind of the source it was first seen in.
    pub source_kind: SourceKind,
    /// That source: host and path, a path of the project, the name of a tool. The first 200 bytes are kept.
    pub source: String,
    /// The sketch of its pattern.
    pub sketch: Sketch,
}

impl Row {
    /// Whether texts like the incident are recognised.
    pub fn is_in_force(&self) -> bool {
        self.standing != Standing::Retired
    }
}

/// The settings that a check needs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CheckSettings {
    /// Whether the results of local tools are checked: `incidents.local`.
    pub local: bool,
    /// The least similarity of a match: `incidents.similarity`.
    pub threshold: Threshold,
}

/// The incidents that texts are compared with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IncidentIndex {
    /// The settings.
    pub settings: CheckSettings,
    rows: Vec<Row>,
}

/// An incident that a text is like.
#[derive(Debug, Clone, PartialEq)]
pub struct Match<'i> {
    /// The incident.
    pub row: &'i Row,
    /// How much of it stands in the text, and where.
    pub likeness: Likeness,
}

impl IncidentIndex {
    /// An index of the given incidents: of more than [`MOST_ROWS`] those in force before the retired ones, of these the
    /// most severe, and of those the latest.
    pub fn new(settings: CheckSettings, mut rows: Vec<Row>) -> Self {
        rows.sort_by_key(|row| std::cmp::Reverse((row.is_in_force(), row.severity, row.last_seen, row.id)));
        rows.truncate(MOST_ROWS);
        for row in &mut rows {
            row.source.truncate(row.source.floor_char_boundary(MOST_SOURCE));
        }
        Self { settings, rows }
    }

    /// The incidents: those in force first, then the most severe.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Every incident that a text is like, retired ones too: by severity, then by similarity, then the newest first.
    pub fn all_matches(&self, text: &str) -> Vec<Match<'_>> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let mut compared = ComparedText::new(text);
        let found =
            |row| Some(Match { row, likeness: compared.likeness(&row.sketch, self.settings.threshold)? });
        let mut matches: Vec<_> = self.rows.iter().filter_map(found).collect();
        matches.sort_by(|one, other| {
            let by_severity = other.row.severity.cmp(&one.row.severity);
            let by_similarity = other.likeness.similarity.total_cmp(&one.likeness.similarity);
            by_severity.then(by_similarity).then(other.row.last_seen.cmp(&one.row.last_seen))
        });
        matches
    }

    /// The [`MOST_MATCHES`] first incidents in force of [`IncidentIndex::all_matches`].
    pub fn matches(&self, text: &str) -> Vec<Match<'_>> {
        let mut matches = self.all_matches(text);
        matches.retain(|found| found.row.is_in_force());
        matches.truncate(MOST_MATCHES);
        matches
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = vec![u8::from(self.settings.local)];
        body.extend(thousandths(self.settings.threshold).to_le_bytes());
        body.extend(length::<4>(self.rows.len()));
        for row in &self.rows {
            body.extend(row.id.0.to_le_bytes());
            body.extend(row.last_seen.to_le_bytes());
            body.extend([row.kind as u8, row.severity as u8, row.source_kind as u8, row.standing as u8]);
            push_sized::<2>(&mut body, row.source.as_bytes());
            push_sized::<4>(&mut body, &row.sketch.to_bytes());
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, 0, 0, 0]);
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// The index that some bytes are. `None` if they are damaged, of another version, or anything else.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut header = Reader(bytes);
        let is_ours = header.array::<4>()? == *MAGIC && header.array::<4>()? == [VERSION, 0, 0, 0];
        let sum = u64::from_le_bytes(header.array()?);
        let Reader(body) = header;
        if !is_ours || checksum(body) != sum {
            return None;
        }
        let mut body = Reader(body);
        let local = body.one_of(&[false, true])?;
        let threshold = Threshold::try_from(f64::from(u16::from_le_bytes(body.array()?)) / 1000.0).ok()?;
        let count = body.number::<4>().filter(|&count| count <= MOST_ROWS)?;
        let rows = (0..count).map(|_| body.row()).collect::<Option<Vec<_>>>()?;
        body.0.is_empty().then_some(Self { settings: CheckSettings { local, threshold }, rows })
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a threshold is from 0.5 to 1")]
fn thousandths(threshold: Threshold) -> u16 {
    (threshold.value() * 1000.0).round() as u16
}

/// Appends bytes with their length in `N` bytes before them.
fn push_sized<const N: usize>(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend(length::<N>(bytes.len()));
    to.extend(bytes);
}

/// A length in `N` bytes, little-endian. Those of a row fit, because each is limited where the row is made.
fn length<const N: usize>(length: usize) -> [u8; N] {
    let bytes = (length as u64).to_le_bytes();
    std::array::from_fn(|at| bytes[at])
}

/// The checksum of some bytes: sees random damage, and is no defence against intent.
fn checksum(bytes: &[u8]) -> u64 {
    /// An odd number without structure.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| step(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, &byte| step(sum, u64::from(byte)))
}

/// A reader of what is left of some bytes.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn number<const N: usize>(&mut self) -> Option<usize> {
        let bytes: [u8; N] = self.array()?;
        Some(bytes.into_iter().rev().fold(0, |number, byte| number << 8 | usize::from(byte)))
    }

    /// Bytes with their length in `N` bytes before them.
    fn sized<const N: usize>(&mut self) -> Option<&'b [u8]> {
        let length = self.number::<N>()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        let [at] = self.array()?;
        all.get(usize::from(at)).copied()
    }

    fn row(&mut self) -> Option<Row> {
        // In the order of the bytes.
        Some(Row {
            id: IncidentId(u64::from_le_bytes(self.array()?)),
            last_seen: u64::from_le_bytes(self.array()?),
            kind: self.one_of(&IncidentType::ALL)?,
            severity: self.one_of(&Severity::ALL)?,
            source_kind: self.one_of(&SourceKind::ALL)?,
            standing: self.one_of(&Standing::ALL)?,
            source: str::from_utf8(self.sized::<2>()?).ok()?.to_owned(),
            sketch: Sketch::from_bytes(self.sized::<4>()?)?,
        })
    }
}

#[cfg(test)]
#[path = "index/tests.rs"]
mod tests;
