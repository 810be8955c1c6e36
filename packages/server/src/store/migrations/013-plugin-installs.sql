-- The plugins that are installed on every server of a database that several machines use. Such a
-- server has a copy in its folder. On SQLite these tables are empty: the folder says what is installed.
create table plugin_installs (
  plugin_key text not null primary key,
  -- A new id for each installation of another version.
  id text not null,
  version text not null,
  -- JSON: where it was installed from.
  source text not null,
  installed_by text not null,
  installed_at integer not null
) strict, without rowid;

-- A version has one build for each platform, or one for several.
create table plugin_builds (
  id text not null primary key,
  plugin_key text not null references plugin_installs (plugin_key) on delete cascade,
  -- JSON list, such as ["linux/amd64"].
  platforms text not null,
  -- The text of plugin.json, which has the signature and the hash of the program.
  manifest text not null,
  archive_sha256 text not null,
  archive_bytes integer not null,
  chunks integer not null
) strict, without rowid;

create index plugin_builds_plugin on plugin_builds (plugin_key);

-- The archive of a build in parts. They are stored before the build, which makes them count.
create table plugin_chunks (
  build_id text not null,
  position integer not null,
  bytes blob not null,
  stored_at integer not null,
  primary key (build_id, position)
) strict;

-- What keeps a server from using an installed plugin.
create table plugin_problems (
  instance_id text not null references instances (id) on delete cascade,
  plugin_key text not null,
  message text not null,
  noted_at integer not null,
  primary key (instance_id, plugin_key)
) strict, without rowid;
-- on postgres:

-- Archives are compressed already.
alter table plugin_chunks alter column bytes set storage external;
