-- The last requests to the webhooks of a workflow. Refused ones with the same reason are one row, so that
-- a sender without the secret fills no table. Times are epoch ms.
create table webhook_requests (
  workflow_id text collate "C" not null references workflows (id),
  -- A UUID, or of refused requests: what they have in common.
  key text collate "C" not null,
  -- Of the last one of them.
  at bigint not null,
  first_at bigint not null,
  requests bigint not null,
  -- Null if there is no trigger for the path and method.
  trigger_id text collate "C",
  -- Whether it was sent to the address of the draft.
  is_test bigint not null check (is_test in (0, 1)),
  -- Why it was refused; null for an accepted one.
  reason text collate "C",
  method text collate "C" not null,
  path text collate "C" not null,
  delivery_id text collate "C",
  is_repeated bigint not null check (is_repeated in (0, 1)),
  signature text collate "C" not null,
  -- What it was answered.
  status bigint not null,
  code text collate "C",
  message text collate "C",
  run_id text collate "C",
  duration_ms bigint not null,
  -- Null if the body was not read.
  body_bytes bigint,
  primary key (workflow_id, key)
);

create index webhook_requests_at on webhook_requests (at);
