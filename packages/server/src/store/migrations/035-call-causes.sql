-- What made a call: its client, or the retry, the workflow's run, the batch, the script or the pending call with this id.
-- Null for calls that are older than these columns.
alter table connector_runs add column cause_kind text collate "default" check (
  cause_kind in ('client', 'retry', 'workflow', 'batch', 'script', 'pending')
);
alter table connector_runs add column cause_id text collate "default";
