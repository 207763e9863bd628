-- Sessions are joined again: with lessons that are told when they start, which had no rows, and with what sub-agents were
-- told at their start.
UPDATE joined_session SET lessons = '' WHERE NOT is_summed;
-- A revision that never had a row may be one of a lesson without triggers then. What was told of it counts for the next one.
DELETE FROM revision
 WHERE since = 0 AND counts_from = 0
   AND id NOT IN (SELECT revision FROM episode) AND id NOT IN (SELECT revision FROM episode_month);
