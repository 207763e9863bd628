-- The first schema: candidates with their sightings, cursors of transcripts, and the projects of this
-- machine.
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
    last_seen   INTEGER NOT NULL
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
    hash        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cursor_file ON cursor (device, inode);
CREATE TABLE project (
    root        TEXT PRIMARY KEY,
    key         TEXT NOT NULL,
    label       TEXT NOT NULL,
    seen        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_key ON project (key);
