-- live, dry (nothing is sent) or node (one node alone).
alter table workflow_runs add column mode text collate "C" not null default 'live';
-- The first of the runs that resume one another. Null for a run that resumes none.
alter table workflow_runs add column origin_run_id text collate "C";
-- The run that resumes this one.
alter table workflow_runs add column resumed_by text collate "C";
-- JSON: pinned outputs of a dry run, or what a run knows of the one that it resumes.
alter table workflow_runs add column given text collate "C";
-- JSON: would_call, pinned, taken_over, decided, unsure.
alter table workflow_steps add column flags text collate "C";

-- Only live runs count for the queue policy.
create index workflow_runs_active_modes on workflow_runs (workflow_id, mode, state, scheduled_at, id, event_bytes)
  where state in ('queued', 'running', 'waiting');
drop index workflow_runs_active;
