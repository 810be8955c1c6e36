-- The triggers of published bodies that are found without reading the bodies: of cron and of errors.
create table workflow_triggers (
  workflow_id text collate "C" not null references workflows (id),
  trigger_id text collate "C" not null,
  type text collate "C" not null,
  entry text collate "C" not null,
  -- Of cron. Without a time zone, the hub's counts.
  schedule text collate "C",
  timezone text collate "C",
  catch_up text collate "C",
  -- The ticks up to this time have fired or are skipped.
  settled_at bigint not null,
  -- Of error: the id of a workflow, or '*'.
  source_workflow text collate "C",
  -- A JSON array, or null for every severity.
  severities text collate "C",
  primary key (workflow_id, trigger_id)
);

create index workflow_triggers_cron on workflow_triggers (workflow_id) where schedule is not null;
create index workflow_triggers_source on workflow_triggers (source_workflow) where source_workflow is not null;
