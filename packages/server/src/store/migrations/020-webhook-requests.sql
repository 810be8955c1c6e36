-- The last requests to the webhooks of a workflow. Refused ones with the same reason are one row, so that
-- a sender without the secret fills no table. Times are epoch ms.
create table webhook_requests (
  workflow_id text not null references workflows (id),
  -- A UUID, or of refused requests: what they have in common.
  key text not null,
  -- Of the last one of them.
  at integer not null,
  first_at integer not null,
  requests integer not null,
  -- Null if there is no trigger for the path and method.
  trigger_id text,
  -- Whether it was sent to the address of the draft.
  is_test integer not null check (is_test in (0, 1)),
  -- Why it was refused; null for an accepted one.
  reason text,
  method text not null,
  path text not null,
  delivery_id text,
  is_repeated integer not null check (is_repeated in (0, 1)),
  signature text not null,
  -- What it was answered.
  status integer not null,
  code text,
  message text,
  run_id text,
  duration_ms integer not null,
  -- Null if the body was not read.
  body_bytes integer,
  primary key (workflow_id, key)
) strict, without rowid;

create index webhook_requests_at on webhook_requests (at);
