-- Incidents: texts that were dangerous once, as scans and verbs met them, and how often each day by type and source. Those of a
-- person and those that a hook withheld stand in incidents.json, and are copied from there. And the trust in a candidate.
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
ALTER TABLE candidate ADD COLUMN trust TEXT;
