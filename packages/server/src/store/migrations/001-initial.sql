create table users (
  id text not null primary key,
  email text not null unique,
  name text not null,
  role text not null check (role in ('admin', 'user')),
  status text not null check (status in ('pending', 'active', 'disabled')),
  password_hash text,
  created_at integer not null,
  updated_at integer not null
) strict;

create table tags (
  id text not null primary key,
  name text not null unique,
  created_at integer not null
) strict;

create table user_tags (
  user_id text not null references users (id) on delete cascade,
  tag_id text not null references tags (id) on delete cascade,
  primary key (user_id, tag_id)
) strict, without rowid;

create index user_tags_tag on user_tags (tag_id);

create table connector_rows (
  id text not null primary key,
  connector_key text not null,
  label text not null,
  description text not null,
  disabled integer not null check (disabled in (0, 1)),
  version integer not null,
  created_at integer not null,
  updated_at integer not null
) strict;

create index connector_rows_key on connector_rows (connector_key);

create table row_tags (
  row_id text not null references connector_rows (id) on delete cascade,
  tag_id text not null references tags (id) on delete cascade,
  primary key (row_id, tag_id)
) strict, without rowid;

create index row_tags_tag on row_tags (tag_id);

create table row_values (
  row_id text not null references connector_rows (id) on delete cascade,
  field_key text not null,
  value text,
  sealed blob,
  primary key (row_id, field_key),
  check ((value is null) <> (sealed is null))
) strict;

create table operation_states (
  row_id text not null references connector_rows (id) on delete cascade,
  operation_key text not null,
  enabled integer not null check (enabled in (0, 1)),
  primary key (row_id, operation_key)
) strict, without rowid;

create table type_states (
  connector_key text not null primary key,
  disabled integer not null check (disabled in (0, 1))
) strict;

create table personal_access_tokens (
  id text not null primary key,
  user_id text not null references users (id) on delete cascade,
  name text not null,
  token_hash blob not null unique,
  last_four text not null,
  created_at integer not null,
  last_used_at integer,
  expires_at integer,
  revoked_at integer
) strict;

create index personal_access_tokens_user on personal_access_tokens (user_id);

-- No foreign keys: a run outlives the user, the row and the token that it tells of.
create table connector_runs (
  id text not null primary key,
  parent_run_id text,
  connector_id text,
  row_label text,
  operation_key text not null,
  user_id text not null,
  token_id text,
  source text not null,
  status text not null,
  error_code text,
  error_msg text,
  request text,
  response text,
  request_cut integer not null,
  latency_ms integer,
  http_status integer,
  ip_address text,
  user_agent text,
  instance_id text not null,
  started_at integer not null,
  ended_at integer
) strict;

create index connector_runs_connector on connector_runs (connector_id, id desc);
create index connector_runs_user on connector_runs (user_id, id desc);
create index connector_runs_ended on connector_runs (ended_at) where ended_at is not null;
-- What runs now and what went wrong are few among many: both are found without reading the rest.
create index connector_runs_status on connector_runs (status, id desc) where status <> 'success';

create table instances (
  id text not null primary key,
  kind text not null,
  pid integer not null,
  hostname text not null,
  started_at integer not null,
  heartbeat_at integer not null
) strict;

create table revision (
  id integer not null primary key check (id = 1),
  value integer not null
) strict;

create table settings (
  key text not null primary key,
  value text not null
) strict;

insert into revision (id, value) values (1, 1);
insert into tags (id, name, created_at) values ('00000000-0000-4000-8000-00000000e0e0', 'everyone', 0);
