import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { retryWhileBusy } from "./retry-while-busy.ts";

let folder: string;
let writer: Database;
let other: Database;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-busy-"));
  [writer, other] = [new Database(join(folder, "db")), new Database(join(folder, "db"))];
  writer.run("pragma busy_timeout = 0");
});
afterEach(async () => {
  writer.close();
  other.close();
  await rm(folder, { recursive: true });
});

test("A busy database is retried until the other writer is done", async () => {
  other.run("begin immediate");
  let attempts = 0;
  await retryWhileBusy(600_000, () => {
    attempts += 1;
    if (attempts === 3) other.run("commit");
    writer.run("begin immediate");
  });
  expect(attempts).toBe(3);
});

test("A call that has used its wait in the queue tries once", async () => {
  other.run("begin immediate");
  let attempts = 0;
  const attempt = () => {
    attempts += 1;
    writer.run("begin immediate");
  };
  const askedAt = performance.now() - 1_000;
  await expect(retryWhileBusy(1_000, attempt, askedAt)).rejects.toThrow("locked");
  expect(attempts).toBe(1);
  other.run("commit");
  await retryWhileBusy(1_000, attempt, askedAt);
  expect(attempts).toBe(2);
});

test("Other errors are not retried", async () => {
  let attempts = 0;
  const attempt = () => {
    attempts += 1;
    writer.run("select * from absent_table");
  };
  await expect(retryWhileBusy(600_000, attempt)).rejects.toThrow("no such table");
  expect(attempts).toBe(1);
});
