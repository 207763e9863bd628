-- Signals of the detectors (table `clue`), and the candidates that were proposed from them.
ALTER TABLE candidate ADD COLUMN evidence TEXT NOT NULL DEFAULT '[]';
ALTER TABLE candidate ADD COLUMN basis TEXT NOT NULL DEFAULT '[]';
CREATE TABLE clue (
    uuid        TEXT NOT NULL,
    detector    TEXT NOT NULL,
    key         TEXT NOT NULL,
    striking    INTEGER NOT NULL,
    solved      INTEGER NOT NULL DEFAULT 0,
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
CREATE INDEX clue_key ON clue (key, solved);
CREATE TABLE proposed (
    key         TEXT PRIMARY KEY,
    candidate   TEXT NOT NULL REFERENCES candidate (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
