-- Operations that rows bring: what a row's outside system offers, and what an admin approved of it.
-- A random id of the operations that are stored now. Each change of them has a new one.
alter table connector_rows add column operations_id text;

create table row_operations (
  row_id text not null references connector_rows (id) on delete cascade,
  operation_key text not null,
  position integer not null,
  -- The name in the outside system.
  source_name text not null,
  name text not null,
  description text not null,
  destructive integer not null check (destructive in (0, 1)),
  idempotent integer not null check (idempotent in (0, 1)),
  -- JSON.
  input_schema text not null,
  output_schema text,
  binding text not null,
  -- Null until an admin has approved it.
  approved_at integer,
  -- JSON: the present definition, if it differs from the approved one.
  pending text,
  -- Null while the outside system offers it.
  gone_at integer,
  primary key (row_id, operation_key)
) strict;

create table row_discoveries (
  row_id text primary key references connector_rows (id) on delete cascade,
  tried_at integer not null,
  -- Of the last discovery that succeeded.
  discovered_at integer,
  -- Whether an admin gave a document, so that there is nothing to ask again.
  from_document integer not null default 0 check (from_document in (0, 1)),
  -- Why the last one failed.
  failure text,
  -- JSON: what was left out, and why.
  left_out text not null default '[]'
) strict;
