-- level: 2
-- Whose accounts the calls of a row use. Null is 'shared'.
alter table connector_rows add column access text check (access in ('shared', 'own', 'own_else_shared'));
-- The account that a call used: 'own' with its label, or 'shared'. Null if the row has no accounts of users.
alter table connector_runs add column account text;

-- The accounts of users in rows. One of kind 'removed' is left when a user's last account in a row is removed: the
-- shared account is only for users who never had an own one.
create table user_accounts (
  id text not null primary key,
  user_id text not null references users (id) on delete cascade,
  row_id text not null references connector_rows (id) on delete cascade,
  label text not null,
  kind text not null check (kind in ('token', 'oauth', 'removed')),
  -- JSON, under the key of its user.
  sealed blob not null,
  -- A random id of what is sealed now.
  tokens_id text not null,
  -- JSON: the addresses of the row that the user was shown.
  hosts text not null,
  -- Who published the connector then.
  publisher text not null,
  -- Who it is outside, if that is known.
  identity text,
  scope text,
  connected_at integer not null,
  used_at integer,
  expires_at integer,
  renew_at integer,
  -- The refresh under way, and until when no other server begins one.
  refresh_id text,
  refresh_until integer,
  -- Why it no longer works. Null while it does.
  lost_reason text,
  lost_at integer,
  unique (user_id, row_id, label)
) strict;

create index user_accounts_row on user_accounts (row_id);

-- Accounts that are removed here, and are still to be ended outside.
create table account_endings (
  -- Of the account, with its user and row: what is sealed opens for these alone.
  id text not null primary key,
  user_id text not null,
  row_id text not null,
  row_label text not null,
  sealed blob not null,
  attempts integer not null,
  due_at integer not null,
  failure text,
  created_at integer not null
) strict;

create index account_endings_due on account_endings (due_at);
create index account_endings_user on account_endings (user_id, created_at);

-- Sign-ins of users at authorization servers that are under way.
create table account_connects (
  -- Of the state, which opens what is sealed. Only the browser that began the sign-in has it.
  state_hash blob not null primary key,
  user_id text not null references users (id) on delete cascade,
  session_id text not null,
  row_id text not null references connector_rows (id) on delete cascade,
  label text not null,
  sealed blob not null,
  expires_at integer not null
) strict;

create index account_connects_row on account_connects (row_id);
create index account_connects_user on account_connects (user_id);

-- The hub as a client of a row's authorization server, which the accounts of all users share. Without what is sealed, the row
-- names the client.
create table row_clients (
  row_id text not null primary key references connector_rows (id) on delete cascade,
  -- Where the hub registered itself, and with which address for answers. Empty if it did not.
  issuer text not null,
  redirect_uri text not null,
  sealed blob,
  -- Why the authorization server refuses the client. Null while it does not.
  fault text,
  fault_at integer
) strict;
