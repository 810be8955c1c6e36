-- By how much the database's clock is ahead of the process's machine.
alter table instances add column clock_offset_ms bigint not null default 0;
