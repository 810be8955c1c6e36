-- level: 2
-- The second factors of users who sign in with a password here.
create table second_factors (
  id text not null primary key,
  user_id text not null references users (id) on delete cascade,
  kind text not null,
  -- What the user calls it.
  name text not null,
  -- The secret of an app for codes. Null for a passkey.
  sealed blob,
  -- The last step whose code was used. No code of it, or of one before, counts again.
  last_step integer,
  -- Of a passkey: its id, its public key (SPKI), the number of its algorithm in COSE, and how often it has signed.
  credential_id blob,
  public_key blob,
  algorithm integer,
  counter integer,
  created_at integer not null,
  last_used_at integer
) strict;
create index second_factors_user on second_factors (user_id);
create unique index second_factors_app on second_factors (user_id) where kind = 'totp';
create unique index second_factors_credential on second_factors (credential_id) where credential_id is not null;

-- Codes for a user who has lost the second factor. Each counts once.
create table recovery_codes (
  user_id text not null references users (id) on delete cascade,
  hash blob not null,
  used_at integer,
  primary key (user_id, hash)
) strict;
