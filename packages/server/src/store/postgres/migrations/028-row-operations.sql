-- Operations that rows bring: what a row's outside system offers, and what an admin approved of it.
-- A random id of the operations that are stored now. Each change of them has a new one.
alter table connector_rows add column operations_id text collate "C";

create table row_operations (
  row_id text collate "C" not null references connector_rows (id) on delete cascade,
  operation_key text collate "C" not null,
  position bigint not null,
  -- The name in the outside system.
  source_name text collate "C" not null,
  name text collate "C" not null,
  description text collate "C" not null,
  destructive bigint not null check (destructive in (0, 1)),
  idempotent bigint not null check (idempotent in (0, 1)),
  -- JSON.
  input_schema text collate "C" not null,
  output_schema text collate "C",
  binding text collate "C" not null,
  -- Null until an admin has approved it.
  approved_at bigint,
  -- JSON: the present definition, if it differs from the approved one.
  pending text collate "C",
  -- Null while the outside system offers it.
  gone_at bigint,
  primary key (row_id, operation_key)
);

create table row_discoveries (
  row_id text collate "C" primary key references connector_rows (id) on delete cascade,
  tried_at bigint not null,
  -- Of the last discovery that succeeded.
  discovered_at bigint,
  -- Whether an admin gave a document, so that there is nothing to ask again.
  from_document bigint not null default 0 check (from_document in (0, 1)),
  -- Why the last one failed.
  failure text collate "C",
  -- JSON: what was left out, and why.
  left_out text collate "C" not null default '[]'
);
