-- Channels: rows of chat connectors. Each has a slug, which addresses and triggers use.
alter table connector_rows add column slug text;
create unique index connector_rows_slug on connector_rows (slug) where slug is not null;

-- The connection of a channel, which one process holds at a time.
create table channel_states (
  row_id text primary key references connector_rows (id) on delete cascade,
  holder text,
  held_until integer,
  -- Grows by one with each claim. Writes with an older one are refused.
  lease integer not null default 0,
  state text not null default 'connecting',
  reason text,
  changed_at integer not null default 0,
  -- The version of the row that the platform refused. It is tried again when the row has another one.
  refused_version integer,
  -- JSON: the bot's own account.
  account text,
  -- Where the next connection goes on, such as Telegram's offset.
  cursor text,
  -- JSON: the last envelopes, without their content.
  recent text not null default '[]'
) strict;

-- Of channel triggers: the slug or the kind, the event, and the filters as JSON.
alter table workflow_triggers add column channel text;
alter table workflow_triggers add column event text;
alter table workflow_triggers add column match_filters text;
create index workflow_triggers_channel on workflow_triggers (channel, event) where channel is not null;
