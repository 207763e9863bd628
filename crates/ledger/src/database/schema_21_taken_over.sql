-- What becomes of a database of schema 21, and of one of schema 20 that was brought to it.
ALTER TABLE clue RENAME TO signal;
DROP INDEX clue_key;
CREATE INDEX signal_key ON signal (key, solved);
-- No verdict uses what it took to put a repeat right.
ALTER TABLE episode DROP COLUMN fixing_tokens;
ALTER TABLE episode DROP COLUMN fixing_ms;
