-- The OAuth connections of rows: the tokens with which a row's calls authenticate.
-- A random id. Each connect and each disconnect changes it, and a refresh of the tokens does not.
alter table connector_rows add column connection_id text collate "C";

create table row_connections (
  row_id text collate "C" primary key references connector_rows (id) on delete cascade,
  id text collate "C" not null,
  -- A random id of the tokens that are stored now. Each refresh stores new ones.
  tokens_id text collate "C" not null,
  -- JSON: the tokens, the client, and the addresses to which they may be sent.
  sealed bytea not null,
  issuer text collate "C" not null,
  -- The row's address when it was connected. The tokens are sent nowhere else.
  address text collate "C" not null,
  scope text collate "C" not null,
  connected_at bigint not null,
  -- Null if the authorization server does not say.
  expires_at bigint,
  -- When the tokens are refreshed. Null if they cannot be, or if their end is not known.
  renew_at bigint,
  can_renew bigint not null check (can_renew in (0, 1)),
  -- The refresh under way, and until when no other server begins one.
  refresh_id text collate "C",
  refresh_until bigint,
  -- Why it no longer works. Null while it does.
  lost_reason text collate "C",
  lost_at bigint
);

-- Sign-ins at authorization servers that are under way.
create table row_connects (
  -- Of the state, which opens what is sealed. Only the browser that began the sign-in has it.
  state_hash bytea primary key not null,
  row_id text collate "C" not null references connector_rows (id) on delete cascade,
  session_id text collate "C" not null,
  sealed bytea not null,
  expires_at bigint not null
);

create index row_connects_row on row_connects (row_id);
