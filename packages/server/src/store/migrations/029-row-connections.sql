-- The OAuth connections of rows: the tokens with which a row's calls authenticate.
-- A random id. Each connect and each disconnect changes it, and a refresh of the tokens does not.
alter table connector_rows add column connection_id text;

create table row_connections (
  row_id text primary key references connector_rows (id) on delete cascade,
  id text not null,
  -- A random id of the tokens that are stored now. Each refresh stores new ones.
  tokens_id text not null,
  -- JSON: the tokens, the client, and the addresses to which they may be sent.
  sealed blob not null,
  issuer text not null,
  -- The row's address when it was connected. The tokens are sent nowhere else.
  address text not null,
  scope text not null,
  connected_at integer not null,
  -- Null if the authorization server does not say.
  expires_at integer,
  -- When the tokens are refreshed. Null if they cannot be, or if their end is not known.
  renew_at integer,
  can_renew integer not null check (can_renew in (0, 1)),
  -- The refresh under way, and until when no other server begins one.
  refresh_id text,
  refresh_until integer,
  -- Why it no longer works. Null while it does.
  lost_reason text,
  lost_at integer
) strict;

-- Sign-ins at authorization servers that are under way.
create table row_connects (
  -- Of the state, which opens what is sealed. Only the browser that began the sign-in has it.
  state_hash blob primary key not null,
  row_id text not null references connector_rows (id) on delete cascade,
  session_id text not null,
  sealed blob not null,
  expires_at integer not null
) strict;

create index row_connects_row on row_connects (row_id);
