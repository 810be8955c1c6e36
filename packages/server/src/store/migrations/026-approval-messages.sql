-- The messages by which approvers are asked in chats. A message is sent after its approval is stored, as often as
-- it takes, and changed when the approval ends.
create table approval_messages (
  id text not null primary key,
  approval_id text not null references workflow_approvals (id) on delete cascade,
  -- The approver's chat account when the approval was asked for.
  user_id text not null,
  kind text not null,
  team_id text not null,
  account_id text not null,
  -- Of the approval that the message shows.
  hash text not null,
  -- Where the message is. Null before it was sent.
  row_id text,
  channel_id text,
  ts text,
  -- The state that the message shows. Null before it was sent.
  shown text,
  attempts integer not null default 0,
  -- When a server looks at the message next. Null if there is nothing to do. A server that takes it puts this off.
  due_at integer,
  failure text
) strict;
create index approval_messages_approval on approval_messages (approval_id);
create index approval_messages_due on approval_messages (due_at) where due_at is not null;

-- The channel over which the account was linked.
alter table chat_accounts add column row_id text references connector_rows (id) on delete set null;
create index chat_accounts_row on chat_accounts (row_id) where row_id is not null;

-- The state of which the chats know. Empty before they know of the approval.
alter table workflow_approvals add column chat_state text not null default '';
update workflow_approvals set chat_state = state where state <> 'pending';
create index workflow_approvals_untold on workflow_approvals (created_at) where chat_state <> state;
