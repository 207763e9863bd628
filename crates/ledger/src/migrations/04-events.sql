-- Events of the hooks, the lessons of each event, and how far each event file has been read.
CREATE TABLE event (
    id          INTEGER PRIMARY KEY,
    time        INTEGER NOT NULL,
    session     TEXT NOT NULL,
    call        TEXT NOT NULL,
    agent       TEXT NOT NULL,
    outcome     TEXT NOT NULL,
    more        INTEGER NOT NULL,
    us          INTEGER NOT NULL
) STRICT;
CREATE INDEX event_time ON event (time);
CREATE INDEX event_call ON event (call);
CREATE TABLE event_lesson (
    event       INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    lesson      TEXT NOT NULL,
    PRIMARY KEY (event, lesson)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_lesson_lesson ON event_lesson (lesson, event);
CREATE TABLE event_file (
    name        TEXT PRIMARY KEY,
    offset      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
