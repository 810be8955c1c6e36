-- Channels: rows of chat connectors. Each has a slug, which addresses and triggers use.
alter table connector_rows add column slug text collate "C";
create unique index connector_rows_slug on connector_rows (slug) where slug is not null;

-- The connection of a channel, which one process holds at a time.
create table channel_states (
  row_id text collate "C" primary key references connector_rows (id) on delete cascade,
  holder text collate "C",
  held_until bigint,
  -- Grows by one with each claim. Writes with an older one are refused.
  lease bigint not null default 0,
  state text collate "C" not null default 'connecting',
  reason text collate "C",
  changed_at bigint not null default 0,
  -- The version of the row that the platform refused. It is tried again when the row has another one.
  refused_version bigint,
  -- JSON: the bot's own account.
  account text collate "C",
  -- Where the next connection goes on, such as Telegram's offset.
  cursor text collate "C",
  -- JSON: the last envelopes, without their content.
  recent text collate "C" not null default '[]'
);

-- Of channel triggers: the slug or the kind, the event, and the filters as JSON.
alter table workflow_triggers add column channel text collate "C";
alter table workflow_triggers add column event text collate "C";
alter table workflow_triggers add column match_filters text collate "C";
create index workflow_triggers_channel on workflow_triggers (channel, event) where channel is not null;
