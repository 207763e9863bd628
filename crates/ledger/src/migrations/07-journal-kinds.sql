-- Journal rows about other things than lessons (the column `lesson` holds their names), and which
-- change another one takes back.
ALTER TABLE journal ADD COLUMN kind TEXT NOT NULL DEFAULT 'lesson';
ALTER TABLE journal ADD COLUMN undoes INTEGER;
CREATE INDEX journal_undoes ON journal (undoes) WHERE undoes IS NOT NULL;
