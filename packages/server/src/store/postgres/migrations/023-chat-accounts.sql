-- The accounts on chat platforms that belong to users. An account belongs to one user.
create table chat_accounts (
  id text collate "C" not null primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  kind text collate "C" not null,
  -- The workspace; empty on platforms without workspaces.
  team_id text collate "C" not null,
  account_id text collate "C" not null,
  account_name text collate "C",
  team_name text collate "C",
  created_at bigint not null,
  unique (kind, team_id, account_id)
);
create index chat_accounts_user on chat_accounts (user_id);

-- A link that a user has begun, one at a time. It ends with the session that began it.
create table chat_links (
  id text collate "C" not null primary key,
  user_id text collate "C" not null unique references users (id) on delete cascade,
  session_id text collate "C" not null references sessions (id) on delete cascade,
  code_hash bytea not null unique,
  expires_at bigint not null,
  -- The row over which the code came, and the account that sent it. Null before.
  row_id text collate "C" references connector_rows (id) on delete cascade,
  kind text collate "C",
  team_id text collate "C",
  account_id text collate "C",
  account_name text collate "C",
  team_name text collate "C",
  -- Whether the account has answered yes.
  is_confirmed bigint not null default 0
);
create index chat_links_session on chat_links (session_id);
create index chat_links_row on chat_links (row_id) where row_id is not null;
create index chat_links_account on chat_links (kind, team_id, account_id) where account_id is not null;
create index chat_links_expiry on chat_links (expires_at);

-- Codes that accounts sent and that were not valid, by account and by channel.
create table chat_link_tries (
  key text collate "C" not null primary key,
  tries bigint not null,
  expires_at bigint not null
);
create index chat_link_tries_expiry on chat_link_tries (expires_at);
