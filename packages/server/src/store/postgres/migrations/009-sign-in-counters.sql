-- Wrong passwords that still count. Keys are hashes: what was typed, and from where, is not kept.
-- account is the hash of the account that was tried; null where a counter is of no single account.
create table sign_in_counters (
  key text collate "C" not null primary key,
  account text collate "C",
  failures bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  expires_at bigint not null
);

create index sign_in_counters_account on sign_in_counters (account) where account is not null;
create index sign_in_counters_expires on sign_in_counters (expires_at);
