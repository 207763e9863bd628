-- The sessions in which a model was asked for lessons, whose tags are not captured, and the candidates that it proposed,
-- with the times, in milliseconds since 1970.
CREATE TABLE reflecting_session (
    session     TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE reflected (
    candidate   TEXT PRIMARY KEY REFERENCES candidate (id) ON DELETE CASCADE,
    time        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
