-- level: 2
-- Which calls a person decides on.
create table call_rules (
  id text not null primary key,
  name text not null,
  -- 'switch': of a row or an operation.
  kind text not null,
  row_id text references connector_rows (id) on delete cascade,
  -- Null for all operations of the row.
  operation_key text,
  -- JSON.
  condition text not null,
  outcome text not null check (outcome in ('ask', 'allow', 'refuse')),
  -- So many calls of a user in an hour are free.
  free_count integer,
  -- JSON: {by: "caller"} or {by: "tags", tags}.
  decide text not null,
  confirm text not null default 'page' check (confirm in ('page', 'client')),
  -- JSON: {allowed, fixed, destructive}.
  hour text not null default '{}',
  runs_on_approval integer not null default 0 check (runs_on_approval in (0, 1)),
  sentence text not null default '',
  revision integer not null,
  changed_by text,
  changed_at integer not null
) strict;

-- A row and each of its operations have one switch at most.
create unique index call_rules_rows on call_rules (row_id) where kind = 'switch' and operation_key is null;
create unique index call_rules_operations on call_rules (row_id, operation_key)
where kind = 'switch' and operation_key is not null;

-- The free calls of a user under a rule, in the last hour with one.
create table call_rule_uses (
  rule_id text not null references call_rules (id) on delete cascade,
  user_id text not null,
  window_start integer not null,
  uses integer not null,
  primary key (rule_id, user_id)
) strict, without rowid;
