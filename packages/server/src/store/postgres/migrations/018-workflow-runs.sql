-- Runs of workflows. A run waits for its turn ('queued'), is worked on by one process ('running'), or
-- waits for a time or a person ('waiting'). Times are epoch ms.
create table workflow_runs (
  id text collate "C" not null primary key,
  workflow_id text collate "C" not null,
  body_id text collate "C" not null,
  -- Null for a run of the draft.
  version bigint,
  state text collate "C" not null,
  owner_id text collate "C" not null,
  trigger_id text collate "C" not null,
  trigger_type text collate "C" not null,
  entry text collate "C" not null,
  -- JSON: who or what started the run.
  started_by text collate "C" not null,
  parent_run_id text collate "C",
  -- The run whose step waits for this one.
  waiter_run_id text collate "C",
  -- How many runs of this kind led to it: of error triggers, of schedule_at, of workflow nodes.
  error_depth bigint not null,
  chain_depth bigint not null,
  nesting bigint not null,
  severity text collate "C" not null,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  -- When a process may claim it. Null while a process works on it, while it waits for a person or for
  -- its workflow to have room, and when it has ended.
  due_at bigint,
  -- The time at which a schedule_at run starts, or null.
  scheduled_at bigint,
  -- The process that works on it. Each claim increments the number, and writes carry it.
  lease_instance text collate "C",
  lease_number bigint not null,
  -- The time that was spent running before the last pause.
  active_ms bigint not null,
  cancel_requested_at bigint,
  cancel_reason text collate "C",
  -- JSON: {message, code, node_id}.
  error text collate "C",
  -- JSON: for what a waiting run waits.
  waiting_for text collate "C",
  last_node text collate "C",
  -- JSON: the answer of the first webhook_respond step that was committed.
  answer text collate "C",
  event_bytes bigint not null,
  -- JSON, without the raw body.
  event text collate "C" not null,
  raw bytea
);

create index workflow_runs_pages on workflow_runs (workflow_id, id desc);
create index workflow_runs_due on workflow_runs (due_at) where due_at is not null;
create index workflow_runs_active on workflow_runs (workflow_id, state, scheduled_at, id, event_bytes)
  where state in ('queued', 'running', 'waiting');
create index workflow_runs_leases on workflow_runs (lease_instance) where lease_instance is not null;
create index workflow_runs_cancels on workflow_runs (cancel_requested_at) where cancel_requested_at is not null;
create index workflow_runs_ended on workflow_runs (ended_at) where ended_at is not null;
create index workflow_runs_bodies on workflow_runs (body_id);

-- The steps of runs. item is -1 for a node that runs once, else the index in for_each.
create table workflow_steps (
  run_id text collate "C" not null,
  node_id text collate "C" not null,
  item bigint not null,
  -- In the order in which the steps of a run were committed.
  position bigint not null,
  state text collate "C" not null,
  tries bigint not null,
  started_at bigint not null,
  ended_at bigint,
  -- When a waiting step goes on.
  wake_at bigint,
  -- The case of a branch, a switch or a routed error.
  case_name text collate "C",
  -- The audit run of the call, or the run of another workflow.
  call_run_id text collate "C",
  child_run_id text collate "C",
  -- JSON.
  error text collate "C",
  warnings text collate "C",
  input text collate "C",
  output text collate "C",
  primary key (run_id, node_id, item)
);

-- What must start at most one run: a delivery of a webhook, a tick of a cron trigger.
create table workflow_deliveries (
  workflow_id text collate "C" not null,
  trigger_id text collate "C" not null,
  delivery_id text collate "C" not null,
  run_id text collate "C" not null,
  received_at bigint not null,
  primary key (workflow_id, trigger_id, delivery_id)
);

create index workflow_deliveries_received on workflow_deliveries (received_at);
create index workflow_deliveries_runs on workflow_deliveries (run_id);

-- Who started a call of a workflow, beside its owner, and in which run.
alter table connector_runs add column workflow_run_id text collate "C";
alter table connector_runs add column started_by text collate "C";
create index connector_runs_workflow on connector_runs (workflow_run_id) where workflow_run_id is not null;
