-- When a transcript was last changed, so that a scan opens only those that have changed since.
ALTER TABLE cursor ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
