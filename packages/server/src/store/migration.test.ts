/** Rules for the migrations of the hub: docs/decisions/024-two-versions-share-a-database.md. */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { migrations } from "./migrate.ts";
import { type Migration, readHeader, toChecksum, toLevels } from "./migration.ts";
import { postgresMigrations } from "./postgres/migrate-postgres.ts";

/** Statements after which a program of the version before fails. */
const removals: ReadonlyArray<[what: string, pattern: RegExp]> = [
  ["drops a table, a column or a constraint's meaning", /\bdrop\s+(?:table|column|view)\b/],
  ["renames", /\brename\b/],
  ["changes a column", /\balter\s+(?:column\s+)?\w+\s+(?:set\s+(?:not\s+null|data)|type)\b/],
  ["adds a check to an existing table", /\balter\s+table\s+\w+\s+add\s+(?:constraint|check)\b/],
  [
    "adds a required column without a default",
    /\badd\s+column\b(?=[^;]*\bnot\s+null\b)(?![^;]*\bdefault\b)/,
  ],
];

/** What breaks the rules, one sentence each. */
function findFaults(known: readonly Migration[]): string[] {
  const levels = toLevels(known);
  const faults: string[] = [];
  let newestLevel = 1;
  for (const { name, sql } of known) {
    const level = levels.get(name) ?? 0;
    if (level < newestLevel || level > newestLevel + 1) faults.push(`${name} has a wrong level`);
    newestLevel = level;
    const { contract } = readHeader(sql);
    const statements = sql.replace(/--.*$/gm, "").toLowerCase();
    if (statements.trim() === "") faults.push(`${name} has no statement`);
    const removal = removals.find(([, pattern]) => pattern.test(statements));
    if (contract === null) {
      if (removal !== undefined) faults.push(`${name} ${removal[0]} and is no contract`);
      continue;
    }
    const expanded = levels.get(contract);
    if (expanded === undefined) faults.push(`${name} follows ${contract}, which does not exist`);
    else if (expanded >= level) faults.push(`${name} follows ${contract} of the same level`);
  }
  return faults;
}

const first: Migration = { name: "001-first", sql: "create table a (x);" };

describe("The rules find", () => {
  const cases: Record<string, string> = {
    "create table b (x); drop table a;": "is no contract",
    "alter table a drop column x;": "is no contract",
    "alter table a rename column x to y;": "is no contract",
    "alter table a add column y integer not null;": "is no contract",
    "alter table a alter column x set not null": "is no contract",
    "alter table a alter x type bigint": "is no contract",
    "-- contract: 001-first\ndrop table a;": "of the same level",
    "-- level: 2\n-- contract: 009-none\ndrop table a;": "does not exist",
    "-- level: 3\ncreate table b (x);": "has a wrong level",
    "-- only a comment": "has no statement",
  };
  test.each(Object.entries(cases))("%j: %s", (sql, fault) => {
    expect(findFaults([first, { name: "002-second", sql }])).toEqual([
      expect.stringContaining(fault),
    ]);
  });

  test("nothing in a contract one level after its expansion", () => {
    const contract = "-- level: 2\r\n-- contract: 001-first\r\ndrop table a;";
    const required = "alter table a add column y integer not null default 0;\ndrop index b;";
    const known = [first, { name: "002-a", sql: required }, { name: "003-b", sql: contract }];
    expect(findFaults(known)).toEqual([]);
  });
});

test("The migrations of the hub only expand, or contract what a version before has stopped using", () => {
  expect(findFaults(migrations)).toEqual([]);
  expect(findFaults(postgresMigrations)).toEqual([]);
});

test("A migration has the same header for both databases", () => {
  const toHeaders = (known: readonly Migration[]) =>
    known.map(({ name, sql }) => [name, readHeader(sql)]);
  expect(toHeaders(postgresMigrations)).toEqual(toHeaders(migrations));
});

test("The first 36 migrations are the SQL that databases have recorded", () => {
  const digest = (known: readonly Migration[]) => {
    const lines = known.slice(0, 36).map(({ name, sql }) => `${name} ${toChecksum(sql)}\n`);
    return createHash("sha256").update(lines.join("")).digest("hex");
  };
  expect(digest(migrations)).toBe(
    "682dfc5b8c82ce36a297af19513b7e01673589c97e87f2d2a70745027466a627",
  );
  expect(digest(postgresMigrations)).toBe(
    "35d54dbbc0ebf7d011fce93f6e780da5a64042178da1f1ec4bcef7e973282ba0",
  );
});
