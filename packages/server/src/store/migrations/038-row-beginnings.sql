-- The first eight characters of the ids of rows, also of deleted ones. A new id has others, so that they name one row.
create table row_beginnings (
  beginning text not null primary key,
  -- The first row that had them.
  row_id text not null
) strict;

insert into row_beginnings (beginning, row_id)
select substr(id, 1, 8), min(id) from connector_rows group by substr(id, 1, 8);

-- Deleted rows, as far as changes and calls tell of them.
insert into row_beginnings (beginning, row_id)
select substr(target_id, 1, 8), min(target_id) from changes
where target_kind = 'row' and substr(target_id, 1, 8) not in (select beginning from row_beginnings)
group by substr(target_id, 1, 8);

-- Each row of the calls is found by the index, since the calls may be millions.
insert into row_beginnings (beginning, row_id)
with recursive called (id) as (
  select min(connector_id) from connector_runs
  union all
  select (select min(connector_id) from connector_runs where connector_id > called.id) from called
  where called.id is not null
)
select substr(id, 1, 8), min(id) from called
where id is not null and substr(id, 1, 8) not in (select beginning from row_beginnings)
group by substr(id, 1, 8);
