-- What followed after lessons were told, calls refused, or nothing was said: numbers only.
--
-- A revision of a lesson, since when it is told, and from when on its sessions count because earlier ones were to be
-- forgotten, in milliseconds since 1970.
CREATE TABLE revision (
    id            INTEGER PRIMARY KEY,
    lesson        TEXT NOT NULL,
    hash          TEXT NOT NULL,
    since         INTEGER NOT NULL,
    counts_from   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (lesson, hash)
) STRICT;
-- One session in which a revision came up.
CREATE TABLE episode (
    session       TEXT NOT NULL,
    revision      INTEGER NOT NULL REFERENCES revision (id) ON DELETE CASCADE,
    arm           TEXT NOT NULL,
    first         INTEGER NOT NULL,
    model         TEXT NOT NULL,
    project       TEXT NOT NULL,
    contexts      INTEGER NOT NULL,
    again         INTEGER NOT NULL,
    failed_first  INTEGER NOT NULL,
    failed_again  INTEGER NOT NULL,
    right_first   INTEGER NOT NULL,
    wrong_first   INTEGER NOT NULL,
    followed      INTEGER,
    changed       INTEGER NOT NULL,
    overruled     INTEGER NOT NULL,
    given_up      INTEGER NOT NULL,
    corrected     INTEGER NOT NULL,
    requests      INTEGER NOT NULL,
    cost          INTEGER NOT NULL,
    mending       INTEGER,
    mending_ms    INTEGER,
    flags         INTEGER NOT NULL,
    PRIMARY KEY (session, revision)
) STRICT, WITHOUT ROWID;
-- The sums of the episodes of sessions that ended a year ago.
CREATE TABLE episode_month (
    revision      INTEGER NOT NULL REFERENCES revision (id) ON DELETE CASCADE,
    month         TEXT NOT NULL,
    arm           TEXT NOT NULL,
    sessions      INTEGER NOT NULL,
    came_again    INTEGER NOT NULL,
    failed_first  INTEGER NOT NULL,
    followed      INTEGER NOT NULL,
    not_followed  INTEGER NOT NULL,
    refused_in    INTEGER NOT NULL,
    overruled_in  INTEGER NOT NULL,
    changed       INTEGER NOT NULL,
    overruled     INTEGER NOT NULL,
    given_up      INTEGER NOT NULL,
    corrected     INTEGER NOT NULL,
    cost          INTEGER NOT NULL,
    PRIMARY KEY (revision, month, arm)
) STRICT, WITHOUT ROWID;
-- The sessions that were joined: the state of their files and of the lessons then, and what happened in them. Those whose
-- episodes were summed are not joined again.
CREATE TABLE joined_session (
    session       TEXT PRIMARY KEY,
    files         TEXT NOT NULL,
    lessons       TEXT NOT NULL,
    beginning     TEXT,
    is_fork       INTEGER NOT NULL,
    first         INTEGER NOT NULL,
    last          INTEGER NOT NULL,
    is_summed     INTEGER NOT NULL DEFAULT 0,
    calls         INTEGER NOT NULL,
    model         TEXT NOT NULL,
    project       TEXT NOT NULL,
    went_wrong    INTEGER NOT NULL,
    told          INTEGER NOT NULL,
    kept_quiet    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX joined_session_beginning ON joined_session (beginning) WHERE beginning IS NOT NULL;
-- When sessions are due to be joined again, and the index with which they were joined last.
CREATE TABLE join_state (
    one           INTEGER PRIMARY KEY CHECK (one = 1),
    lessons       TEXT NOT NULL,
    due           INTEGER NOT NULL
) STRICT;
CREATE INDEX event_session ON event (session);
