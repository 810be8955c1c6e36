-- Questions on whose answer a run waits. One statement decides: it finds the approval pending, in time
-- and with the hash that the approver was shown. Texts have no secrets: they are shown to others.
create table workflow_approvals (
  id text not null primary key,
  workflow_id text not null,
  run_id text not null,
  node_id text not null,
  body_id text not null,
  -- Null for a run of the draft.
  version integer,
  -- As whom the run acts.
  owner_id text not null,
  state text not null check (state in ('pending', 'approved', 'denied', 'expired', 'cancelled')),
  title text not null,
  details text not null,
  -- JSON: {tags, users}, as the node names them.
  approvers text not null,
  is_self integer not null check (is_self in (0, 1)),
  started_by text not null,
  -- JSON: the ids of the users who started the run, and of those who edited what it runs.
  starter_ids text not null,
  editor_ids text not null,
  -- JSON: what is shown of the nodes that follow, and how many more there are.
  will_run text not null,
  -- JSON: the hashes that these nodes are compared with.
  expected text not null,
  hash text not null,
  created_at integer not null,
  expires_at integer not null,
  decided_at integer,
  decided_by text,
  -- The e-mail at that time.
  decided_by_email text,
  comment text,
  unique (run_id, node_id)
) strict;

create index workflow_approvals_pages on workflow_approvals (created_at, id);
create index workflow_approvals_pending on workflow_approvals (created_at, id) where state = 'pending';
create index workflow_approvals_owners on workflow_approvals (owner_id) where state = 'pending';

-- Who may decide: 'tag' with a name, 'user' with the id and the e-mail that the node names.
create table workflow_approvers (
  approval_id text not null references workflow_approvals (id) on delete cascade,
  kind text not null check (kind in ('tag', 'user')),
  name text not null,
  email text not null,
  primary key (approval_id, kind, name)
) strict, without rowid;

-- Who has saved, restored or published a body.
create table workflow_body_editors (
  body_id text not null references workflow_bodies (id) on delete cascade,
  user_id text not null,
  primary key (body_id, user_id)
) strict, without rowid;

insert into workflow_body_editors (body_id, user_id)
  select draft_body_id, draft_saved_by from workflows
    where draft_body_id in (select id from workflow_bodies)
  union
  select body_id, published_by from workflow_versions;

-- JSON: the ids of the users who started the run, and the runs that led to it. Null for none.
alter table workflow_runs add column starter_ids text;
