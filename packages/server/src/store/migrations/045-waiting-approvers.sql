-- level: 2
-- When the approval was asked for, while it is pending; null after. So the approvals that wait for one user or tag are read
-- from an index. Triggers keep it, because servers of the version before write approvals too.
alter table workflow_approvers add column waiting_since integer;
update workflow_approvers set waiting_since = (
  select created_at from workflow_approvals where id = approval_id and state = 'pending'
);
create index workflow_approvers_waiting on workflow_approvers (kind, name, waiting_since, approval_id, email)
  where waiting_since is not null;
-- on sqlite:
create trigger workflow_approvers_asked after insert on workflow_approvers
begin
  update workflow_approvers set waiting_since = (
    select created_at from workflow_approvals where id = new.approval_id and state = 'pending'
  ) where approval_id = new.approval_id and kind = new.kind and name = new.name;
end;
create trigger workflow_approvals_ended after update of state on workflow_approvals
  when old.state = 'pending' and new.state <> 'pending'
begin
  update workflow_approvers set waiting_since = null where approval_id = new.id;
end;
-- on postgres:
create function set_waiting_since() returns trigger language plpgsql as $$
begin
  select created_at into new.waiting_since
    from workflow_approvals where id = new.approval_id and state = 'pending';
  return new;
end $$;
create trigger workflow_approvers_asked before insert on workflow_approvers
  for each row execute function set_waiting_since();
create function clear_waiting_since() returns trigger language plpgsql as $$
begin
  update workflow_approvers set waiting_since = null where approval_id = new.id;
  return null;
end $$;
create trigger workflow_approvals_ended after update of state on workflow_approvals
  for each row when (old.state = 'pending' and new.state <> 'pending')
  execute function clear_waiting_since();
