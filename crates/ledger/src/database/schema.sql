-- The whole schema of a new database.
--
-- Candidates with their sightings, cursors of transcripts, and the projects of this machine.
CREATE TABLE candidate (
    id          TEXT PRIMARY KEY,
    source      TEXT NOT NULL,
    mistake     TEXT NOT NULL,
    fix         TEXT NOT NULL,
    why         TEXT,
    trigger     TEXT,
    path        TEXT,
    quality     TEXT,
    agent       TEXT,
    tools       TEXT NOT NULL,
    tags        TEXT NOT NULL,
    proposal    TEXT NOT NULL,
    flags       TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('new', 'rejected', 'cancelled', 'archived')),
    reason      TEXT,
    first_seen  INTEGER NOT NULL,
    last_seen   INTEGER NOT NULL,
    touched     INTEGER NOT NULL DEFAULT 0,     -- when a person last decided about it
    evidence    TEXT NOT NULL DEFAULT '[]',     -- the signals that it was proposed from
    basis       TEXT NOT NULL DEFAULT '[]',
    trust       TEXT,
    insight     TEXT NOT NULL DEFAULT '{}',     -- what the writer of a tag says besides mistake and fix
    marks       TEXT NOT NULL DEFAULT '[]',     -- what speaks against its worth
    shared      TEXT,
    tried       INTEGER NOT NULL DEFAULT 0      -- whether its proposed triggers were replayed over the past calls
) STRICT;
CREATE TABLE sighting (
    uuid        TEXT NOT NULL,
    candidate   TEXT NOT NULL REFERENCES candidate (id) ON DELETE CASCADE,
    file        TEXT NOT NULL,
    line        INTEGER NOT NULL,
    session     TEXT NOT NULL,
    project     TEXT,
    agent_id    TEXT,
    agent_type  TEXT,
    model       TEXT,
    time        INTEGER NOT NULL,
    PRIMARY KEY (uuid, candidate)
) STRICT, WITHOUT ROWID;
CREATE INDEX sighting_candidate ON sighting (candidate, session);
CREATE TABLE kin (
    session     TEXT PRIMARY KEY,
    root        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE cancel (
    uuid        TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE cursor (
    path        TEXT PRIMARY KEY,
    device      INTEGER NOT NULL,
    inode       INTEGER NOT NULL,
    offset      INTEGER NOT NULL,
    line        INTEGER NOT NULL,
    prefix      INTEGER NOT NULL,
    hash        TEXT NOT NULL,
    changed     INTEGER NOT NULL DEFAULT 0,     -- so that a scan opens only those that have changed since
    size        INTEGER NOT NULL DEFAULT 0      -- when it was read: one that ends in an open line is not read again
) STRICT, WITHOUT ROWID;
CREATE INDEX cursor_file ON cursor (device, inode);
CREATE TABLE project (
    root        TEXT PRIMARY KEY,
    key         TEXT NOT NULL,
    label       TEXT NOT NULL,
    seen        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_key ON project (key);
-- The journal of changes. The column `lesson` holds the name of the thing, whatever its kind.
CREATE TABLE journal (
    id          INTEGER PRIMARY KEY,
    change      INTEGER NOT NULL,
    time        INTEGER NOT NULL,
    actor       TEXT NOT NULL,
    action      TEXT NOT NULL,
    lesson      TEXT NOT NULL,
    before      TEXT,
    after       TEXT,
    state       TEXT NOT NULL CHECK (state IN ('pending', 'done', 'undone')),
    kind        TEXT NOT NULL DEFAULT 'lesson',
    undoes      INTEGER,                        -- the change that this one takes back
    redacted    INTEGER NOT NULL DEFAULT 0      -- whether a text was taken out later: it never existed in this form
) STRICT;
CREATE INDEX journal_change ON journal (change);
CREATE INDEX journal_lesson ON journal (lesson, id);
CREATE INDEX journal_pending ON journal (state) WHERE state = 'pending';
-- Events of the hooks, the lessons of each event, and how far each event file has been read.
CREATE TABLE event (
    id          INTEGER PRIMARY KEY,
    time        INTEGER NOT NULL,
    session     TEXT NOT NULL,
    call        TEXT NOT NULL,
    agent       TEXT NOT NULL,
    outcome     TEXT NOT NULL,
    more        INTEGER NOT NULL,
    us          INTEGER NOT NULL, lot TEXT NOT NULL DEFAULT '', client TEXT NOT NULL DEFAULT 'claude') STRICT;
CREATE INDEX event_time ON event (time);
CREATE INDEX event_call ON event (call);
CREATE TABLE event_lesson (
    event       INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    lesson      TEXT NOT NULL,
    PRIMARY KEY (event, lesson)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_lesson_lesson ON event_lesson (lesson, event);
CREATE TABLE event_file (
    name        TEXT PRIMARY KEY,
    offset      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Keyed hashes of forgotten texts, so that a later scan does not bring them back.
CREATE TABLE forgotten (
    hash        TEXT PRIMARY KEY,
    length      INTEGER NOT NULL,
    time        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_key (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    key         BLOB NOT NULL
) STRICT;
-- Signals of the detectors, and the candidates that were proposed from them.
CREATE TABLE signal (
    uuid        TEXT NOT NULL,
    detector    TEXT NOT NULL,
    key         TEXT NOT NULL,
    striking    INTEGER NOT NULL,
    finding     TEXT NOT NULL,
    file        TEXT NOT NULL,
    line        INTEGER NOT NULL,
    session     TEXT NOT NULL,
    project     TEXT,
    agent_id    TEXT,
    agent_type  TEXT,
    model       TEXT,
    time        INTEGER NOT NULL,
    PRIMARY KEY (uuid, detector)
) STRICT, WITHOUT ROWID;
CREATE INDEX signal_key ON signal (key);
CREATE TABLE proposed (
    key         TEXT PRIMARY KEY,
    candidate   TEXT NOT NULL REFERENCES candidate (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX journal_undoes ON journal (undoes) WHERE undoes IS NOT NULL;
-- What a person said about past calls: whether a lesson would rightly have refused them.
CREATE TABLE label (
    lesson      TEXT NOT NULL,
    call        TEXT NOT NULL,
    answer      TEXT NOT NULL CHECK (answer IN ('right', 'wrong')),
    PRIMARY KEY (lesson, call)
) STRICT, WITHOUT ROWID;
-- What a scan looks up for every tag: the rejected candidates, those of a session, and the sessions of a family.
CREATE INDEX candidate_status ON candidate (status);
CREATE INDEX sighting_session ON sighting (session, candidate);
CREATE INDEX kin_root ON kin (root);
-- The sessions in which a model was asked for lessons, whose tags are not captured, and the candidates that it proposed,
-- with the times, in milliseconds since 1970.
CREATE TABLE reflecting_session (
    session     TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE reflected (
    candidate   TEXT PRIMARY KEY REFERENCES candidate (id) ON DELETE CASCADE,
    time        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- What followed after lessons were told, calls refused, or nothing was said: numbers only.
--
-- A revision of a lesson, since when it is told, and from when on its sessions count because earlier ones were to be
-- forgotten, in milliseconds since 1970.
CREATE TABLE revision (
    id            INTEGER PRIMARY KEY,
    lesson        TEXT NOT NULL,
    hash          TEXT NOT NULL,
    since         INTEGER NOT NULL,
    counts_from   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (lesson, hash)
) STRICT;
-- One session in which a revision came up.
CREATE TABLE episode (
    session         TEXT NOT NULL,
    revision        INTEGER NOT NULL REFERENCES revision (id) ON DELETE CASCADE,
    arm             TEXT NOT NULL,
    first           INTEGER NOT NULL,
    model           TEXT NOT NULL,
    again           INTEGER NOT NULL,
    untold          INTEGER,
    followed        INTEGER,
    changed         INTEGER NOT NULL,
    overruled       INTEGER NOT NULL,
    given_up        INTEGER NOT NULL,
    overruled_first INTEGER NOT NULL,
    corrected       INTEGER NOT NULL,
    cost            INTEGER NOT NULL,
    event_lost      INTEGER NOT NULL, lot TEXT NOT NULL DEFAULT '', failed_first INTEGER NOT NULL DEFAULT 0, failed_later INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, revision)
) STRICT, WITHOUT ROWID;
-- The sessions that were joined: the state of their files and of the lessons then, and what happened in them.
CREATE TABLE joined_session (
    session       TEXT PRIMARY KEY,
    files         TEXT NOT NULL,
    lessons       TEXT NOT NULL,
    beginning     TEXT,
    is_fork       INTEGER NOT NULL,
    first         INTEGER NOT NULL,
    last          INTEGER NOT NULL,
    calls         INTEGER NOT NULL,
    model         TEXT NOT NULL,
    project       TEXT NOT NULL,
    went_wrong    INTEGER NOT NULL,
    told          INTEGER NOT NULL,
    kept_quiet    INTEGER NOT NULL, client TEXT NOT NULL DEFAULT 'claude') STRICT, WITHOUT ROWID;
CREATE INDEX joined_session_beginning ON joined_session (beginning) WHERE beginning IS NOT NULL;
-- When sessions are due to be joined again, and the index with which they were joined last.
CREATE TABLE join_state (
    one           INTEGER PRIMARY KEY CHECK (one = 1),
    lessons       TEXT NOT NULL,
    due           INTEGER NOT NULL
) STRICT;
CREATE INDEX event_session ON event (session);
-- Incidents: texts that were dangerous once, as scans and verbs met them, and how often each day by type and source. Those of a
-- person and those that a hook withheld stand in decisions.json, and are copied from there.
CREATE TABLE incident (
    id              TEXT PRIMARY KEY,
    type            TEXT NOT NULL CHECK (type IN ('injection_blocked', 'trust_violation', 'contradiction_pattern',
                                                  'user_reported', 'false_memory')),
    severity        TEXT NOT NULL CHECK (severity IN ('low', 'medium', 'high', 'critical')),
    pattern         TEXT NOT NULL,
    reason          TEXT,
    sketch          BLOB NOT NULL,
    sketch_version  INTEGER NOT NULL,
    source_kind     TEXT NOT NULL CHECK (source_kind IN ('web', 'mcp', 'file', 'command', 'candidate', 'store', 'import',
                                                         'shared', 'memory', 'person')),
    source          TEXT NOT NULL,
    source_ids      TEXT NOT NULL,
    source_query    TEXT,
    agent_type      TEXT,
    project         TEXT,
    session         TEXT,
    metadata        TEXT NOT NULL,
    active          INTEGER NOT NULL CHECK (active IN (0, 1)),
    created_at      INTEGER NOT NULL,
    last_seen       INTEGER NOT NULL,
    seen            INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX incident_source ON incident (source, created_at);
CREATE TABLE incident_day (
    day             INTEGER NOT NULL,
    type            TEXT NOT NULL,
    source          TEXT NOT NULL,
    seen            INTEGER NOT NULL,
    left_out        INTEGER NOT NULL,
    PRIMARY KEY (day, type, source)
) STRICT, WITHOUT ROWID;
-- What became of the events of peers, so that a folder is not read again. Losing it costs a second reading: what was
-- switched on, and which older versions must not come back, is in decisions.json.
CREATE TABLE shared_event (
    number   INTEGER PRIMARY KEY,
    id       BLOB NOT NULL UNIQUE,
    author   BLOB NOT NULL,
    outcome  TEXT NOT NULL CHECK (outcome IN ('done', 'unknown author', 'early', 'no room', 'rejected')),
    due      INTEGER, -- the time, or the number of lessons, at which it is looked at again
    size     INTEGER,
    written  INTEGER
) STRICT;
CREATE INDEX shared_event_author ON shared_event (author) WHERE outcome = 'unknown author';
-- The calls of joined sessions that went wrong and at which no lesson in force fires, each with the lines of its transcript
-- at which a candidate may have been seen: the line of the call, and that of a correction. So it is known which of them a
-- candidate is about.
CREATE TABLE missed_call (
    session       TEXT NOT NULL REFERENCES joined_session (session) ON DELETE CASCADE,
    call          INTEGER NOT NULL,
    uuid          TEXT NOT NULL,
    PRIMARY KEY (session, call, uuid)
) STRICT, WITHOUT ROWID;
CREATE INDEX joined_session_last ON joined_session (last);
-- The digests that decisions.json had, and those that it may have: one, and during a change that of the file that it writes
-- besides.
CREATE TABLE expected_decisions (
    digest      TEXT PRIMARY KEY, is_expected INTEGER NOT NULL DEFAULT 1) STRICT, WITHOUT ROWID;
