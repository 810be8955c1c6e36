import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIntegrityCheck } from "./check-integrity.ts";
import { listFaults } from "./list-faults.ts";

const folder = await mkdtemp(join(tmpdir(), "hub-integrity-"));
afterAll(() => rm(folder, { recursive: true }));

/** A table and its index, on pages of their own. */
function makeDatabase(name: string): string {
  const path = join(folder, name);
  using database = new Database(path, { create: true });
  database.run("create table words (id integer primary key, word text)");
  database.run("create index by_word on words (word)");
  const insert = database.prepare("insert into words (word) values (?)");
  database.transaction(() => {
    for (let id = 0; id < 3_000; id += 1) insert.run(`word-${id}`);
  })();
  return path;
}

/** Writes over the last occurrence of a text. */
function damage(path: string, text: string, by: string): void {
  const at = readFileSync(path).lastIndexOf(text);
  const file = openSync(path, "r+");
  writeSync(file, by, at);
  closeSync(file);
}

function readPage(path: string, name: string): number {
  using database = new Database(path, { readonly: true });
  const [found] = database
    .query<{ rootpage: number }, [string]>("select rootpage from sqlite_schema where name = ?")
    .all(name);
  return found?.rootpage ?? 0;
}

describe("a check of the database", () => {
  test("A database without damage has no faults", () => {
    expect(listFaults(makeDatabase("whole"))).toEqual([]);
  });

  test("A damaged index is found, although every page can be read", () => {
    const path = makeDatabase("index");
    damage(path, "word-2999", "word-2x99");
    expect(listFaults(path).join()).toMatch(/missing from index by_word|wrong # of entries/);
  });

  test("A page that was written over is found", () => {
    const path = makeDatabase("page");
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(4096, 7), 0, 4096, (readPage(path, "words") - 1) * 4096);
    closeSync(file);
    expect(listFaults(path)).not.toEqual([]);
  });

  test("A process of its own checks it, and those who ask meanwhile share it", async () => {
    const path = makeDatabase("apart");
    damage(path, "word-2999", "word-2x99");
    const integrity = createIntegrityCheck({ path, now: () => 7 });
    expect(integrity.read()).toBeNull();
    const [one, two] = await Promise.all([integrity.check(60_000), integrity.check(60_000)]);
    expect(one).toMatchObject({ checkedAt: 7, faults: [expect.any(String)] });
    expect(two).toBe(one);
    expect(integrity.read()).toBe(one);
  });

  test("A check that takes too long is ended and says nothing", async () => {
    const integrity = createIntegrityCheck({
      path: "",
      listFaults: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    });
    expect(await integrity.check(1)).toBeNull();
    expect(integrity.read()).toBeNull();
  });
});
