alter table users add column must_change_password integer not null default 0
  check (must_change_password in (0, 1));

-- on sqlite:
-- Signed-in browsers. The cookie's text is hashed: who reads the database gets no session.
-- on postgres:
-- Signed-in browsers. The cookie's text collate "C" is hashed: who reads the database gets no session.
-- on both:
create table sessions (
  id text not null primary key,
  user_id text not null references users (id) on delete cascade,
  token_hash blob not null unique,
  created_at integer not null,
  last_seen_at integer not null,
  expires_at integer not null,
  ip_address text,
  user_agent text
) strict;

create index sessions_user on sessions (user_id);
create index sessions_expires on sessions (expires_at);

-- Who a user is at a single sign-on provider.
create table identities (
  id text not null primary key,
  user_id text not null references users (id) on delete cascade,
  issuer text not null,
  subject text not null,
  email text not null,
  created_at integer not null,
  last_used_at integer not null,
  unique (issuer, subject)
) strict;

create index identities_user on identities (user_id);
