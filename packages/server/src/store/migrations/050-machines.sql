-- level: 2
-- What a bound token limits its calls to (JSON). Null for a token without bounds.
alter table personal_access_tokens add column bounds text;
alter table oauth_access_tokens add column bounds text;
alter table oauth_grants add column bounds text;

-- By what a machine got a grant without a user's consent: client:ID or issuer:ID.
alter table oauth_grants add column machine text;
create unique index oauth_grants_machine on oauth_grants (machine, user_id, client_id)
where machine is not null;

-- Clients that an admin registered, which get tokens without a browser.
create table machine_clients (
  id text not null primary key,
  name text not null,
  -- The service user that it acts as. Null for a client that only brings assertions of a trusted issuer.
  user_id text references users (id) on delete cascade,
  auth text not null check (auth in ('client_secret', 'private_key_jwt')),
  secret_hash blob,
  -- The client's public keys, a JSON Web Key Set.
  jwks text,
  bounds text,
  created_by text not null,
  created_at integer not null,
  expires_at integer,
  last_used_at integer
) strict;

create index machine_clients_user on machine_clients (user_id) where user_id is not null;

-- Issuers whose signed assertions open the hub. Several may be of one issuer, with other conditions.
create table trusted_issuers (
  id text not null primary key,
  name text not null,
  issuer text not null,
  kind text not null check (kind in ('workload', 'id_jag')),
  -- Null: as the issuer's metadata says.
  jwks_uri text,
  -- Null: the token endpoint.
  audience text,
  -- JSON: [{claim, value} or {claim, prefix}].
  conditions text not null,
  -- The service user of a workload. Null for id_jag, which is of an existing user.
  user_id text references users (id) on delete cascade,
  bounds text,
  created_by text not null,
  created_at integer not null,
  last_used_at integer
) strict;

create index trusted_issuers_issuer on trusted_issuers (issuer);
create index trusted_issuers_user on trusted_issuers (user_id) where user_id is not null;
