-- Digests: the transcripts as they were noted, what happened in each, what was read of it, and the readings. A transcript
-- that is gone keeps what was noted.
CREATE TABLE digest_file (
    path        TEXT PRIMARY KEY,
    device      INTEGER NOT NULL,
    inode       INTEGER NOT NULL,
    size        INTEGER NOT NULL,
    changed     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE noted (
    file        TEXT NOT NULL,
    event       TEXT NOT NULL,
    project     TEXT NOT NULL,
    time        INTEGER NOT NULL,
    note        TEXT NOT NULL,
    UNIQUE (file, event)
) STRICT;

CREATE INDEX noted_project ON noted (project);

CREATE TABLE was_read (
    mark        TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE reading (
    id          INTEGER PRIMARY KEY,
    project     TEXT NOT NULL,
    made        INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    content     TEXT NOT NULL,
    answered    INTEGER NOT NULL DEFAULT 0,
    reader      TEXT NOT NULL DEFAULT '',
    candidates  INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX reading_open ON reading (project) WHERE answered = 0;
