-- Vectors of the texts that the search compares by meaning: one signed byte for each dimension.
create table embeddings (
  model text not null,
  text_hash text not null,
  vector blob not null,
  used_at integer not null,
  primary key (model, text_hash)
) strict;

create index embeddings_used on embeddings (used_at);

-- on sqlite:
-- The process that makes vectors with a model, so that no text is sent by two processes.
-- on postgres:
-- The process that makes vectors with a model, so that no text collate "C" is sent by two processes.
-- on both:
create table embedding_leases (
  model text not null primary key,
  holder text not null,
  expires_at integer not null
) strict, without rowid;
