-- Questions on whose answer a run waits. One statement decides: it finds the approval pending, in time
-- and with the hash that the approver was shown. Texts have no secrets: they are shown to others.
create table workflow_approvals (
  id text collate "C" not null primary key,
  workflow_id text collate "C" not null,
  run_id text collate "C" not null,
  node_id text collate "C" not null,
  body_id text collate "C" not null,
  -- Null for a run of the draft.
  version bigint,
  -- As whom the run acts.
  owner_id text collate "C" not null,
  state text collate "C" not null check (state in ('pending', 'approved', 'denied', 'expired', 'cancelled')),
  title text collate "C" not null,
  details text collate "C" not null,
  -- JSON: {tags, users}, as the node names them.
  approvers text collate "C" not null,
  is_self bigint not null check (is_self in (0, 1)),
  started_by text collate "C" not null,
  -- JSON: the ids of the users who started the run, and of those who edited what it runs.
  starter_ids text collate "C" not null,
  editor_ids text collate "C" not null,
  -- JSON: what is shown of the nodes that follow, and how many more there are.
  will_run text collate "C" not null,
  -- JSON: the hashes that these nodes are compared with.
  expected text collate "C" not null,
  hash text collate "C" not null,
  created_at bigint not null,
  expires_at bigint not null,
  decided_at bigint,
  decided_by text collate "C",
  -- The e-mail at that time.
  decided_by_email text collate "C",
  comment text collate "C",
  unique (run_id, node_id)
);

create index workflow_approvals_pages on workflow_approvals (created_at, id);
create index workflow_approvals_pending on workflow_approvals (created_at, id) where state = 'pending';
create index workflow_approvals_owners on workflow_approvals (owner_id) where state = 'pending';

-- Who may decide: 'tag' with a name, 'user' with the id and the e-mail that the node names.
create table workflow_approvers (
  approval_id text collate "C" not null references workflow_approvals (id) on delete cascade,
  kind text collate "C" not null check (kind in ('tag', 'user')),
  name text collate "C" not null,
  email text collate "C" not null,
  primary key (approval_id, kind, name)
);

-- Who has saved, restored or published a body.
create table workflow_body_editors (
  body_id text collate "C" not null references workflow_bodies (id) on delete cascade,
  user_id text collate "C" not null,
  primary key (body_id, user_id)
);

insert into workflow_body_editors (body_id, user_id)
  select draft_body_id, draft_saved_by from workflows
    where draft_body_id in (select id from workflow_bodies)
  union
  select body_id, published_by from workflow_versions;

-- JSON: the ids of the users who started the run, and the runs that led to it. Null for none.
alter table workflow_runs add column starter_ids text collate "C";
