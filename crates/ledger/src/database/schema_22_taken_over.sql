-- What becomes of a database of schema 22, and of an older one that was brought to it.
ALTER TABLE event ADD COLUMN lot TEXT NOT NULL DEFAULT '';
ALTER TABLE episode ADD COLUMN lot TEXT NOT NULL DEFAULT '';
ALTER TABLE episode ADD COLUMN failed_first INTEGER NOT NULL DEFAULT 0;
ALTER TABLE episode ADD COLUMN failed_later INTEGER NOT NULL DEFAULT 0;
