-- How many refused runs a dropped one stands for; null is one. Of the runs that one starter is refused at one trigger,
-- one a minute is stored.
alter table workflow_runs add column dropped_runs bigint;
create index workflow_runs_dropped on workflow_runs (workflow_id, trigger_id, started_by, id desc) where state = 'dropped';
