-- Plugins that were switched off or on; those never touched are on.
create table plugin_states (
  plugin_key text collate "C" not null primary key,
  disabled bigint not null check (disabled in (0, 1))
);
