import { expect, test } from "bun:test";
import { toDialect } from "./to-dialect.ts";

const source = `-- The text of an integer, and a blob's "text".
create table pages (
  id text not null primary key,
  size integer not null check (size > 0),
  kind text not null default 'text' check (kind in ('text', 'it''s a blob')),
  bytes blob,
  old text collate "default"
) strict, without rowid;
-- on sqlite:
insert into pages (id) values ('text of SQLite');
-- on postgres:
alter table pages alter column bytes set storage external;
-- on both:
create table other (n integer) strict;
alter table other add column title text not null default '';
update pages set size = cast(size as integer);
`;

test("PostgreSQL gets its own types and no table options, and comments and quoted texts stay", () => {
  expect(toDialect(source, "postgres")).toBe(`-- The text of an integer, and a blob's "text".
create table pages (
  id text collate "C" not null primary key,
  size bigint not null check (size > 0),
  kind text collate "C" not null default 'text' check (kind in ('text', 'it''s a blob')),
  bytes bytea,
  old text
);
alter table pages alter column bytes set storage external;
create table other (n bigint);
alter table other add column title text collate "C" not null default '';
update pages set size = cast(size as bigint);
`);
});

test("SQLite gets the source without the parts of PostgreSQL", () => {
  expect(toDialect(source, "sqlite")).toBe(`-- The text of an integer, and a blob's "text".
create table pages (
  id text not null primary key,
  size integer not null check (size > 0),
  kind text not null default 'text' check (kind in ('text', 'it''s a blob')),
  bytes blob,
  old text
) strict, without rowid;
insert into pages (id) values ('text of SQLite');
create table other (n integer) strict;
alter table other add column title text not null default '';
update pages set size = cast(size as integer);
`);
});

test("A source with the line ends of Windows is translated the same", () => {
  for (const dialect of ["sqlite", "postgres"] as const) {
    const windows = toDialect(source.replaceAll("\n", "\r\n"), dialect);
    expect(windows.replaceAll("\r\n", "\n")).toBe(toDialect(source, dialect));
  }
});
