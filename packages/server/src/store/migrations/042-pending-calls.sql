-- level: 2
-- Calls that were not answered at once: a person must decide, an account is missing, or they take long. A call
-- belongs to the user and the principal that made it. What is shown, stored and run are the same sealed bytes.
create table pending_calls (
  id text not null primary key,
  -- The local admin has no entry among the users.
  user_id text not null,
  -- 'token:ID', 'grant:ID', 'stdio', 'session' or 'workflow:RUN'.
  principal text not null,
  -- The name of the token or application, for display.
  principal_name text not null,
  row_id text not null,
  operation_key text not null,
  reason text not null check (reason in ('approval', 'account', 'input', 'running')),
  state text not null check (
    state in ('open', 'approved', 'running', 'done', 'unknown', 'denied', 'expired', 'changed', 'ended')
  ),
  -- JSON: the request as its caller sent it, with value tokens unopened.
  sealed blob not null,
  -- Of the caller's part, by which an equal call is found: an HMAC with the key of this id.
  digest_key integer not null,
  digest text not null,
  -- Of what the caller does not send: the operation, the version of its connector, the row's addresses and the rule.
  basis text not null,
  -- JSON: what a person sees of it.
  shown text not null,
  -- JSON: what lists show of it.
  summary text not null,
  -- JSON: {kind: "caller"} or {kind: "tags", tags}.
  decider text not null,
  -- JSON: the ids of the users who may not decide.
  excluded text not null,
  rule_id text,
  rule_revision integer,
  confirm text not null default 'page' check (confirm in ('page', 'client')),
  runs_by_itself integer not null default 0 check (runs_by_itself in (0, 1)),
  -- JSON: the client, its address and its source.
  origin text not null,
  -- The record of the call that ended in this question.
  asked_run_id text,
  created_at integer not null,
  expires_at integer not null,
  approved_until integer,
  decided_at integer,
  decided_by text,
  -- The e-mail at that time.
  decided_by_email text,
  decided_via text,
  comment text,
  -- The record of the run that it became, and the process that runs it.
  run_id text,
  instance_id text,
  -- JSON: the sealed result or failure.
  result blob,
  result_at integer,
  keep_until integer not null,
  -- 1 if a client was given it as a task, 2 once this client has answered what the task asked.
  task integer not null default 0 check (task in (0, 1, 2)),
  ended_reason text,
  -- Who decides for an absent approver.
  deputy_id text,
  -- The approver who named the deputy.
  deputy_by text,
  reminded_at integer,
  -- The state that messages in chats show.
  chat_state text not null default ''
) strict;

create index pending_calls_pages on pending_calls (created_at, id);
create index pending_calls_waiting on pending_calls (created_at, id) where state = 'open';
create index pending_calls_users on pending_calls (user_id, created_at);
create index pending_calls_equal on pending_calls (user_id, principal, digest)
where state in ('open', 'approved', 'running', 'done', 'denied', 'unknown');
create index pending_calls_denied on pending_calls (user_id, principal, row_id, operation_key, decided_at)
where state = 'denied';
create index pending_calls_open on pending_calls (user_id) where state in ('open', 'approved');
create index pending_calls_due on pending_calls (expires_at) where state in ('open', 'approved');
create index pending_calls_running on pending_calls (instance_id) where state = 'running';
create index pending_calls_kept on pending_calls (keep_until);
-- The question of a recorded call.
create index pending_calls_asked_runs on pending_calls (asked_run_id) where asked_run_id is not null;
create index pending_calls_runs on pending_calls (run_id) where run_id is not null;
create index pending_calls_rows on pending_calls (row_id) where state in ('open', 'approved');

-- Who may decide a call, beside its caller.
create table pending_call_deciders (
  call_id text not null references pending_calls (id) on delete cascade,
  kind text not null check (kind in ('tag', 'user')),
  name text not null,
  primary key (call_id, kind, name)
) strict, without rowid;

create index pending_call_deciders_names on pending_call_deciders (kind, name);

-- Permissions for an operation, a principal and an account, for an hour.
create table call_permits (
  id text not null primary key,
  user_id text not null,
  principal text not null,
  principal_name text not null,
  row_id text not null,
  operation_key text not null,
  -- The id of the account; empty for that of the row.
  account text not null default '',
  rule_id text not null,
  rule_revision integer not null,
  basis text not null,
  -- JSON: the params that stay as they were approved, by name.
  fixed text not null,
  created_at integer not null,
  expires_at integer not null,
  granted_by text not null,
  granted_by_email text not null,
  ended_at integer,
  -- The pending call that it was given with.
  call_id text not null
) strict;

create index call_permits_users on call_permits (user_id, principal, row_id, operation_key, expires_at);
create index call_permits_ends on call_permits (expires_at);
