-- level: 2
-- Programs of identity providers that change users over SCIM. Only a hash of the token is stored.
create table scim_clients (
  id text not null primary key,
  name text not null,
  token_hash blob not null unique,
  last_four text not null,
  -- The single sign-on issuer whose users it may change. Null: only those that it made, or was given.
  issuer text,
  -- JSON: addresses and networks from which it may come. Null: any.
  addresses text,
  created_by text not null,
  created_at integer not null,
  expires_at integer not null,
  last_used_at integer
) strict;

-- The users that a client made, took over, or was given, with what it sent.
create table scim_users (
  user_id text not null primary key references users (id) on delete cascade,
  client_id text not null references scim_clients (id) on delete cascade,
  -- Null if the client deleted the user, who stays disabled.
  user_name text,
  -- In lower case.
  user_name_key text,
  -- The client's id of the user.
  external_id text,
  -- JSON: the names and e-mails that the client sent.
  attributes text not null,
  -- Whether the groups have changed, and the tags and the role do not follow yet.
  groups_due integer not null default 0 check (groups_due in (0, 1)),
  created_at integer not null,
  updated_at integer not null,
  unique (client_id, user_name_key),
  unique (client_id, external_id)
) strict;

create index scim_users_due on scim_users (client_id, user_id) where groups_due = 1;

create table scim_groups (
  id text not null primary key,
  client_id text not null references scim_clients (id) on delete cascade,
  display_name text not null,
  -- In lower case.
  name_key text not null,
  external_id text,
  created_at integer not null,
  updated_at integer not null,
  unique (client_id, name_key),
  unique (client_id, external_id)
) strict;

create table scim_members (
  group_id text not null references scim_groups (id) on delete cascade,
  user_id text not null references scim_users (user_id) on delete cascade,
  primary key (group_id, user_id)
) strict, without rowid;

create index scim_members_user on scim_members (user_id);
