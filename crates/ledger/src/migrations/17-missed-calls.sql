-- The calls of joined sessions that went wrong and at which no lesson in force fires, each with the lines of its transcript
-- at which a candidate may have been seen: the line of the call, and that of a correction. So it is known which of them a
-- candidate is about.
CREATE TABLE missed_call (
    session       TEXT NOT NULL REFERENCES joined_session (session) ON DELETE CASCADE,
    call          INTEGER NOT NULL,
    uuid          TEXT NOT NULL,
    PRIMARY KEY (session, call, uuid)
) STRICT, WITHOUT ROWID;
-- Sessions that were joined before are joined again.
UPDATE joined_session SET lessons = '' WHERE NOT is_summed;
