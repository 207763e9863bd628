-- Whether the proposed triggers of a candidate were replayed over the past calls.
ALTER TABLE candidate ADD COLUMN tried INTEGER NOT NULL DEFAULT 0;
