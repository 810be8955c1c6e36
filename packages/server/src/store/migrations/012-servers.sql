-- The hub's version in each process, which may differ during a rolling update.
alter table instances add column version text not null default '';

-- Periodic work that is done once for all servers of a database. Times are of the database's clock.
create table periodic_jobs (
  name text not null primary key,
  due_at integer not null,
  -- The run of the job in progress; null between two runs.
  holder text,
  held_until integer
) strict;

-- Requests of MCP that a client cancelled on another server than the one that runs them.
create table request_cancellations (
  id text not null primary key,
  user_id text not null,
  session_id text not null,
  request_id text not null,
  requested_at integer not null
) strict;

create index request_cancellations_by_time on request_cancellations (requested_at);
