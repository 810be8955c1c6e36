-- The triggers of published bodies that are found without reading the bodies: of cron and of errors.
create table workflow_triggers (
  workflow_id text not null references workflows (id),
  trigger_id text not null,
  type text not null,
  entry text not null,
  -- Of cron. Without a time zone, the hub's counts.
  schedule text,
  timezone text,
  catch_up text,
  -- The ticks up to this time have fired or are skipped.
  settled_at integer not null,
  -- Of error: the id of a workflow, or '*'.
  source_workflow text,
  -- A JSON array, or null for every severity.
  severities text,
  primary key (workflow_id, trigger_id)
) strict, without rowid;

create index workflow_triggers_cron on workflow_triggers (workflow_id) where schedule is not null;
create index workflow_triggers_source on workflow_triggers (source_workflow) where source_workflow is not null;
