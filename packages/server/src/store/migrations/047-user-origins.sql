-- level: 2
-- Where users, their tags, roles and states come from. What counts stays in `user_tags`, `users.role` and `users.status`, which
-- servers of the version before read; what gave it stands beside.
-- The names are no column's of another table: those servers join `users` without naming the table.
alter table users add column user_kind text not null default 'person' check (user_kind in ('person', 'service'));
-- Of a service user. Null until it has a new owner.
alter table users add column owned_by text references users (id) on delete set null;
alter table users add column user_origin text not null default 'local' check (user_origin in ('local', 'sso', 'scim', 'prepared'));
-- The role given by hand, while groups decide `role`. Null: `role` is given by hand.
alter table users add column hand_role text check (hand_role in ('admin', 'user'));
-- What disabled the user, if it was not done by hand.
alter table users add column disabled_by text check (disabled_by in ('groups', 'scim'));
create index users_owner on users (owned_by) where owned_by is not null;

-- A tag may be given by hand, by groups, or by both.
alter table user_tags add column by_hand integer not null default 1 check (by_hand in (0, 1));
alter table user_tags add column by_group integer not null default 0 check (by_group in (0, 1));

-- The provider's name of the session that this one began with. Null for a local sign-in.
alter table sessions add column provider_sid text;
-- When the user last proved who they are. Null: when the session began.
alter table sessions add column fresh_at integer;
create index sessions_provider on sessions (provider_sid) where provider_sid is not null;

-- The ids of tokens from outside that may be used once.
create table used_token_ids (
  -- SHA-256 of issuer and id.
  hash blob not null primary key,
  expires_at integer not null
) strict;
create index used_token_ids_expiry on used_token_ids (expires_at);
