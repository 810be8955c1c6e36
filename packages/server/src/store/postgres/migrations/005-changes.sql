-- Who changed what. No foreign keys: a change outlives the user and the thing that it tells of.
create table changes (
  id text collate "C" not null primary key,
  changed_at bigint not null,
  actor_id text collate "C" not null,
  actor text collate "C" not null,
  via text collate "C" not null,
  token_id text collate "C",
  ip_address text collate "C",
  action text collate "C" not null,
  target_kind text collate "C" not null,
  target_id text collate "C" not null,
  target text collate "C" not null,
  detail text collate "C" not null
);

create index changes_target on changes (target_kind, target_id, id desc);
create index changes_actor on changes (actor_id, id desc);
