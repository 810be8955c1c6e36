create table users (
  id text collate "C" not null primary key,
  email text collate "C" not null unique,
  name text collate "C" not null,
  role text collate "C" not null check (role in ('admin', 'user')),
  status text collate "C" not null check (status in ('pending', 'active', 'disabled')),
  password_hash text collate "C",
  created_at bigint not null,
  updated_at bigint not null
);

create table tags (
  id text collate "C" not null primary key,
  name text collate "C" not null unique,
  created_at bigint not null
);

create table user_tags (
  user_id text collate "C" not null references users (id) on delete cascade,
  tag_id text collate "C" not null references tags (id) on delete cascade,
  primary key (user_id, tag_id)
);

create index user_tags_tag on user_tags (tag_id);

create table connector_rows (
  id text collate "C" not null primary key,
  connector_key text collate "C" not null,
  label text collate "C" not null,
  description text collate "C" not null,
  disabled bigint not null check (disabled in (0, 1)),
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);

create index connector_rows_key on connector_rows (connector_key);

create table row_tags (
  row_id text collate "C" not null references connector_rows (id) on delete cascade,
  tag_id text collate "C" not null references tags (id) on delete cascade,
  primary key (row_id, tag_id)
);

create index row_tags_tag on row_tags (tag_id);

create table row_values (
  row_id text collate "C" not null references connector_rows (id) on delete cascade,
  field_key text collate "C" not null,
  value text collate "C",
  sealed bytea,
  primary key (row_id, field_key),
  check ((value is null) <> (sealed is null))
);

create table operation_states (
  row_id text collate "C" not null references connector_rows (id) on delete cascade,
  operation_key text collate "C" not null,
  enabled bigint not null check (enabled in (0, 1)),
  primary key (row_id, operation_key)
);

create table type_states (
  connector_key text collate "C" not null primary key,
  disabled bigint not null check (disabled in (0, 1))
);

create table personal_access_tokens (
  id text collate "C" not null primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  name text collate "C" not null,
  token_hash bytea not null unique,
  last_four text collate "C" not null,
  created_at bigint not null,
  last_used_at bigint,
  expires_at bigint,
  revoked_at bigint
);

create index personal_access_tokens_user on personal_access_tokens (user_id);

-- No foreign keys: a run outlives the user, the row and the token that it tells of.
create table connector_runs (
  id text collate "C" not null primary key,
  parent_run_id text collate "C",
  connector_id text collate "C",
  row_label text collate "C",
  operation_key text collate "C" not null,
  user_id text collate "C" not null,
  token_id text collate "C",
  source text collate "C" not null,
  status text collate "C" not null,
  error_code text collate "C",
  error_msg text collate "C",
  request text collate "C",
  response text collate "C",
  request_cut bigint not null,
  latency_ms bigint,
  http_status bigint,
  ip_address text collate "C",
  user_agent text collate "C",
  instance_id text collate "C" not null,
  started_at bigint not null,
  ended_at bigint
);

create index connector_runs_connector on connector_runs (connector_id, id desc);
create index connector_runs_user on connector_runs (user_id, id desc);
create index connector_runs_ended on connector_runs (ended_at) where ended_at is not null;
-- What runs now and what went wrong are few among many: both are found without reading the rest.
create index connector_runs_status on connector_runs (status, id desc) where status <> 'success';

create table instances (
  id text collate "C" not null primary key,
  kind text collate "C" not null,
  pid bigint not null,
  hostname text collate "C" not null,
  started_at bigint not null,
  heartbeat_at bigint not null
);

create table revision (
  id bigint not null primary key check (id = 1),
  value bigint not null
);

create table settings (
  key text collate "C" not null primary key,
  value text collate "C" not null
);

insert into revision (id, value) values (1, 1);
insert into tags (id, name, created_at) values ('00000000-0000-4000-8000-00000000e0e0', 'everyone', 0);
