-- The journal of changes to lessons.
CREATE TABLE journal (
    id          INTEGER PRIMARY KEY,
    change      INTEGER NOT NULL,
    time        INTEGER NOT NULL,
    actor       TEXT NOT NULL,
    action      TEXT NOT NULL,
    lesson      TEXT NOT NULL,
    before      TEXT,
    after       TEXT,
    state       TEXT NOT NULL CHECK (state IN ('pending', 'done', 'undone'))
) STRICT;
CREATE INDEX journal_change ON journal (change);
CREATE INDEX journal_lesson ON journal (lesson, id);
CREATE INDEX journal_pending ON journal (state) WHERE state = 'pending';
