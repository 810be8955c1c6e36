-- The approval of an operation that an admin has marked as one that only reads. Another approval ends the mark.
alter table row_operations add column reads_approved_at bigint;
