-- About how many bytes finished runs take on the disk, by the hour in which they ended, so that a
-- limit on them reads some hundred rows and not every run.
create table run_bytes (
  hour bigint not null primary key,
  bytes bigint not null
);

-- Runs that were counted before this table was there: as many bytes as the newest have on average.
insert into run_bytes (hour, bytes)
select hour, sum(runs) * (
  select cast(coalesce(avg(
    650 + coalesce(octet_length(request), 0) + coalesce(octet_length(response), 0)
      + coalesce(octet_length(error_msg), 0)), 0) as bigint)
  from (select request, response, error_msg from connector_runs order by id desc limit 1000) as newest
)
from run_hours group by hour;
