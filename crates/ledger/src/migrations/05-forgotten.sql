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
