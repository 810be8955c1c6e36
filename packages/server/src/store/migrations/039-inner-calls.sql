-- level: 2
-- The calls of a message and of a script are found by its id. Other calls have no entry.
create index connector_runs_cause on connector_runs (cause_id, id, status) where cause_kind in ('batch', 'script');
