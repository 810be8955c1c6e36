-- Steps are read page by page, in the order in which they were committed.
create index workflow_steps_order on workflow_steps (run_id, position, node_id, item);
