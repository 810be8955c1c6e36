-- The messages by which people are asked in chats about calls that wait. As `approval_messages`, which servers of the version
-- before read: they would not know these.
create table call_messages (
  id text not null primary key,
  call_id text not null references pending_calls (id) on delete cascade,
  -- The person's chat account when the message was made.
  user_id text not null,
  kind text not null,
  team_id text not null,
  account_id text not null,
  -- Of the call that the message shows.
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
create index call_messages_call on call_messages (call_id);
create index call_messages_due on call_messages (due_at) where due_at is not null;

-- The calls whose state the chats do not know yet.
create index pending_calls_untold on pending_calls (created_at) where chat_state <> state;
-- Those that people are reminded of at half of the time.
create index pending_calls_reminders on pending_calls ((created_at + expires_at))
where state = 'open' and reminded_at is null;
