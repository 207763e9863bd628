-- What is added to a database of the version before. Its home is taken over: see takeover.rs.
CREATE TABLE expected_decisions (
    digest      TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO expected_decisions (digest) VALUES ('take over');
-- Of a session only what a verdict or a person uses. What an agent asked for itself is an arm of its own.
DROP TABLE episode_month;
DROP INDEX joined_session_to_sum;
CREATE TABLE episode_of_year (
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
    fixing_tokens   INTEGER,
    fixing_ms       INTEGER,
    event_lost      INTEGER NOT NULL,
    PRIMARY KEY (session, revision)
) STRICT, WITHOUT ROWID;
INSERT INTO episode_of_year
SELECT session, revision, iif(flags & 8 AND arm IN ('quiet', 'unprompted'), 'queried', arm), first, model, again,
       iif(wrong_first > 0, 0, iif(right_first > 0, 1, NULL)), iif(flags & 2, NULL, followed), changed, overruled, given_up,
       flags & 4 > 0, corrected > 0, cost, mending, mending_ms, flags & 1
  FROM episode;
DROP TABLE episode;
ALTER TABLE episode_of_year RENAME TO episode;
-- What is older than a year was summed and is not looked at again.
DELETE FROM joined_session WHERE is_summed;
ALTER TABLE joined_session DROP COLUMN is_summed;
CREATE INDEX joined_session_last ON joined_session (last);
