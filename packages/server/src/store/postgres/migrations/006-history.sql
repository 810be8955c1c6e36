-- What is rare among many runs is found without reading the rest.
create index connector_runs_source on connector_runs (source, id desc) where source <> 'mcp';
create index connector_runs_parent on connector_runs (parent_run_id) where parent_run_id is not null;

-- Finished runs by the hour in which they ended, so that figures do not read every run.
-- connector_id is empty for calls of meta-tools that concern no row.
create table run_hours (
  hour bigint not null,
  connector_id text collate "C" not null,
  status text collate "C" not null,
  runs bigint not null,
  latency_ms bigint not null,
  primary key (hour, connector_id, status)
);

-- Up to which moment of ending, exclusive, runs are counted in run_hours.
create table run_hours_until (
  id bigint not null primary key check (id = 1),
  ended_before bigint not null
);

insert into run_hours_until (id, ended_before) values (1, 0);

-- Running calls that somebody wants stopped, for the process that runs them.
create table run_cancellations (
  run_id text collate "C" not null primary key,
  reason text collate "C" not null,
  requested_at bigint not null
);
