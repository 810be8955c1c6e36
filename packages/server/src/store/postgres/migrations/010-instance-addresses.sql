-- Where a serving process answers: for requests from its own machine, and for clients.
alter table instances add column local_url text collate "C";
alter table instances add column base_url text collate "C";
