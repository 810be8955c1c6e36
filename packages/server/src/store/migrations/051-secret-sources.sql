-- level: 2
-- The secret managers from which rows and workflows get secrets.
create table secret_sources (
  id text not null primary key,
  name text not null unique,
  -- JSON: how it is reached, without credentials.
  settings text not null,
  -- The credentials, a JSON object. Null if it needs none.
  sealed blob,
  -- JSON: the beginnings of paths outside of which nothing is read.
  prefixes text not null,
  revision integer not null,
  changed_by text,
  created_at integer not null
) strict;

-- Secrets in a manager that rows and workflows may name. Admins make them; no other text is ever a path.
create table secret_references (
  id text not null primary key,
  name text not null unique,
  source_id text not null references secret_sources (id),
  path text not null,
  field text not null,
  -- Null for the current one.
  version text,
  -- JSON: tags of the users who may name it in secrets of their workflows.
  tags text not null,
  -- JSON: the rows that it may be sent to, with the addresses that they had when an admin chose them.
  rows text not null,
  -- JSON: the hosts that it may be sent to by any row.
  hosts text not null,
  revision integer not null,
  changed_by text,
  created_at integer not null
) strict;
create index secret_references_source on secret_references (source_id);

-- Each read of a secret in its manager, without its value.
create table secret_reads (
  id text not null primary key,
  reference_id text not null references secret_references (id) on delete cascade,
  read_at integer not null,
  outcome text not null,
  -- As the manager names it.
  version text,
  -- Null if it was read.
  reason text
) strict;
create index secret_reads_reference on secret_reads (reference_id, read_at);
