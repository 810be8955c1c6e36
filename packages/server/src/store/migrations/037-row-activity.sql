-- level: 2
-- 1 if the outside system of a failed call could not be reached. Null if it answered, or if that is not known.
alter table connector_runs add column unreached integer;

-- What the ended calls and checks of a row say about it. A job counts them.
create table row_activity (
  row_id text not null primary key references connector_rows (id) on delete cascade,
  -- That of row_activity_until when this row was last written.
  stamp integer not null,
  -- JSON: the calls of the last day and of the last hour, in parts of these.
  counts text not null,
  -- Of the last day. p95_ms is null without calls.
  calls integer not null,
  errors integer not null,
  p95_ms integer,
  -- Of the last hour, without calls that say nothing about the row.
  recent_calls integer not null,
  recent_errors integer not null,
  -- When these figures change without a call. Null without calls.
  rolls_at integer,
  last_call_at integer,
  -- What began before has used other values of the row.
  valid_from integer not null,
  worked_at integer,
  -- How the last call or check ended that says something about the row: worked, unreachable, refused or failed.
  outcome text check (outcome in ('worked', 'unreachable', 'refused', 'failed')),
  outcome_at integer,
  outcome_since integer,
  outcome_run text,
  outcome_is_check integer not null check (outcome_is_check in (0, 1)),
  -- When a timer last checked the row.
  checked_at integer
) strict;

create index row_activity_stamp on row_activity (stamp);
create index row_activity_rolls on row_activity (rolls_at) where rolls_at is not null;
create index row_connections_lost on row_connections (row_id) where lost_at is not null;
create index row_activity_called on row_activity (last_call_at) where last_call_at is not null;

-- Up to which moment of ending, exclusive, runs are in row_activity, and the number of its changes.
create table row_activity_until (
  id integer not null primary key check (id = 1),
  ended_before integer not null,
  stamp integer not null
) strict;

-- The job counts the last week again, so that rows that worked before an upgrade are known to work.
insert into row_activity_until (id, ended_before, stamp)
select 1, case when ended_before > 604800000 then ended_before - 604800000 else 0 end, 0 from run_hours_until;
