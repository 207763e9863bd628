-- What the writer of a tag says of the lesson besides mistake and fix, and what speaks against its worth.
ALTER TABLE candidate ADD COLUMN insight TEXT NOT NULL DEFAULT '{}';
ALTER TABLE candidate ADD COLUMN marks TEXT NOT NULL DEFAULT '[]';
