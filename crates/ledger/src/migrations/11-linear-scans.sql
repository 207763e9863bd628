-- What a scan looks up for every tag: the rejected candidates, those of a session, and the sessions of a family. And
-- the size of a transcript when it was read, so that one that ends in an open line is not read again at every scan.
CREATE INDEX candidate_status ON candidate (status);
CREATE INDEX sighting_session ON sighting (session, candidate);
CREATE INDEX kin_root ON kin (root);
ALTER TABLE cursor ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
UPDATE cursor SET size = offset;
