-- The accounts on chat platforms that belong to users. An account belongs to one user.
create table chat_accounts (
  id text not null primary key,
  user_id text not null references users (id) on delete cascade,
  kind text not null,
  -- The workspace; empty on platforms without workspaces.
  team_id text not null,
  account_id text not null,
  account_name text,
  team_name text,
  created_at integer not null,
  unique (kind, team_id, account_id)
) strict;
create index chat_accounts_user on chat_accounts (user_id);

-- A link that a user has begun, one at a time. It ends with the session that began it.
create table chat_links (
  id text not null primary key,
  user_id text not null unique references users (id) on delete cascade,
  session_id text not null references sessions (id) on delete cascade,
  code_hash blob not null unique,
  expires_at integer not null,
  -- The row over which the code came, and the account that sent it. Null before.
  row_id text references connector_rows (id) on delete cascade,
  kind text,
  team_id text,
  account_id text,
  account_name text,
  team_name text,
  -- Whether the account has answered yes.
  is_confirmed integer not null default 0
) strict;
create index chat_links_session on chat_links (session_id);
create index chat_links_row on chat_links (row_id) where row_id is not null;
create index chat_links_account on chat_links (kind, team_id, account_id) where account_id is not null;
create index chat_links_expiry on chat_links (expires_at);

-- Codes that accounts sent and that were not valid, by account and by channel.
create table chat_link_tries (
  key text not null primary key,
  tries integer not null,
  expires_at integer not null
) strict;
create index chat_link_tries_expiry on chat_link_tries (expires_at);
