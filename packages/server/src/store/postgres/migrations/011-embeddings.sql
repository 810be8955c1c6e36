-- Vectors of the texts that the search compares by meaning: one signed byte for each dimension.
create table embeddings (
  model text collate "C" not null,
  text_hash text collate "C" not null,
  vector bytea not null,
  used_at bigint not null,
  primary key (model, text_hash)
);

create index embeddings_used on embeddings (used_at);

-- The process that makes vectors with a model, so that no text collate "C" is sent by two processes.
create table embedding_leases (
  model text collate "C" not null primary key,
  holder text collate "C" not null,
  expires_at bigint not null
);
