-- Who may test a row: admins, or also the users who see it.
alter table connector_rows add column tests text collate "default" not null default 'admins' check (tests in ('admins', 'tag'));
