-- Who changed what. No foreign keys: a change outlives the user and the thing that it tells of.
create table changes (
  id text not null primary key,
  changed_at integer not null,
  actor_id text not null,
  actor text not null,
  via text not null,
  token_id text,
  ip_address text,
  action text not null,
  target_kind text not null,
  target_id text not null,
  target text not null,
  detail text not null
) strict;

create index changes_target on changes (target_kind, target_id, id desc);
create index changes_actor on changes (actor_id, id desc);
