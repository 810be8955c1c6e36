-- Whose connector a row was made for. Null for rows that are older than this column, until a start decides.
alter table connector_rows add column owner text collate "default" check (owner in ('plugin', 'built-in'));
