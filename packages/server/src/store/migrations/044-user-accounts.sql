-- level: 2
-- Accounts of users at outside systems, by row.
create table user_accounts (
  id text not null primary key,
  user_id text not null,
  row_id text not null references connector_rows (id) on delete cascade,
  label text not null,
  kind text not null check (kind in ('token', 'oauth')),
  -- JSON: the values of the personal fields, or the tokens with their client.
  sealed blob not null,
  -- A random id of what is stored now. Each refresh stores new tokens.
  tokens_id text not null,
  -- JSON: the hosts that its owner was shown. The account is used at no others.
  hosts text not null,
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

create index user_accounts_rows on user_accounts (row_id);

-- Accounts that have ended here and are still to be revoked outside.
create table account_endings (
  id text not null primary key,
  user_id text not null,
  row_label text not null,
  sealed blob not null,
  attempts integer not null default 0,
  due_at integer not null,
  failure text,
  created_at integer not null
) strict;

create index account_endings_due on account_endings (due_at);

-- Sign-ins at outside systems that are under way.
create table account_connects (
  state_hash blob not null primary key,
  user_id text not null,
  session_id text not null,
  row_id text not null references connector_rows (id) on delete cascade,
  label text not null,
  sealed blob not null,
  expires_at integer not null
) strict;

create index account_connects_ends on account_connects (expires_at);

-- Whose access its calls use: 'shared', 'own' or 'own_else_shared'. Null is shared.
alter table connector_rows add column access text;

-- The label of the account that a call used. Null for the shared access of its row.
alter table connector_runs add column account text;
