-- About how many bytes the finished runs of each user take, by the day in which they ended, so that a limit on all
-- runs takes from those who hold most. Runs that were counted before this table was there have no user in it.
create table user_run_bytes (
  day integer not null,
  user_id text collate "default" not null,
  bytes integer not null,
  primary key (day, user_id)
) strict;
