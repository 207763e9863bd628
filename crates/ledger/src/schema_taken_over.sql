-- What is added to a database of the version before. Its home is taken over: see takeover.rs.
CREATE TABLE expected_decisions (
    digest      TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO expected_decisions (digest) VALUES ('take over');
