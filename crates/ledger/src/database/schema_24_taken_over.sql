-- What becomes of a database of schema 24, and of an older one that was brought to it.
ALTER TABLE expected_decisions ADD COLUMN is_expected INTEGER NOT NULL DEFAULT 1;
