-- What became of the events of colleagues, so that a folder is not read again. Losing it costs a second reading: what was
-- switched on, and which older versions must not come back, is in received.json. And the shared lesson of a candidate.
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
ALTER TABLE candidate ADD COLUMN shared TEXT;
