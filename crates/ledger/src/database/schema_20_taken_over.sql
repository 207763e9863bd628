-- What makes a database of schema 20, which is of the version before, one of today's. Its home is taken over: see takeover.rs.
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
    event_lost      INTEGER NOT NULL,
    PRIMARY KEY (session, revision)
) STRICT, WITHOUT ROWID;
INSERT INTO episode_of_year
SELECT session, revision, iif(flags & 8 AND arm IN ('quiet', 'unprompted'), 'queried', arm), first, model, again,
       iif(wrong_first > 0, 0, iif(right_first > 0, 1, NULL)), iif(flags & 2, NULL, followed), changed, overruled, given_up,
       flags & 4 > 0, corrected > 0, cost, flags & 1
  FROM episode;
DROP TABLE episode;
ALTER TABLE episode_of_year RENAME TO episode;
-- What is older than a year was summed and is not looked at again.
DELETE FROM joined_session WHERE is_summed;
ALTER TABLE joined_session DROP COLUMN is_summed;
CREATE INDEX joined_session_last ON joined_session (last);
ALTER TABLE event ADD COLUMN lot TEXT NOT NULL DEFAULT '';
ALTER TABLE episode ADD COLUMN lot TEXT NOT NULL DEFAULT '';
ALTER TABLE episode ADD COLUMN failed_first INTEGER NOT NULL DEFAULT 0;
ALTER TABLE episode ADD COLUMN failed_later INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event ADD COLUMN client TEXT NOT NULL DEFAULT 'claude';
ALTER TABLE joined_session ADD COLUMN client TEXT NOT NULL DEFAULT 'claude';
-- The next join finds the client of every session whose transcripts are still there.
UPDATE joined_session SET files = '';
DELETE FROM join_state;
ALTER TABLE expected_decisions ADD COLUMN is_expected INTEGER NOT NULL DEFAULT 1;
-- A finding is a signal now. Nothing has set `solved` since the way out of a failure is part of it. What was solved then
-- counts no more.
ALTER TABLE clue RENAME TO signal;
DELETE FROM signal WHERE solved;
DROP INDEX clue_key;
ALTER TABLE signal DROP COLUMN solved;
CREATE INDEX signal_key ON signal (key);
