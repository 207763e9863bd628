-- Journal rows out of which a text was taken later: their texts never existed in this form.
ALTER TABLE journal ADD COLUMN redacted INTEGER NOT NULL DEFAULT 0;
