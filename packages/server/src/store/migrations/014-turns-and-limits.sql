-- The processes of one folder take turns by SQLite's write lock, and each counts its own calls.
select 1;
