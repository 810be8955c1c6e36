-- Graphs that run operations by themselves. A deleted workflow keeps its row, so that no other one
-- gets its id. Who owns one is a user.
create table workflows (
  id text not null primary key,
  name text not null,
  description text not null,
  owner_id text not null references users (id),
  -- A user who has not accepted the workflow yet.
  pending_owner_id text references users (id),
  enabled integer not null check (enabled in (0, 1)),
  run_by text not null check (run_by in ('tags', 'owner')),
  -- The number of publications.
  version integer not null,
  draft_body_id text not null,
  -- Grows by one with every change of the draft.
  draft_revision integer not null,
  draft_saved_by text not null,
  draft_saved_at integer not null,
  published_body_id text,
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer
) strict;

create index workflows_created on workflows (created_at, id) where deleted_at is null;
create index workflows_owner on workflows (owner_id) where deleted_at is null;
create index workflows_pending_owner on workflows (pending_owner_id) where pending_owner_id is not null;

-- Drafts, versions and runs refer to bodies, which never change.
create table workflow_bodies (
  id text not null primary key,
  workflow_id text not null references workflows (id),
  -- JSON.
  body text not null,
  created_at integer not null
) strict;

create index workflow_bodies_workflow on workflow_bodies (workflow_id);

create table workflow_versions (
  workflow_id text not null references workflows (id),
  version integer not null,
  body_id text not null references workflow_bodies (id),
  note text not null,
  published_by text not null,
  published_at integer not null,
  primary key (workflow_id, version)
) strict, without rowid;

create index workflow_versions_body on workflow_versions (body_id);

create table workflow_tags (
  workflow_id text not null references workflows (id),
  tag_id text not null references tags (id) on delete cascade,
  primary key (workflow_id, tag_id)
) strict, without rowid;

create index workflow_tags_tag on workflow_tags (tag_id);

create table workflow_secrets (
  workflow_id text not null references workflows (id),
  name text not null,
  -- Sealed by the key ring for this workflow and name.
  sealed blob not null,
  updated_at integer not null,
  primary key (workflow_id, name)
) strict;
