-- level: 2
-- The calls of a message and of a script are found and counted by its id. Other calls have no entry. With the column of its
-- condition, SQLite need not read the calls to count them.
create index connector_runs_cause on connector_runs (cause_id, id, status, cause_kind)
where cause_kind in ('batch', 'script');
