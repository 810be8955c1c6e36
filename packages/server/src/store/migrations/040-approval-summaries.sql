-- level: 2
-- JSON: what lists show of an approval: the values that decide, and what it is about. Null for older approvals, and
-- for those of servers of the version before.
alter table workflow_approvals add column summary text;
