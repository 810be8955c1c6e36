alter table users add column must_change_password bigint not null default 0
  check (must_change_password in (0, 1));

-- Signed-in browsers. The cookie's text collate "C" is hashed: who reads the database gets no session.
create table sessions (
  id text collate "C" not null primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  token_hash bytea not null unique,
  created_at bigint not null,
  last_seen_at bigint not null,
  expires_at bigint not null,
  ip_address text collate "C",
  user_agent text collate "C"
);

create index sessions_user on sessions (user_id);
create index sessions_expires on sessions (expires_at);

-- Who a user is at a single sign-on provider.
create table identities (
  id text collate "C" not null primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  email text collate "C" not null,
  created_at bigint not null,
  last_used_at bigint not null,
  unique (issuer, subject)
);

create index identities_user on identities (user_id);
