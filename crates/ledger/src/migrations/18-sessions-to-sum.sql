-- A scan asks whether sessions ended a year ago and were not summed, without reading those of the year.
CREATE INDEX joined_session_to_sum ON joined_session (last) WHERE NOT is_summed;
