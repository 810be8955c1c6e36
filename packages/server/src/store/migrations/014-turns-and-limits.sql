-- on sqlite:
-- The processes of one folder take turns by SQLite's write lock, and each counts its own calls.
select 1;
-- on postgres:
-- Locked by transactions: see begin-serializable.ts.
create table transaction_turns ();

-- Calls of users and rows that have a limit. Unlogged: what a crash loses only limits calls, and a
-- write waits for no disk. Times are of the database's clock.
create unlogged table call_counts (
  key text collate "C" not null primary key,
  -- Calls that count against the limit per minute, and when they were counted.
  taken double precision not null,
  taken_at bigint not null,
  -- How many calls the last request was granted.
  granted integer not null,
  -- The running calls of each process, and when it last reported them: {"id": [calls, time]}.
  holders jsonb not null
) with (fillfactor = 50);
