-- When a person last decided about a candidate. A candidate that was there before has waited since it
-- was last seen.
ALTER TABLE candidate ADD COLUMN touched INTEGER NOT NULL DEFAULT 0;
UPDATE candidate SET touched = last_seen;
