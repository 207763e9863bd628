-- What becomes of a database of schema 23, and of an older one that was brought to it.
ALTER TABLE event ADD COLUMN client TEXT NOT NULL DEFAULT 'claude';
ALTER TABLE joined_session ADD COLUMN client TEXT NOT NULL DEFAULT 'claude';
-- The next join finds the client of every session whose transcripts are still there.
UPDATE joined_session SET files = '';
DELETE FROM join_state;
