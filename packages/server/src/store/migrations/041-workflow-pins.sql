-- level: 2
-- Outputs of past runs that stand in for those of nodes in tests of the draft.
create table workflow_pins (
  workflow_id text not null references workflows (id),
  node_id text not null,
  -- Whose value tokens the output has. Pins of a former owner do not count.
  owner_id text not null,
  -- JSON.
  output text not null,
  bytes integer not null,
  pinned_by text not null,
  pinned_at integer not null,
  primary key (workflow_id, node_id)
) strict;
