-- Due runs of owners who have their share of a server are skipped along the index.
create index workflow_runs_due_by_owner on workflow_runs (due_at, owner_id) where due_at is not null;
drop index workflow_runs_due;
