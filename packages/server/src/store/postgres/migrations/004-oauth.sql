-- Clients that registered themselves. Their ids are public, and they have no secrets.
create table oauth_clients (
  id text collate "C" not null primary key,
  metadata text collate "C" not null,
  created_at bigint not null,
  last_used_at bigint
);

create index oauth_clients_unused on oauth_clients (created_at) where last_used_at is null;

-- What one user allowed one client. Deleting it ends every code and token that came of it. No
-- foreign key to the client: one that is known by a metadata document has no row.
create table oauth_grants (
  id text collate "C" not null primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  client_id text collate "C" not null,
  client_name text collate "C" not null,
  redirect_uri text collate "C" not null,
  scope text collate "C" not null,
  resource text collate "C" not null,
  created_at bigint not null,
  last_used_at bigint,
  expires_at bigint not null
);

create index oauth_grants_user on oauth_grants (user_id);
create index oauth_grants_client on oauth_grants (client_id);
create index oauth_grants_expires on oauth_grants (expires_at);

-- Codes, refresh tokens and pending consents. What is sealed opens with the artefact's own id, of
-- which only the hash is here.
create table oauth_artifacts (
  id_hash bytea not null primary key,
  model text collate "C" not null,
  grant_id text collate "C" references oauth_grants (id) on delete cascade,
  sealed bytea not null,
  expires_at bigint not null,
  consumed_at bigint
);

create index oauth_artifacts_grant on oauth_artifacts (grant_id) where grant_id is not null;
create index oauth_artifacts_expires on oauth_artifacts (expires_at);

create table oauth_access_tokens (
  token_hash bytea not null primary key,
  grant_id text collate "C" not null references oauth_grants (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  client_id text collate "C" not null,
  scope text collate "C" not null,
  resource text collate "C" not null,
  created_at bigint not null,
  expires_at bigint not null
);

create index oauth_access_tokens_grant on oauth_access_tokens (grant_id);
create index oauth_access_tokens_user on oauth_access_tokens (user_id);
create index oauth_access_tokens_expires on oauth_access_tokens (expires_at);
