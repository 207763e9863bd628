-- What a person said about past calls: whether a lesson would rightly have refused them.
CREATE TABLE label (
    lesson      TEXT NOT NULL,
    call        TEXT NOT NULL,
    answer      TEXT NOT NULL CHECK (answer IN ('right', 'wrong')),
    PRIMARY KEY (lesson, call)
) STRICT, WITHOUT ROWID;
