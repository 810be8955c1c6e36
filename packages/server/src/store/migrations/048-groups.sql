-- level: 2
-- What the groups of a directory give to their members. The order is that of the page and decides nothing.
create table group_lines (
  id text not null primary key,
  position integer not null,
  source text not null check (source in ('any', 'sso', 'scim')),
  -- The name of a group, or a pattern with '*' for any characters.
  pattern text not null,
  is_pattern integer not null check (is_pattern in (0, 1)),
  -- JSON: names of tags.
  tags text not null,
  -- What a tag begins with that is made of what '*' stands for.
  tag_start text,
  role text not null check (role in ('user', 'admin', 'none')),
  -- Whether groups that come by SCIM may give the role admin.
  admin_by_scim integer not null check (admin_by_scim in (0, 1))
) strict;

-- One row: the revision of the whole table of lines.
create table group_line_revision (
  id integer not null primary key check (id = 1),
  value integer not null
) strict;

insert into group_line_revision (id, value) values (1, 0);

-- What is known of the groups of a user from one source: 'sso', or 'scim:' and the id of a SCIM client.
create table user_group_reads (
  user_id text not null references users (id) on delete cascade,
  source text not null,
  -- When the groups were last known to be these. Null if they never were.
  read_at integer,
  -- Why they could not be read since. Null if they could.
  problem text,
  problem_at integer,
  -- How many names were not read, because they are empty or too long.
  left_out integer not null,
  -- Whether the group that the hub requires is missing.
  is_refused integer not null check (is_refused in (0, 1)),
  -- The revision of the lines that was applied.
  applied integer not null,
  primary key (user_id, source)
) strict;

create index user_group_reads_applied on user_group_reads (applied);

create table user_groups (
  user_id text not null references users (id) on delete cascade,
  source text not null,
  name text not null,
  primary key (user_id, source, name)
) strict;

create index user_groups_name on user_groups (name);

-- Users whom an admin made before their first sign-in: the issuer whose verified e-mail links them, once.
create table prepared_users (
  user_id text not null primary key references users (id) on delete cascade,
  issuer text not null,
  created_at integer not null
) strict;

-- What the hub holds of a user's session at the single sign-on provider.
create table provider_sessions (
  user_id text not null primary key references users (id) on delete cascade,
  issuer text not null,
  subject text not null,
  -- The session there, by which the provider says that it has ended.
  sid text,
  -- The refresh token. Null if the provider gave none.
  sealed blob,
  -- A random id of what is sealed now.
  tokens_id text not null,
  -- When the provider last confirmed the user.
  read_at integer not null,
  -- The earliest time of the next refresh. The server that moves it refreshes.
  next_at integer not null,
  -- Since when the provider does not answer.
  failed_since integer,
  failure text,
  -- When the provider said that the session has ended.
  ended_at integer,
  -- Whether tokens are refused until the user signs in again.
  refuses_tokens integer not null check (refuses_tokens in (0, 1))
) strict;

create index provider_sessions_subject on provider_sessions (issuer, subject);
create index provider_sessions_sid on provider_sessions (sid);
