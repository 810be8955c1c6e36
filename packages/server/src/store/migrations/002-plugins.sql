-- Plugins that were switched off or on; those never touched are on.
create table plugin_states (
  plugin_key text not null primary key,
  disabled integer not null check (disabled in (0, 1))
) strict;
